// Package jsonscan scans JSON (RFC 8259) that may be larger than memory. It checks a text,
// and finds values in checked text by their offsets. It builds no values.
package jsonscan

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"
)

// Text is a window of a text, addressed by byte offsets in the text. If the text can be read again, the window moves to
// each offset that is asked for. If not, the window grows; DropBefore moves its beginning.
//
// A Text must be used by one goroutine.
type Text struct {
	MaxDepth       int  // limit of nested objects and arrays
	MaxString      int  // limit of a string in bytes
	MaxHeld        int  // limit of the window in bytes if the text can't be read again; 0 means none
	LoneSurrogates bool // Check admits escapes of half a surrogate pair, which Bytes refuses

	in      io.Reader
	seeker  io.Seeker // nil if the text can be read only once
	origin  int64     // where the text begins in seeker
	buf     []byte
	start   int64           // offset of buf[0]
	kept    int64           // the text before it is no longer needed; used without a seeker
	ended   bool            // there is no text after buf, or it can't be read
	err     error           // of in
	mark    Place           // the last result of Position
	ends    map[int64]int64 // the ends of large objects and arrays, by where they begin
	path    []level         // the objects and arrays that Check has open
	scratch []byte          // the last string with escapes
}

// window is the number of bytes that are read at once.
const window = 64 << 10

// Place is an offset with its line and column, from 1. Columns count characters.
type Place struct {
	Offset       int64
	Line, Column int
}

// New returns the text in r. The text is read twice if r can seek.
func New(r io.Reader) *Text {
	if b, ok := r.(*bytes.Reader); ok && b.Len() <= window/2 { // a window would be larger
		text := make([]byte, b.Len())
		_, _ = b.Read(text) // an empty one has nothing to read
		return Of(text)
	}
	t := &Text{in: r, mark: Place{Line: 1, Column: 1}}
	if seeker, ok := r.(io.Seeker); ok {
		if origin, err := seeker.Seek(0, io.SeekCurrent); err == nil { // a pipe's type can seek, but a pipe can't
			t.seeker, t.origin = seeker, origin
		}
	}
	return t
}

// Of returns a text that is in memory.
func Of(text []byte) *Text {
	return &Text{buf: text, ended: true, mark: Place{Line: 1, Column: 1}}
}

// ErrHeld reports that a text needs a longer window than MaxHeld.
var ErrHeld = errors.New("too much text must be held in memory")

// Err returns the error that ended the text, if it is not io.EOF.
func (t *Text) Err() error { return t.err }

// Rereads reports whether the text is read again where needed, so that it need not be
// kept in memory.
func (t *Text) Rereads() bool { return t.seeker != nil || t.in == nil }

// DropBefore says that text before an offset is no longer needed.
func (t *Text) DropBefore(i int64) {
	t.kept = i
	clear(t.ends)
}

// At returns the byte at an offset, or 0 at the end of the text.
func (t *Text) At(i int64) byte {
	if j := i - t.start; uint64(j) < uint64(len(t.buf)) {
		return t.buf[j]
	}
	return t.fetch(i)
}

// Rest returns the bytes of the window from an offset on. The result is empty only at
// the end of the text. It is valid until the next call.
func (t *Text) Rest(i int64) []byte {
	if t.At(i); i-t.start >= int64(len(t.buf)) {
		return nil
	}
	return t.buf[i-t.start:]
}

// fetch moves or grows the window to an offset, and returns its byte, or 0 after the end and after an error.
func (t *Text) fetch(i int64) byte {
	isPast := t.ended && i >= t.start
	if isPast || t.err != nil {
		return 0
	}
	next := t.start + int64(len(t.buf))
	if t.seeker != nil {
		if i != next {
			if _, t.err = t.seeker.Seek(t.origin+i, io.SeekStart); t.err != nil {
				return 0
			}
		}
		t.buf, t.start, t.ended = t.buf[:0], i, false
	} else if kept := min(t.kept, next); kept > t.start {
		t.Position(kept) // which later needs no text before
		t.buf = t.buf[:copy(t.buf, t.buf[kept-t.start:])]
		t.start = kept
	}
	for i >= t.start+int64(len(t.buf)) {
		if t.MaxHeld > 0 && len(t.buf) > t.MaxHeld {
			t.err = ErrHeld
			return 0
		}
		if cap(t.buf)-len(t.buf) < window/2 {
			grown := make([]byte, len(t.buf), max(window, 2*cap(t.buf)))
			copy(grown, t.buf)
			t.buf = grown
		}
		n, err := t.in.Read(t.buf[len(t.buf):cap(t.buf)])
		t.buf = t.buf[:len(t.buf)+n]
		if err != nil && n == 0 {
			t.ended = true
			if err != io.EOF {
				t.err = err
			}
			return 0
		}
	}
	return t.buf[i-t.start]
}

// Position returns the line and column of an offset. Offsets must not decrease from call to
// call.
func (t *Text) Position(i int64) Place {
	for m := &t.mark; m.Offset < i; {
		part := t.Rest(m.Offset)
		if len(part) == 0 {
			break
		}
		part = part[:min(int64(len(part)), i-m.Offset)]
		m.Offset += int64(len(part))
		if last := bytes.LastIndexByte(part, '\n'); last >= 0 {
			m.Line, m.Column = m.Line+bytes.Count(part, []byte{'\n'}), 1
			part = part[last+1:]
		}
		for _, b := range part {
			if utf8.RuneStart(b) {
				m.Column++
			}
		}
	}
	return t.mark
}

// SyntaxError reports that a text is not JSON, or exceeds a limit.
type SyntaxError struct {
	Line, Column int // from 1
	Msg          string
	Path         []any // of the value: names of members and indexes of items
}

func (e *SyntaxError) Error() string {
	return fmt.Sprintf("line %d, column %d: %s", e.Line, e.Column, e.Msg)
}
