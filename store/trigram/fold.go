package trigram

import (
	"bytes"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/language"
	"golang.org/x/text/unicode/norm"
)

// Fold appends s to dst without differences of case, accents and forms. Each character
// is replaced by its compatibility decomposition (NFKD) in upper case. Then accents,
// points and tone marks, which are the characters with a combining class, are removed,
// and so are selectors of variants. So "É", "é" and "e" with a combining accent become
// "E", "İ" becomes "I", "ſ" "S", and "ﬁ" "FI". Vowel signs without a combining class stay.
//
// Each character is mapped separately, so a substring of s becomes a substring of the
// result. LCASE(s), UCASE(s), the normal forms of s, and any text that (?i) matches
// against s have the same result as s. Invalid UTF-8 stays unchanged.
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
		if hangulFirst <= r && r <= hangulLast {
			dst = appendHangul(dst, r-hangulFirst)
		} else if folded, ok := foldings()[r]; ok {
			dst = append(dst, folded...)
		} else {
			dst = append(dst, s[i:i+size]...)
		}
		i += size
	}
	return dst
}

// Matcher finds texts that contain a part, both folded. It may be used by one goroutine
// only.
type Matcher struct{ part, text []byte }

// NewMatcher returns a Matcher for texts that contain part. Contains returns the query
// with which an index finds all of them.
func NewMatcher(part string) *Matcher { return &Matcher{part: Fold(nil, part)} }

// Matches reports whether text contains the part.
func (m *Matcher) Matches(text string) bool {
	m.text = Fold(m.text[:0], text)
	return bytes.Contains(m.text, m.part)
}

// Syllables of Hangul are decomposed by arithmetic (Unicode, section 3.12).
const (
	hangulFirst, hangulLast     = 0xAC00, 0xD7A3
	leadFirst, vowelFirst, tail = 0x1100, 0x1161, 0x11A7
	vowels, tails               = 21, 28
)

// appendHangul appends the n-th Hangul syllable, decomposed (Unicode, section 3.12).
func appendHangul(dst []byte, n rune) []byte {
	dst = utf8.AppendRune(dst, leadFirst+n/(vowels*tails))
	dst = utf8.AppendRune(dst, vowelFirst+n%(vowels*tails)/tails)
	if n%tails > 0 {
		dst = utf8.AppendRune(dst, tail+n%tails)
	}
	return dst
}

// foldings maps the characters that folding changes, without ASCII and Hangul.
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
	var b [utf8.UTFMax]byte
	for r := rune(utf8.RuneSelf); r <= unicode.MaxRune; r++ {
		if hangulFirst <= r && r <= 0xF8FF { // of Hangul, surrogates and private use, none changes here
			r = 0xF900
		}
		if 0x30000 <= r && r < 0xE0000 { // unassigned, or ideographs that have one form
			r = 0xE0000
		}
		if r > 0xE01EF {
			break
		}
		p := norm.NFKD.Properties(b[:utf8.EncodeRune(b[:], r)])
		if p.Decomposition() != nil || isMark(r, p) || r == 'ß' { // ß has no simple upper case

			add(r)
		}
	}
	return out
})

// isMark reports whether folding removes a character with properties p.
func isMark(r rune, p norm.Properties) bool {
	return p.CCC() != 0 || unicode.Is(unicode.Variation_Selector, r)
}

type folder struct{ lower, upper cases.Caser }

// fold returns what Fold replaces a character by.
func (f *folder) fold(r rune) string {
	s := string(r)
	for range 4 { // upper case may decompose further, and the other way round
		s = f.upper.String(f.lower.String(norm.NFKD.String(s)))
	}
	var out []rune
	for _, c := range norm.NFKD.String(s) {
		if !isMark(c, norm.NFKD.PropertiesString(string(c))) {
			out = append(out, leastCase(c))
		}
	}
	return string(out)
}

// leastCase returns the least of a letter's case variants that has no decomposition.
func leastCase(c rune) rune {
	least := c
	for other := unicode.SimpleFold(c); other != c; other = unicode.SimpleFold(other) {
		if other < least && norm.NFKD.PropertiesString(string(other)).Decomposition() == nil {
			least = other
		}
	}
	return least
}
