package value

// Truth is a truth value of SPARQL's three-valued logic (SPARQL 1.1, section 17.2). Its
// values are in such an order that && is the least of two, and || the greatest.
type Truth uint8

const (
	False     Truth = iota
	TypeError       // the test cannot be evaluated; FILTER treats it as false
	True
)

// TruthOf returns True or False.
func TruthOf(b bool) Truth {
	if b {
		return True
	}
	return False
}

// Not returns !t.
func Not(t Truth) Truth { return True - t }

// And returns s && t. It is False if either is, even if the other is a TypeError.
func And(s, t Truth) Truth { return min(s, t) }

// Or returns s || t. It is True if either is, even if the other is a TypeError.
func Or(s, t Truth) Truth { return max(s, t) }

// Truth returns the effective boolean value (SPARQL 1.2, section 17.2.2). An xsd:string is
// true unless empty, and a number unless 0 or NaN. Values other than booleans, xsd:strings
// and numbers are a TypeError. In SPARQL 1.1 a string with a language counted as a string,
// and an invalid boolean or number was false; by the W3C test expression/not-not of 1.2
// both are errors.
func (v Value) Truth() Truth {
	switch v.kind {
	case KindBoolean:
		return TruthOf(v.num != 0)
	case KindString:
		return TruthOf(v.text() != "")
	case KindInteger, KindDecimal:
		return TruthOf(v.num != 0 || v.large != nil)
	case KindFloat, KindDouble:
		f := v.double()
		return TruthOf(f != 0 && f == f)
	}
	return TypeError
}
