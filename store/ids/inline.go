package ids

import (
	"strconv"

	"github.com/segraph/segraph/store/rdf"
)

// Inline returns the id of a term that is encoded in its id: a small value whose lexical
// form equals the one that decoding returns. It returns false for other terms. For example,
// "1"^^xsd:integer is inline, "01" is not.
func Inline(t rdf.Term) (id ID, ok bool) {
	if t.Kind() != rdf.KindLiteral {
		return 0, false
	}
	lex := t.Value()
	switch t.Datatype() {
	case rdf.XSDBoolean:
		switch lex {
		case "false":
			return New(TagBoolean, 0), true
		case "true":
			return New(TagBoolean, 1), true
		}
	case rdf.XSDInteger:
		return inlineInteger(lex)
	case rdf.XSDDecimal:
		return inlineDecimal(TagDecimal, lex)
	case rdf.XSDDouble:
		return inlineDecimal(TagDouble, lex)
	case rdf.XSDFloat:
		return inlineDecimal(TagFloat, lex)
	case rdf.XSDDateTime:
		return inlineDateTime(lex)
	case rdf.XSDDate:
		return inlineDate(lex)
	}
	return 0, false
}

// Value returns the term of an inline id. ok is false if Inline makes no such id.
func (id ID) Value() (t rdf.Term, ok bool) {
	var buf [40]byte
	b, ok := id.AppendValue(buf[:0])
	return id.InlineTerm(string(b)), ok
}

// AppendValue appends the label or lexical form of an inline id. It reports false if
// Inline makes no such id.
func (id ID) AppendValue(b []byte) (all []byte, ok bool) {
	payload := uint64(id & PayloadMask)
	signed := int64(payload) - bias
	switch id.Tag() {
	case TagBlank:
		return strconv.AppendUint(append(b, 'b'), payload, 10), payload&LabelBit == 0
	case TagBoolean:
		return strconv.AppendBool(b, payload == 1), payload <= 1
	case TagInteger:
		return strconv.AppendInt(b, signed, 10), signed > -bias
	case TagDecimal, TagDouble, TagFloat:
		return appendDecimal(b, signed)
	case TagDateTime:
		return appendDateTime(b, signed)
	case TagDate:
		return appendDate(b, signed)
	}
	return nil, false
}

// inlineTypes are the datatypes of inline ids, by tag.
var inlineTypes = [16]string{TagBoolean: rdf.XSDBoolean, TagInteger: rdf.XSDInteger, TagDecimal: rdf.XSDDecimal, TagDouble: rdf.XSDDouble,
	TagFloat: rdf.XSDFloat, TagDateTime: rdf.XSDDateTime, TagDate: rdf.XSDDate}

// InlineTerm returns the term of an inline id, given its label or lexical form.
func (id ID) InlineTerm(text string) rdf.Term {
	if id.Tag() == TagBlank {
		return rdf.NewBlank(text)
	}
	return rdf.NewLiteral(text, inlineTypes[id.Tag()])
}

// digits parses the decimal digits at the start of s, at most 18.
func digits(s string) (v int64, n int) {
	for n < len(s) && n < 18 && s[n]-'0' < 10 {
		v = v*10 + int64(s[n]-'0')
		n++
	}
	return v, n
}

// inlineInteger returns the id of a canonical integer from -(2^59-1) to 2^59-1, and false for others.
func inlineInteger(lex string) (id ID, ok bool) {
	s, neg := lex, false
	if s != "" && s[0] == '-' {
		s, neg = s[1:], true
	}
	v, n := digits(s)
	if n == 0 || n != len(s) || s[0] == '0' && (n > 1 || neg) || v >= bias {
		return 0, false
	}
	if neg {
		v = -v
	}
	return New(TagInteger, uint64(v+bias)), true
}

const (
	maxDigits = 6
	million   = 1_000_000
	// maxScaled is the largest decimal in millionths. It takes 57 bits with its sign;
	// three more hold the number of digits.
	maxScaled = 1<<56 - 1
	scaleBits = 3
)

var powers = [maxDigits + 1]int64{1, 10, 100, 1_000, 10_000, 100_000, 1_000_000}

// inlineDecimal returns the id of a number like 0.50, -12 or 3.141593, and false for others.
// The number has at least one digit before the point and, if there is a point, one to six
// after it. The number of these is stored below the value, so 1.5 and 1.50 are different
// terms with neighbouring ids.
func inlineDecimal(tag int, lex string) (id ID, ok bool) {
	s, neg := lex, false
	if s != "" && s[0] == '-' {
		s, neg = s[1:], true
	}
	whole, n := digits(s)
	if n == 0 || s[0] == '0' && n > 1 {
		return 0, false
	}
	var frac int64
	f := 0
	if n < len(s) {
		if s[n] != '.' {
			return 0, false
		}
		if frac, f = digits(s[n+1:]); f == 0 || f > maxDigits || n+1+f != len(s) {
			return 0, false
		}
	}
	if whole > maxScaled/million-1 { // the fraction is less than one
		return 0, false
	}
	v := whole*million + frac*powers[maxDigits-f]
	if neg {
		if v = -v; v == 0 { // the sign of "-0.0" can't be stored
			return 0, false
		}
	}
	return New(tag, uint64(v<<scaleBits|int64(f))+bias), true
}

// appendDecimal appends the lexical form of a payload. It reports false if inlineDecimal
// makes no such payload.
func appendDecimal(b []byte, payload int64) (all []byte, ok bool) {
	v, f := payload>>scaleBits, int(payload&(1<<scaleBits-1))
	if f > maxDigits || v%powers[maxDigits-f] != 0 {
		return nil, false
	}
	if v < 0 {
		b = append(b, '-')
		v = -v
	}
	b = strconv.AppendInt(b, v/million, 10)
	if f == 0 {
		return b, true
	}
	return appendPadded(append(b, '.'), v%million/powers[maxDigits-f], f), true
}

// appendPadded appends v with exactly n digits.
func appendPadded(b []byte, v int64, n int) []byte {
	at := len(b)
	for range n {
		b = append(b, '0')
	}
	for i := at + n - 1; i >= at; i-- {
		b[i] = byte('0' + v%10)
		v /= 10
	}
	return b
}
