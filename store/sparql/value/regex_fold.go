package value

import (
	"encoding/binary"
	"sync"
	"unicode"
	"unicode/utf8"
)

// appendFolded appends s to dst and replaces each character by the least one that the
// flag i equates with it. Bytes that are not UTF-8 stay as they are.
func appendFolded(dst []byte, s string) []byte {
	for len(s) > 0 {
		at, n := len(dst), asciiPrefix(s)
		dst = append(dst, s[:n]...)
		upperASCII(dst[at:])
		for s = s[n:]; len(s) > 0 && s[0] >= utf8.RuneSelf; {
			c, size := utf8.DecodeRuneInString(s)
			if c == utf8.RuneError {
				dst = append(dst, s[:size]...)
			} else {
				dst = utf8.AppendRune(dst, foldedRune(c))
			}
			s = s[size:]
		}
	}
	return dst
}

const (
	eachByte = 0x0101010101010101
	highBits = 0x80 * eachByte
)

// word returns the first eight bytes of s as one number.
func word(s string) uint64 {
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 | uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}

// asciiPrefix returns the number of ASCII bytes that s begins with.
func asciiPrefix(s string) (n int) {
	for n+8 <= len(s) && word(s[n:])&highBits == 0 {
		n += 8
	}
	for n < len(s) && s[n] < utf8.RuneSelf {
		n++
	}
	return n
}

// upperASCII maps ASCII bytes to upper case.
func upperASCII(b []byte) {
	for ; len(b) >= 8; b = b[8:] {
		w := binary.LittleEndian.Uint64(b)
		// A byte's high bit is set in the first sum if it is at least 'a', in the second
		// if it is more than 'z'.
		letters := (w + (0x80-'a')*eachByte) &^ (w + (0x7F-'z')*eachByte) & highBits
		binary.LittleEndian.PutUint64(b, w-letters>>2)
	}
	for i, c := range b {
		if 'a' <= c && c <= 'z' {
			b[i] = c - ('a' - 'A')
		}
	}
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
