// Package scan reads the parts of results: a window of the text, the variables of a head,
// and checks of terms and names.
package scan

import (
	"bytes"
	"fmt"
	"io"
	"unicode/utf8"
)

// Input is a window of a text. Code that reads a token looks ahead from Pos, and moves
// Pos past the token once all of it is in the window. The window keeps everything from
// Pos on.
type Input struct {
	src      io.Reader
	Buf      []byte
	Pos, End int   // Buf[Pos:End] is not read yet
	err      error // why the text ends at End

	line, column int // position of Buf[0], from 0, column in characters
	fault        func(line, column int, msg string) error

	holding bool // append taken bytes to held
	held    []byte
}

// NewInput returns the window of a text that begins at a position, counted from 0. fault
// makes errors from positions counted from 1.
func NewInput(src io.Reader, line, column int, fault func(line, column int, msg string) error) Input {
	return Input{src: src, line: line, column: column, fault: fault}
}

// Hold sets whether bytes taken from now on are kept.
func (in *Input) Hold(on bool) { in.holding = on }

// Held returns the bytes that were kept.
func (in *Input) Held() []byte { return in.held }

const firstWindow = 16 << 10 // in bytes; the window grows only for a longer token

// More extends the window. At the end of the text, it returns io.EOF.
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

// makeRoom makes space after End.
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

// Peek returns the byte at offset n from Pos. The window must reach up to it. At the end
// of the text, it returns 0 and io.EOF.
func (in *Input) Peek(n int) (byte, error) {
	if in.Pos+n == in.End {
		if err := in.More(); err != nil {
			return 0, err
		}
	}
	return in.Buf[in.Pos+n], nil
}

// Take moves Pos past n bytes and returns them. They are valid until the window grows.
func (in *Input) Take(n int) []byte {
	b := in.Buf[in.Pos : in.Pos+n]
	in.Pos += n
	if in.holding {
		in.held = append(in.held, b...)
	}
	return b
}

// Errorf returns an error at offset n from Pos.
func (in *Input) Errorf(n int, format string, args ...any) error {
	line, column := in.Place(n)
	return in.fault(line, column, fmt.Sprintf(format, args...))
}

// Place returns the line and column at offset n from Pos, both from 1.
func (in *Input) Place(n int) (line, column int) {
	line, column = advance(in.line, in.column, in.Buf[:in.Pos+n])
	return line + 1, column + 1
}

// CheckUTF8 returns an error if the n bytes from Pos are not valid UTF-8.
func (in *Input) CheckUTF8(n int) error {
	b := in.Buf[in.Pos : in.Pos+n]
	if utf8.Valid(b) {
		return nil
	}
	i := 0
	for {
		r, size := utf8.DecodeRune(b[i:])
		if r == utf8.RuneError && size == 1 {
			return in.Errorf(i, "the text is not valid UTF-8: byte 0x%02X is not allowed here", b[i])
		}
		i += size
	}
}

// Found describes the character at offset n from Pos, for an error message.
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

// advance returns the position after text that begins at line and column.
func advance(line, column int, text []byte) (int, int) {
	if n := bytes.Count(text, []byte{'\n'}); n > 0 {
		line, column = line+n, 0
		text = text[bytes.LastIndexByte(text, '\n')+1:]
	}
	return line, column + countCharacters(text)
}

// countCharacters counts the bytes that begin a character, so that the total does not
// depend on how a text is split.
func countCharacters(text []byte) int {
	n := 0
	for _, c := range text {
		if utf8.RuneStart(c) {
			n++
		}
	}
	return n
}
