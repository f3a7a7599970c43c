package logs

import (
	"strconv"
	"strings"
)

// Field is an attribute of a record as text.
type Field struct{ Key, Value string }

// Text returns the message without its attributes.
func (e Entry) Text() string { return e.Message[:e.text] }

// Fields returns the attributes that follow the message. It parses them from the message,
// so that a record does not store them twice.
func (e Entry) Fields() []Field {
	var out []Field
	for rest := strings.TrimPrefix(e.Message[e.text:], " "); rest != ""; rest = strings.TrimPrefix(rest, " ") {
		key, after, ok := strings.Cut(rest, "=")
		if !ok {
			return out
		}
		value, quoted := after, ""
		if q, err := strconv.QuotedPrefix(after); err == nil && strings.HasPrefix(after, `"`) {
			quoted = q
			value, _ = strconv.Unquote(q) // QuotedPrefix returned a valid literal
		} else {
			value, _, _ = strings.Cut(after, " ")
			quoted = value
		}
		out = append(out, Field{key, value})
		rest = after[len(quoted):]
	}
	return out
}
