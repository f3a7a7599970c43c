package turtle

import (
	"bytes"
	"io"
	"unicode/utf8"

	"github.com/segraph/segraph/store/rdf"
)

// lexer splits the window into tokens. Each method takes one token from pos on and moves
// pos past it. The bytes that it returns are in the window or in scratch, and valid until
// the next call.
type lexer struct {
	window
	start   int         // index in buf of the last token taken; valid until the next call
	scratch []byte      // holds decoded escapes
	version rdf.Version // see Options
}

// next skips white space and comments and returns the next byte without moving past it. At the
// end of the text, it returns 0. Use ended to distinguish that from a NUL.
func (l *lexer) next() (byte, error) {
	for {
		b, i := l.buf[l.pos:l.end], 0
		for i < len(b) && (b[i] == ' ' || b[i] == '\n' || b[i] == '\t' || b[i] == '\r') {
			i++
		}
		l.pos += i
		var err error
		switch {
		case i == len(b):
			err = l.more()
		case b[i] == '#':
			err = l.comment()
		default:
			return b[i], nil
		}
		if err == io.EOF {
			return 0, nil
		} else if err != nil {
			return 0, err
		}
	}
}

// nextOnLine skips spaces and tabs, and returns the next byte without moving past it.
func (l *lexer) nextOnLine() (byte, error) {
	for {
		c, err := l.peek(0)
		if err != nil || c != ' ' && c != '\t' {
			return c, err
		}
		l.pos++
	}
}

// ended reports whether the text ends at pos, after next has returned 0.
func (l *lexer) ended() bool { return l.pos == l.end && l.err == io.EOF }

// comment skips to the end of the line, which may be far beyond the window.
func (l *lexer) comment() error {
	for {
		b := l.buf[l.pos:l.end]
		if i := bytes.IndexByte(b, '\n'); i >= 0 {
			b = b[:i]
		}
		if i := bytes.IndexByte(b, '\r'); i >= 0 {
			b = b[:i]
		}
		if l.pos += len(b); l.pos < l.end {
			return nil
		}
		if err := l.more(); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
	}
}

// take returns the token of n bytes at pos.
func (l *lexer) take(n int) ([]byte, error) {
	if n > l.maxToken {
		return nil, l.tooLong()
	}
	l.start = l.pos
	l.pos += n
	return l.buf[l.start:l.pos], nil
}

// name returns the length of the token at pos whose name continues at n with characters
// of set: nameChar for prefixes and labels, localChar for local names. A name may contain
// dots but not end with one. escaped reports whether it contains a "\".
func (l *lexer) name(n int, set uint8) (length int, escaped bool, err error) {
	dots := 0 // number of dots at the end so far
	for {
		b := l.buf[l.pos:l.end]
		start := n
		for n < len(b) && charClass[b[n]]&set != 0 {
			n++
		}
		if n > start {
			dots = 0
		}
		if n == len(b) {
			if err := l.more(); err == io.EOF {
				return n - dots, escaped, nil
			} else if err != nil {
				return n, escaped, err
			}
			continue
		}
		switch c := b[n]; {
		case c == '.':
			dots++
			n++
			continue
		case c >= utf8.RuneSelf:
			r, size := utf8.DecodeRune(b[n:])
			if !rdf.IsNameChar(r) {
				return n - dots, escaped, nil
			}
			n += size
		case (c == '%' || c == '\\') && set == localChar:
			if n, err = l.localEscape(n); err != nil {
				return n, escaped, err
			}
			escaped = escaped || c == '\\'
		default:
			return n - dots, escaped, nil
		}
		dots = 0
	}
}

// localEscape returns the end of the PLX at n: "%" and two hexadecimal digits, or "\" and
// a character.
func (l *lexer) localEscape(n int) (int, error) {
	start := l.buf[l.pos+n]
	c, err := l.peek(n + 1)
	if err != nil {
		return n, err
	}
	if start == '\\' {
		if charClass[c]&localEscapable == 0 {
			return n, l.errorf(n, `bad escape in a name: only one of _~.-!$&'()*+,;=/?#@%% may follow "\"`)
		}
		return n + 2, nil
	}
	if rdf.HexValue(c) >= 0 {
		if c, err = l.peek(n + 2); err != nil {
			return n, err
		}
		if rdf.HexValue(c) >= 0 {
			return n + 3, nil
		}
	}
	return n, l.errorf(n, `two hexadecimal digits must follow "%%" in a name; write "\%%" for the character itself`)
}

// startsName reports whether the character at n is a non-ASCII letter or in the class
// start.
func (l *lexer) startsName(n int, start uint8) (bool, error) {
	c, err := l.peek(n)
	if c < utf8.RuneSelf || err != nil {
		return charClass[c]&start != 0, err
	}
	r, _ := utf8.DecodeRune(l.buf[l.pos+n : l.end])
	return rdf.IsNameStart(r), nil
}

// label reads a BLANK_NODE_LABEL and returns it without "_:".
func (l *lexer) label() ([]byte, error) {
	c, err := l.peek(1)
	if err != nil {
		return nil, err
	}
	if c != ':' {
		return nil, l.errorf(1, `expected ":" after "_": a blank node is written _:name`)
	}
	ok, err := l.startsName(2, labelStart)
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, l.errorf(2, `expected a letter, a digit or "_" after "_:"`)
	}
	n, _, err := l.name(2, nameChar)
	if err != nil {
		return nil, err
	}
	b, err := l.take(n)
	return bytes.TrimPrefix(b, []byte("_:")), err
}

// direction returns the end of the base direction at n (RDF 1.2 Turtle, LANG_DIR).
func (l *lexer) direction(n int) (int, error) {
	var word [3]byte
	for i := range word {
		c, err := l.peek(n + i)
		if err != nil {
			return 0, err
		}
		word[i] = c
	}
	c, err := l.peek(n + len(word))
	if err != nil {
		return 0, err
	}
	goesOn := isLetter(c) || isDigit(c) || c == '-'
	if d := string(word[:]); goesOn || d != "ltr" && d != "rtl" {
		return 0, l.errorf(n, `expected the base direction "ltr" or "rtl" after "--"`)
	}
	return n + len(word), nil
}

// language reads a LANGTAG, with its base direction if it has one, and returns it without "@".
func (l *lexer) language() ([]byte, error) {
	n := 1
	for part := 0; ; part++ {
		start := n
		c, err := l.peek(n)
		for digits := part > 0; err == nil && (isLetter(c) || digits && isDigit(c)); {
			n++
			c, err = l.peek(n)
		}
		directed := n == start && c == '-' && part > 0 // a second "-"
		switch {
		case err != nil:
			return nil, err
		case directed && l.version.Admits(rdf.RDF12Basic):
			if n, err = l.direction(n + 1); err != nil {
				return nil, err
			}
			b, err := l.take(n)
			return bytes.TrimPrefix(b, []byte("@")), err
		case directed:
			return nil, l.errorf(n-1, `"--" in a language tag begins a base direction of RDF 1.2, which is not accepted here`)
		case n == start:
			return nil, l.errorf(n, "bad language tag: expected a letter, as in @en or @en-GB")
		case c != '-':
			b, err := l.take(n)
			return bytes.TrimPrefix(b, []byte("@")), err
		}
		n++
	}
}
