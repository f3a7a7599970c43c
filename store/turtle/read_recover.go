package turtle

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"
)

// Errors returns the syntax errors of a text, at most limit. After an error it continues
// with the next statement, and it reports an undeclared prefix once. So the errors are
// mostly what a person who edits the text would find one after the other. The error is
// ctx's.
func Errors(ctx context.Context, text []byte, f Format, o Options, limit int) ([]*SyntaxError, error) {
	r := NewReader(bytes.NewReader(text), f, o)
	var all []*SyntaxError
	for n := 0; len(all) < limit; n++ {
		if n%4096 == 0 && ctx.Err() != nil {
			return nil, fmt.Errorf("look for syntax errors: %w", ctx.Err())
		}
		_, err := r.Read()
		if err == nil {
			continue
		}
		var syntax *SyntaxError
		if !errors.As(err, &syntax) {
			break
		}
		all = append(all, syntax)
		if err := r.recover(syntax); err == nil {
			continue
		} else if errors.As(err, &syntax) && syntax != all[len(all)-1] && len(all) < limit {
			all = append(all, syntax) // recover found another error
		}
		break
	}
	return all, nil
}

// recover prepares the reader to go on after a syntax error. It returns an error if that
// is impossible.
func (r *Reader) recover(err *SyntaxError) error {
	if r.window.err != nil && r.window.err != io.EOF {
		return r.window.err // the text is not UTF-8 from here on
	}
	line, column := r.window.place(r.end - r.pos)
	atEnd := r.window.err != nil && line == err.Line && column == err.Column
	if atEnd { // as after a string without its end
		return io.EOF
	}
	r.failed = nil
	if err.Undeclared != "" {
		r.prefixes.declare(err.Undeclared[:len(err.Undeclared)-1], "urn:undeclared:")
		return nil // the name is still to be read
	}
	// Only the "." before a new line is missing: the next statement begins here.
	missing := r.state == afterObject && len(r.stack) == 0 && r.startsLine()
	r.stack, r.state = r.stack[:0], atStatement
	if r.byLine() {
		return r.skipLine()
	}
	if missing {
		return nil
	}
	return r.skipStatement()
}

// startsLine reports whether only white space is before pos in its line. Then a "." is
// missing, and pos is at the next statement.
func (r *Reader) startsLine() bool {
	before := r.buf[:r.pos]
	line := before[bytes.LastIndexByte(before, '\n')+1:]
	return len(bytes.TrimLeft(line, " \t")) == 0 && len(line) < len(before)
}

// skipLine moves to the end of the line.
func (r *Reader) skipLine() error {
	for {
		c, err := r.peek(0)
		if err != nil || c == '\n' || c == 0 && r.ended() {
			return err
		}
		r.pos++
	}
}

// skipStatement moves past the "." that ends the statement, or to a directive or the end
// of a graph.
func (r *Reader) skipStatement() error {
	for first := true; ; first = false {
		c, err := r.next()
		atEnd := c == 0 && r.ended() || c == '}' && r.inGraph
		if err != nil || atEnd {
			return err
		}
		n, err := r.wordLength()
		if err != nil {
			return err
		}
		word := r.buf[r.pos : r.pos+n]
		switch {
		case !first && (string(word) == "@prefix" || string(word) == "@base"):
			return nil
		case n > 0:
			r.pos += n
		case c == '.':
			r.pos++
			return nil
		case c == '"' || c == '\'':
			if _, err := r.quoted(!r.byLine()); err != nil {
				if err := r.skipLine(); err != nil {
					return err
				}
			}
		case c == '<':
			if err := r.skipIRI(); err != nil {
				return err
			}
		default:
			_, size := utf8.DecodeRune(r.buf[r.pos:r.end])
			r.pos += size
		}
	}
}

// wordLength returns the length of the word at pos, without dots at its end.
func (r *Reader) wordLength() (int, error) {
	n, dots := 0, 0
	for {
		c, err := r.peek(n)
		switch {
		case err != nil:
			return 0, err
		case c == '.':
			dots++
		case isWordByte(c) || c == ':' && n > 0:
			dots = 0
		default:
			return n - dots, nil
		}
		n++
	}
}

// skipIRI moves past an IRI, or past the part of it that is on this line. The reader is at its "<".
func (r *Reader) skipIRI() error {
	for {
		r.pos++
		c, err := r.peek(0)
		if err != nil || c == '\n' || c == 0 && r.ended() {
			return err
		}
		if c == '>' {
			r.pos++
			return nil
		}
	}
}
