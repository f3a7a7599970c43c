package results

import (
	"io"
	"strings"
	"unicode/utf8"

	"github.com/segraph/segraph/store/sparql/results/internal/scan"
)

// maxHeld limits the bytes of JSON rows that are held because they precede the head.
const maxHeld = 64 << 20

// jsonLexer tokenizes JSON (RFC 8259) as a stream.
type jsonLexer struct {
	scan.Input
	scratch []byte // holds decoded strings
}

// ahead skips white space and returns the next byte without taking it. It returns 0 at
// the end of the text.
func (l *jsonLexer) ahead() (byte, error) {
	for {
		c, err := l.Peek(0)
		if err == io.EOF {
			return 0, nil
		}
		if err != nil || c != ' ' && c != '\n' && c != '\r' && c != '\t' {
			return c, err
		}
		l.Take(1)
	}
}

// expect takes the byte c. want names it in errors.
func (l *jsonLexer) expect(c byte, want string) error {
	d, err := l.ahead()
	if err != nil {
		return err
	}
	if d != c {
		return l.Errorf(0, "expected %s, found %s", want, l.Found(0))
	}
	l.Take(1)
	return nil
}

// item reports whether another item follows. If not, it takes the closing bracket. first
// is set before the first item, which no comma precedes.
func (l *jsonLexer) item(first bool, closing byte) (bool, error) {
	c, err := l.ahead()
	switch {
	case err != nil:
		return false, err
	case c == closing:
		l.Take(1)
		return false, nil
	case first:
		return true, nil
	case c != ',':
		return false, l.Errorf(0, "expected \",\" or %q, found %s", closing, l.Found(0))
	}
	l.Take(1)
	if c, err = l.ahead(); err == nil && c == closing {
		err = l.Errorf(0, "expected something between \",\" and %q", closing)
	}
	return true, err
}

// key takes the name of a member and its colon. The result is valid until the next token.
func (l *jsonLexer) key() ([]byte, error) {
	name, err := l.str("the name of a member in quotes")
	if err != nil {
		return nil, err
	}
	l.scratch = append(l.scratch[:0], name...) // l.Buf may move before the colon
	return l.scratch, l.expect(':', `":"`)
}

// members takes an object. It calls each with the name of each member; each takes the
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

// str takes a string and returns its value, which is valid until the next token.
func (l *jsonLexer) str(want string) ([]byte, error) {
	if c, err := l.ahead(); err != nil {
		return nil, err
	} else if c != '"' {
		return nil, l.Errorf(0, "expected %s, found %s", want, l.Found(0))
	}
	escaped := false
	for n := 1; ; {
		b := l.Buf[l.Pos:l.End]
		for n < len(b) && b[n] >= ' ' && b[n] != '"' && b[n] != '\\' {
			n++
		}
		if n >= len(b) {
			if err := l.More(); err == io.EOF {
				return nil, l.Errorf(0, "the string that begins here has no end")
			} else if err != nil {
				return nil, err
			}
			continue
		}
		switch {
		case b[n] == '\\':
			escaped = true
			n += 2
		case b[n] < ' ':
			return nil, l.Errorf(n, "the control character %U in a string; it must be escaped", b[n])
		default:
			if err := l.CheckUTF8(n); err != nil {
				return nil, err
			}
			if escaped {
				if err := l.unescape(n); err != nil {
					return nil, err
				}
				l.Take(n + 1)
				return l.scratch, nil
			}
			return l.Take(n + 1)[1:n], nil
		}
	}
}

// unescape decodes into scratch the string at Pos whose closing quote is at offset n.
func (l *jsonLexer) unescape(n int) error {
	b := l.Buf[l.Pos : l.Pos+n]
	l.scratch = l.scratch[:0]
	for i := 1; i < n; i++ {
		c := b[i]
		if c != '\\' {
			l.scratch = append(l.scratch, c)
			continue
		}
		i++
		switch b[i] {
		case '"', '\\', '/':
			l.scratch = append(l.scratch, b[i])
		case 'b':
			l.scratch = append(l.scratch, '\b')
		case 'f':
			l.scratch = append(l.scratch, '\f')
		case 'n':
			l.scratch = append(l.scratch, '\n')
		case 'r':
			l.scratch = append(l.scratch, '\r')
		case 't':
			l.scratch = append(l.scratch, '\t')
		case 'u':
			r, size := escapedRune(b[i-1:])
			if size == 0 {
				return l.Errorf(i-1, `a bad escape: four hexadecimal digits must follow \u, and a surrogate pair needs two such escapes`)
			}
			l.scratch = utf8.AppendRune(l.scratch, r)
			i += size - 2
		default:
			return l.Errorf(i-1, "a bad escape: %q can't follow a backslash", rune(b[i]))
		}
	}
	return nil
}

// escapedRune decodes the \u escape at the start of b, or two of them that are a
// surrogate pair. size is their length in bytes, or 0 if they are invalid.
func escapedRune(b []byte) (r rune, size int) {
	if r = scan.HexRune(b[2:], 4); r < 0xD800 || r > 0xDFFF {
		if r < 0 {
			return 0, 0
		}
		return r, 6
	}
	if r > 0xDBFF || len(b) < 12 || b[6] != '\\' || b[7] != 'u' {
		return 0, 0
	}
	low := scan.HexRune(b[8:], 4)
	if low < 0xDC00 || low > 0xDFFF {
		return 0, 0
	}
	return 0x10000 + (r-0xD800)<<10 + (low - 0xDC00), 12
}

// skip takes any value. depth is its nesting within other skipped values.
func (l *jsonLexer) skip(depth int) error {
	c, err := l.ahead()
	if err != nil {
		return err
	}
	switch {
	case depth == scan.MaxDepth:
		return l.Errorf(0, "nested deeper than %d levels", scan.MaxDepth)
	case len(l.Held()) > maxHeld:
		return l.Errorf(0, `more than the %d bytes of rows that may come before the member "head"`, maxHeld)
	}
	switch c {
	case '{':
		return l.members("an object", func([]byte) error { return l.skip(depth + 1) })
	case '[':
		l.Take(1)
		for first := true; ; first = false {
			if more, err := l.item(first, ']'); err != nil || !more {
				return err
			}
			if err := l.skip(depth + 1); err != nil {
				return err
			}
		}
	case '"':
		_, err = l.str("a string")
		return err
	}
	word, err := l.word()
	if err != nil {
		return err
	}
	switch string(word) {
	case "true", "false", "null":
	default:
		if !isJSONNumber(string(word)) {
			return l.Errorf(-len(word), "expected a value, found %.40q", word)
		}
	}
	return nil
}

// word takes a number, true, false or null, or an invalid word in place of one.
func (l *jsonLexer) word() ([]byte, error) {
	for n := 0; ; n++ {
		c, err := l.Peek(n)
		if err != nil && err != io.EOF {
			return nil, err
		}
		if err == io.EOF || !scan.IsAlphanumeric(c) && c != '+' && c != '-' && c != '.' {
			if n == 0 {
				return nil, l.Errorf(0, "expected a value, found %s", l.Found(0))
			}
			return l.Take(n), nil
		}
	}
}

// isJSONNumber reports whether s is a number (RFC 8259, section 6).
func isJSONNumber(s string) bool {
	if scan.NumberDatatype(s) == "" || s[0] == '+' {
		return false
	}
	if s[0] == '-' {
		s = s[1:]
	}
	n := len(s) - len(strings.TrimLeft(s, "0123456789"))
	if n == 0 || n > 1 && s[0] == '0' {
		return false
	}
	return n == len(s) || s[n] != '.' || scan.IsDigit(s[n+1])
}
