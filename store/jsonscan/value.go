package jsonscan

// The methods in this file read text that Check has checked.

// Space returns the offset of the next byte that is not white space.
func (t *Text) Space(i int64) int64 {
	for {
		switch t.At(i) {
		case ' ', '\t', '\n', '\r':
			i++
		default:
			return i
		}
	}
}

// Begin returns the offset of the first value. It skips a byte order mark, as RFC 8259,
// section 8.1 allows.
func (t *Text) Begin() int64 {
	if t.At(0) == 0xEF && t.At(1) == 0xBB && t.At(2) == 0xBF {
		return t.Space(3)
	}
	return t.Space(0)
}

// First returns the offset of the first member or item of an object or array, or of its
// closing bracket.
func (t *Text) First(i int64) int64 { return t.Space(i + 1) }

// Next returns the offset of the next member or item, or of the closing bracket. i is
// the end of the member or item before it.
func (t *Text) Next(i int64) int64 {
	if i = t.Space(i); t.At(i) == ',' {
		return t.Space(i + 1)
	}
	return i
}

// Item reports whether an array has an item at an offset.
func (t *Text) Item(i int64) bool { return t.At(i) != ']' && t.At(i) != 0 }

// Colon returns the offset of the value of a member. i is the end of its name.
func (t *Text) Colon(i int64) int64 { return t.Space(t.Space(i) + 1) }

// Skip returns the end of the value at an offset.
func (t *Text) Skip(i int64) int64 {
	if end, ok := t.ends[i]; ok {
		return end
	}
	switch b := t.At(i); b {
	case '"':
		return t.skipString(i)
	case '{', '[':
		for depth := 0; ; {
			rest := t.Rest(i)
			n := 0
			for n < len(rest) && !isBracket[rest[n]] {
				n++
			}
			if i += int64(n); n == len(rest) {
				if n == 0 {
					return i
				}
				continue
			}
			switch rest[n] {
			case '"':
				i = t.skipString(i)
				continue
			case '{', '[':
				depth++
			default:
				depth--
			}
			if i++; depth == 0 {
				return i
			}
		}
	}
	for {
		switch t.At(i) {
		case ',', ']', '}', ' ', '\t', '\n', '\r', 0:
			return i
		}
		i++
	}
}

// isBracket is true for the bytes that begin and end objects, arrays and strings.
var isBracket = [256]bool{'"': true, '{': true, '}': true, '[': true, ']': true}

// skipString returns where the string that begins at i ends, which was checked before.
func (t *Text) skipString(i int64) int64 {
	for i++; ; {
		rest := t.Rest(i)
		n := 0
		for n < len(rest) && rest[n] != '"' && rest[n] != '\\' {
			n++
		}
		i += int64(n)
		switch {
		case len(rest) == 0:
			return i
		case n == len(rest): // the string goes on after what is read so far
		case rest[n] == '"':
			return i + 1
		default:
			i += 2
		}
	}
}
