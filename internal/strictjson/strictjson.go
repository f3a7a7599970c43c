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
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"

	"github.com/segraph/segraph/store/jsonscan"
)

// Object is a JSON object as received. Its methods return the values of members, and
// record errors for Err. The value of a wrong member means nothing.
type Object struct {
	text   *jsonscan.Text // of body, checked
	body   []byte
	begin  int64    // offset of its opening brace
	few    []member // all members, unless there are more than fewMembers
	faults []Fault
	failed error // why there is no object; it has no members then
}

// member is a member of an object: the offset of its name, and its value.
type member struct {
	name  int64
	value []byte
}

// fewMembers is the largest number of members that are kept in memory. More are looked for in
// the text each time.
const fewMembers = 12

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

// maxDepth limits the nesting of an object.
const maxDepth = 10_000

// Parse parses a text that must be one JSON object. The error is an *Error.
func Parse(body []byte) (*Object, error) {
	t := jsonscan.Of(body)
	t.MaxDepth, t.MaxString = maxDepth, len(body)
	t.LoneSurrogates = true // in members that nobody reads
	begin := t.Begin()
	end, err := t.Check(begin)
	if err == nil {
		err = t.CheckEnd(end)
	}
	if err != nil {
		return nil, &Error{msg: fmt.Sprintf("not JSON: %v", err)}
	}
	if t.At(begin) != '{' {
		return nil, &Error{msg: "not a JSON object"}
	}
	t.LoneSurrogates = false
	o := &Object{text: t, body: body, begin: begin}
	few := make([]member, 0, fewMembers)
	for name, value := range o.members() {
		if len(few) == fewMembers {
			return o, nil // o.few stays nil, so members reads the text
		}
		few = append(few, member{name, value})
	}
	o.few = few
	return o, nil
}

// Read returns the object in a body, whose reading may have failed with err. If there is no
// object, Err returns the reason, which is err or an *Error.
func Read(body []byte, err error) *Object {
	var o *Object
	if err == nil {
		o, err = Parse(body)
	}
	if err != nil {
		return &Object{failed: err}
	}
	return o
}

// find returns the raw JSON value of the first member with a name, and the number of
// members with that name.
func (o *Object) find(name string) (value []byte, n int) {
	for key, v := range o.members() {
		if s, _, err := o.text.Bytes(key); err != nil || string(s) != name { // err: half of a surrogate pair
			continue
		}
		if n++; n == 1 {
			value = v
		}
	}
	return value, n
}

// members yields the offset of the name and the value of each member.
func (o *Object) members() iter.Seq2[int64, []byte] {
	return func(yield func(int64, []byte) bool) {
		for _, m := range o.few {
			if !yield(m.name, m.value) {
				return
			}
		}
		if o.few != nil || o.failed != nil {
			return
		}
		t := o.text
		for i := t.First(o.begin); t.At(i) == '"'; {
			value := t.Colon(t.Skip(i))
			end := t.Skip(value)
			if !yield(i, o.body[value:end]) {
				return
			}
			i = t.Next(end)
		}
	}
}

// Only records an error for the first member whose name is not in names. The error lists
// names in their order.
func (o *Object) Only(names ...string) {
	known := "no member is known here"
	if len(names) > 0 {
		known = "it must be one of " + strings.Join(names, ", ")
	}
	for key := range o.members() {
		s, _, err := o.text.Bytes(key)
		name := string(s)
		if err == nil && slices.Contains(names, name) {
			continue
		}
		if err == nil && len(name) <= maxUnknown {
			o.Fault(name, "the member %q is unknown; %s", name, known)
		} else {
			o.Fault("", "a member is unknown; %s", known)
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

// offset returns where a value begins in the body. Slices of the body keep its capacity to the end, so it is the
// difference of the capacities.
func (o *Object) offset(value []byte) int64 { return int64(cap(o.body) - cap(value)) }

// Texts returns a required member that must be an array of text. At the first item that is not text, it records an error and
// ends.
func (o *Object) Texts(name string) (texts []string) {
	value, n := o.find(name)
	switch {
	case n == 0:
		o.Fault(name, "the member %q is missing", name)
	case n > 1:
		o.repeated(name)
	default:
		t, i := o.text, o.offset(value)
		if t.At(i) != '[' {
			o.Fault(name, "the member %q must be an array of text", name)
			break
		}
		for i, n = t.First(i), len(o.faults); t.Item(i) && len(o.faults) == n; i = t.Next(t.Skip(i)) {
			texts = append(texts, o.decode(name, "an array of text", o.body[i:]))
		}
	}
	return texts
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

// decode returns the text at the start of value, which is a part of the body. want says
// what the member must be, for the error.
func (o *Object) decode(name, want string, value []byte) string {
	if value[0] != '"' {
		o.Fault(name, "the member %q must be %s", name, want)
		return ""
	}
	s, _, err := o.text.Bytes(o.offset(value))
	if err != nil {
		o.Fault(name, "the member %q holds half of a surrogate pair, which is not text", name)
		return ""
	}
	return string(s)
}

// Err returns all recorded errors as one *Error, why there is no object, or nil.
func (o *Object) Err() error {
	if o.failed != nil || len(o.faults) == 0 {
		return o.failed
	}
	return &Error{Faults: o.faults}
}
