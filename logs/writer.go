package logs

import (
	"errors"
	"fmt"
	"io"
	"sync"
	"time"
)

// Limits of the lines that wait to be written, and of the time that close waits for them.
const (
	maxWaiting      = 4096
	maxWaitingBytes = 8 << 20
	flushTime       = time.Second
)

// errNotWritten is returned by close if the Writer does not take the lines in time.
var errNotWritten = errors.New("the last lines of the log could not be written")

// writer writes lines in its own goroutine. So a Writer that blocks, such as a pipe that
// nobody reads, does not block logging. A line that the Writer refuses is dropped.
type writer struct {
	to     io.Writer
	notice func(lost int) string // returns the line that reports dropped lines
	lines  chan line
	ended  chan struct{} // closed when the goroutine has ended

	mu     sync.Mutex
	bytes  int // total size of the waiting lines
	lost   int // lines dropped since the last accepted one
	closed bool
}

// line is a waiting line and the number of lines dropped before it.
type line struct {
	text string
	lost int
}

func newWriter(to io.Writer, notice func(int) string) *writer {
	w := &writer{to: to, notice: notice, lines: make(chan line, maxWaiting), ended: make(chan struct{})}
	go w.run()
	return w
}

// put queues a line, or drops it if the queue is full. It never blocks.
func (w *writer) put(text string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return
	}
	if w.bytes+len(text) > maxWaitingBytes {
		w.lost++
		return
	}
	select {
	case w.lines <- line{text, w.lost}:
		w.bytes += len(text)
		w.lost = 0
	default:
		w.lost++
	}
}

// run writes lines until the writer is closed.
func (w *writer) run() {
	defer close(w.ended)
	lost := 0 // dropped lines that were not reported yet
	for l := range w.lines {
		lost = w.reportLost(lost + l.lost)
		if !w.write(l.text) {
			lost++
		}
		w.mu.Lock()
		w.bytes -= len(l.text)
		w.mu.Unlock()
	}
	w.mu.Lock()
	lost += w.lost
	w.mu.Unlock()
	w.reportLost(lost)
}

// reportLost reports dropped lines and returns how many remain unreported.
func (w *writer) reportLost(lost int) int {
	if lost > 0 && w.write(w.notice(lost)) {
		return 0
	}
	return lost
}

// write reports whether the Writer accepted a line. A failure can't be logged, because
// this is the log.
func (w *writer) write(text string) bool {
	_, err := io.WriteString(w.to, text+"\n")
	return err == nil
}

// close stops accepting lines and waits up to flushTime until the waiting ones are
// written. If the Writer blocks for longer, its goroutine remains until the process ends.
func (w *writer) close() error {
	w.mu.Lock()
	if !w.closed {
		w.closed = true
		close(w.lines)
	}
	w.mu.Unlock()
	timer := time.NewTimer(flushTime)
	defer timer.Stop()
	select {
	case <-w.ended:
		return nil
	case <-timer.C:
		return fmt.Errorf("%w within %v", errNotWritten, flushTime)
	}
}
