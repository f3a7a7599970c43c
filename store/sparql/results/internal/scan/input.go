// Package scan is what the readers of package results and those of package readers have
// in common: a window of the text, the variables of a head, and the terms and names that
// an answer may have.
package scan

import (
	"bytes"
	"fmt"
	"io"
	"unicode/utf8"
)

// Input is the window of a text that a reader holds. What reads a token counts from Pos
// on and moves Pos behind it when all of it is there: the window keeps what is from Pos
// on.
type Input struct {
	src      io.Reader
	Buf      []byte
	Pos, End int   // Buf[Pos:End] is what is to be read
	err      error // why nothing comes after End

	line, column int // the place of Buf[0], from 0, column in characters
	fault        func(line, column int, msg string) error

	holding bool // whether what is taken goes to held too
	held    []byte
}

// NewInput returns the window of a text that begins at a place, from 0. Fault makes
// errors, with places from 1.
func NewInput(src io.Reader, line, column int, fault func(line, column int, msg string) error) Input {
	return Input{src: src, line: line, column: column, fault: fault}
}

// Hold reports whether what is taken is kept from now on.
func (in *Input) Hold(on bool) { in.holding = on }

// Held returns what was kept.
func (in *Input) Held() []byte { return in.held }

const firstWindow = 16 << 10 // bytes; only a token that is longer makes the window grow

// More makes the window longer. The error at the end of the text is io.EOF.
func (in *Input) More() error {
	if in.err != nil {
		return in.err
	}
	if in.End-in.Pos > MaxToken {
		return in.Errorf(0, "this is longer than the %d bytes that one name or value may have", MaxToken)
	}
	in.makeRoom()
	for range 100 {
		n, err := in.src.Read(in.Buf[in.End:])
		in.End += n
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

// makeRoom makes space behind End.
func (in *Input) makeRoom() {
	if in.End < len(in.Buf) {
		return
	}
	to := in.Buf
	if in.Pos < len(in.Buf)/2 || len(in.Buf) == 0 {
		to = make([]byte, max(firstWindow, 2*len(in.Buf)))
	}
	in.line, in.column = advance(in.line, in.column, in.Buf[:in.Pos])
	in.End = copy(to, in.Buf[in.Pos:in.End])
	in.Buf, in.Pos = to, 0
}

// Peek returns the byte n behind Pos, where the window reaches up to there. 0 with io.EOF
// is the end of the text.
func (in *Input) Peek(n int) (byte, error) {
	if in.Pos+n == in.End {
		if err := in.More(); err != nil {
			return 0, err
		}
	}
	return in.Buf[in.Pos+n], nil
}

// Take moves Pos over n bytes and gives them. They are good until the window gets longer.
func (in *Input) Take(n int) []byte {
	b := in.Buf[in.Pos : in.Pos+n]
	in.Pos += n
	if in.holding {
		in.held = append(in.held, b...)
	}
	return b
}

// Errorf returns an error about what is n behind Pos.
func (in *Input) Errorf(n int, format string, args ...any) error {
	line, column := in.Place(n)
	return in.fault(line, column, fmt.Sprintf(format, args...))
}

// Place returns the line and column of what is n behind Pos, both from 1.
func (in *Input) Place(n int) (line, column int) {
	line, column = advance(in.line, in.column, in.Buf[:in.Pos+n])
	return line + 1, column + 1
}

// CheckUTF8 says where the n bytes from Pos on are not UTF-8.
func (in *Input) CheckUTF8(n int) error {
	b := in.Buf[in.Pos : in.Pos+n]
	if utf8.Valid(b) {
		return nil
	}
	i := 0
	for {
		r, size := utf8.DecodeRune(b[i:])
		if r == utf8.RuneError && size == 1 {
			return in.Errorf(i, "the text is not valid UTF-8: byte 0x%02X can't stand here", b[i])
		}
		i += size
	}
}

// Found names what stands n behind Pos, for an error.
func (in *Input) Found(n int) string {
	if in.Pos+n >= in.End {
		return "the end of the text"
	}
	for k := 1; k < utf8.UTFMax && !utf8.FullRune(in.Buf[in.Pos+n:in.End]); k++ {
		if _, err := in.Peek(n + k); err != nil {
			break
		}
	}
	r, _ := utf8.DecodeRune(in.Buf[in.Pos+n : in.End])
	return fmt.Sprintf("%q", r)
}

// advance returns the place after text that begins at line and column.
func advance(line, column int, text []byte) (int, int) {
	if n := bytes.Count(text, []byte{'\n'}); n > 0 {
		line, column = line+n, 0
		text = text[bytes.LastIndexByte(text, '\n')+1:]
	}
	return line, column + countCharacters(text)
}

// countCharacters counts the bytes that begin a character, so that it makes no difference
// in which pieces a text is counted.
func countCharacters(text []byte) int {
	n := 0
	for _, c := range text {
		if utf8.RuneStart(c) {
			n++
		}
	}
	return n
}
