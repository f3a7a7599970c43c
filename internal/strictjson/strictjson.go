// Package strictjson reads JSON objects that clients send. Its rules:
//
//   - Member names must match exactly. Members that nobody reads may have any value, and
//     take no memory, unless Only refuses them.
//   - Errors in members are collected and reported together, by member name.
//   - It is stricter than encoding/json in three ways: "User" is not "user", a repeated
//     member is an error, and so is text that is not valid Unicode. So text is stored
//     exactly as it was sent, or not at all.
package strictjson

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// Object is a JSON object as received. Its methods return the values of members and
// record errors for Err.
type Object struct {
	text   []byte // from its opening brace
	faults []Fault
}

// Fault is an error in one member.
type Fault struct {
	Member string
	Msg    string // starts in lower case, without a final full stop
}

// Error reports that a text is not the expected object.
type Error struct {
	Faults []Fault // errors in members; empty if the text is not a JSON object
	msg    string
}

// Error returns the first error and the number of further ones.
func (e *Error) Error() string {
	switch n := len(e.Faults); n {
	case 0:
		return e.msg
	case 1:
		return e.Faults[0].Msg
	default:
		return fmt.Sprintf("%s (and %d more)", e.Faults[0].Msg, n-1)
	}
}

// Parse parses a text that must be one JSON object. The error is an *Error.
func Parse(body []byte) (*Object, error) {
	if !utf8.Valid(body) {
		return nil, &Error{msg: "not JSON: it is not UTF-8"}
	}
	if !json.Valid(body) { // also limits the nesting
		var none json.RawMessage
		return nil, &Error{msg: fmt.Sprintf("not JSON: %v", json.Unmarshal(body, &none))}
	}
	s := scanner{body: body}
	if s.skipSpace(); s.body[s.at] != '{' {
		return nil, &Error{msg: "not a JSON object"}
	}
	return &Object{text: body[s.at:]}, nil
}

// find returns the raw JSON value of the first member with a name, and the number of
// members with that name.
func (o *Object) find(name string) (value []byte, n int) {
	s := scanner{body: o.text, at: 1}
	for s.skipSpace(); s.body[s.at] != '}'; s.skipSpace() {
		key, v := s.member()
		if !isText(key, name) {
			continue
		}
		if n++; n == 1 {
			value = v
		}
	}
	return value, n
}

// isText reports whether a JSON string denotes the text want. It allocates nothing for
// strings without escapes.
func isText(value []byte, want string) bool {
	if bytes.IndexByte(value, '\\') < 0 {
		return string(value[1:len(value)-1]) == want
	}
	got, ok := text(value)
	return ok && got == want
}

// scanner finds the ends of values in valid JSON.
type scanner struct {
	body []byte
	at   int
}

func (s *scanner) skipSpace() {
	for s.body[s.at] == ' ' || s.body[s.at] == '\t' || s.body[s.at] == '\n' || s.body[s.at] == '\r' {
		s.at++
	}
}

// member returns the name and the value of the member that begins at the current position
// or after its comma, and moves past it.
func (s *scanner) member() (name, value []byte) {
	if s.body[s.at] == ',' {
		s.at++
		s.skipSpace()
	}
	name = s.value()
	s.skipSpace()
	s.at++ // the colon
	s.skipSpace()
	return name, s.value()
}

// value returns the value that begins at the current position and moves past it.
func (s *scanner) value() []byte {
	from, depth := s.at, 0
	for {
		switch c := s.body[s.at]; c {
		case '"':
			for s.at++; s.body[s.at] != '"'; s.at++ {
				if s.body[s.at] == '\\' {
					s.at++
				}
			}
			s.at++
		case '{', '[':
			depth++
			s.at++
		case '}', ']':
			depth--
			s.at++
		default: // inside a number or literal, or between nested values
			s.at++
			if depth == 0 && !ends(s.body[s.at]) {
				continue
			}
		}
		if depth == 0 {
			return s.body[from:s.at]
		}
	}
}

// ends reports whether c ends a number or literal.
func ends(c byte) bool {
	switch c {
	case ',', '}', ']', ' ', '\t', '\n', '\r':
		return true
	}
	return false
}

// Only records an error for the first member whose name is not in names. The error lists
// names in their order.
func (o *Object) Only(names ...string) {
	s := scanner{body: o.text, at: 1}
	for s.skipSpace(); s.body[s.at] != '}'; s.skipSpace() {
		key, _ := s.member()
		if slices.ContainsFunc(names, func(name string) bool { return isText(key, name) }) {
			continue
		}
		if name, ok := text(key); ok && len(name) <= maxUnknown {
			o.Fault(name, "the member %q is unknown; it must be one of %s", name, strings.Join(names, ", "))
		} else {
			o.Fault("", "a member is unknown; it must be one of %s", strings.Join(names, ", "))
		}
		return
	}
}

