package readers

import (
	"bufio"
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/segraph/segraph/store/sparql/results"
	"github.com/segraph/segraph/store/sparql/results/internal/scan"
)

// xmlInput tracks positions and the length of tokens for package xml.
type xmlInput struct {
	src    *bufio.Reader
	offset int64 // of the next byte
	here   place // position of the next byte
	before place // position of the last byte
	start  place // position of the current token
	length int   // of the current token so far, in bytes
	err    error
}

// place is a line and a column in characters, both from 0.
type place struct{ line, column int }

func (p place) errorf(format string, args ...any) error {
	return &results.SyntaxError{Line: p.line + 1, Column: p.column + 1, Msg: fmt.Sprintf(format, args...)}
}

// mark starts a token at offset, which is one byte back if package xml has looked ahead.
func (in *xmlInput) mark(offset int64) {
	in.start, in.length = in.here, 0
	if offset < in.offset {
		in.start = in.before
	}
}

func (in *xmlInput) ReadByte() (byte, error) {
	if in.err != nil {
		return 0, in.err
	}
	c, err := in.src.ReadByte()
	if err != nil {
		if in.err = err; err != io.EOF {
			in.err = fmt.Errorf("reading results: %w", err)
		}
		return 0, in.err
	}
	if in.length++; in.length > scan.MaxToken {
		in.err = in.here.errorf("this is longer than the %d bytes that one tag or value may have", scan.MaxToken)
		return 0, in.err
	}
	in.offset++
	in.before = in.here
	switch {
	case c == '\n':
		in.here = place{line: in.here.line + 1}
	case utf8.RuneStart(c):
		in.here.column++
	}
	return c, nil
}

// Read makes xmlInput an io.Reader. Package xml only calls ReadByte.
func (in *xmlInput) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, in.err
	}
	c, err := in.ReadByte()
	if err != nil {
		return 0, err
	}
	p[0] = c
	return 1, nil
}
