package httpapi

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// jsonObject is a JSON object as it was sent. Its methods look for members and note what is
// wrong with them, to be told all at once. Members that nobody asks for take no memory, and may
// be whatever JSON allows.
//
// encoding/json is stricter in no way that is wanted here and more lenient in three: it takes
// "User" for "user", the last of two members of a name, and replacement characters for what
// is no text. A literal must be stored as it was meant or not at all.
type jsonObject struct {
	text   []byte // from its opening brace
	faults []fault
}

// parseObject reads the body of a request. The error is a problem.
func parseObject(body []byte) (*jsonObject, error) {
	notJSON := func(format string, args ...any) error {
		return newProblem(http.StatusUnprocessableEntity, format, args...)
	}
	if !utf8.Valid(body) {
		return nil, notJSON("the body is not JSON: it is not UTF-8")
	}
	if !json.Valid(body) { // which also bounds its nesting
		var none json.RawMessage
		return nil, notJSON("the body is not JSON: %v", json.Unmarshal(body, &none))
	}
	s := jsonScanner{body: body}
	if s.skipSpace(); s.body[s.at] != '{' {
		return nil, notJSON("the body must be a JSON object")
	}
	return &jsonObject{text: body[s.at:]}, nil
}

// find gives the value, still in JSON, of the first member of a name, and how many have that name.
func (o *jsonObject) find(name string) (value []byte, n int) {
	s := jsonScanner{body: o.text, at: 1}
	for s.skipSpace(); s.body[s.at] != '}'; s.skipSpace() {
		if s.body[s.at] == ',' {
			s.at++
			s.skipSpace()
		}
		key := s.value()
		s.skipSpace()
		s.at++ // the colon
		s.skipSpace()
		v := s.value()
		if !isText(key, name) {
			continue
		}
		if n++; n == 1 {
			value = v
		}
	}
	return value, n
}

// isText tells whether a JSON string means a text, without memory for those that are not escaped.
func isText(value []byte, want string) bool {
	if bytes.IndexByte(value, '\\') < 0 {
		return string(value[1:len(value)-1]) == want
	}
	got, ok := text(value)
	return ok && got == want
}

// jsonScanner finds the ends of values in a text that is known to be JSON.
type jsonScanner struct {
	body []byte
	at   int
}

func (s *jsonScanner) skipSpace() {
	for s.body[s.at] == ' ' || s.body[s.at] == '\t' || s.body[s.at] == '\n' || s.body[s.at] == '\r' {
		s.at++
	}
}

// value gives the value that begins here and goes behind it.
func (s *jsonScanner) value() []byte {
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
		default: // of a number or a word, or between the values within this one
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

// ends tells whether a number or a word is over at c.
func ends(c byte) bool {
	switch c {
	case ',', '}', ']', ' ', '\t', '\n', '\r':
		return true
	}
	return false
}

// fault notes what is wrong with a member.
func (o *jsonObject) fault(name, format string, args ...any) {
	o.faults = append(o.faults, fault{Loc: []string{"body", name}, Msg: sentence(fmt.Sprintf(format, args...))})
}

// string reads a member that must be there and be text.
func (o *jsonObject) string(name string) string {
	value, n := o.find(name)
	switch n {
	case 0:
		o.fault(name, "the member %q is missing", name)
	case 1:
		return o.decode(name, "text", value)
	default:
		o.twice(name)
	}
	return ""
}

// stringOrNull reads a member that must be there and be text or null, which gives "".
func (o *jsonObject) stringOrNull(name string) string {
	value, n := o.find(name)
	switch {
	case n == 0:
		o.fault(name, "the member %q is missing; it may be null", name)
	case n > 1:
		o.twice(name)
	case string(value) != "null":
		return o.decode(name, "text or null", value)
	}
	return ""
}

// optional reads a member that may be missing or null, which gives "", and else must be text.
func (o *jsonObject) optional(name string) string {
	value := o.given(name)
	if value == nil {
		return ""
	}
	return o.decode(name, "text or null", value)
}

// optionalNumber reads a member that may be missing or null, which gives nil, and else must be a number.
func (o *jsonObject) optionalNumber(name string) *float64 {
	value := o.given(name)
	if value == nil {
		return nil
	}
	n, err := strconv.ParseFloat(string(value), 64)
	if err != nil { // text or a word; JSON has no other numbers that can't be read but those too large
		o.fault(name, "the member %q must be a number or null", name)
		return nil
	}
	return &n
}

// optionalBool reads a member that may be missing or null, which gives false, and else must be
// true or false.
func (o *jsonObject) optionalBool(name string) bool {
	value := string(o.given(name))
	if value != "" && value != "true" && value != "false" {
		o.fault(name, "the member %q must be true, false or null", name)
	}
	return value == "true"
}

// given gives the value of a member, nil where it is missing or null, or there twice, which is a fault.
func (o *jsonObject) given(name string) []byte {
	value, n := o.find(name)
	if n > 1 {
		o.twice(name)
	}
	if n != 1 || string(value) == "null" {
		return nil
	}
	return value
}

func (o *jsonObject) twice(name string) { o.fault(name, "the body has the member %q twice", name) }

func (o *jsonObject) decode(name, want string, value []byte) string {
	if value[0] != '"' {
		o.fault(name, "the member %q must be %s", name, want)
		return ""
	}
	s, ok := text(value)
	if !ok {
		o.fault(name, "the member %q holds half of a surrogate pair, which is no text", name)
	}
	return s
}

// err gives all faults as one problem.
func (o *jsonObject) err() error {
	if len(o.faults) == 0 {
		return nil
	}
	return wrong(o.faults...)
}

// text reads a JSON string. It is not ok where an escape is half of a surrogate pair.
func text(value []byte) (string, bool) {
	if loneSurrogate(value) {
		return "", false
	}
	var s string
	if err := json.Unmarshal(value, &s); err != nil {
		return "", false
	}
	return s, true
}

// loneSurrogate tells whether a JSON string has an escape \uD800 to \uDFFF that is not half of a
// pair (RFC 8259, section 8.2).
func loneSurrogate(value []byte) bool {
	for i := 0; i+1 < len(value); i++ {
		if value[i] != '\\' {
			continue
		}
		i++ // at what is escaped, which may be another backslash
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

// escaped reads the four hexadecimal digits of an escape.
func escaped(digits []byte) rune {
	n, err := strconv.ParseUint(string(digits[:4]), 16, 16)
	if err != nil {
		return -1
	}
	return rune(n)
}
