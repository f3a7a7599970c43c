package trigram

import (
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/language"
)

// Fold appends s to dst without regard to case. It maps each character by itself, so what
// is part of s is part of the result. A character, its full mappings to lower and to
// upper case, and its simple case foldings all become the same: the result is that of
// LCASE(s) and of UCASE(s), and that of any text that (?i) matches against s. Bytes that
// are not UTF-8 stay as they are.
func Fold(dst []byte, s string) []byte {
	for i := 0; i < len(s); {
		c := s[i]
		if c < utf8.RuneSelf {
			if 'a' <= c && c <= 'z' {
				c -= 'a' - 'A'
			}
			dst = append(dst, c)
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		if folded, ok := foldings()[r]; ok {
			dst = append(dst, folded...)
		} else {
			dst = append(dst, s[i:i+size]...)
		}
		i += size
	}
	return dst
}

// foldings returns what the characters outside of ASCII become that do not stay what they
// are.
var foldings = sync.OnceValue(func() map[rune]string {
	f := folder{cases.Lower(language.Und), cases.Upper(language.Und)}
	out := map[rune]string{}
	add := func(r rune) {
		if s := f.fold(r); s != string(r) {
			out[r] = s
		}
	}
	for _, x := range unicode.CaseRanges {
		for r := max(x.Lo, utf8.RuneSelf); r <= x.Hi; r++ {
			add(rune(r))
		}
	}
	for _, x := range special {
		for r := x[0]; r <= x[1]; r++ {
			add(r)
		}
	}
	return out
})

// special are the characters without a simple mapping to the other case that have a full
// one of several characters.
var special = [][2]rune{{0xDF, 0xDF}, {0x149, 0x149}, {0x1F0, 0x1F0}, {0x390, 0x390}, {0x3B0, 0x3B0}, {0x587, 0x587}, {0x1E96, 0x1E9A},
	{0x1F50, 0x1FFC}, {0xFB00, 0xFB17}}

type folder struct{ lower, upper cases.Caser }

// fold returns the upper case of the lower case of a character, each letter of it as the
// least of those that are the same but for case.
func (f *folder) fold(r rune) string {
	var out []rune
	for _, c := range f.upper.String(f.lower.String(string(r))) {
		least := c
		for other := unicode.SimpleFold(c); other != c; other = unicode.SimpleFold(other) {
			least = min(least, other)
		}
		out = append(out, least)
	}
	return string(out)
}
