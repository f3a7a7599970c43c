// Package text compares short texts in any script, as speech recognisers write them. Its
// functions are pure.
package text

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// MaxRunes is how many runes of a normal form are used.
const MaxRunes = 256

// Normal returns the form in which texts are compared: letters and digits in lower case,
// without accents, in words separated by single spaces, at most MaxRunes. Compatible
// characters are unified (NFKC), and so are ß and ss. The result is empty for a text
// without letters and digits.
func Normal(s string) string {
	var b strings.Builder
	runes, space := 0, false
	for _, r := range norm.NFC.String(letters(norm.NFKD.String(clip(s)))) {
		if r == ' ' {
			space = runes > 0
			continue
		}
		if space {
			b.WriteByte(' ')
			runes++
			space = false
		}
		if runes >= MaxRunes {
			break
		}
		b.WriteRune(r)
		runes++
	}
	return strings.TrimSuffix(b.String(), " ")
}

// clip bounds the work for texts that are far too long. A letter rarely takes more than 8
// runes of decomposed input, of at most 4 bytes each.
func clip(s string) string {
	const limit = MaxRunes * 8 * 4
	if len(s) <= limit {
		return s
	}
	return strings.ToValidUTF8(s[:limit], "")
}

// letters keeps the letters, digits and vowel signs of a decomposed text, case-folded, and drops accents and what does
// not show. It replaces everything else by spaces.
func letters(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	for _, r := range s {
		switch {
		case r >= 0x80 && sameLetter[r] != "":
			b.WriteString(sameLetter[r])
		case r == 'ـ': // stretches an Arabic word
		case unicode.IsLetter(r):
			b.WriteRune(unicode.ToLower(unicode.ToUpper(r)))
		case unicode.IsDigit(r), vowel(r):
			b.WriteRune(r)
		case unicode.IsMark(r): // accents
		case unicode.Is(unicode.Cf, r): // direction marks, soft hyphens, joiners
		default:
			b.WriteByte(' ')
		}
	}
	return b.String()
}

// sameLetter maps letters to the ones that recognisers and keyboards use in their place.
// Unicode does not decompose them.
var sameLetter = map[rune]string{
	'ß': "ss", 'ẞ': "ss", 'ł': "l", 'Ł': "l", 'ø': "o", 'Ø': "o", 'đ': "d", 'Đ': "d", 'æ': "ae", 'Æ': "ae", 'œ': "oe", 'Œ': "oe",
	'ة': "ه", 'ى': "ي", 'ی': "ي", 'ک': "ك",
}

// vowel reports whether a mark is part of the sound rather than an accent: the vowel
// signs of the scripts of India and Southeast Asia, and the marks that distinguish が from
// か.
func vowel(r rune) bool {
	return unicode.IsMark(r) &&
		(r == '\u3099' || r == '\u309A' || !unicode.In(r, unicode.Inherited, unicode.Hebrew, unicode.Arabic, unicode.Cyrillic, unicode.Syriac))
}
