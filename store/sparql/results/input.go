package results

import (
	"bytes"
	"fmt"
	"io"
	"unicode/utf8"
)

// input is the window of a text that a reader holds. What reads a token counts from pos on and
// moves pos behind it when all of it is there: the window keeps what is from pos on.
type input struct {
	src      io.Reader
	buf      []byte
	pos, end int   // buf[pos:end] is what is to be read
	err      error // why nothing comes after end

	line, column int // the place of buf[0], from 0, column in characters

	holding bool // whether what is taken goes to held too
	held    []byte
}

const firstWindow = 16 << 10 // bytes; only a token that is longer makes the window grow

// more makes the window longer. The error at the end of the text is io.EOF.
func (in *input) more() error {
	if in.err != nil {
		return in.err
	}
	if in.end-in.pos > maxToken {
		return in.errorf(0, "this is longer than the %d bytes that one name or value may have", maxToken)
	}
	in.makeRoom()
	for range 100 {
		n, err := in.src.Read(in.buf[in.end:])
		in.end += n
		if err != nil && err != io.EOF {
			err = fmt.Errorf("reading results: %w", err)
		}
		in.err = err
		if n > 0 {
			return nil
		}
		if err != nil {
			return err
		}
	}
	in.err = fmt.Errorf("reading results: %w", io.ErrNoProgress)
	return in.err
}

// makeRoom makes space behind end.
func (in *input) makeRoom() {
	if in.end < len(in.buf) {
		return
	}
	to := in.buf
	if in.pos < len(in.buf)/2 || len(in.buf) == 0 {
		to = make([]byte, max(firstWindow, 2*len(in.buf)))
	}
	in.line, in.column = advance(in.line, in.column, in.buf[:in.pos])
	in.end = copy(to, in.buf[in.pos:in.end])
	in.buf, in.pos = to, 0
}

// peek gives the byte n behind pos, where the window reaches up to there. 0 with io.EOF is the
// end of the text.
func (in *input) peek(n int) (byte, error) {
	if in.pos+n == in.end {
		if err := in.more(); err != nil {
			return 0, err
		}
	}
	return in.buf[in.pos+n], nil
}

// take moves pos over n bytes and gives them. They are good until the window gets longer.
func (in *input) take(n int) []byte {
	b := in.buf[in.pos : in.pos+n]
	in.pos += n
	if in.holding {
		in.held = append(in.held, b...)
	}
	return b
}

// errorf is a *SyntaxError at n behind pos.
func (in *input) errorf(n int, format string, args ...any) error {
	line, column := in.place(n)
	return &SyntaxError{Line: line, Column: column, Msg: fmt.Sprintf(format, args...)}
}

// place is the line and column of what is n behind pos, both from 1.
func (in *input) place(n int) (line, column int) {
	line, column = advance(in.line, in.column, in.buf[:in.pos+n])
	return line + 1, column + 1
}

// checkUTF8 says where the n bytes from pos on are not UTF-8.
func (in *input) checkUTF8(n int) error {
	b := in.buf[in.pos : in.pos+n]
	if utf8.Valid(b) {
		return nil
	}
	i := 0
	for {
		r, size := utf8.DecodeRune(b[i:])
		if r == utf8.RuneError && size == 1 {
			return in.errorf(i, "the text is not valid UTF-8: byte 0x%02X can't stand here", b[i])
		}
		i += size
	}
}

// found names what stands n behind pos, for an error.
func (in *input) found(n int) string {
	if in.pos+n >= in.end {
		return "the end of the text"
	}
	for k := 1; k < utf8.UTFMax && !utf8.FullRune(in.buf[in.pos+n:in.end]); k++ {
		if _, err := in.peek(n + k); err != nil {
			break
		}
	}
	r, _ := utf8.DecodeRune(in.buf[in.pos+n : in.end])
	return fmt.Sprintf("%q", r)
}

// advance gives the place after text that begins at line and column.
func advance(line, column int, text []byte) (int, int) {
	if n := bytes.Count(text, []byte{'\n'}); n > 0 {
		line, column = line+n, 0
		text = text[bytes.LastIndexByte(text, '\n')+1:]
	}
	return line, column + countCharacters(text)
}

// countCharacters counts the bytes that begin a character, so that it makes no difference in
// which pieces a text is counted.
func countCharacters(text []byte) int {
	n := 0
	for _, c := range text {
		if utf8.RuneStart(c) {
			n++
		}
	}
	return n
}
