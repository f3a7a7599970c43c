package results

import (
	"strings"
	"unicode/utf8"

	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/turtle"
)

const upperHex = "0123456789ABCDEF"

// appendTerm appends a term as Turtle has it, on one line, without prefixes. Numbers are bare
// where that reads back to the letter.
func appendTerm(b []byte, t rdf.Term) ([]byte, error) {
	if t.IsLiteral() && isBare(t.Value(), t.Datatype()) {
		return append(b, t.Value()...), nil
	}
	return turtle.AppendTerm(b, t)
}

// iriForbids tells the bytes that can't stand in an IRIREF (RDF 1.1 Turtle, section 6.5).
func iriForbids(c byte) bool { return c <= ' ' || c < utf8.RuneSelf && iriForbidden[c] }

var iriForbidden = [utf8.RuneSelf]bool{'<': true, '>': true, '"': true, '{': true, '}': true, '|': true, '^': true, '`': true, '\\': true}

// isBare tells whether a literal can be written without quotes. That asks for less than the
// grammar allows, as not all readers take a number without digits on both sides of its point,
// or keep a "+".
func isBare(lexical, datatype string) bool {
	if datatype != rdf.XSDInteger && datatype != rdf.XSDDecimal && datatype != rdf.XSDDouble || numberDatatype(lexical) != datatype {
		return false
	}
	digits := strings.TrimPrefix(lexical, "-")
	point := strings.IndexByte(lexical, '.')
	return isDigit(digits[0]) && (point < 0 || isDigit(lexical[point+1]))
}

// numberDatatype tells the datatype of s where it is an INTEGER, DECIMAL or DOUBLE of Turtle,
// and "" otherwise.
func numberDatatype(s string) string {
	if s != "" && (s[0] == '+' || s[0] == '-') {
		s = s[1:]
	}
	whole := countDigits(s)
	s = s[whole:]
	fraction, point := 0, s != "" && s[0] == '.'
	if point {
		fraction = countDigits(s[1:])
		s = s[1+fraction:]
	}
	switch {
	case whole+fraction == 0:
		return ""
	case s == "" && !point:
		return rdf.XSDInteger
	case s == "" && fraction > 0:
		return rdf.XSDDecimal
	case s == "" || s[0]|0x20 != 'e':
		return ""
	}
	if s = s[1:]; s != "" && (s[0] == '+' || s[0] == '-') {
		s = s[1:]
	}
	if s == "" || countDigits(s) < len(s) {
		return ""
	}
	return rdf.XSDDouble
}

func countDigits(s string) int {
	n := 0
	for n < len(s) && isDigit(s[n]) {
		n++
	}
	return n
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

func isAlphanumeric(c byte) bool { return isDigit(c) || isLetter(c) }
