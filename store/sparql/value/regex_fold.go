package value

import (
	"slices"
	"sync"
	"unicode"
	"unicode/utf8"
)

// appendFolded appends s to dst and replaces each character by the least one that the
// flag i equates with it. Bytes that are not UTF-8 stay as they are.
func appendFolded(dst []byte, s string) []byte {
	dst = slices.Grow(dst, len(s))
	for i := 0; i < len(s); {
		c, size := rune(s[i]), 1
		if c >= utf8.RuneSelf {
			if c, size = utf8.DecodeRuneInString(s[i:]); c == utf8.RuneError {
				dst = append(dst, s[i:i+size]...)
			} else {
				dst = utf8.AppendRune(dst, foldedRune(c))
			}
		} else if 'a' <= c && c <= 'z' {
			dst = append(dst, byte(c-('a'-'A')))
		} else {
			dst = append(dst, byte(c))
		}
		i += size
	}
	return dst
}

// foldedRune returns the least character that the flag i equates with c.
func foldedRune(c rune) rune {
	switch {
	case c < fewRunes:
		return foldedRunes()[c]
	case 0x2E80 <= c && c < 0xA640, 0xAC00 <= c && c < 0xFB00: // Asian scripts without case
		return c
	}
	return smallestFold(c)
}

// smallestFold returns the smallest rune that differs from c only in case.
func smallestFold(c rune) rune {
	least := c
	for f := unicode.SimpleFold(c); f != c; f = unicode.SimpleFold(f) {
		least = min(least, f)
	}
	return least
}

// fewRunes limits the table of folded characters to those common in Latin scripts.
const fewRunes = 0x250

var foldedRunes = sync.OnceValue(func() *[fewRunes]rune {
	var out [fewRunes]rune
	for c := range out {
		out[c] = smallestFold(rune(c))
	}
	return &out
})
