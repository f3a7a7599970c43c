package turtle

import (
	"bytes"
	"fmt"
	"io"
	"unicode/utf8"
)

const (
	firstWindow = 4 << 10  // bytes; most documents are no longer
	fullWindow  = 64 << 10 // bytes; the window grows beyond it only for a longer token
)

// window is the part of the input in memory. Its text is valid UTF-8: the input is
// checked on reading, so code that reads tokens need not check it. The window ends with
// an error at invalid input.
type window struct {
	src io.Reader
	buf []byte
	// buf[pos:end] is not read yet. Any call of more may drop the text before pos and
	// move pos. So pos stays at the start of a token until the token is taken, and code
	// that reads a token counts from pos.
	pos, end int
	filled   int  // buf[end:filled] is an incomplete character
	begun    bool // enough was read to look for a byte order mark
	maxToken int
	read     int64 // bytes from src
	err      error // why the text ends at end; io.EOF at its actual end

	line, column int // position of buf[0], from 0, column in characters
}

// more extends the window beyond end. At the end of the text, it returns io.EOF.
func (w *window) more() error {
	if w.end-w.pos > w.maxToken {
		return w.tooLong()
	}
	for empty := 0; w.err == nil; empty++ {
		if empty == 100 {
			w.err = fmt.Errorf("reading RDF: %w", io.ErrNoProgress)
			break
		}
		w.makeRoom()
		n, err := w.src.Read(w.buf[w.filled:])
		w.filled += n
		w.read += int64(n)
		if !w.begun {
			w.dropByteOrderMark()
		}
		had := w.end
		w.check(err)
		if w.end > had {
			return nil
		}
	}
	return w.err
}

// makeRoom makes space after filled.
func (w *window) makeRoom() {
	if w.filled < len(w.buf) {
		return
	}
	to := w.buf // if dropping the text before pos makes room
	if w.pos == 0 || len(w.buf) < fullWindow {
		to = make([]byte, max(firstWindow, 2*len(w.buf)))
	}
	w.line, w.column = advance(w.line, w.column, w.buf[:w.pos])
	w.filled = copy(to, w.buf[w.pos:w.filled])
	w.buf, w.pos, w.end = to, 0, w.end-w.pos
}

// check moves end past the valid part of buf[end:filled]. It keeps the error: one about
// invalid text, or else err from the reader.
func (w *window) check(err error) {
	if err != nil && err != io.EOF {
		err = fmt.Errorf("reading RDF: %w", err)
	}
	fresh := w.buf[w.end:w.filled]
	valid := len(fresh) - len(partialRune(fresh))
	broken := !utf8.Valid(fresh[:valid])
	if broken {
		valid = validPrefix(fresh)
	}
	w.end += valid
	if broken || err == io.EOF && valid < len(fresh) {
		err = w.errorf(w.end-w.pos, "the text is not valid UTF-8: byte 0x%02X is not allowed here", fresh[valid])
	}
	w.err = err
}

// partialRune returns the incomplete character at the end of b, or nil.
func partialRune(b []byte) []byte {
	for n := 1; n < utf8.UTFMax && n <= len(b); n++ {
		if tail := b[len(b)-n:]; utf8.RuneStart(tail[0]) {
			if utf8.FullRune(tail) {
				return nil
			}
			return tail
		}
	}
	return nil
}

// validPrefix returns the number of bytes before the first that is not valid UTF-8.
func validPrefix(b []byte) int {
	i := 0
	for i < len(b) {
		r, n := utf8.DecodeRune(b[i:])
		if r == utf8.RuneError && n <= 1 {
			break
		}
		i += n
	}
	return i
}

// dropByteOrderMark removes U+FEFF from the start of the text. The formats do not allow
// it, but editors on Windows write it and do not show it.
func (w *window) dropByteOrderMark() {
	bom, text := []byte("\uFEFF"), w.buf[:w.filled]
	if len(text) < len(bom) && bytes.HasPrefix(bom, text) {
		return // the rest of the mark may follow
	}
	w.begun = true
	if bytes.HasPrefix(text, bom) {
		w.filled = copy(w.buf, text[len(bom):])
	}
}

// errorf returns a *SyntaxError at buf[pos+n].
func (w *window) errorf(n int, format string, args ...any) error {
	line, column := w.place(n)
	return &SyntaxError{Line: line, Column: column, Msg: fmt.Sprintf(format, args...)}
}

// place returns the line and column of buf[pos+n], both from 1. It counts from buf[0] each time.
func (w *window) place(n int) (line, column int) {
	line, column = advance(w.line, w.column, w.buf[:w.pos+n])
	return line + 1, column + 1
}

// advance returns the position after text that begins at line and column.
func advance(line, column int, text []byte) (endLine, endColumn int) {
	if n := bytes.Count(text, []byte{'\n'}); n > 0 {
		line, column = line+n, 0
		text = text[bytes.LastIndexByte(text, '\n')+1:]
	}
	return line, column + utf8.RuneCount(text)
}

func (w *window) tooLong() error {
	return w.errorf(0, "this is longer than the %d bytes that one name or literal may have", w.maxToken)
}

// peek returns the byte at offset n from pos, which must not be beyond the end of the
// window, or 0 at the end of the text. Strings may contain a NUL, too, and do not use peek
// to find the end.
func (w *window) peek(n int) (byte, error) {
	if w.pos+n == w.end {
		if err := w.more(); err == io.EOF {
			return 0, nil
		} else if err != nil {
			return 0, err
		}
	}
	return w.buf[w.pos+n], nil
}
