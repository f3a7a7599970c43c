package jsonld

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
)

// appendJSON appends a value in the canonical form of RFC 8785 (JSON Canonicalization
// Scheme), which is the lexical form of rdf:JSON.
func appendJSON(b []byte, v any) []byte {
	switch v := v.(type) {
	case nil:
		return append(b, "null"...)
	case bool:
		return strconv.AppendBool(b, v)
	case json.Number:
		return appendNumber(b, v)
	case string:
		return appendString(b, v)
	case []any:
		b = append(b, '[')
		for i, item := range v {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendJSON(b, item)
		}
		return append(b, ']')
	case *object:
		members := slices.SortedFunc(slices.Values(v.entries), func(a, b entry[any]) int {
			return slices.Compare(utf16.Encode([]rune(a.name)), utf16.Encode([]rune(b.name)))
		})
		b = append(b, '{')
		for i, m := range members {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(appendString(b, m.name), ':')
			b = appendJSON(b, m.value)
		}
		return append(b, '}')
	}
	return b
}

// appendNumber appends a number in the form of ECMAScript's Number::toString (RFC 8785,
// section 3.2.2.3).
func appendNumber(b []byte, n json.Number) []byte {
	f, err := n.Float64()
	if err != nil { // beyond a float64, for which RFC 8785 has no form
		return append(b, n...)
	}
	if f == 0 {
		return append(b, '0')
	}
	if abs := math.Abs(f); abs >= 1e-6 && abs < 1e21 {
		return strconv.AppendFloat(b, f, 'f', -1, 64)
	}
	text := strconv.FormatFloat(f, 'e', -1, 64)
	mantissa, exponent, _ := strings.Cut(text, "e")
	return append(b, mantissa+"e"+exponent[:1]+strings.TrimLeft(exponent[1:], "0")...)
}

// appendString appends a string as JCS writes it (RFC 8785, section 3.2.2.2).
func appendString(b []byte, s string) []byte {
	b = append(b, '"')
	for _, r := range s {
		switch r {
		case '"', '\\':
			b = append(b, '\\', byte(r))
		case '\b':
			b = append(b, `\b`...)
		case '\f':
			b = append(b, `\f`...)
		case '\n':
			b = append(b, `\n`...)
		case '\r':
			b = append(b, `\r`...)
		case '\t':
			b = append(b, `\t`...)
		default:
			if r < ' ' {
				b = fmt.Appendf(b, `\u%04x`, r)
			} else {
				b = append(b, string(r)...)
			}
		}
	}
	return append(b, '"')
}
