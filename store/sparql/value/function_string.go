package value

import (
	"math"
	"net/url"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/language"
)

// like returns the string s with the language and direction of v.
func like(v Value, s string) Value {
	v.term = v.term.WithLexical(s)
	return v
}

// compatible reports whether a and b are compatible arguments (SPARQL 1.1, section
// 17.4.3.1.2): any string and a string without a language, or two with the same language.
func compatible(a, b Value) bool {
	return a.isString() && (b.kind == KindString ||
		b.kind == KindLangString && a.kind == KindLangString && a.term.Fold().Tag() == b.term.Fold().Tag())
}

// strLen is STRLEN: the number of code points (17.4.3.2).
func strLen(v Value) Value {
	if !v.isString() {
		return Error()
	}
	return StrLen(v.text())
}

// StrLen is STRLEN of a text.
func StrLen(text string) Value { return Integer(int64(utf8.RuneCountInString(text))) }

// subStr is SUBSTR(text, from) or SUBSTR(text, from, length). It returns the characters
// at positions, counted from 1, that are at least from and less than to = from + length.
// Both numbers are rounded first (17.4.3.3, XPath fn:substring).
func subStr(_ *Context, args []Value) (Value, error) {
	if !args[0].isString() || !args[1].IsNumeric() {
		return Error(), nil
	}
	from, to := rounded(&args[1]), math.Inf(1)
	if len(args) > 2 {
		if !args[2].IsNumeric() {
			return Error(), nil
		}
		to = from + rounded(&args[2])
	}
	s, start, end := args[0].text(), -1, -1 // offsets in bytes
	position := 1.0
	for i := range s {
		if start < 0 && position >= from {
			start = i
		}
		if !(position < to) { // also true for NaN
			end = i
			break
		}
		position++
	}
	if end < 0 {
		end = len(s)
	}
	if start < 0 || start > end {
		start = end
	}
	return like(args[0], s[start:end]), nil
}

// upperCase is UCASE (17.4.3.4, XPath fn:upper-case). It uses the full case mapping of
// Unicode, which maps "ß" to "SS".
func upperCase(c *Context, args []Value) (Value, error) {
	return inCase(c, args[0], strings.ToUpper, &c.upper, func() cases.Caser { return cases.Upper(language.Und) })
}

// lowerCase is LCASE (17.4.3.5, XPath fn:lower-case). It uses the full case mapping of
// Unicode, which maps "Σ" at the end of a word to "ς".
func lowerCase(c *Context, args []Value) (Value, error) {
	return inCase(c, args[0], strings.ToLower, &c.lower, func() cases.Caser { return cases.Lower(language.Und) })
}

// inCase maps a string to one case: with ascii if it is ASCII, and otherwise with caser,
// which full makes on first use.
func inCase(c *Context, v Value, ascii func(string) string, caser **cases.Caser, full func() cases.Caser) (Value, error) {
	if !v.isString() {
		return Error(), nil
	}
	s := v.text()
	if isASCII(s) {
		return like(v, ascii(s)), checkLength(len(s), c.MaxLength)
	}
	if *caser == nil {
		made := full()
		*caser = &made
	}
	s = (*caser).String(s)
	return like(v, s), checkLength(len(s), c.MaxLength)
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// textTest returns a function that compares a string with part of one: STRSTARTS, STRENDS
// or CONTAINS (17.4.3.6 to 17.4.3.8).
func textTest(name string, holds func(text, part string) bool) *Function {
	call := func(a, b Value) Value {
		if !compatible(a, b) {
			return Error()
		}
		return Boolean(holds(a.text(), b.text()))
	}
	test := func(_ *Context, rest []Value) func(string) (bool, error) {
		if rest[0].kind != KindString {
			return nil // the text's language matters too
		}
		part := rest[0].text()
		return func(text string) (bool, error) { return holds(text, part), nil }
	}
	return &Function{Name: name, call: two(call), test: test}
}

// strBefore is STRBEFORE: the part of a before the first b, with a's language. If a
// does not contain b, it is "" without a language (17.4.3.9).
func strBefore(a, b Value) Value {
	if !compatible(a, b) {
		return Error()
	}
	before, _, found := strings.Cut(a.text(), b.text())
	if !found {
		return String("")
	}
	return like(a, before)
}

// strAfter is STRAFTER: the part of a after the first b, with a's language. If a does
// not contain b, it is "" without a language (17.4.3.10).
func strAfter(a, b Value) Value {
	if !compatible(a, b) {
		return Error()
	}
	_, after, found := strings.Cut(a.text(), b.text())
	if !found {
		return String("")
	}
	return like(a, after)
}

// encodeForURI is ENCODE_FOR_URI: it writes all bytes as %XX, except the unreserved
// characters of RFC 3986 (17.4.3.11).
func encodeForURI(c *Context, args []Value) (Value, error) {
	if !args[0].isString() {
		return Error(), nil
	}
	s := strings.ReplaceAll(url.QueryEscape(args[0].text()), "+", "%20")
	return String(s), checkLength(len(s), c.MaxLength)
}

// concat is CONCAT. The result has a language if all arguments have the same one
// (17.4.3.12).
func concat(c *Context, args []Value) (Value, error) {
	length, same := 0, true
	for i := range args {
		if !args[i].isString() {
			return Error(), nil
		}
		length += len(args[i].text())
		same = same && args[i].kind == KindLangString && compatible(args[0], args[i])
	}
	if err := checkLength(length, c.MaxLength); err != nil {
		return Error(), err
	}
	var b strings.Builder
	b.Grow(length)
	for i := range args {
		b.WriteString(args[i].text())
	}
	if same && len(args) > 0 {
		return like(args[0], b.String()), nil
	}
	return String(b.String()), nil
}
