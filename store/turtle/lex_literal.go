package turtle

import (
	"bytes"
	"io"

	"github.com/segraph/segraph/store/rdf"
)

// quoted reads a string and returns its value, with escapes decoded. If longAllowed is
// set, it also accepts the long form, with three quotes on each side, which may contain
// quotes and line ends.
func (l *lexer) quoted(longAllowed bool) ([]byte, error) {
	quote := l.buf[l.pos]
	size := 1 // number of quotes on each side
	if longAllowed {
		n, err := l.count(0, quote, 3)
		if err != nil {
			return nil, err
		}
		if n == 2 { // ""
			_, err = l.take(2)
			return nil, err
		}
		size = n
	}
	escaped := false
	for n := size; ; {
		b := l.buf[l.pos:l.end]
		for n < len(b) && charClass[b[n]]&plainInQuotes != 0 {
			n++
		}
		if n == len(b) {
			if err := l.more(); err != nil {
				return nil, l.unterminated(n, size, err)
			}
			continue
		}
		switch c := b[n]; {
		case c == '\\':
			// An escaped quote does not end the string. unescape checks the escape.
			escaped = true
			n++
			if n == len(b) {
				if err := l.more(); err != nil {
					return nil, l.unterminated(n, size, err)
				}
			}
			n++
		case c == quote:
			same, err := l.count(n, quote, size)
			if err != nil {
				return nil, err
			}
			if same == size {
				return l.content(n, size, escaped)
			}
			n += same
		case size == 1 && (c == '\n' || c == '\r'):
			return nil, l.unterminated(n, size, nil)
		default:
			n++
		}
	}
}

// count returns the number of consecutive c from n on, up to limit. The byte at n must be
// c.
func (l *lexer) count(n int, c byte, limit int) (int, error) {
	for same := 1; ; same++ {
		if same == limit {
			return same, nil
		}
		if d, err := l.peek(n + same); err != nil || d != c {
			return same, err
		}
	}
}

// content reads the string or IRI whose closing mark, of size bytes, is at n. It returns
// the text between the marks, with escapes decoded if escaped says that there are any.
func (l *lexer) content(n, size int, escaped bool) ([]byte, error) {
	var decoded []byte
	if escaped {
		var err error
		if decoded, err = l.unescape(size, n); err != nil {
			return nil, err
		}
	}
	b, err := l.take(n + size)
	if err != nil || escaped {
		return decoded, err
	}
	return b[size:n], nil
}

// unterminated returns the error for a string that breaks off at n. cause is nil at the
// end of a line.
func (l *lexer) unterminated(n, size int, cause error) error {
	if cause != nil && cause != io.EOF {
		return cause
	}
	on := ""
	if cause == nil {
		on = " on its line"
	}
	line, column := l.place(0)
	marks := bytes.Repeat(l.buf[l.pos:l.pos+1], size)
	return l.errorf(n, "the string that begins at line %d, column %d has no closing %s%s", line, column, marks, on)
}

// iriRef reads an IRIREF and returns the text between its brackets, with escapes decoded.
func (l *lexer) iriRef() ([]byte, error) {
	escaped := false
	for n := 1; ; {
		b := l.buf[l.pos:l.end]
		for n < len(b) && charClass[b[n]]&iriChar != 0 {
			n++
		}
		if n == len(b) {
			if err := l.more(); err == io.EOF {
				line, column := l.place(0)
				return nil, l.errorf(n, `the IRI that begins at line %d, column %d has no closing ">"`, line, column)
			} else if err != nil {
				return nil, err
			}
			continue
		}
		switch c := b[n]; {
		case c == '>':
			return l.content(n, 1, escaped)
		case c == '\\':
			escaped = true
			n++
		case c == '<' && n == 1:
			return nil, l.errorf(0, `"<<" begins a triple term or a reified triple, which is not allowed here`)
		case c <= ' ':
			line, column := l.place(0)
			return nil, l.errorf(n, `%s in the IRI that begins at line %d, column %d (is its ">" missing?)`, rdf.DescribeRune(rune(c)), line, column)
		default:
			return nil, l.errorf(n, "%s is not allowed in an IRI", rdf.DescribeRune(rune(c)))
		}
	}
}

// number reads an INTEGER, DECIMAL or DOUBLE, and returns it with its datatype.
func (l *lexer) number() (lexical []byte, datatype string, err error) {
	sign, n := l.buf[l.pos], 0
	if sign == '+' || sign == '-' {
		n = 1
	}
	start := n
	n, c, err := l.digits(n)
	if err != nil {
		return nil, "", err
	}
	length, datatype := n, rdf.XSDInteger // of the longest number so far
	empty := n == start
	if c == '.' {
		// "1." is a number and the end of a statement, but "1.0" and "1.e0" are one
		// number each.
		start = n + 1
		if n, c, err = l.digits(start); err != nil {
			return nil, "", err
		}
		if n > start {
			length, datatype, empty = n, rdf.XSDDecimal, false
		}
	}
	if empty {
		return nil, "", l.errorf(0, "expected a digit after %q", l.buf[l.pos])
	}
	if c == 'e' || c == 'E' {
		n++
		if c, err = l.peek(n); err != nil {
			return nil, "", err
		}
		if c == '+' || c == '-' {
			n++
		}
		start = n
		if n, _, err = l.digits(start); err != nil {
			return nil, "", err
		}
		if n > start {
			length, datatype = n, rdf.XSDDouble
		}
	}
	lexical, err = l.take(length)
	return lexical, datatype, err
}

// digits returns the end of the digits from n on, and the byte there.
func (l *lexer) digits(n int) (end int, next byte, err error) {
	for {
		c, err := l.peek(n)
		if err != nil || !isDigit(c) {
			return n, c, err
		}
		n++
	}
}
