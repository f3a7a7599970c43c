package results

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/segraph/segraph/store/rdf"
)

const upperHex = "0123456789ABCDEF"

// appendTerm appends a term as Turtle has it, on one line, without prefixes. Numbers are bare
// where that reads back to the letter.
func appendTerm(b []byte, t rdf.Term) ([]byte, error) {
	switch t.Kind() {
	case rdf.KindIRI:
		return appendIRI(b, t.Value())
	case rdf.KindBlank:
		return appendLabel(append(b, "_:"...), t.Value()), nil
	}
	datatype := t.Datatype()
	if isBare(t.Value(), datatype) {
		return append(b, t.Value()...), nil
	}
	b, err := appendQuoted(b, t.Value())
	switch {
	case err != nil || datatype == rdf.XSDString:
		return b, err
	case t.Language() != "":
		tag := t.Language()
		if language, _ := direction(tag); !isLanguage(language) {
			return b, fmt.Errorf("%.80q is no language tag", tag)
		}
		return append(append(b, '@'), tag...), nil
	}
	return appendIRI(append(b, "^^"...), datatype)
}

// appendIRI appends an IRIREF. There is no way to escape in it what an IRI can't hold.
func appendIRI(b []byte, iri string) ([]byte, error) {
	if err := checkIRI(iri); err != nil {
		return b, err
	}
	return append(append(append(b, '<'), iri...), '>'), nil
}

// checkIRI says why a reader of Turtle would not take <iri> for what it is.
func checkIRI(iri string) error {
	ascii := true
	for i := range len(iri) {
		if iriForbids(iri[i]) {
			return fmt.Errorf("the IRI %.80q holds %q, which no IRI can", iri, rune(iri[i]))
		}
		ascii = ascii && iri[i] < utf8.RuneSelf
	}
	if !ascii && !utf8.ValidString(iri) {
		return errNotUTF8
	}
	if !rdf.IsAbsoluteIRI(iri) {
		return fmt.Errorf("the IRI %.80q is not absolute: it has no scheme such as http:", iri)
	}
	return nil
}

// iriForbids tells the bytes that can't stand in an IRIREF (RDF 1.1 Turtle, section 6.5).
func iriForbids(c byte) bool { return c <= ' ' || c < utf8.RuneSelf && iriForbidden[c] }

var iriForbidden = [utf8.RuneSelf]bool{'<': true, '>': true, '"': true, '{': true, '}': true, '|': true, '^': true, '`': true, '\\': true}

// mappedLabel begins every label that stands for one that can't be written.
const mappedLabel = "x--"

// appendLabel appends a BLANK_NODE_LABEL without its "_:". A label that is none, that is beyond
// ASCII, or that begins with mappedLabel, is given as that with its other bytes than ASCII
// letters and digits as "-" and two hexadecimal digits: so different labels stay different.
func appendLabel(b []byte, label string) []byte {
	if isPlainLabel(label) && !strings.HasPrefix(label, mappedLabel) {
		return append(b, label...)
	}
	b = append(b, mappedLabel...)
	for i := range len(label) {
		if c := label[i]; isAlphanumeric(c) {
			b = append(b, c)
		} else {
			b = append(b, '-', upperHex[c>>4], upperHex[c&15])
		}
	}
	return b
}

func isPlainLabel(s string) bool {
	for i := range len(s) {
		c := s[i]
		if !isAlphanumeric(c) && c != '_' && (i == 0 || c != '-' && c != '.') {
			return false
		}
	}
	return s != "" && s[len(s)-1] != '.'
}

// appendQuoted appends s as a STRING_LITERAL_QUOTE. Control characters, a tab first of all, are
// escaped, which TSV needs.
func appendQuoted(b []byte, s string) ([]byte, error) {
	b = append(b, '"')
	from, ascii := 0, true
	for i := range len(s) {
		c := s[i]
		if jsonPlain[c] {
			continue
		}
		if c >= utf8.RuneSelf {
			ascii = false
			continue
		}
		b = append(append(b, s[from:i]...), '\\')
		from = i + 1
		switch c {
		case '"', '\\':
			b = append(b, c)
		case '\n':
			b = append(b, 'n')
		case '\r':
			b = append(b, 'r')
		case '\t':
			b = append(b, 't')
		default:
			b = append(b, 'u', '0', '0', upperHex[c>>4], upperHex[c&15])
		}
	}
	b = append(append(b, s[from:]...), '"')
	if !ascii && !utf8.ValidString(s) {
		return b, errNotUTF8
	}
	return b, nil
}

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

// isLanguage is Turtle's LANGTAG without its "@", which takes more than BCP 47 does.
func isLanguage(s string) bool {
	part, digits := 0, false
	for i := 0; i <= len(s); i++ {
		switch {
		case i == len(s) || s[i] == '-':
			if part == 0 {
				return false
			}
			part, digits = 0, true
		case isLetter(s[i]) || digits && isDigit(s[i]):
			part++
		default:
			return false
		}
	}
	return true
}
