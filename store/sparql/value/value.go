// Package value holds the values of SPARQL 1.1 expressions (SPARQL 1.1 Query Language,
// section 17): what a term means, the operators and functions over such values, their
// order, and the aggregates. It knows terms alone (package rdf), neither solutions nor
// stores.
//
// Rules: a Value that came from a term gives that term back to the letter; one that was
// computed gives the canonical form of XSD 1.1. A type error of the standard is a Value
// or a Truth, never a Go error: a Go error ends the query (LimitError). Comparing and
// adding numbers of usual size, booleans and dateTimes allocates nothing.
package value

import "github.com/segraph/segraph/store/rdf"

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

// RDFDirLangString is the datatype of strings with a language and a base direction (RDF
// 1.2).
const RDFDirLangString = rdf.RDF + "dirLangString"

// Value is a value of an expression. The zero Value is unbound. Values are compared with
// Equal, Less, SameTerm and Order, not with ==.
type Value struct {
	Cell
	// large is an integer or decimal that the cell has no room for.
	large *rdf.Decimal
	// term is where the value comes from; none for computed values that the cell tells.
	term rdf.Term
}

// Error returns the value of an expression with a type error (SPARQL 1.1, section
// 17.3.2).
func Error() Value { return Value{Cell: Cell{kind: KindError}} }

// Boolean returns a xsd:boolean.
func Boolean(b bool) Value { return Value{Cell: booleanCell(b)} }

// Integer returns a xsd:integer.
func Integer(i int64) Value { return Value{Cell: Cell{kind: KindInteger, num: i}} }

// Decimal returns the xsd:decimal coefficient / 10^scale, for a scale from 0 to 18.
func Decimal(coefficient int64, scale int) Value {
	return small(KindDecimal, coefficient, int16(scale))
}

// Double returns a xsd:double.
func Double(f float64) Value { return Value{Cell: doubleCell(f)} }

// Float returns a xsd:float.
func Float(f float32) Value {
	return Value{Cell: floatCell(f)}
}

// String returns a xsd:string.
func String(s string) Value { return Value{Cell: Cell{kind: KindString}, term: rdf.NewString(s)} }

// LangString returns a string with a language tag, which may end in a base direction
// ("ar--rtl").
func LangString(s, tag string) Value {
	return Value{Cell: Cell{kind: KindLangString}, term: rdf.NewLang(s, tag)}
}

// IRI returns an IRI.
func IRI(iri string) Value { return Value{Cell: Cell{kind: KindIRI}, term: rdf.NewIRI(iri)} }

// DateTime returns the xsd:dateTime that is so many seconds, and nanoseconds from 0 to
// 999,999,999, after 1970-01-01T00:00:00Z, written in a time zone of so many minutes east
// of UTC; without a zone, which zoned tells, the seconds are as if it were in UTC.
func DateTime(seconds int64, nanoseconds, zone int, zoned bool) Value {
	v := Value{Cell: Cell{kind: KindDateTime, num: seconds, nanos: uint32(nanoseconds)}}
	if zoned {
		v.minor, v.flags = int16(zone), flagZoned
	}
	return v
}

// Int64 returns an integer, if it is one and has room in 64 bits.
func (v Value) Int64() (int64, bool) { return v.num, v.kind == KindInteger && v.large == nil }

// Canonical returns an integer whose term is the canonical one of xsd:integer because it
// came from no other.
func (v Value) Canonical() (int64, bool) {
	return v.num, v.kind == KindInteger && v.large == nil && v.term.IsZero()
}

// Date returns the xsd:date that is so many days after 1970-01-01, in UTC or without a
// time zone.
func Date(days int64, zoned bool) Value {
	v := DateTime(days*86400, 0, 0, zoned)
	v.kind = KindDate
	return v
}

// Of returns the value that a term has, which is known without reading the term.
func Of(c Cell, t rdf.Term) Value { return Value{Cell: c, term: t} }

// Float64 returns a number as a xsd:double; ok is false for what is no number.
func (v Value) Float64() (f float64, ok bool) {
	if !v.IsNumeric() {
		return 0, false
	}
	return v.double(), true
}

// text returns the lexical form of a string.
func (v Value) text() string { return v.term.Value() }

// Clone returns v with texts of its own.
func (v Value) Clone() Value {
	v.term = v.term.Clone()
	return v
}

// IsComputed reports whether v came from no term.
func (v Value) IsComputed() bool { return v.term.IsZero() }

// Size is about how many bytes v holds beyond its own fixed size, for who counts memory.
func (v Value) Size() int { return len(v.term.Value()) }
