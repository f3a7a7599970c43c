package cli

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync/atomic"
	"time"

	"github.com/segraph/segraph/store/log/journal"
)

// progressEvery is how often the progress bar is drawn.
const progressEvery = 100 * time.Millisecond

// progress wraps a text being read and, on a terminal, draws a line that shows how far
// the reading is. A load checks the whole text first, in one reading or several, and then stores it.
type progress struct {
	text io.ReadSeeker
	name string
	size int64 // size of the text in bytes

	to    io.Writer // the terminal; nil disables drawing
	now   func() time.Time
	at    int64 // offset in the text
	drawn time.Time
	// The reader does not own these: storing is when the load began to store, nil before, and quads how many it has stored.
	storing atomic.Pointer[time.Time]
	quads   atomic.Int64
}

// newProgress returns a progress that draws on w, if w is a terminal.
func newProgress(w io.Writer, name string, t *text) *progress {
	p := &progress{text: t, name: name, size: t.size, now: time.Now}
	if terminal(w) {
		p.to = w
	}
	return p
}

func terminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

func (p *progress) Read(b []byte) (int, error) {
	n, err := p.text.Read(b)
	p.at += int64(n)
	p.draw()
	return n, err
}

func (p *progress) Seek(offset int64, whence int) (int64, error) {
	at, err := p.text.Seek(offset, whence)
	p.at = at
	return at, err
}

// stored sets how many triples are stored. Its first call says that storing begins.
func (p *progress) stored(quads int64) {
	now := p.now()
	p.storing.CompareAndSwap(nil, &now)
	p.quads.Store(quads)
}

// draw draws the line if enough time has passed.
func (p *progress) draw() {
	if p.to == nil {
		return
	}
	now := p.now()
	if now.Sub(p.drawn) < progressEvery {
		return
	}
	p.drawn = now
	fmt.Fprint(p.to, "\r"+p.line(now)+"\x1b[K")
}

// clear erases the line, so that messages start on an empty one.
func (p *progress) clear() {
	if !p.drawn.IsZero() {
		fmt.Fprint(p.to, "\r\x1b[K")
	}
}

// line returns the line that shows the progress of checking, and then of storing.
func (p *progress) line(now time.Time) string {
	const width = 30
	done := 1.0
	if p.size > 0 {
		done = min(float64(p.at)/float64(p.size), 1)
	}
	full := int(done * width)
	bar := fmt.Sprintf("[%s%s] %3.0f%%", strings.Repeat("#", full), strings.Repeat(".", width-full), done*100)
	begin := p.storing.Load()
	if begin == nil {
		return fmt.Sprintf("%s: checking %s", p.name, bar)
	}
	quads := p.quads.Load()
	rate := int64(float64(quads) / max(now.Sub(*begin).Seconds(), 0.001))
	return fmt.Sprintf("%s: storing %s %s triples, %s/s", p.name, bar, grouped(quads), grouped(rate))
}

// several formats a number with the singular or plural of a noun.
func several(n int64, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return grouped(n) + " " + many
}

// triples formats a number of triples.
func triples(n int64) string { return several(n, "triple", "triples") }

// entries formats the number of entries of a journal.
func entries(h journal.Head) string {
	return several(int64(h.Seq), "journal entry", "journal entries")
}

// grouped formats a number with separated thousands.
func grouped(n int64) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
