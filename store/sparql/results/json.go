package results

import (
	"fmt"
	"io"

	"github.com/segraph/segraph/store/jsonscan"
)

// Limits of JSON.
const (
	maxString  = 16 << 20 // bytes of one name, IRI or literal
	maxDepth   = 100      // nesting in parts that are skipped, and of triple terms
	maxColumns = 4096     // variables
	maxHeld    = 64 << 20 // bytes of one row, and of rows that precede the head
)

// jsonLexer reads the tokens of JSON one after another.
type jsonLexer struct {
	text *jsonscan.Text
	at   int64  // offset of the next token
	name []byte // the last name of a member
}

func newJSONLexer(r io.Reader) jsonLexer {
	t := jsonscan.New(struct{ io.Reader }{r}) // one pass, so it never seeks
	t.MaxDepth, t.MaxString, t.MaxHeld = maxDepth, maxString, maxHeld
	return jsonLexer{text: t, at: t.Begin()}
}

// syntax returns an error of jsonscan as one of this package.
func (l *jsonLexer) syntax(err error) error {
	switch e := err.(type) {
	case nil, *SyntaxError:
		return err
	case *jsonscan.SyntaxError:
		return &SyntaxError{Line: e.Line, Column: e.Column, Msg: e.Msg}
	}
	switch err {
	case io.EOF:
		return err
	case jsonscan.ErrHeld:
		at := l.text.Position(l.at)
		return &SyntaxError{Line: at.Line, Column: at.Column, Msg: fmt.Sprintf("more than the %d bytes that may come before the head, or be one row", maxHeld)}
	}
	return fmt.Errorf("reading results: %w", err)
}

// errorf returns an error at n bytes from the next token.
func (l *jsonLexer) errorf(n int64, format string, args ...any) error {
	return l.text.Fault(l.at+n, format, args...)
}

// ahead skips white space and returns the next byte without moving past it. It returns 0 at
// the end of the text.
func (l *jsonLexer) ahead() byte {
	l.at = l.text.Space(l.at)
	return l.text.At(l.at)
}

// expect reads the byte c. want names it in errors.
func (l *jsonLexer) expect(c byte, want string) error {
	if l.ahead() != c {
		return l.text.Expected(l.at, want)
	}
	l.at++
	return nil
}

// item reports whether another item follows. If not, it reads the closing bracket. first
// is set before the first item, which no comma precedes.
func (l *jsonLexer) item(first bool, closing byte) (bool, error) {
	switch c := l.ahead(); {
	case c == closing:
		l.at++
		return false, nil
	case first:
		return true, nil
	case c != ',':
		return false, l.text.Expected(l.at, fmt.Sprintf(`"," or "%c"`, closing))
	}
	l.at++
	return true, nil
}

// key reads the name of a member and its colon. The result is valid until the next key.
func (l *jsonLexer) key() ([]byte, error) {
	name, err := l.str("the name of a member in quotes")
	if err != nil {
		return nil, err
	}
	l.name = append(l.name[:0], name...) // the window may move before the colon
	return l.name, l.expect(':', `":"`)
}

// members reads an object. It calls each with the name of each member; each reads the
// value.
func (l *jsonLexer) members(want string, each func(name []byte) error) error {
	if err := l.expect('{', want); err != nil {
		return err
	}
	for first := true; ; first = false {
		more, err := l.item(first, '}')
		if err != nil || !more {
			return err
		}
		name, err := l.key()
		if err != nil {
			return err
		}
		if err := each(name); err != nil {
			return err
		}
	}
}

// str reads a string and returns its value, which is valid until the next token.
func (l *jsonLexer) str(want string) (s []byte, err error) {
	if l.ahead() != '"' {
		return nil, l.text.Expected(l.at, want)
	}
	s, l.at, err = l.text.Bytes(l.at)
	return s, err
}

// skip reads any value.
func (l *jsonLexer) skip() (err error) {
	l.ahead()
	l.at, err = l.text.Check(l.at)
	return err
}
