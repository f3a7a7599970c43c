package results

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/segraph/segraph/store/rdf"
)

// checkName returns an error if name can't be the name of a variable in every format.
func checkName(name string) error {
	switch {
	case name == "":
		return errors.New("a variable without a name")
	case !utf8.ValidString(name):
		return fmt.Errorf("the name of the variable %.80q is not UTF-8", name)
	case strings.ContainsFunc(name, func(r rune) bool { return r <= ' ' || r == 0x7F || forbiddenInXML(r) }):
		return fmt.Errorf("the name of the variable %.80q contains white space or a control character", name)
	}
	return nil
}

// numberDatatype returns the datatype of s if it is an INTEGER, DECIMAL or DOUBLE of
// Turtle, or "".
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

// isDigit reports whether c is an ASCII digit.
func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// isLetter reports whether c is an ASCII letter.
func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

// isAlphanumeric reports whether c is an ASCII letter or digit.
func isAlphanumeric(c byte) bool { return isDigit(c) || isLetter(c) }

// Namespaces of the XML format.
const (
	sparqlNS = "http://www.w3.org/2005/sparql-results#"
	itsNS    = "http://www.w3.org/2005/11/its"
)

// forbiddenInXML reports whether XML 1.0 excludes r even if escaped (section 2.2).
func forbiddenInXML(r rune) bool {
	return r < ' ' && r != '\t' && r != '\n' && r != '\r' || r == 0xFFFE || r == 0xFFFF
}
