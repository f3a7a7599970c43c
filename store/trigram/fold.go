package trigram

import (
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/language"
)

// Fold appends s to dst, folded to one case. It maps each character separately, so a
// substring of s becomes a substring of the result. A character, its full mappings to
// lower and upper case, and its simple case foldings all have the same result. So
// LCASE(s), UCASE(s), and any text that (?i) matches against s have the same result as s.
// Invalid UTF-8 stays unchanged.
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

// foldings maps the characters outside of ASCII that folding changes.
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

// special lists ranges of characters whose only case mapping is to several characters.
var special = [][2]rune{{0xDF, 0xDF}, {0x149, 0x149}, {0x1F0, 0x1F0}, {0x390, 0x390}, {0x3B0, 0x3B0}, {0x587, 0x587}, {0x1E96, 0x1E9A},
	{0x1F50, 0x1FFC}, {0xFB00, 0xFB17}}

type folder struct{ lower, upper cases.Caser }

// fold returns the upper case of the lower case of a character, and replaces each letter
// by the least of its case variants.
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
