package value_test

import (
	"math"
	"testing"

	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql/syntax"
	"github.com/segraph/segraph/store/sparql/value"
)

// comparedValues returns values of all kinds, and numbers that a type can only just
// tell apart.
func comparedValues() (out []value.Value) {
	add := func(datatype string, lexical ...string) {
		for _, l := range lexical {
			out = append(out, value.FromTerm(rdf.NewLiteral(l, datatype)))
		}
	}
	numbers := []string{"0", "-0", "1", "2", "-1", "16777216", "16777217", "16777218", "-16777217", "9007199254740992", "9007199254740993", "9007199254740991",
		"1000000000000000", "999999999999999", "123456789012345678901234567890", "-123456789012345678901234567890"}
	add(rdf.XSDInteger, numbers...)
	add(rdf.XSDDecimal, numbers...)
	add(rdf.XSDDecimal, "0.1", "0.5", "0.3333333333333333333333333", "0.100000001490116119384765625", "1.00000005960464477539062500001", "1.000000059604644775390625", "1.00000005960464477539062499999",
		"340282346638528859811704183484516925440", "340282366920938463463374607431768211456", "-340282366920938463463374607431768211456", "0.00000000000000000000000000000000000000000000001")
	for _, datatype := range []string{rdf.XSDDouble, rdf.XSDFloat} {
		add(datatype, numbers...)
		add(datatype, "0.1", "0.5", "1.00000011920928955078125", "1e300", "-1e300", "INF", "-INF", "NaN", "1e-46", "1.4e-45", "3.4028235e38")
	}
	add(rdf.XSDString, "", "a", "1")
	add(rdf.XSDBoolean, "true", "false", "1")
	add(rdf.XSDDateTime, "2025-01-06T08:00:00Z", "2025-01-06T10:00:00+02:00", "2025-01-06T08:00:00", "2025-01-06T22:00:00", "2025-01-06T22:00:01", "2025-01-05T17:59:59", "2025-01-06T08:00:00.5Z",
		"2025-01-06T08:00:00.1234567891Z", "2025-01-06T08:00:00.1234567892Z", "2025-01-06T08:00:00.123456789Z", "nonsense")
	add(rdf.XSDDate, "2025-01-06", "2025-01-06Z", "2025-01-07")
	add(rdf.XSDTime, "08:00:00", "08:00:00Z", "10:00:00+02:00")
	add(rdf.XSDDuration, "P1D", "PT24H", "P1M", "P30D", "PT0S")
	add(rdf.XSDDayTimeDuration, "P1D", "PT1M")
	add("http://example/unknown", "a", "1")
	out = append(out, value.LangString("a", "en"), value.LangString("a", "EN"), value.LangString("a", "de"), value.IRI("a"), value.FromTerm(rdf.NewBlank("a")),
		value.Error(), value.Value{}, value.Double(math.NaN()))
	return out
}

// Equal values have one key. If a key decides, values with that key are equal.
func TestEqualValuesHaveOneKey(t *testing.T) {
	values := comparedValues()
	for _, coarse := range []bool{false, true} {
		decided := 0
		for _, a := range values {
			for _, b := range values {
				k, decides, ok := value.KeyOf(a, coarse)
				l, also, alsoOK := value.KeyOf(b, coarse)
				if !ok || !alsoOK {
					continue
				}
				same := !a.IsError() && a.Term().EqualFold(b.Term())
				if equal := value.Equal(a, b) == value.True; (equal || same) && k != l {
					t.Errorf("%v and %v are equal, their keys are %v and %v (coarse: %v)", a.Term(), b.Term(), k, l, coarse)
				} else if k == l && decides && also {
					decided++
					if !equal {
						t.Errorf("%v and %v have the key %v, which decides, and are not equal (coarse: %v)", a.Term(), b.Term(), k, coarse)
					}
				}
			}
		}
		if decided < 20 {
			t.Errorf("keys decide %d of %d pairs", decided, len(values)*len(values))
		}
	}
}

// An error has no key. An xsd:float has only a coarse key. A number that rounds to
// different xsd:floats directly and as an xsd:double has only a fine key.
func TestFewValuesHaveNoKey(t *testing.T) {
	twice := map[string]bool{"1.00000005960464477539062500001": true} // as an xsd:double it is halfway between two xsd:floats
	for _, v := range comparedValues() {
		_, _, ok := value.KeyOf(v, false)
		if want := !v.IsError() && v.Kind() != value.KindFloat; ok != want {
			t.Errorf("%v has a key: %v, want %v", v.Term(), ok, want)
		}
		_, _, ok = value.KeyOf(v, true)
		if want := !v.IsError() && !twice[v.Term().Value()]; ok != want {
			t.Errorf("%v has a coarse key: %v, want %v", v.Term(), ok, want)
		}
	}
}

// Places show for any two values whether one may be less than the other. For most
// pairs, they show whether it is.
func TestPlacesAgreeWithLess(t *testing.T) {
	values := comparedValues()
	exact := 0
	for _, a := range values {
		for _, b := range values {
			less, lessOrEqual := value.Relations[syntax.OpLess].Of(a, b) == value.True, value.Relations[syntax.OpLessEqual].Of(a, b) == value.True
			p, ok := value.PlaceOf(a)
			q, also := value.PlaceOf(b)
			if !ok || !also || p.Scale != q.Scale {
				if less || lessOrEqual {
					t.Errorf("%v <= %v, and they are not on one scale", a.Term(), b.Term())
				}
				continue
			}
			if value.Exact(p.Lane, q.Lane) {
				exact++
				if c := p.Compare(q); less != (c < 0) || lessOrEqual != (c <= 0) {
					t.Errorf("%v < %v is %v, <= is %v, and their places compare as %d", a.Term(), b.Term(), less, lessOrEqual, c)
				}
				continue
			}
			if !lessOrEqual {
				continue
			}
			if least, _ := p.Bounds(q.Lane); q.Compare(least) < 0 {
				t.Errorf("%v <= %v, and the place %v is below %v", a.Term(), b.Term(), q, least)
			}
			if _, greatest := q.Bounds(p.Lane); p.Compare(greatest) > 0 {
				t.Errorf("%v <= %v, and the place %v is above %v", a.Term(), b.Term(), p, greatest)
			}
		}
	}
	if exact < len(values)*len(values)/8 {
		t.Errorf("places tell of %d of %d pairs", exact, len(values)*len(values))
	}
}
