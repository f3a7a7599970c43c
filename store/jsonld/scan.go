package jsonld

import (
	"unicode/utf16"
	"unicode/utf8"
)

// space returns the offset of the next byte that is not white space.
func (t *text) space(i int64) int64 {
	for {
		switch t.at(i) {
		case ' ', '\t', '\n', '\r':
			i++
		default:
			return i
		}
	}
}

// checker checks that a text is JSON (RFC 8259) within limits.
type checker struct {
	*text
	maxDepth  int
	maxString int
	path      []level // the objects and arrays that are open
}

// level is an open object or array. key is the offset of the name of its current
// member, or -1 in an array. index is that of the current item.
type level struct {
	key   int64
	index int
}

// large is the length in bytes from which the end of an object or array is recorded, so
// that it can be skipped.
const large = 32 << 10

// value checks the value at an offset, and returns the offset of its end.
func (c *checker) value(i int64) (end int64, err error) {
	switch b := c.at(i); {
	case b == '{' || b == '[':
		if len(c.path) >= c.maxDepth {
			return i, c.fault(i, "objects and arrays are nested more than %d deep", c.maxDepth)
		}
		if b == '{' {
			c.path = append(c.path, level{})
			end, err = c.object(i)
		} else {
			c.path = append(c.path, level{key: -1})
			end, err = c.array(i)
		}
		if err != nil {
			return end, err
		}
		c.path = c.path[:len(c.path)-1]
		if end-i >= large {
			c.ends[i] = end
		}
		return end, nil
	case b == '"':
		return c.string(i)
	case b == '-' || isDigit(b):
		return c.number(i)
	case b == 't':
		return c.word(i, "true")
	case b == 'f':
		return c.word(i, "false")
	case b == 'n':
		return c.word(i, "null")
	}
	return i, c.expected(i, "a value")
}

func (c *checker) object(i int64) (int64, error) {
	own := len(c.path) - 1
	i = c.space(i + 1)
	if c.at(i) == '}' {
		return i + 1, nil
	}
	for {
		if c.at(i) != '"' {
			c.path = c.path[:own]
			return i, c.expected(i, "a name in double quotes")
		}
		c.path[own].key = i
		end, err := c.string(i)
		if err != nil {
			return end, err
		}
		if i = c.space(end); c.at(i) != ':' {
			return i, c.expected(i, "a colon")
		}
		if i, err = c.value(c.space(i + 1)); err != nil {
			return i, err
		}
		switch i = c.space(i); c.at(i) {
		case '}':
			return i + 1, nil
		case ',':
			i = c.space(i + 1)
		default:
			return i, c.expected(i, "a comma or }")
		}
	}
}

func (c *checker) array(i int64) (int64, error) {
	own := len(c.path) - 1
	i = c.space(i + 1)
	if c.at(i) == ']' {
		return i + 1, nil
	}
	for {
		var err error
		if i, err = c.value(i); err != nil {
			return i, err
		}
		switch i = c.space(i); c.at(i) {
		case ']':
			return i + 1, nil
		case ',':
			i = c.space(i + 1)
			c.path[own].index++
		default:
			return i, c.expected(i, "a comma or ]")
		}
	}
}

func (c *checker) string(i int64) (int64, error) {
	for n := 0; ; n++ {
		end, done, problem := c.char(i+1, nil)
		if problem != "" {
			return end, c.fault(end, "%s", problem)
		}
		if done {
			return end, nil
		}
		if i = end - 1; n > c.maxString {
			return i, c.fault(i, "a string is longer than %d characters", c.maxString)
		}
	}
}

// char reads the character at an offset in a string, and appends it to out unless that
// is nil. done reports that the string ends at the offset. problem is the text of an
// error, or "".
func (t *text) char(i int64, out *[]byte) (end int64, done bool, problem string) {
	var r rune
	switch b := t.at(i); {
	case b == '"':
		return i + 1, true, ""
	case b == '\\':
		if r, end = t.escape(i + 1); end < 0 {
			return i, false, "a backslash must begin an escape such as \\n or \\u00e9; half of a surrogate pair is not allowed"
		}
	case b < ' ':
		return i, false, "a string has no end, or contains a control character; write \\n for a line feed"
	case b < utf8.RuneSelf:
		r, end = rune(b), i+1
	default:
		var bytes [utf8.UTFMax]byte
		for j := range bytes {
			bytes[j] = t.at(i + int64(j))
		}
		size := 0
		if r, size = utf8.DecodeRune(bytes[:]); size < 2 {
			return i, false, "the text is not UTF-8"
		}
		end = i + int64(size)
	}
	if out != nil {
		*out = utf8.AppendRune(*out, r)
	}
	return end, false, ""
}

// escape reads the part of an escape after its backslash. end is -1 if the escape is
// invalid.
func (t *text) escape(i int64) (r rune, end int64) {
	switch b := t.at(i); b {
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
		if !utf16.IsSurrogate(r) {
			return r, i + 5
		}
		if t.at(i+5) == '\\' && t.at(i+6) == 'u' {
			if r = utf16.DecodeRune(r, t.hex(i+7)); r != utf8.RuneError {
				return r, i + 11
			}
		}
	}
	return 0, -1
}

// hex returns the number in four hexadecimal digits, or -1.
func (t *text) hex(i int64) (r rune) {
	for j := range int64(4) {
		switch b := t.at(i + j); {
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

func isDigit(b byte) bool { return b >= '0' && b <= '9' }

func (c *checker) digits(i int64) (int64, error) {
	if !isDigit(c.at(i)) {
		return i, c.expected(i, "a digit")
	}
	for begin := i; isDigit(c.at(i)); i++ {
		if i-begin > maxDigits {
			return i, c.fault(i, "a number has more than %d digits", maxDigits)
		}
	}
	return i, nil
}

// maxDigits limits each part of a number.
const maxDigits = 10_000

func (c *checker) number(i int64) (_ int64, err error) {
	if c.at(i) == '-' {
		i++
	}
	if c.at(i) == '0' {
		i++
	} else if i, err = c.digits(i); err != nil {
		return i, err
	}
	if c.at(i) == '.' {
		if i, err = c.digits(i + 1); err != nil {
			return i, err
		}
	}
	if c.at(i)|0x20 == 'e' {
		if i++; c.at(i) == '+' || c.at(i) == '-' {
			i++
		}
		return c.digits(i)
	}
	return i, nil
}

func (c *checker) word(i int64, word string) (int64, error) {
	for j := range len(word) {
		if c.at(i+int64(j)) != word[j] {
			return i, c.expected(i, "a value")
		}
	}
	return i + int64(len(word)), nil
}

// expected returns an error at an offset, where the text should continue with what but
// does not.
func (c *checker) expected(i int64, what string) error {
	b := c.at(i)
	switch {
	case b == 0 && c.ended:
		return c.fault(i, "the document ends early, where %s is expected", what)
	case b > ' ' && b < utf8.RuneSelf:
		return c.fault(i, "%s is expected, found %q", what, b)
	}
	return c.fault(i, "%s is expected", what)
}

// fault is text.fault with the path of what is open.
func (c *checker) fault(i int64, format string, args ...any) error {
	var path []any
	for _, l := range c.path {
		if l.key < 0 {
			path = append(path, l.index)
		} else if l.key > 0 {
			name, _ := c.decode(l.key)
			path = append(path, name)
		}
	}
	return c.text.fault(i, path, format, args...)
}
