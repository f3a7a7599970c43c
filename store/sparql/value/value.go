// Package value implements the values of expressions (SPARQL 1.2 Query Language,
// section 17): the values of terms, operators and functions on them, their order, and
// aggregates. It knows terms (package rdf), but neither solutions nor stores.
//
// Rules: Term returns exactly the term that a Value came from, and the canonical form
// of XSD 1.1 for a computed one. A type error of the standard is a Value or a Truth,
// never a Go error. A Go error ends the query. Comparing or adding numbers
// that fit in a Cell, booleans, dateTimes and their differences does not allocate.
package value

import "github.com/segraph/segraph/store/rdf"

// Kind is the kind of a Value. Numeric kinds are in the order of type promotion (SPARQL
// 1.1, section 17.3).
type Kind uint8

const (
	KindUnbound    Kind = iota // the zero Value: a variable without a value
	KindError                  // a type error
	KindBlank                  // a blank node
	KindIRI                    // an IRI
	KindBoolean                // xsd:boolean
	KindInteger                // xsd:integer or a type derived from it
	KindDecimal                // xsd:decimal
	KindFloat                  // xsd:float
	KindDouble                 // xsd:double
	KindDateTime               // xsd:dateTime or xsd:dateTimeStamp
	KindDate                   // xsd:date
	KindTime                   // xsd:time
	KindGYear                  // xsd:gYear
	KindGYearMonth             // xsd:gYearMonth
	KindGMonth                 // xsd:gMonth
	KindGMonthDay              // xsd:gMonthDay
	KindGDay                   // xsd:gDay
	KindDuration               // xsd:duration, xsd:yearMonthDuration or xsd:dayTimeDuration
	KindString                 // xsd:string; simple literals have this type (RDF 1.1)
	KindLangString             // rdf:langString, or rdf:dirLangString if there is a base direction
	KindOther                  // a literal of unknown datatype or outside its lexical space
	KindTriple                 // a triple term
)

// Value is the value of an expression. The zero Value is unbound. Compare values with
// Equal, Relations and Order, not with ==.
type Value struct {
	Cell
	// large is an integer or decimal that does not fit in the cell.
	large *rdf.Decimal
	// term is the term that the value came from. It is zero for a computed value that
	// fits in the cell.
	term rdf.Term
}

// Error returns the value of an expression with a type error (SPARQL 1.1, section
// 17.3.2).
func Error() Value { return Value{Cell: Cell{kind: KindError}} }

// Boolean returns an xsd:boolean.
func Boolean(b bool) Value { return Value{Cell: booleanCell(b)} }

// Integer returns an xsd:integer.
func Integer(i int64) Value { return Value{Cell: Cell{kind: KindInteger, num: i}} }

// Decimal returns the xsd:decimal coefficient / 10^scale. scale must be from 0 to 18.
func Decimal(coefficient int64, scale int) Value {
	return small(KindDecimal, coefficient, int16(scale))
}

// Double returns an xsd:double.
func Double(f float64) Value { return Value{Cell: doubleCell(f)} }

// Float returns an xsd:float.
func Float(f float32) Value {
	return Value{Cell: floatCell(f)}
}

// String returns an xsd:string.
func String(s string) Value { return Value{Cell: Cell{kind: KindString}, term: rdf.NewString(s)} }

// LangString returns a string with a language tag, which may end in a base direction, as
// in "ar--rtl".
func LangString(s, tag string) Value {
	return Value{Cell: Cell{kind: KindLangString}, term: rdf.NewLang(s, tag)}
}

// IRI returns an IRI.
func IRI(iri string) Value { return Value{Cell: Cell{kind: KindIRI}, term: rdf.NewIRI(iri)} }

// DateTime returns the xsd:dateTime that is seconds and nanoseconds (0 to 999,999,999)
// after 1970-01-01T00:00:00Z, in the time zone zone minutes east of UTC. If zoned is
// not set, it has no time zone, and seconds counts as if it were in UTC.
func DateTime(seconds int64, nanoseconds, zone int, zoned bool) Value {
	v := Value{Cell: Cell{kind: KindDateTime, num: seconds, nanos: uint32(nanoseconds)}}
	if zoned {
		v.minor, v.flags = int16(zone), flagZoned
	}
	return v
}

// Whole returns the cell of v, and whether it holds all of v.
func (v Value) Whole() (cell Cell, whole bool) { return v.Cell, v.term.IsZero() && v.large == nil }

// Date returns the xsd:date that is days after 1970-01-01, in UTC or without a time zone.
func Date(days int64, zoned bool) Value {
	v := DateTime(days*86400, 0, 0, zoned)
	v.kind = KindDate
	return v
}

// Of returns the value of a term whose cell is known, without parsing the term.
func Of(c Cell, t rdf.Term) Value { return Value{Cell: c, term: t} }

// Float64 returns a number as an xsd:double. ok is false for any other value.
func (v Value) Float64() (f float64, ok bool) {
	if !v.IsNumeric() {
		return 0, false
	}
	return v.double(), true
}

func (v Value) text() string { return v.term.Value() }

// Clone returns v with its own copy of its text.
func (v Value) Clone() Value {
	v.term = v.term.Clone()
	return v
}

// IsComputed reports whether v was computed and has no term.
func (v Value) IsComputed() bool { return v.term.IsZero() }

// Size returns about how many bytes v takes beyond its fixed size.
func (v Value) Size() int {
	if v.large != nil {
		return v.term.Size() + v.large.Size()
	}
	return v.term.Size()
}
