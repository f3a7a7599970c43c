package scan

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/segraph/segraph/store/rdf"
)

// CheckName returns an error if name can't be the name of a variable in every format.
func CheckName(name string) error {
	switch {
	case name == "":
		return errors.New("a variable without a name")
	case !utf8.ValidString(name):
		return fmt.Errorf("the name of the variable %.80q is not UTF-8", name)
	case strings.ContainsFunc(name, func(r rune) bool { return r <= ' ' || r == 0x7F || ForbiddenInXML(r) }):
		return fmt.Errorf("the name of the variable %.80q contains white space or a control character", name)
	}
	return nil
}

// NumberDatatype returns the datatype of s if it is an INTEGER, DECIMAL or DOUBLE of
// Turtle, or "".
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

// IsDigit reports whether c is an ASCII digit.
func IsDigit(c byte) bool { return '0' <= c && c <= '9' }

// IsLetter reports whether c is an ASCII letter.
func IsLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

// IsAlphanumeric reports whether c is an ASCII letter or digit.
func IsAlphanumeric(c byte) bool { return IsDigit(c) || IsLetter(c) }

// HexRune returns the value of the hexadecimal digits at the start of b. It returns -1 if
// there are too few, or if the value is not a code point.
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

// Namespaces of the XML format.
const (
	SparqlNS = "http://www.w3.org/2005/sparql-results#"
	ItsNS    = "http://www.w3.org/2005/11/its"
)

// ForbiddenInXML reports whether XML 1.0 excludes r even if escaped (section 2.2).
func ForbiddenInXML(r rune) bool {
	return r < ' ' && r != '\t' && r != '\n' && r != '\r' || r == 0xFFFE || r == 0xFFFF
}
