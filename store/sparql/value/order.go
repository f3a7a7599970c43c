package value

import (
	"cmp"
	"math"
	"math/big"
	"strings"

	"github.com/segraph/segraph/store/rdf"
)

// Order returns the order of ORDER BY (SPARQL 1.1, section 15.1), and of MIN and MAX. It
// is negative if a comes before b, and 0 if neither comes first. Over all values it is a
// weak order (transitive, and so is being neither first), which agrees with Less wherever
// that is true.
//
//	no value or an error
//	blank nodes, by label
//	IRIs, by code point
//	booleans: false, true
//	numbers of all types: NaN, then by value, compared exactly
//	dates and times: xsd:dateTime, then xsd:date, xsd:time, xsd:gYear, gYearMonth, gMonth,
//	    gMonthDay, gDay; within each as moments, those without a time zone as in UTC,
//	    and at the same moment first those without
//	durations, by how far they reach from a fixed date
//	strings, by code point, and the same text first without a language, then by language tag
//	other literals, by datatype and then by lexical form
//
// The standard leaves open most of this; what it says is: no value, blank nodes, IRIs,
// literals, and Less where that applies. Of 1 and 1.0 neither comes first; who needs the
// same order every time takes OrderTerms.
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
	case a.isTemporal():
		return cmp.Or(compareInstants(a, b), cmp.Compare(a.flags&flagZoned, b.flags&flagZoned))
	case a.kind == KindDuration:
		return orderDurations(a.duration(), b.duration())
	case a.isString():
		return cmp.Or(strings.Compare(a.text(), b.text()), strings.Compare(a.term.Fold().Language(), b.term.Fold().Language()))
	case a.kind == KindOther:
		return cmp.Or(strings.Compare(a.term.Datatype(), b.term.Datatype()), strings.Compare(a.text(), b.text()))
	}
	return strings.Compare(a.text(), b.text())
}

// OrderTerms is Order, and where neither value comes first that of rdf.Compare, so that it
// is 0 only for the same term.
func OrderTerms(a, b Value) int {
	if c := Order(a, b); c != 0 {
		return c
	}
	return rdf.Compare(a.Term(), b.Term())
}

// orderClass makes one kind of those that Order compares by value.
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

// orderNumbers compares numbers exactly. Promoting to a float first, as operators do, is
// not transitive: 2^53 and 2^53+1 both equal 9007199254740992e0.
func orderNumbers(a, b Value) int {
	switch aExact, bExact := a.isExact(), b.isExact(); {
	case aExact && bExact:
		return compareExact(a, b)
	case aExact:
		return orderExactFloat(a, b.double())
	case bExact:
		return -orderExactFloat(b, a.double())
	}
	return cmp.Compare(a.double(), b.double()) // NaN is first, -0 equals 0
}

// orderExactFloat compares an integer or decimal with a float. Rounding never turns an
// order around, so only if the nearest float is f itself, the rest counts.
func orderExactFloat(v Value, f float64) int {
	if math.IsNaN(f) {
		return 1
	}
	nearest := v.double()
	if nearest != f || math.IsInf(f, 0) {
		if nearest == f { // too large for a float, but not infinite
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
