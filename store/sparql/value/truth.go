package value

import "github.com/segraph/segraph/store/rdf"

// Truth is the outcome of a test: SPARQL's logic has three values (SPARQL 1.1, section
// 17.2).
type Truth uint8

const (
	False     Truth = iota
	True            //
	TypeError       // the test can't be made; a FILTER takes it as false
)

func truth(b bool) Truth {
	if b {
		return True
	}
	return False
}

// Value returns t as a xsd:boolean or an error.
func (t Truth) Value() Value {
	if t == TypeError {
		return Error()
	}
	return Boolean(t == True)
}

// Not is !t.
func Not(t Truth) Truth {
	switch t {
	case True:
		return False
	case False:
		return True
	}
	return TypeError
}

// And is s && t: false if one of them is, also where the other is an error.
func And(s, t Truth) Truth {
	switch {
	case s == False || t == False:
		return False
	case s == True && t == True:
		return True
	}
	return TypeError
}

// Or is s || t: true if one of them is, also where the other is an error.
func Or(s, t Truth) Truth {
	switch {
	case s == True || t == True:
		return True
	case s == False && t == False:
		return False
	}
	return TypeError
}

// Truth returns the effective boolean value (SPARQL 1.1, section 17.2.2): of booleans, of
// strings with or without a language (true if not empty), of numbers (false for 0 and
// NaN). A literal that is not in the lexical space of its boolean or numeric datatype is
// false.
func (v Value) Truth() Truth {
	switch v.kind {
	case KindBoolean:
		return truth(v.num != 0)
	case KindString, KindLangString:
		return truth(v.text() != "")
	case KindInteger, KindDecimal:
		return truth(v.num != 0 || v.large != nil)
	case KindFloat, KindDouble:
		f := v.double()
		return truth(f != 0 && f == f)
	case KindOther:
		if datatype := v.term.Datatype(); datatype == rdf.XSDBoolean || rdf.IsNumeric(datatype) {
			return False
		}
	}
	return TypeError
}
