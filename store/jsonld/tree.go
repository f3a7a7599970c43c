package jsonld

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// The functions in this file read JSON that a checker has checked.

// decode returns the string at an offset, and the offset of its end.
func (t *text) decode(i int64) (string, int64) {
	if begin := i + 1 - t.start; begin >= 0 && begin < int64(len(t.buf)) {
		rest := t.buf[begin:]
		if n := bytes.IndexAny(rest[:min(len(rest), 256)], `"\`); n >= 0 && rest[n] == '"' {
			return string(rest[:n]), i + int64(n) + 2
		}
	}
	var out []byte
	for i++; ; {
		end, done, problem := t.char(i, &out)
		if done || problem != "" { // a checked text has no problem
			return string(out), end
		}
		i = end
	}
}

// skip returns the end of the value at an offset.
func (t *text) skip(i int64) int64 {
	if end, ok := t.ends[i]; ok {
		return end
	}
	switch b := t.at(i); b {
	case '"':
		return t.skipString(i)
	case '{', '[':
		for depth := 0; ; {
			rest := t.rest(i)
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
		switch t.at(i) {
		case ',', ']', '}', ' ', '\t', '\n', '\r', 0:
			return i
		}
		i++
	}
}

// isBracket is true for the bytes that begin and end objects, arrays and strings.
var isBracket = [256]bool{'"': true, '{': true, '}': true, '[': true, ']': true}

func (t *text) skipString(i int64) int64 {
	for i++; ; {
		rest := t.rest(i)
		n := 0
		for n < len(rest) && rest[n] != '"' && rest[n] != '\\' {
			n++
		}
		i += int64(n)
		switch {
		case len(rest) == 0:
			return i
		case n == len(rest):
		case rest[n] == '"':
			return i + 1
		default:
			i += 2
		}
	}
}

// member is a member of an object: the offsets of its name and of its value, and the
// end of the value.
type member struct {
	name       string
	at         int64
	value, end int64
	streamed   bool // read item by item, after the other members of its object
}

// members calls f with each member of the object at an offset, until f returns false.
func (t *text) members(i int64, f func(member) bool) {
	for i = t.space(i + 1); t.at(i) == '"'; {
		m := member{at: i}
		m.name, i = t.decode(i)
		m.value = t.space(t.space(i) + 1)
		m.end = t.skip(m.value)
		if !f(m) {
			return
		}
		i = t.next(m.end)
	}
}

// next returns the offset of the next member or item, or of the closing bracket. i is
// the end of the member or item before it.
func (t *text) next(i int64) int64 {
	if i = t.space(i); t.at(i) == ',' {
		return t.space(i + 1)
	}
	return i
}

// inArray reports whether an array has an item at an offset.
func (t *text) inArray(i int64) bool { return t.at(i) != ']' && t.at(i) != 0 }

// tree returns the value at an offset, and the offset of its end. Numbers keep their
// text. The error is an *Error if two members of an object have the same name.
func (t *text) tree(i int64) (v any, end int64, err error) {
	switch t.at(i) {
	case '{':
		m := &object{}
		for i = t.space(i + 1); t.at(i) == '"'; i = t.next(i) {
			name, end := t.decode(i)
			var v any
			if v, i, err = t.valueOf(name, t.space(t.space(end)+1)); err != nil {
				return nil, i, at(err, name)
			}
			m.append(name, v)
		}
		return m, i + 1, ordered(m)
	case '[':
		a := []any{}
		for i = t.space(i + 1); t.inArray(i); i = t.next(i) {
			var item any
			if item, i, err = t.tree(i); err != nil {
				return nil, i, at(err, len(a))
			}
			a = append(a, item)
		}
		return a, i + 1, nil
	case '"':
		s, end := t.decode(i)
		return s, end, nil
	case 't':
		return true, i + 4, nil
	case 'f':
		return false, i + 5, nil
	case 'n':
		return nil, i + 4, nil
	}
	end = t.skip(i)
	var number []byte
	for ; i < end; i++ {
		number = append(number, t.at(i))
	}
	return json.Number(number), end, nil
}

// valueOf is tree for the value of a member. For short contexts with equal texts it
// usually returns the same value in memory, so that the context need not be processed
// again (see identical).
func (t *text) valueOf(name string, i int64) (v any, end int64, err error) {
	if name != "@context" {
		return t.tree(i)
	}
	end = t.skip(i)
	rest := t.rest(i)
	if n := end - i; n > maxKnown || n > int64(len(rest)) {
		return t.tree(i)
	}
	content := rest[:end-i]
	if v, ok := t.known[string(content)]; ok {
		return v, end, nil
	}
	key := string(content)
	if v, _, err = t.tree(i); err != nil {
		return nil, i, err
	}
	if t.known == nil || len(t.known) == maxKnownValues {
		t.known = make(map[string]any)
	}
	t.known[key] = v
	return v, end, nil
}

// Limits of text.known.
const (
	maxKnown       = 1 << 10 // bytes of a text
	maxKnownValues = 64
)

// ordered sorts the members of an object. It returns an error if two members have the
// same name.
func ordered(m *object) error {
	m.sort()
	if name, ok := m.repeated(); ok {
		return at(errorf(notJSON, "an object has two members with this name"), name)
	}
	return nil
}

// parse returns the value of a JSON text.
func parse(content []byte) (any, error) {
	t := newText(bytes.NewReader(content))
	c := &checker{text: t, maxDepth: defaultDepth, maxString: len(content)}
	end, err := c.value(t.space(0))
	if err == nil && t.at(t.space(end)) != 0 {
		err = c.expected(t.space(end), "the end of the document")
	}
	if err != nil {
		return nil, err
	}
	v, _, err := t.tree(t.space(0))
	return v, err
}

// at adds a step to the path of an error: the name of a member or the index of an item.
// Steps are added from the inside out.
func at(err error, step any) error {
	if e, ok := err.(*Error); ok {
		e.steps = append(e.steps, step)
	}
	return err
}

// withoutPath removes the path of an error in a context that is not part of the
// document.
func withoutPath(err error) error {
	if e, ok := err.(*Error); ok {
		e.steps = nil
	}
	return err
}

// find follows a path from the value at an offset, and returns the offset of the member
// or item at its end. If there is none, find returns the last offset that it reached.
func (t *text) find(i int64, path []any) int64 {
	for n, step := range path {
		found := int64(-1)
		switch step := step.(type) {
		case string:
			if t.at(i) != '{' {
				return i
			}
			t.members(i, func(m member) bool {
				if m.name != step {
					return true
				}
				if found = m.value; n == len(path)-1 {
					found = m.at
				}
				return false
			})
		case int:
			if t.at(i) != '[' {
				return i
			}
			for j := t.space(i + 1); t.inArray(j) && found < 0; j = t.next(t.skip(j)) {
				if step == 0 {
					found = j
				}
				step--
			}
		}
		if found < 0 {
			return i
		}
		i = found
	}
	return i
}

// pathText returns a path as a normalized path of RFC 9535 (JSONPath), such as
// $['@graph'][3]['name'].
func pathText(path []any) string {
	var b strings.Builder
	b.WriteByte('$')
	for _, step := range path {
		if b.Len() > maxPath {
			return b.String() + "…"
		}
		switch step := step.(type) {
		case string:
			quoted := strconv.Quote(step)
			quoted = strings.NewReplacer(`\"`, `"`, `'`, `\'`).Replace(quoted[1 : len(quoted)-1])
			fmt.Fprintf(&b, "['%.200s']", quoted)
		case int:
			fmt.Fprintf(&b, "[%d]", step)
		}
	}
	return b.String()
}

// maxPath is the number of bytes after which a path is cut.
const maxPath = 300

// outwardIn returns the steps of the path of an error, from the outside in.
func (e *Error) outwardIn() []any {
	out := slices.Clone(e.steps)
	slices.Reverse(out)
	return out
}
