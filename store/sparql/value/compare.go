package value

import "strings"

// Equal is a = b (SPARQL 1.1, sections 17.3 and 17.4.1.7): numbers by value after type
// promotion, dates and times as moments, strings to the letter but for the case of
// language tags, everything else as terms. Literals of different known types are not
// equal. It is a type error where nobody can know: with a literal of an unknown datatype
// or one that is not in its lexical space, unless both are the same term, and with a date
// or time that has a time zone and one that has none within 14 hours. a != b is its Not.
func Equal(a, b Value) Truth { return EqualTo.Of(&a, &b) }

// equal is Equal where cells do not tell.
func equal(a, b Value) Truth {
	switch {
	case a.IsNumeric() && b.IsNumeric():
		return equalities[compareLarge(a, b)]
	case a.kind < KindBoolean || b.kind < KindBoolean: // IRIs and blank nodes
		return truth(a.kind == b.kind && a.text() == b.text())
	case a.kind == KindOther || b.kind == KindOther:
		return equalOther(a, b)
	case a.kind != b.kind:
		return False
	case a.kind == KindDuration:
		return truth(a.duration() == b.duration())
	case a.isTemporal():
		return equalities[compareFine(a, b)]
	case a.kind == KindLangString:
		return truth(a.term.EqualFold(b.term))
	}
	return truth(a.text() == b.text())
}

// equalOther: a string with a language can have the value of no other literal, and what the
// rest means is not known.
func equalOther(a, b Value) Truth {
	switch {
	case a.kind == KindLangString || b.kind == KindLangString:
		return False
	case a.term == b.term:
		return True
	}
	return TypeError
}

// Less is a < b (SPARQL 1.1, section 17.3): of numbers, xsd:string, xsd:boolean, dates and
// times of one type, and durations; of anything else it is a type error, as it is where the
// order is not decided: see Equal for time zones, and rdf.Duration for months and days.
// a > b is Less(b, a).
func Less(a, b Value) Truth { return LessThan.Of(&a, &b) }

// LessOrEqual is a <= b, of what Less takes. a >= b is LessOrEqual(b, a).
func LessOrEqual(a, b Value) Truth { return AtMost.Of(&a, &b) }

// compare compares what operators put in order, where cells do not tell.
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
	case a.isTemporal():
		return compareFine(a, b)
	}
	return orderUndecided
}

// SameTerm is sameTerm(a, b) (SPARQL 1.1, section 17.4.1.8): the same RDF term to the
// letter, except for the case of language tags.
func SameTerm(a, b Value) Truth {
	if a.IsError() || b.IsError() {
		return TypeError
	}
	return truth(a.Term().EqualFold(b.Term()))
}