// maxUnknown is the longest name of an unknown member that an error repeats, in bytes.
const maxUnknown = 100

// Fault records an error in a member.
func (o *Object) Fault(name, format string, args ...any) {
	o.faults = append(o.faults, Fault{name, fmt.Sprintf(format, args...)})
}

// Text returns a required member that must be text.
func (o *Object) Text(name string) string {
	value, n := o.find(name)
	switch n {
	case 0:
		o.Fault(name, "the member %q is missing", name)
	case 1:
		return o.decode(name, "text", value)
	default:
		o.repeated(name)
	}
	return ""
}

// TextOrNull returns a required member that must be text or null. It returns "" for null.
func (o *Object) TextOrNull(name string) string {
	value, n := o.find(name)
	switch {
	case n == 0:
		o.Fault(name, "the member %q is missing; it may be null", name)
	case n > 1:
		o.repeated(name)
	case string(value) != "null":
		return o.decode(name, "text or null", value)
	}
	return ""
}

// OptionalText returns a member that must be text, or "" if it is missing or null.
func (o *Object) OptionalText(name string) string {
	value := o.Raw(name)
	if value == nil {
		return ""
	}
	return o.decode(name, "text or null", value)
}

// OptionalNumber returns a member that must be a number, or nil if it is missing or null.
func (o *Object) OptionalNumber(name string) *float64 {
	value := o.Raw(name)
	if value == nil {
		return nil
	}
	n, err := strconv.ParseFloat(string(value), 64)
	if err != nil { // not a number, or too large for a float64
		o.Fault(name, "the member %q must be a number or null", name)
		return nil
	}
	return &n
}

// OptionalBool returns a member that must be true or false; missing or null is false.
func (o *Object) OptionalBool(name string) bool {
	value := string(o.Raw(name))
	if value != "" && value != "true" && value != "false" {
		o.Fault(name, "the member %q must be true, false or null", name)
	}
	return value == "true"
}

// Bool returns a required member that must be true or false.
func (o *Object) Bool(name string) bool {
	value, n := o.find(name)
	switch {
	case n == 0:
		o.Fault(name, "the member %q is missing", name)
	case n > 1:
		o.repeated(name)
	case string(value) != "true" && string(value) != "false":
		o.Fault(name, "the member %q must be true or false", name)
	}
	return string(value) == "true"
}

// Raw returns the raw JSON value of a member. It returns nil if the member is missing,
// null or repeated. A repeated member is an error.
func (o *Object) Raw(name string) []byte {
	value, n := o.find(name)
	if n > 1 {
		o.repeated(name)
	}
	if n != 1 || string(value) == "null" {
		return nil
	}
	return value
}

func (o *Object) repeated(name string) { o.Fault(name, "the member %q is repeated", name) }

func (o *Object) decode(name, want string, value []byte) string {
	if value[0] != '"' {
		o.Fault(name, "the member %q must be %s", name, want)
		return ""
	}
	s, ok := text(value)
	if !ok {
		o.Fault(name, "the member %q holds half of a surrogate pair, which is not text", name)
	}
	return s
}

// Err returns all recorded errors as one *Error, or nil.
func (o *Object) Err() error {
	if len(o.faults) == 0 {
		return nil
	}
	return &Error{Faults: o.faults}
}

// text decodes a JSON string. It returns false if an escape is half of a surrogate pair.
func text(value []byte) (string, bool) {
	if bytes.IndexByte(value, '\\') < 0 { // no escapes; Parse checked that it is UTF-8
		return string(value[1 : len(value)-1]), true
	}
	if loneSurrogate(value) {
		return "", false
	}
	var s string
	if err := json.Unmarshal(value, &s); err != nil {
		return "", false
	}
	return s, true
}

// loneSurrogate reports whether a JSON string contains an escape \uD800 to \uDFFF that is
// not part of a pair (RFC 8259, section 8.2).
func loneSurrogate(value []byte) bool {
	for i := 0; i+1 < len(value); i++ {
		if value[i] != '\\' {
			continue
		}
		i++ // skip the escaped character, which may be a backslash
		if value[i] != 'u' {
			continue
		}
		first := escaped(value[i+1:])
		i += 4
		if !utf16.IsSurrogate(first) {
			continue
		}
		second := rune(-1)
		if i+6 < len(value) && value[i+1] == '\\' && value[i+2] == 'u' {
			second = escaped(value[i+3:])
		}
		if utf16.DecodeRune(first, second) == utf8.RuneError {
			return true
		}
		i += 6
	}
	return false
}

// escaped returns the value of the four hexadecimal digits of an escape.
func escaped(digits []byte) rune {
	n, err := strconv.ParseUint(string(digits[:4]), 16, 16)
	if err != nil {
		return -1
	}
	return rune(n)
}
