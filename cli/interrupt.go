package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"time"
)

// errInterrupted: a second signal came before the work had ended.
var errInterrupted = errors.New("stopped at once by a second signal; what was not finished is lost")

// How long words may wait for their reader. Nobody reads for ever where a pipe is full
// and its other end sleeps, and no command may hang for that.
const (
	atLeisure = time.Second
	inPassing = 100 * time.Millisecond
)

// say writes words for people and comes back after a time, also if they were not taken.
// What is stuck in the write then is left to the end of the process.
func say(w io.Writer, limit time.Duration, words string) {
	said := make(chan struct{})
	go func() {
		defer close(said)
		_, _ = io.WriteString(w, words) // there is nobody else to tell
	}()
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-said:
	case <-timer.C:
	}
}

// interruptible runs work until it ends. The first signal cancels its context; the second
// makes interruptible return without waiting, which only the end of the process may follow.
func (p *program) interruptible(signals <-chan os.Signal, work func(context.Context) error) error {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	done := make(chan error, 1)
	go func() { done <- work(ctx) }()
	for {
		select {
		case err := <-done:
			return err
		case s := <-signals:
			if ctx.Err() != nil {
				return errInterrupted
			}
			cancel() // first: where nobody reads stderr, the words may have to wait
			p.tell(slog.LevelInfo, inPassing, fmt.Sprintf("segraph: %v: finishing what was begun; once more ends at once\n", s))
		}
	}
}
