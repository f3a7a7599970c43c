package value

import (
	"strings"

	"github.com/segraph/segraph/store/rdf"
)

// Equal returns a = b (SPARQL 1.1, sections 17.3 and 17.4.1.7). It compares numbers by
// value after type promotion, dates and times as points in time, strings exactly except for
// the case of language tags, triple terms by their parts, and everything else as terms.
// Literals of different known types are not equal. It is a type error for a literal of
// unknown datatype or outside its lexical space, unless both are the same term, and for a
// date or time with a time zone and one without that are at most 14 hours apart. a != b is
// Not(Equal(a, b)).
func Equal(a, b Value) Truth { return EqualTo.Of(a, b) }

// equal compares values whose cells are not enough.
func equal(a, b Value) Truth {
	switch {
	case a.IsNumeric() && b.IsNumeric():
		return equalities[compareLarge(a, b)]
	case a.kind == KindTriple && b.kind == KindTriple:
		return equalTriples(a.term.Triple(), b.term.Triple())
	case !a.IsLiteral() || !b.IsLiteral(): // IRIs and blank nodes
		return TruthOf(a.kind == b.kind && a.text() == b.text())
	case a.kind == KindOther || b.kind == KindOther:
		return equalOther(a, b)
	case a.kind != b.kind:
		return False
	case a.kind == KindDuration:
		return TruthOf(a.duration() == b.duration())
	case a.IsTemporal():
		return equalities[compareFine(a, b)]
	case a.kind == KindLangString:
		return TruthOf(a.term.EqualFold(b.term))
	}
	return TruthOf(a.text() == b.text())
}

// equalTriples compares the triples of two triple terms (SPARQL 1.2, section 17.4.1).
func equalTriples(a, b rdf.Triple) Truth {
	if a.S != b.S || a.P != b.P {
		return False
	}
	x, y := FromTerm(a.O), FromTerm(b.O)
	if o := compareCells(&x.Cell, &y.Cell); o != orderUnknown {
		return equalities[o]
	}
	return equal(x, y)
}

// equalOther compares two literals, at least one of them KindOther. A string with a
// language never equals another kind of literal. In all other cases the result is a
// type error, unless both are the same term.
func equalOther(a, b Value) Truth {
	switch {
	case a.kind == KindLangString || b.kind == KindLangString:
		return False
	case a.term == b.term:
		return True
	}
	return TypeError
}

// compare compares values whose cells are not enough, as the operators do.
func compare(a, b Value) order {
	switch {
	case a.IsNumeric() && b.IsNumeric():
		return compareLarge(a, b)
	case a.kind != b.kind:
		return orderUndecided
	case a.kind == KindString:
		return orderOf(strings.Compare(a.text(), b.text()))
	case a.kind == KindDuration:
		if c, ok := a.duration().Compare(b.duration()); ok {
			return orderOf(c)
		}
		return orderUndecided
	case a.IsTemporal():
		return compareFine(a, b)
	}
	return orderUndecided
}
