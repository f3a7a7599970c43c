package rdf

import (
	"errors"
	"fmt"
	"unicode"
	"unicode/utf8"
)

// IsNameStart reports whether names of Turtle and SPARQL may begin with r (PN_CHARS_BASE;
// RDF 1.1 Turtle, section 6.5).
func IsNameStart(r rune) bool {
	switch {
	case r < 0x80:
		return 'a' <= r|0x20 && r|0x20 <= 'z'
	case r < 0x370:
		return r >= 0xC0 && r != 0xD7 && r != 0xF7 && r < 0x300
	case r < 0x2070:
		return r < 0x2000 && r != 0x37E || r == 0x200C || r == 0x200D
	case r < 0xF900:
		return r < 0x2190 || r >= 0x2C00 && r < 0x2FF0 || r >= 0x3001 && r < 0xD800
	}
	return r < 0xFDD0 || r >= 0xFDF0 && r < 0xFFFE || r >= 0x10000 && r < 0xF0000
}

// IsNameChar reports whether names of Turtle and SPARQL may contain r (PN_CHARS).
func IsNameChar(r rune) bool {
	return IsNameStart(r) || '0' <= r && r <= '9' || r == '_' || r == '-' || r == 0xB7 || r >= 0x300 && r < 0x370 || r == 0x203F || r == 0x2040
}

// HexValue returns the value of a hexadecimal digit, or -1 for another character.
func HexValue(c byte) rune {
	switch {
	case '0' <= c && c <= '9':
		return rune(c - '0')
	case 'a' <= c|0x20 && c|0x20 <= 'f':
		return rune(c|0x20-'a') + 10
	}
	return -1
}

// CodePoint decodes the escape \uXXXX or \UXXXXXXXX at the start of text (UCHAR of Turtle
// and SPARQL), and returns its size in bytes. The error says what is wrong with it.
func CodePoint[T string | []byte](text T) (r rune, size int, err error) {
	size = 6
	if text[1] == 'U' {
		size = 10
	}
	for n := 2; n < size; n++ {
		digit := rune(-1)
		if n < len(text) {
			digit = HexValue(text[n])
		}
		if digit < 0 {
			return 0, 0, fmt.Errorf(`%d hexadecimal digits must follow \%c`, size-2, text[1])
		}
		if r <= utf8.MaxRune { // beyond that, another digit could overflow a rune
			r = r<<4 | digit
		}
	}
	switch {
	case r > utf8.MaxRune:
		return 0, 0, errors.New("it is beyond the last character, U+10FFFF")
	case 0xD800 <= r && r < 0xE000:
		return 0, 0, fmt.Errorf(`U+%04X is one half of a surrogate pair, not a character; write the whole character, as in \U0001F600`, r)
	}
	return r, size, nil
}

// DescribeRune describes a character for an error message.
func DescribeRune(r rune) string {
	switch {
	case r == ' ':
		return "a space"
	case r == '\n' || r == '\r':
		return "the end of the line"
	case r < ' ' || r == 0x7F:
		return fmt.Sprintf("the control character U+%04X", r)
	case r == utf8.RuneError || !unicode.IsPrint(r):
		return fmt.Sprintf("the character U+%04X", r)
	}
	return fmt.Sprintf(`"%c"`, r)
}
