package turtle

import (
	"bytes"
	"unicode/utf8"

	"github.com/segraph/segraph/store/rdf"
)

// unescape decodes the token's bytes from start to end into scratch: ECHAR and UCHAR in a
// string, and only UCHAR in an IRI, where it must not represent a character that an IRI
// excludes.
func (l *lexer) unescape(start, end int) ([]byte, error) {
	text := l.buf[l.pos : l.pos+end]
	inIRI := text[0] == '<'
	out := l.scratch[:0]
	for i := start; i < end; {
		plain := bytes.IndexByte(text[i:], '\\')
		if plain < 0 {
			out = append(out, text[i:]...)
			break
		}
		out = append(out, text[i:i+plain]...)
		i += plain
		var c byte
		if i+1 < end {
			c = text[i+1]
		}
		if c == 'u' || c == 'U' {
			r, size, err := rdf.CodePoint(text[i:])
			if err != nil {
				return nil, l.errorf(i, "bad escape: %v", err)
			}
			if inIRI && r < utf8.RuneSelf && charClass[r]&iriChar == 0 {
				return nil, l.errorf(i, "%s is not allowed in an IRI, not even escaped", rdf.DescribeRune(r))
			}
			out = utf8.AppendRune(out, r)
			i += size
			continue
		}
		simple := simpleEscape(c)
		if inIRI || simple == 0 {
			return nil, l.badEscape(i, inIRI)
		}
		out = append(out, simple)
		i += 2
	}
	l.scratch = out
	return out, nil
}

// simpleEscape returns the character that c stands for after a "\", or 0.
func simpleEscape(c byte) byte {
	switch c {
	case 't':
		return '\t'
	case 'b':
		return '\b'
	case 'n':
		return '\n'
	case 'r':
		return '\r'
	case 'f':
		return '\f'
	case '"', '\'', '\\':
		return c
	}
	return 0
}

func (l *lexer) badEscape(i int, inIRI bool) error {
	if inIRI {
		return l.errorf(i, `bad escape in an IRI: only \uXXXX and \UXXXXXXXX may stand there`)
	}
	r, _ := utf8.DecodeRune(l.buf[l.pos+i+1 : l.end])
	return l.errorf(i, `bad escape in a string: %s after "\" (allowed are \t \b \n \r \f \" \' \\ \uXXXX \UXXXXXXXX)`, rdf.DescribeRune(r))
}
