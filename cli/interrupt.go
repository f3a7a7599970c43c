package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"
	"time"

	"github.com/segraph/segraph/logs"
)

// errInterrupted is returned if a second signal arrives before the work has ended.
var errInterrupted = errors.New("stopped at once by a second signal; unfinished work is lost")

// How long to wait for a write to stderr. A full pipe whose reader sleeps must not block
// a command.
const (
	atLeisure = time.Second
	inPassing = 100 * time.Millisecond
)

// say writes a message for people, and returns after a time limit even if the write still
// blocks.
func say(w io.Writer, limit time.Duration, words string) {
	said := make(chan struct{})
	go func() {
		defer close(said)
		_, _ = io.WriteString(w, words) // an error here can't be reported anywhere
	}()
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-said:
	case <-timer.C:
	}
}

// interruptible runs work. The first signal cancels its context. The second makes
// interruptible return at once, after which the process must end.
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
			cancel() // cancel first: the write to stderr may block
			p.printMessage(slog.LevelInfo, inPassing, fmt.Sprintf("segraph: %v: finishing the current work; a second signal ends it at once\n", s))
		}
	}
}

// printMessage writes a message for people to stderr within a time limit. If the log is
// JSON, the message is a line of it.
func (p *program) printMessage(level slog.Level, limit time.Duration, words string) {
	if !p.json {
		say(p.stderr, limit, words)
		return
	}
	say(p.stderr, limit, logs.JSONLine(level, "segraph", oneLine(words))+"\n")
}

// oneLine joins lines into one and removes their indentation.
func oneLine(words string) string { return strings.Join(strings.Fields(words), " ") }
