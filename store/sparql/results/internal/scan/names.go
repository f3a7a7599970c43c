package scan

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/segraph/segraph/store/rdf"
)

// CheckName says why name can't be the name of a variable in every format.
func CheckName(name string) error {
	switch {
	case name == "":
		return errors.New("a variable without a name")
	case !utf8.ValidString(name):
		return fmt.Errorf("the name of the variable %.80q is not UTF-8", name)
	case strings.ContainsFunc(name, func(r rune) bool { return r <= ' ' || r == 0x7F || ForbiddenInXML(r) }):
		return fmt.Errorf("the name of the variable %.80q has white space or a control character in it", name)
	}
	return nil
}

// Direction cuts the base direction of RDF 1.2 off a language tag, which has it as --ltr or
// --rtl at its end.
func Direction(tag string) (language, dir string) {
	if n := len(tag) - len("--ltr"); n > 0 && (tag[n:] == "--ltr" || tag[n:] == "--rtl") {
		return tag[:n], tag[n+2:]
	}
	return tag, ""
}

// NumberDatatype tells the datatype of s where it is an INTEGER, DECIMAL or DOUBLE of
// Turtle, and "" otherwise.
func NumberDatatype(s string) string {
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
	for n < len(s) && IsDigit(s[n]) {
		n++
	}
	return n
}

// IsDigit, IsLetter and IsAlphanumeric report whether c is one of ASCII.
func IsDigit(c byte) bool { return '0' <= c && c <= '9' }

func IsLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

func IsAlphanumeric(c byte) bool { return IsDigit(c) || IsLetter(c) }

// HexRune returns the value of the digits at the start of b, -1 if they are none or too
// few.
func HexRune(b []byte, digits int) rune {
	if len(b) < digits {
		return -1
	}
	r := rune(0)
	for _, c := range b[:digits] {
		switch {
		case IsDigit(c):
			r = r<<4 | rune(c-'0')
		case 'a' <= c|0x20 && c|0x20 <= 'f':
			r = r<<4 | rune(c|0x20-'a'+10)
		default:
			return -1
		}
		if r > utf8.MaxRune {
			return -1
		}
	}
	return r
}

// Namespaces of the XML form.
const (
	SparqlNS = "http://www.w3.org/2005/sparql-results#"
	XMLNS    = "http://www.w3.org/XML/1998/namespace"
	ItsNS    = "http://www.w3.org/2005/11/its"
)

// ForbiddenInXML reports whether r is a character that XML 1.0 can't carry, not even
// escaped (section 2.2).
func ForbiddenInXML(r rune) bool {
	return r < ' ' && r != '\t' && r != '\n' && r != '\r' || r == 0xFFFE || r == 0xFFFF
}
