// Package value holds the values of SPARQL 1.1 expressions (SPARQL 1.1 Query Language, section
// 17): what a term means, the operators and functions over such values, their order, and
// the aggregates. It knows terms alone (package rdf), neither solutions nor stores.
//
// Rules: a Value that came from a term gives that term back to the letter; one that was
// computed gives the canonical form of XSD 1.1. A type error of the standard is a Value or a
// Truth, never a Go error: a Go error ends the query (LimitError). Comparing and adding
// numbers of usual size, booleans and dateTimes allocates nothing.
package value

import (
	"math"

	"github.com/segraph/segraph/store/rdf"
)

// Kind tells what a Value is. Numbers are in the order of type promotion (SPARQL 1.1,
// section 17.3).
type Kind uint8

const (
	KindUnbound    Kind = iota // the zero Value: a variable without a value
	KindError                  // a type error
	KindBlank                  // a blank node
	KindIRI                    // an IRI
	KindBoolean                // xsd:boolean
	KindInteger                // xsd:integer or what is derived from it
	KindDecimal                // xsd:decimal
	KindFloat                  // xsd:float
	KindDouble                 // xsd:double
	KindDateTime               // xsd:dateTime or xsd:dateTimeStamp
	KindDate                   // xsd:date
	KindTime                   // xsd:time
	KindGYear                  // xsd:gYear, and so on
	KindGYearMonth             //
	KindGMonth                 //
	KindGMonthDay              //
	KindGDay                   //
	KindDuration               // xsd:duration, xsd:yearMonthDuration or xsd:dayTimeDuration
	KindString                 // xsd:string, which a simple literal is (RDF 1.1)
	KindLangString             // rdf:langString, or rdf:dirLangString with a base direction
	KindOther                  // a literal of an unknown datatype, or not in its lexical space
)

// RDFDirLangString is the datatype of strings with a language and a base direction (RDF 1.2).
const RDFDirLangString = rdf.RDF + "dirLangString"

// Value is a value of an expression. The zero Value is unbound. Values are compared with
// Equal, Less, SameTerm and Order, not with ==.
type Value struct {
	kind  Kind
	flags flags
	// minor is the scale of a decimal, or a time zone in minutes east of UTC.
	minor int16
	nanos uint32 // of a date or time
	// num is an integer, a decimal times 10^minor, the bits of a float64 (for xsd:float
	// too), 0 or 1 for a boolean, or for dates and times seconds since 1970.
	num int64
	// large is an integer or decimal that num has no room for.
	large *rdf.Decimal
	// term is where the value comes from; none for computed values that num tells.
	term rdf.Term
}

type flags uint8

const (
	flagZoned flags = 1 << iota // a date or time has a time zone
	flagFine                    // its seconds have more than nine digits of fraction, which term has
)

// Error is the value of an expression with a type error (SPARQL 1.1, section 17.3.2).
func Error() Value { return Value{kind: KindError} }

// Boolean gives a xsd:boolean.
func Boolean(b bool) Value {
	v := Value{kind: KindBoolean}
	if b {
		v.num = 1
	}
	return v
}

// Integer gives a xsd:integer.
func Integer(i int64) Value { return Value{kind: KindInteger, num: i} }

// Decimal gives the xsd:decimal coefficient / 10^scale, for a scale from 0 to 18.
func Decimal(coefficient int64, scale int) Value {
	return small(KindDecimal, coefficient, int16(scale))
}

// Double gives a xsd:double.
func Double(f float64) Value { return Value{kind: KindDouble, num: int64(math.Float64bits(f))} }

// Float gives a xsd:float.
func Float(f float32) Value {
	return Value{kind: KindFloat, num: int64(math.Float64bits(float64(f)))}
}

// String gives a xsd:string.
func String(s string) Value { return Value{kind: KindString, term: rdf.NewString(s)} }

// LangString gives a string with a language tag, which may end in a base direction ("ar--rtl").
func LangString(s, tag string) Value {
	return Value{kind: KindLangString, term: rdf.NewLang(s, tag)}
}

// IRI gives an IRI.
func IRI(iri string) Value { return Value{kind: KindIRI, term: rdf.NewIRI(iri)} }

// DateTime gives the xsd:dateTime that is so many seconds, and nanoseconds from 0 to
// 999,999,999, after 1970-01-01T00:00:00Z, written in a time zone of so many minutes east of
// UTC; without a zone, which zoned tells, the seconds are as if it were in UTC.
func DateTime(seconds int64, nanoseconds, zone int, zoned bool) Value {
	v := Value{kind: KindDateTime, num: seconds, nanos: uint32(nanoseconds)}
	if zoned {
		v.minor, v.flags = int16(zone), flagZoned
	}
	return v
}

// Kind tells what v is.
func (v Value) Kind() Kind { return v.kind }

// IsError tells whether v is no term: a type error or unbound, which as an operand is one.
func (v Value) IsError() bool { return v.kind <= KindError }

// IsLiteral tells whether v is a literal.
func (v Value) IsLiteral() bool { return v.kind >= KindBoolean }

// IsNumeric tells whether v is a number; a literal that is not in its numeric datatype's
// lexical space is none.
func (v Value) IsNumeric() bool { return KindInteger <= v.kind && v.kind <= KindDouble }

// isExact tells whether v is a xsd:integer or xsd:decimal.
func (v Value) isExact() bool { return v.kind == KindInteger || v.kind == KindDecimal }

// isTemporal tells whether v is a date, a time or a part of a date.
func (v Value) isTemporal() bool { return KindDateTime <= v.kind && v.kind <= KindGDay }

// isString tells whether v is a string literal (SPARQL 1.1, section 17.4.3.1).
func (v Value) isString() bool { return v.kind == KindString || v.kind == KindLangString }

func (v Value) zoned() bool { return v.flags&flagZoned != 0 }

// Int64 gives an integer, if it is one and has room in 64 bits.
func (v Value) Int64() (int64, bool) { return v.num, v.kind == KindInteger && v.large == nil }

// Canonical gives an integer whose term is the canonical one of xsd:integer because it came from
// no other.
func (v Value) Canonical() (int64, bool) {
	return v.num, v.kind == KindInteger && v.large == nil && v.term.IsZero()
}

// Float64 gives a number as a xsd:double; ok is false for what is no number.
func (v Value) Float64() (f float64, ok bool) {
	if !v.IsNumeric() {
		return 0, false
	}
	return v.double(), true
}

// text is the lexical form of a string.
func (v Value) text() string { return v.term.Value() }

// Size is about how many bytes v holds beyond its own fixed size, for who counts memory.
func (v Value) Size() int { return len(v.term.Value()) }
