package jsonscan

import "fmt"

// level is an open object or array. key is the offset of the name of its current
// member, or -1 in an array. index is that of the current item.
type level struct {
	key   int64
	index int
}

// Large is the length in bytes from which Check records where an object or array ends, so
// that Skip need not read it.
const Large = 32 << 10

// Check checks the value at an offset, and returns the offset of its end. The error is a
// *SyntaxError, or that of the io.Reader.
func (t *Text) Check(i int64) (end int64, err error) {
	t.path = t.path[:0]
	return t.value(i)
}

// CheckItem checks an item of the outermost array, and returns where it ends. index is for the path of an error.
func (t *Text) CheckItem(i int64, index int) (end int64, err error) {
	t.path = append(t.path[:0], level{key: -1, index: index})
	return t.value(i)
}

// CheckEnd checks that there is only white space from an offset on.
func (t *Text) CheckEnd(i int64) error {
	t.path = t.path[:0]
	if i = t.Space(i); len(t.Rest(i)) > 0 || t.err != nil {
		return t.Expected(i, "the end of the text")
	}
	return nil
}

// value checks the value at i, and returns where it ends. The ends of large values are kept, so that they are not
// checked again.
func (t *Text) value(i int64) (end int64, err error) {
	switch b := t.At(i); {
	case b == '{' || b == '[':
		if len(t.path) >= t.MaxDepth {
			return i, t.Fault(i, "objects and arrays are nested more than %d deep", t.MaxDepth)
		}
		if b == '{' {
			t.path = append(t.path, level{})
			end, err = t.object(i)
		} else {
			t.path = append(t.path, level{key: -1})
			end, err = t.array(i)
		}
		if err != nil {
			return end, err
		}
		t.path = t.path[:len(t.path)-1]
		if end-i >= Large {
			if t.ends == nil {
				t.ends = map[int64]int64{}
			}
			t.ends[i] = end
		}
		return end, nil
	case b == '"':
		return t.string(i, nil)
	case b == '-' || isDigit(b):
		return t.number(i)
	case b == 't':
		return t.word(i, "true")
	case b == 'f':
		return t.word(i, "false")
	case b == 'n':
		return t.word(i, "null")
	}
	return i, t.Expected(i, "a value")
}

// object checks the object that begins at i, and returns where it ends. After an error t.path leads to the place.
func (t *Text) object(i int64) (int64, error) {
	own := len(t.path) - 1
	i = t.Space(i + 1)
	if t.At(i) == '}' {
		return i + 1, nil
	}
	for {
		if t.At(i) != '"' {
			t.path = t.path[:own]
			return i, t.Expected(i, "the name of a member in quotes")
		}
		t.path[own].key = i
		end, err := t.string(i, nil)
		if err != nil {
			return end, err
		}
		if i = t.Space(end); t.At(i) != ':' {
			return i, t.Expected(i, `":"`)
		}
		if i, err = t.value(t.Space(i + 1)); err != nil {
			return i, err
		}
		switch i = t.Space(i); t.At(i) {
		case '}':
			return i + 1, nil
		case ',':
			i = t.Space(i + 1)
		default:
			return i, t.Expected(i, `"," or "}"`)
		}
	}
}

// array checks the array that begins at i, and returns where it ends. After an error t.path leads to the place.
func (t *Text) array(i int64) (int64, error) {
	own := len(t.path) - 1
	i = t.Space(i + 1)
	if t.At(i) == ']' {
		return i + 1, nil
	}
	for {
		var err error
		if i, err = t.value(i); err != nil {
			return i, err
		}
		switch i = t.Space(i); t.At(i) {
		case ']':
			return i + 1, nil
		case ',':
			i = t.Space(i + 1)
			t.path[own].index++
		default:
			return i, t.Expected(i, `"," or "]"`)
		}
	}
}

func isDigit(b byte) bool { return b >= '0' && b <= '9' }

// maxDigits limits each part of a number.
const maxDigits = 10_000

func (t *Text) digits(i int64) (int64, error) {
	if !isDigit(t.At(i)) {
		return i, t.Expected(i, "a digit")
	}
	for begin := i; isDigit(t.At(i)); i++ {
		if i-begin > maxDigits {
			return i, t.Fault(i, "a number has more than %d digits", maxDigits)
		}
	}
	return i, nil
}

// number checks the number at i, and returns where it ends: before the first byte that can't continue it.
func (t *Text) number(i int64) (_ int64, err error) {
	if t.At(i) == '-' {
		i++
	}
	if t.At(i) == '0' {
		i++
	} else if i, err = t.digits(i); err != nil {
		return i, err
	}
	if t.At(i) == '.' {
		if i, err = t.digits(i + 1); err != nil {
			return i, err
		}
	}
	if t.At(i)|0x20 == 'e' {
		if i++; t.At(i) == '+' || t.At(i) == '-' {
			i++
		}
		return t.digits(i)
	}
	return i, nil
}

func (t *Text) word(i int64, word string) (int64, error) {
	for j := range len(word) {
		if t.At(i+int64(j)) != word[j] {
			return i, t.Expected(i, "a value")
		}
	}
	return i + int64(len(word)), nil
}

// Expected returns an error at an offset, where the text should continue with what but
// does not.
func (t *Text) Expected(i int64, what string) error {
	if len(t.Rest(i)) == 0 {
		return t.Fault(i, "expected %s, found the end of the text", what)
	}
	r, _, ok := t.rune(i)
	if !ok {
		return t.Fault(i, "the text is not UTF-8")
	}
	return t.Fault(i, "expected %s, found %q", what, r)
}

// Fault returns a *SyntaxError at an offset, or the error of the io.Reader if that ended
// the text there.
func (t *Text) Fault(i int64, format string, args ...any) error {
	if t.At(i); t.err != nil { // the text could not be read up to there
		return t.err
	}
	open, path := t.path, []any(nil)
	t.path = nil // Bytes may need it
	for _, l := range open {
		if l.key < 0 {
			path = append(path, l.index)
		} else if l.key > 0 { // 0 before the first name
			name, _, _ := t.Bytes(l.key)
			path = append(path, string(name))
		}
	}
	at := t.Position(i)
	return &SyntaxError{Line: at.Line, Column: at.Column, Msg: fmt.Sprintf(format, args...), Path: path}
}
