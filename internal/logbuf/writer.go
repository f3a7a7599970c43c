package logbuf

import (
	"errors"
	"fmt"
	"io"
	"sync"
	"time"
)

// Bounds of the lines that wait to be written, and of the time that close gives them.
const (
	maxWaiting      = 4096
	maxWaitingBytes = 8 << 20
	flushTime       = time.Second
)

// errNotWritten is what close gives when the Writer does not take its lines.
var errNotWritten = errors.New("the last lines of the log could not be written")

// writer writes lines in a goroutine of its own, so that a Writer that takes nothing,
// such as a pipe that nobody reads, stops nobody who logs. A line that the Writer refuses
// is dropped.
type writer struct {
	to     io.Writer
	notice func(lost int) string // the line that tells of lines that were dropped
	lines  chan line
	ended  chan struct{} // closed when the goroutine has ended

	mu     sync.Mutex
	bytes  int // of the lines that wait
	lost   int // lines that were dropped since the last one that found room
	closed bool
}

// line is a line that waits, and how many before it were dropped.
type line struct {
	text string
	lost int
}

func newWriter(to io.Writer, notice func(int) string) *writer {
	w := &writer{to: to, notice: notice, lines: make(chan line, maxWaiting), ended: make(chan struct{})}
	go w.run()
	return w
}

// put hands a line over, or drops it where too many wait. It never waits itself.
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

// run writes lines until close.
func (w *writer) run() {
	defer close(w.ended)
	lost := 0 // lines that were dropped, and that nobody was told of yet
	for l := range w.lines {
		lost = w.tell(lost + l.lost)
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
	w.tell(lost)
}

// tell writes how many lines were dropped, and gives how many still are to be told of.
func (w *writer) tell(lost int) int {
	if lost > 0 && w.write(w.notice(lost)) {
		return 0
	}
	return lost
}

// write reports whether the Writer took a line. There is nowhere else to report that it
// did not.
func (w *writer) write(text string) bool {
	_, err := io.WriteString(w.to, text+"\n")
	return err == nil
}

// close takes no more lines and waits until those that wait are written, for flushTime at
// most. A goroutine that is stuck in a Write then stays there until the process ends.
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
