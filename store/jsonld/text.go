package jsonld

import (
	"fmt"
	"io"
)

// text is a window of a document, addressed by byte offsets in the document. If the
// document can be read again, the window moves to each offset that is requested. If
// not, it begins at kept and grows.
type text struct {
	in     io.Reader
	seeker io.Seeker // nil if the document can be read only once
	origin int64     // where the document begins in seeker
	buf    []byte
	start  int64           // offset of buf[0]
	kept   int64           // the text before it is no longer needed; used without a seeker
	ended  bool            // there is no text after buf, or it can't be read
	err    error           // of in
	mark   place           // the last result of position
	ends   map[int64]int64 // the ends of large objects and arrays, by where they begin
	known  map[string]any  // the values of some contexts, by their texts
}

// window is the number of bytes that are read at once.
const window = 64 << 10

// place is an offset with its line and column, from 1.
type place struct {
	offset       int64
	line, column int
}

func newText(r io.Reader) *text {
	t := &text{in: r, mark: place{line: 1, column: 1}, ends: make(map[int64]int64)}
	if seeker, ok := r.(io.Seeker); ok {
		if origin, err := seeker.Seek(0, io.SeekCurrent); err == nil { // a pipe's type can seek, but a pipe can't
			t.seeker, t.origin = seeker, origin
		}
	}
	return t
}

// at returns the byte at an offset, or 0 at the end of the text.
func (t *text) at(i int64) byte {
	if j := i - t.start; uint64(j) < uint64(len(t.buf)) {
		return t.buf[j]
	}
	return t.fetch(i)
}

// rest returns the bytes of the window from an offset on. The result is empty only at
// the end of the text.
func (t *text) rest(i int64) []byte {
	if t.at(i); i-t.start >= int64(len(t.buf)) {
		return nil
	}
	return t.buf[i-t.start:]
}

// fetch moves or grows the window to an offset, and returns its byte.
func (t *text) fetch(i int64) byte {
	if t.err != nil || t.ended && i >= t.start {
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
	} else if drop := t.kept - t.start; drop > 0 {
		t.buf = t.buf[:copy(t.buf, t.buf[min(drop, int64(len(t.buf))):])]
		t.start = min(t.kept, next)
	}
	for i >= t.start+int64(len(t.buf)) {
		if cap(t.buf)-len(t.buf) < window/2 {
			grown := make([]byte, len(t.buf), max(window, 2*cap(t.buf)))
			copy(grown, t.buf)
			t.buf = grown
		}
		n, err := t.in.Read(t.buf[len(t.buf):cap(t.buf)])
		t.buf = t.buf[:len(t.buf)+n]
		if err != nil && n == 0 {
			if t.ended = true; err != io.EOF {
				t.err = err
			}
			return 0
		}
	}
	return t.buf[i-t.start]
}

// position returns the line and column of an offset. Offsets must not decrease from call to
// call.
func (t *text) position(i int64) place {
	for m := &t.mark; m.offset < i; m.offset++ {
		switch b := t.at(m.offset); {
		case b == '\n':
			m.line, m.column = m.line+1, 1
		case b&0xC0 != 0x80: // not in the middle of a character
			m.column++
		}
	}
	return t.mark
}

// fault returns a syntax error at an offset, or the error of the io.Reader if that
// ended the text there.
func (t *text) fault(i int64, path []any, format string, args ...any) error {
	t.at(i)
	if t.err != nil {
		return fmt.Errorf("read a document: %w", t.err)
	}
	at := t.position(i)
	return &Error{Code: notJSON, Detail: fmt.Sprintf(format, args...), Line: at.line, Column: at.column, Path: pathText(path)}
}

// notJSON is the code of errors in a document that is not JSON, or exceeds a limit.
const notJSON = "loading document failed"
