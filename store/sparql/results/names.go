package results

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
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

// isDigit reports whether c is an ASCII digit.
func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// isLetter reports whether c is an ASCII letter.
func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

// Namespaces of the XML format.
const (
	sparqlNS = "http://www.w3.org/2005/sparql-results#"
	itsNS    = "http://www.w3.org/2005/11/its"
)

// forbiddenInXML reports whether XML 1.0 excludes r even if escaped (section 2.2).
func forbiddenInXML(r rune) bool {
	return r < ' ' && r != '\t' && r != '\n' && r != '\r' || r == 0xFFFE || r == 0xFFFF
}
