// Package text compares what robots heard: short texts in any script, as speech recognisers
// write them. It is pure: nothing in it depends on anything but its arguments.
package text

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// MaxRunes is how much of a text counts, in runes of its normal form.
const MaxRunes = 256

// Normal returns the form in which texts are compared: letters and digits in lower case,
// without accents, in words with one space between them, at most MaxRunes. Letters that
// are only written differently become one (NFKC), so do ß and ss. It is empty for a text
// without letters.
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

// clip bounds the work for texts that are far too long. One letter is hardly ever more
// than 8 runes of decomposed input, or 4 bytes each.
func clip(s string) string {
	const limit = MaxRunes * 8 * 4
	if len(s) <= limit {
		return s
	}
	return strings.ToValidUTF8(s[:limit], "")
}

// letters keeps of a decomposed text the letters, folded, and puts spaces where something
// else was.
func letters(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	for _, r := range s {
		switch {
		case r >= 0x80 && unlike[r] != "":
			b.WriteString(unlike[r])
		case r == 'ـ': // stretches an Arabic word
		case unicode.IsLetter(r):
			b.WriteRune(unicode.ToLower(unicode.ToUpper(r)))
		case unicode.IsDigit(r), vowel(r):
			b.WriteRune(r)
		case unicode.IsMark(r):
		case unicode.Is(unicode.Cf, r): // direction marks, soft hyphens, joiners
		default:
			b.WriteByte(' ')
		}
	}
	return b.String()
}

// unlike are the letters that Unicode does not take apart, and that recognisers and
// keyboards write either way.
var unlike = map[rune]string{
	'ß': "ss", 'ẞ': "ss", 'ł': "l", 'Ł': "l", 'ø': "o", 'Ø': "o", 'đ': "d", 'Đ': "d", 'æ': "ae", 'Æ': "ae", 'œ': "oe", 'Œ': "oe",
	'ة': "ه", 'ى': "ي", 'ی': "ي", 'ک': "ك",
}

// vowel reports whether a mark is part of what is said rather than an accent: the vowel
// signs of the scripts of India and of Southeast Asia, and the marks that tell が from か.
func vowel(r rune) bool {
	return unicode.IsMark(r) &&
		(r == '\u3099' || r == '\u309A' || !unicode.In(r, unicode.Inherited, unicode.Hebrew, unicode.Arabic, unicode.Cyrillic, unicode.Syriac))
}
