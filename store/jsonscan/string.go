package jsonscan

import (
	"unicode/utf16"
	"unicode/utf8"
)

// Bytes returns the string at an offset, and the offset of its end. The result is valid
// until the next call. The error is a *SyntaxError, or that of the io.Reader.
func (t *Text) Bytes(i int64) (s []byte, end int64, err error) {
	rest := t.Rest(i + 1)
	if n := plain(rest); n < len(rest) && rest[n] == '"' && n <= t.MaxString && utf8.Valid(rest[:n]) {
		return rest[:n], i + int64(n) + 2, nil
	}
	t.scratch = t.scratch[:0]
	end, err = t.string(i, &t.scratch)
	return t.scratch, end, err
}

// plain returns the number of bytes before the first quote, backslash or control
// character.
func plain(b []byte) int {
	for n, c := range b {
		if c < ' ' || c == '"' || c == '\\' {
			return n
		}
	}
	return len(b)
}

// string checks the string at an offset, appends it to out unless that is nil, and
// returns the offset of its end.
func (t *Text) string(begin int64, out *[]byte) (end int64, err error) {
	for i := begin + 1; ; {
		rest := t.Rest(i)
		n := plain(rest)
		if n == len(rest) {
			n -= partial(rest)
		}
		if !utf8.Valid(rest[:n]) {
			for _, size, ok := t.rune(i); ok; _, size, ok = t.rune(i) { // find the fault
				i += size
			}
			return i, t.Fault(i, "the text is not UTF-8")
		}
		if out != nil {
			*out = append(*out, rest[:n]...)
		}
		if i += int64(n); i-begin-1 > int64(t.MaxString) {
			return i, t.Fault(begin, "a string is longer than %d bytes", t.MaxString)
		}
		switch b := t.At(i); {
		case b == '"':
			return i + 1, nil
		case b == '\\':
			if len(t.Rest(i+1)) == 0 {
				return i, t.Fault(begin, "the string that begins here has no end")
			}
			r, end := t.escape(i + 1)
			isBadHalf := utf16.IsSurrogate(r) && !t.LoneSurrogates
			if isBadHalf || end < 0 {
				return i, t.Fault(i, "a backslash must begin an escape such as \\n or \\u00e9; half of a surrogate pair is not allowed")
			}
			i = end
			if out != nil {
				*out = utf8.AppendRune(*out, r)
			}
		case b < ' ' && len(t.Rest(i)) == 0:
			return i, t.Fault(begin, "the string that begins here has no end")
		case b < ' ':
			return i, t.Fault(i, "the control character %U in a string; write it as an escape, such as \\n for a line feed", b)
		default: // a character across the end of the window
			r, size, ok := t.rune(i)
			if !ok {
				return i, t.Fault(i, "the text is not UTF-8")
			}
			i += size
			if out != nil {
				*out = utf8.AppendRune(*out, r)
			}
		}
	}
}

// partial returns the number of bytes at the end of b that begin a character, but do not
// complete it.
func partial(b []byte) int {
	for n := 1; n < utf8.UTFMax && n <= len(b); n++ {
		if end := b[len(b)-n:]; utf8.RuneStart(end[0]) {
			if utf8.FullRune(end) {
				return 0
			}
			return n
		}
	}
	return 0
}

// rune returns the character at an offset and its size. ok is false if it is not UTF-8.
func (t *Text) rune(i int64) (r rune, size int64, ok bool) {
	var b [utf8.UTFMax]byte
	for j := range b {
		b[j] = t.At(i + int64(j))
		if utf8.FullRune(b[:j+1]) {
			break
		}
	}
	r, n := utf8.DecodeRune(b[:])
	return r, int64(n), r != utf8.RuneError || n > 1
}

// escape reads an escape after its backslash, and both escapes of a surrogate pair. r is a surrogate if its other half
// does not follow. end is -1 if the escape is invalid.
func (t *Text) escape(i int64) (r rune, end int64) {
	switch b := t.At(i); b {
	case '"', '\\', '/':
		return rune(b), i + 1
	case 'b':
		return '\b', i + 1
	case 'f':
		return '\f', i + 1
	case 'n':
		return '\n', i + 1
	case 'r':
		return '\r', i + 1
	case 't':
		return '\t', i + 1
	case 'u':
		if r = t.hex(i + 1); r < 0 {
			return 0, -1
		}
		if utf16.IsSurrogate(r) && t.At(i+5) == '\\' && t.At(i+6) == 'u' {
			if pair := utf16.DecodeRune(r, t.hex(i+7)); pair != utf8.RuneError {
				return pair, i + 11
			}
		}
		return r, i + 5
	}
	return 0, -1
}

// hex returns the number in four hexadecimal digits, or -1.
func (t *Text) hex(i int64) (r rune) {
	for j := range int64(4) {
		switch b := t.At(i + j); {
		case isDigit(b):
			r = r<<4 + rune(b-'0')
		case b|0x20 >= 'a' && b|0x20 <= 'f':
			r = r<<4 + rune(b|0x20-'a') + 10
		default:
			return -1
		}
	}
	return r
}
