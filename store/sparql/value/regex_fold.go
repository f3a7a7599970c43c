package value

import (
	"encoding/binary"
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
		for ; i+8 <= len(s); i += 8 {
			const each = 0x0101010101010101
			w := uint64(s[i]) | uint64(s[i+1])<<8 | uint64(s[i+2])<<16 | uint64(s[i+3])<<24 |
				uint64(s[i+4])<<32 | uint64(s[i+5])<<40 | uint64(s[i+6])<<48 | uint64(s[i+7])<<56
			if w&(0x80*each) != 0 {
				break
			}
			small := (w + (0x80-'a')*each) &^ (w + (0x7F-'z')*each) & (0x80 * each) // the highest bits of lower-case letters
			dst = binary.LittleEndian.AppendUint64(dst, w-small>>2)
		}
		if i == len(s) {
			break
		}
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
