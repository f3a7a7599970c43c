package syntax

import (
	"strings"
	"unicode/utf8"

	"github.com/segraph/segraph/store/rdf"
)

// iri scans an IRIREF. If none follows, it scans "<", "<=", "<<" or "<<(".
func (l *lexer) iri() (token, error) {
	escaped := false
	n := 1
	for {
		n = l.run(n, isIRIChar)
		if c := l.at(n + 1); l.at(n) != '\\' || c != 'u' && c != 'U' {
			break
		}
		escaped = true
		n += 2
	}
	if l.at(n) != '>' {
		switch {
		case l.at(1) == '<' && l.at(2) == '(':
			n = 3
		case l.at(1) == '<' || l.at(1) == '=':
			n = 2
		default:
			n = 1
		}
		return l.take(tokenPunctuation, n, ""), nil
	}
	value := l.text[l.off+1 : l.off+n]
	if escaped {
		var err error
		if value, err = l.unescape(1, n); err != nil {
			return token{}, err
		}
	}
	return l.take(tokenIRI, n+1, value), nil
}

// str scans a string in any of the four kinds of quotes.
func (l *lexer) str() (token, error) {
	quote := l.text[l.off : l.off+1]
	long := strings.HasPrefix(l.text[l.off:], strings.Repeat(quote, 3))
	if long {
		quote = strings.Repeat(quote, 3)
	}
	stop := `\` + quote[:1]
	if !long {
		stop += "\n\r"
	}
	escaped := false
	n := len(quote)
	for {
		i := strings.IndexAny(l.text[l.off+n:], stop)
		if i < 0 {
			return token{}, l.errorf(0, "this string has no end: %s is missing", quote)
		}
		n += i
		switch c := l.at(n); {
		case c == '\\' && l.off+n+1 < len(l.text):
			escaped = true
			_, size := utf8.DecodeRuneInString(l.text[l.off+n+1:])
			n += 1 + size
			continue
		case c == '\n' || c == '\r':
			return token{}, l.errorf(0, `this string does not end on its line: %s is missing, or write it in three quotes, or its line end as \n`, quote)
		case !strings.HasPrefix(l.text[l.off+n:], quote):
			n++
			continue
		}
		break
	}
	value := l.text[l.off+len(quote) : l.off+n]
	if escaped {
		var err error
		if value, err = l.unescape(len(quote), n); err != nil {
			return token{}, err
		}
	}
	t := l.take(tokenString, n+len(quote), value)
	t.long = long
	return t, nil
}

// unescape decodes the escapes in the text between two offsets from l.off: UCHAR (\u, \U)
// and ECHAR (such as \n), which only strings have, because iri ends at any other backslash.
func (l *lexer) unescape(start, end int) (string, error) {
	inIRI := l.at(0) == '<'
	var out strings.Builder
	for i := start; i < end; {
		plain := strings.IndexByte(l.text[l.off+i:l.off+end], '\\')
		if plain < 0 {
			plain = end - i
		}
		out.WriteString(l.text[l.off+i : l.off+i+plain])
		if i += plain; i == end {
			break
		}
		c := l.at(i + 1)
		if c == 'u' || c == 'U' {
			r, size, err := rdf.CodePoint(l.text[l.off+i : l.off+end])
			if err != nil {
				return "", l.errorf(i, "a bad escape: %v", err)
			}
			if inIRI && !isIRIChar(r) {
				return "", l.errorf(i, "%s is not allowed in an IRI, not even escaped", rdf.DescribeRune(r))
			}
			out.WriteRune(r)
			i += size
			continue
		}
		n := strings.IndexByte(`tbnrf"'\`, c)
		if n < 0 {
			r, _ := utf8.DecodeRuneInString(l.text[l.off+i+1:])
			return "", l.errorf(i, `a bad escape in a string: %s after "\" (allowed are \t \b \n \r \f \" \' \\ \uXXXX \UXXXXXXXX)`, rdf.DescribeRune(r))
		}
		out.WriteByte("\t\b\n\r\f\"'\\"[n])
		i += 2
	}
	return out.String(), nil
}

// numberDatatypes has the datatypes of the kinds of numbers, and numberKinds the kinds of the datatypes.
var (
	numberDatatypes = map[tokenKind]string{tokenInteger: rdf.XSDInteger, tokenDecimal: rdf.XSDDecimal, tokenDouble: rdf.XSDDouble}
	numberKinds     = map[string]tokenKind{rdf.XSDInteger: tokenInteger, rdf.XSDDecimal: tokenDecimal, rdf.XSDDouble: tokenDouble}
)
