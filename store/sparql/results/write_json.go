package results

import (
	"fmt"
	"unicode/utf8"

	"github.com/segraph/segraph/store/rdf"
)

// jsonEncoder writes SPARQL 1.2 Query Results JSON, one row per line. Without triple
// terms and base directions, that is also the format of SPARQL 1.1.
type jsonEncoder struct {
	keys []string // "NAME": for each variable
	some bool     // a row has been written
}

func (e *jsonEncoder) head(b []byte, vars []string) ([]byte, error) {
	b = append(b, `{"head":{"vars":[`...)
	for i, name := range vars {
		quoted, err := appendJSON(nil, name)
		if err != nil {
			return b, err
		}
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, quoted...)
		e.keys = append(e.keys, string(quoted)+":")
	}
	return append(b, `]},"results":{"bindings":[`...), nil
}

// row appends an object with a member for each bound variable.
func (e *jsonEncoder) row(b []byte, terms []rdf.Term) (_ []byte, column int, err error) {
	if e.some {
		b = append(b, ',')
	}
	e.some = true
	b = append(b, "\n{"...)
	first := true
	for i, t := range terms {
		if t.IsZero() {
			continue
		}
		if !first {
			b = append(b, ',')
		}
		first = false
		b = append(b, e.keys[i]...)
		var err error
		if b, err = appendJSONTerm(b, t); err != nil {
			return b, i, err
		}
	}
	return append(b, '}'), 0, nil
}

func (e *jsonEncoder) boolean(b []byte, value bool) ([]byte, error) {
	return fmt.Appendf(b, `{"head":{},"boolean":%t`, value), nil
}

func (e *jsonEncoder) end(b []byte, isBoolean bool) []byte {
	if isBoolean {
		return append(b, "}\n"...)
	}
	return append(b, "\n]}}\n"...)
}

// appendJSONTerm appends a term as the results format in JSON has it.
func appendJSONTerm(b []byte, t rdf.Term) ([]byte, error) {
	switch t.Kind() {
	case rdf.KindIRI:
		b = append(b, `{"type":"uri","value":`...)
	case rdf.KindBlank:
		b = append(b, `{"type":"bnode","value":`...)
	case rdf.KindTriple:
		return appendJSONTriple(b, t.Triple())
	default:
		b = append(b, `{"type":"literal","value":`...)
	}
	b, err := appendJSON(b, t.Value())
	if err != nil {
		return b, err
	}
	if t.Tag() != "" {
		if b, err = appendJSON(append(b, `,"xml:lang":`...), t.Language()); err != nil {
			return b, err
		}
		if dir := t.Direction(); dir != "" {
			b = append(append(append(b, `,"its:dir":"`...), dir...), '"')
		}
	} else if datatype := t.Datatype(); datatype != "" && datatype != rdf.XSDString {
		if b, err = appendJSON(append(b, `,"datatype":`...), datatype); err != nil {
			return b, err
		}
	}
	return append(b, '}'), nil
}

// appendJSONTriple appends the triple term of t (SPARQL 1.2 Query Results JSON, section
// 3.2.2).
func appendJSONTriple(b []byte, t rdf.Triple) (_ []byte, err error) {
	b = append(b, `{"type":"triple","value":{`...)
	for i, part := range [...]rdf.Term{t.S, t.P, t.O} {
		if i > 0 {
			b = append(b, ',')
		}
		if b, err = appendJSONTerm(append(append(append(b, '"'), partNames[i]...), `":`...), part); err != nil {
			return b, err
		}
	}
	return append(b, "}}"...), nil
}

// jsonPlain is true for the ASCII characters that need no escape in a JSON string.
var jsonPlain = func() (t [256]bool) {
	for c := ' '; c < utf8.RuneSelf; c++ {
		t[c] = c != '"' && c != '\\' && c != 0x7F
	}
	return t
}()

// appendJSON appends s as a JSON string (RFC 8259, section 7). It also escapes U+2028 and
// U+2029, which end a line in old versions of JavaScript.
func appendJSON(b []byte, s string) ([]byte, error) {
	b = append(b, '"')
	from := 0
	for i := 0; i < len(s); {
		c := s[i]
		if jsonPlain[c] {
			i++
			continue
		}
		r, size := rune(c), 1
		if c >= utf8.RuneSelf {
			if r, size = utf8.DecodeRuneInString(s[i:]); r == utf8.RuneError && size == 1 {
				return b, errNotUTF8
			}
			if r != 0x2028 && r != 0x2029 {
				i += size
				continue
			}
		}
		b = append(append(b, s[from:i]...), '\\')
		i += size
		from = i
		switch r {
		case '"', '\\':
			b = append(b, c)
		case '\n':
			b = append(b, 'n')
		case '\r':
			b = append(b, 'r')
		case '\t':
			b = append(b, 't')
		default:
			b = fmt.Appendf(b, "u%04x", r)
		}
	}
	return append(append(b, s[from:]...), '"'), nil
}
