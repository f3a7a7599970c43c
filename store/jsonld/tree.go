package jsonld

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/segraph/segraph/store/jsonscan"
)

// text is a document. Its methods read what was checked.
type text struct {
	*jsonscan.Text
	known  map[string]any // the values of some contexts, by their texts
	values int            // that tree has read since the Reader's last step
}

// syntax returns an error of jsonscan as one of this package.
func syntax(err error) error {
	e, ok := err.(*jsonscan.SyntaxError)
	if !ok {
		return fmt.Errorf("read a document: %w", err)
	}
	return &Error{Code: notJSON, Detail: e.Msg, Line: e.Line, Column: e.Column, Path: pathText(e.Path)}
}

// notJSON is the code of errors in a document that is not JSON, or exceeds a limit.
const notJSON = "loading document failed"

// decode returns the string at an offset, and the offset of its end.
func (t *text) decode(i int64) (s string, end int64) {
	b, end, _ := t.Bytes(i) // a checked text has no error
	return string(b), end
}

// member is a member of an object: the offsets of its name and of its value, and the
// end of the value.
type member struct {
	name       string
	at         int64
	value, end int64
	isArray    bool
	streamed   bool // read item by item, after the other members of its object
}

// members calls f with each member of the object at an offset, until f returns false.
func (t *text) members(i int64, f func(member) bool) {
	for i = t.First(i); t.At(i) == '"'; {
		m := member{at: i}
		m.name, i = t.decode(i)
		m.value = t.Colon(i)
		m.end = t.Skip(m.value)
		if !f(m) {
			return
		}
		i = t.Next(m.end)
	}
}

// tree returns the value at an offset, and the offset of its end. Numbers keep their text. It returns an *Error if two
// members of an object have the same name, or after maxValues values.
func (t *text) tree(i int64) (v any, end int64, err error) {
	if t.values++; t.values > maxValues {
		return nil, i, errorf(notJSON, "more than %d values must be read at once; divide this one, or send Turtle", maxValues)
	}
	switch t.At(i) {
	case '{':
		m := &object{}
		for i = t.First(i); t.At(i) == '"'; i = t.Next(i) {
			name, end := t.decode(i)
			var v any
			if v, i, err = t.valueOf(name, t.Colon(end)); err != nil {
				return nil, i, at(err, name)
			}
			m.append(name, v)
		}
		return m, i + 1, ordered(m)
	case '[':
		a := []any{}
		for i = t.First(i); t.Item(i); i = t.Next(i) {
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
	end = t.Skip(i)
	var number []byte
	for ; i < end; i++ {
		number = append(number, t.At(i))
	}
	return json.Number(number), end, nil
}

// valueOf returns the value of a member. For short contexts with equal texts it usually returns the same value in
// memory, so that the context need not be processed again (see identical).
func (t *text) valueOf(name string, i int64) (v any, end int64, err error) {
	if name != "@context" {
		return t.tree(i)
	}
	end = t.Skip(i)
	rest := t.Rest(i)
	if n := end - i; n > maxKnown || n > int64(len(rest)) {
		return t.tree(i)
	}
	content := rest[:end-i]
	if v, ok := t.known[string(content)]; ok {
		return v, end, nil
	}
	key := string(content) // tree may overwrite content
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
	t := &text{Text: jsonscan.Of(content)}
	t.MaxDepth, t.MaxString = defaultDepth, len(content)
	i := t.Space(0)
	end, err := t.Check(i)
	if err == nil {
		err = t.CheckEnd(end)
	}
	if err != nil {
		return nil, syntax(err)
	}
	v, _, err := t.tree(i)
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
			if t.At(i) != '{' {
				return i
			}
			t.members(i, func(m member) bool {
				if m.name != step {
					return true
				}
				found = m.value
				if isLast := n == len(path)-1; isLast {
					found = m.at
				}
				return false
			})
		case int:
			if t.At(i) != '[' {
				return i
			}
			for j := t.First(i); t.Item(j) && found < 0; j = t.Next(t.Skip(j)) {
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
// $['@graph'][3]['name']. It cuts a path after maxPath bytes, and a name after 200 characters.
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
