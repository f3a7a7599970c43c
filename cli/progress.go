package cli

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync/atomic"
	"time"

	"github.com/segraph/segraph/store/journal"
)

// progressEvery is how often the bar is drawn: often enough to be seen moving.
const progressEvery = 100 * time.Millisecond

// progress is a text that is read, and on a terminal one line, drawn over and over, that
// tells how far. A load reads a text twice: to check it, and to store it.
type progress struct {
	text io.ReadSeeker
	name string
	size int64 // of the text, in bytes

	to      io.Writer // the terminal; nil draws nothing
	now     func() time.Time
	at      int64 // where in the text
	storing bool  // the second reading
	begin   time.Time
	drawn   time.Time
	quads   atomic.Int64 // stored; the one field that is not the reader's
}

// newProgress shows on w, if it is a terminal, how far t is read.
func newProgress(w io.Writer, name string, t *text) *progress {
	p := &progress{text: t, name: name, size: t.size, now: time.Now}
	if terminal(w) {
		p.to = w
	}
	return p
}

// terminal reports whether a person sees what is written to w.
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
	if err == nil && at < p.at {
		p.storing, p.begin = true, p.now()
	}
	p.at = at
	return at, err
}

// stored is told how many triples are stored.
func (p *progress) stored(quads int64) { p.quads.Store(quads) }

// draw draws the line if it is time to.
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

// clear takes the line away, so that the words that follow stand alone.
func (p *progress) clear() {
	if !p.drawn.IsZero() {
		fmt.Fprint(p.to, "\r\x1b[K")
	}
}

func (p *progress) line(now time.Time) string {
	const width = 30
	done := 1.0
	if p.size > 0 {
		done = min(float64(p.at)/float64(p.size), 1)
	}
	full := int(done * width)
	bar := fmt.Sprintf("[%s%s] %3.0f%%", strings.Repeat("#", full), strings.Repeat(".", width-full), done*100)
	if !p.storing {
		return fmt.Sprintf("%s: checking %s", p.name, bar)
	}
	quads := p.quads.Load()
	rate := int64(float64(quads) / max(now.Sub(p.begin).Seconds(), 0.001))
	return fmt.Sprintf("%s: storing %s %s triples, %s/s", p.name, bar, grouped(quads), grouped(rate))
}

// several writes a number of things.
func several(n int64, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return grouped(n) + " " + many
}

// triples writes a number of triples.
func triples(n int64) string { return several(n, "triple", "triples") }

// entries writes how many entries a journal has.
func entries(h journal.Head) string {
	return several(int64(h.Seq), "journal entry", "journal entries")
}

// grouped writes a number with its thousands apart.
func grouped(n int64) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
