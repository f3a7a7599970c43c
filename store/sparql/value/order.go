package value

import (
	"cmp"
	"math"
	"math/big"
	"strings"

	"github.com/segraph/segraph/store/rdf"
)

// Order compares a and b in the order of ORDER BY (SPARQL 1.1, section 15.1), MIN and
// MAX. It returns a negative number if a comes first, and 0 if neither does. Over all
// values this is a weak order: it is transitive, and so is "neither comes first". If <
// is True, Order agrees.
//
//	unbound or an error
//	blank nodes, by label
//	IRIs, by code point
//	booleans: false, true
//	numbers of all types: NaN, then by exact value
//	dates and times: xsd:dateTime, then xsd:date, xsd:time, xsd:gYear, gYearMonth, gMonth,
//	    gMonthDay, gDay; within each type by time, in UTC if there is no time zone; at the
//	    same time, those without a time zone first
//	durations, by when they end if they begin on a fixed date
//	strings, by code point; of the same text, those without a language first, then by tag
//	other literals, by datatype and then by lexical form
//	triple terms, by subject, predicate and object
//
// The standard prescribes only the order of unbound, blank nodes, IRIs and literals, of
// triple terms by their parts (SPARQL 1.2, section 15.1), and < among literals where
// it applies. Neither of 1 and 1.0 comes first. For a total order, use OrderTerms.
func Order(a, b Value) int {
	x, y := a.orderClass(), b.orderClass()
	if x != y {
		return cmp.Compare(x, y)
	}
	switch {
	case x <= KindError:
		return 0
	case a.IsNumeric():
		return orderNumbers(a, b)
	case a.kind == KindBoolean:
		return cmp.Compare(a.num, b.num)
	case a.IsTemporal():
		return cmp.Or(compareInstants(a, b), cmp.Compare(a.flags&flagZoned, b.flags&flagZoned))
	case areShort(&a.Cell, &b.Cell):
		return cmp.Compare(a.num, b.num)
	case a.kind == KindDuration:
		return a.duration().Order(b.duration())
	case a.isString():
		return cmp.Or(strings.Compare(a.text(), b.text()), strings.Compare(a.term.Fold().Tag(), b.term.Fold().Tag()))
	case a.kind == KindTriple:
		return orderTriples(a.term.Triple(), b.term.Triple())
	case a.kind == KindOther:
		return cmp.Or(strings.Compare(a.term.Datatype(), b.term.Datatype()), strings.Compare(a.text(), b.text()))
	}
	return strings.Compare(a.text(), b.text())
}

// orderTriples orders triples by subject, predicate and object.
func orderTriples(a, b rdf.Triple) int {
	if c := Order(FromTerm(a.S), FromTerm(b.S)); c != 0 {
		return c
	}
	return cmp.Or(Order(FromTerm(a.P), FromTerm(b.P)), Order(FromTerm(a.O), FromTerm(b.O)))
}

// OrderTerms compares like Order. If neither term comes first, it compares them like
// rdf.Compare. It returns 0 only for the same term.
func OrderTerms(a, b Value) int {
	if c := Order(a, b); c != 0 {
		return c
	}
	return rdf.Compare(a.Term(), b.Term())
}

// orderClass returns the same kind for all kinds that Order compares with each other by
// value.
func (v Value) orderClass() Kind {
	switch {
	case v.kind == KindError:
		return KindUnbound
	case v.IsNumeric():
		return KindInteger
	case v.kind == KindLangString:
		return KindString
	}
	return v.kind
}

// orderNumbers compares numbers exactly. Promoting them to floats first, as operators do,
// is not transitive: 2^53 and 2^53+1 both equal 9007199254740992e0.
func orderNumbers(a, b Value) int {
	switch aExact, bExact := a.isExact(), b.isExact(); {
	case aExact && bExact:
		return compareExact(a, b)
	case aExact:
		return orderExactFloat(a, b.double())
	case bExact:
		return -orderExactFloat(b, a.double())
	}
	return cmp.Compare(a.double(), b.double()) // NaN comes first, -0 equals 0
}

// orderExactFloat compares an integer or decimal v with a float f. Rounding never
// reverses an order, so the exact values matter only if f is the float nearest to v.
func orderExactFloat(v Value, f float64) int {
	if math.IsNaN(f) {
		return 1
	}
	nearest := v.double()
	if nearest != f || math.IsInf(f, 0) {
		if nearest == f { // v is out of range, but finite
			return -cmp.Compare(f, 0)
		}
		return cmp.Compare(nearest, f)
	}
	if v.large == nil && v.minor == 0 && math.Abs(f) < 1<<53 {
		return 0
	}
	exactly, _ := new(big.Rat).SetString(v.decimalText())
	return exactly.Cmp(new(big.Rat).SetFloat64(f))
}
