package value

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/segraph/segraph/store/rdf"
)

// val parses a term as SPARQL writes it: 1, -1.5, 1e0, true, "a", "a"@en,
// "1"^^xsd:byte, <iri>, _:b. The prefix x: is for unknown datatypes. val also accepts
// err and unbound.
func val(t testing.TB, s string) Value {
	t.Helper()
	switch {
	case s == "err":
		return Error()
	case s == "unbound":
		return Value{}
	}
	return FromTerm(term(t, s))
}

func term(t testing.TB, s string) rdf.Term {
	t.Helper()
	switch {
	case s == "true" || s == "false":
		return rdf.NewLiteral(s, rdf.XSDBoolean)
	case strings.HasPrefix(s, "<<"): // a triple term: <<<s> <p> object>>
		parts := strings.SplitN(strings.TrimSuffix(s[2:], ">>"), " ", 3)
		return rdf.NewTripleTerm(rdf.Triple{S: term(t, parts[0]), P: term(t, parts[1]), O: term(t, parts[2])})
	case strings.HasPrefix(s, "<"):
		return rdf.NewIRI(strings.Trim(s, "<>"))
	case strings.HasPrefix(s, "_:"):
		return rdf.NewBlank(s[2:])
	case strings.HasPrefix(s, `"`):
		end := strings.LastIndexByte(s, '"')
		lexical, rest := s[1:end], s[end+1:]
		switch {
		case rest == "":
			return rdf.NewString(lexical)
		case strings.HasPrefix(rest, "@"):
			return rdf.NewLang(lexical, rest[1:])
		}
		return rdf.NewLiteral(lexical, strings.NewReplacer("^^xsd:", rdf.XSD, "^^rdf:", rdf.RDF, "^^x:", "http://example.org/").Replace(rest))
	case strings.ContainsAny(s, "eEIN"):
		return rdf.NewLiteral(s, rdf.XSDDouble)
	case strings.Contains(s, "."):
		return rdf.NewLiteral(s, rdf.XSDDecimal)
	case s == "":
		t.Fatal("no term")
	}
	return rdf.NewLiteral(s, rdf.XSDInteger)
}

// show is the inverse of val, for messages.
func show(v Value) string {
	switch v.kind {
	case KindError:
		return "err"
	case KindUnbound:
		return "unbound"
	}
	term := v.Term()
	if term.IsTriple() {
		triple := term.Triple()
		return fmt.Sprintf("<<%s %s %s>>", show(FromTerm(triple.S)), show(FromTerm(triple.P)), show(FromTerm(triple.O)))
	}
	switch s := strings.NewReplacer("<"+rdf.XSD, "xsd:", "<"+rdf.RDF, "rdf:", "<http://example.org/", "x:").Replace(term.String()); {
	case v.kind == KindBoolean, v.kind == KindInteger && term.Datatype() == rdf.XSDInteger,
		v.kind == KindDecimal && strings.Contains(term.Value(), "."), v.kind == KindDouble && strings.ContainsAny(term.Value(), "eEIN"):
		return term.Value()
	case term.IsIRI():
		return term.String()
	default:
		return strings.TrimSuffix(s, ">")
	}
}

var truthNames = map[Truth]string{True: "true", False: "false", TypeError: "err"}

func TestATermRoundTrips(t *testing.T) {
	for _, s := range []string{"01", "+1", "-0", "1.0", "1.", "1E0", "1e0", "NaN", "INF", "true", `"1"^^xsd:boolean`, `"x"^^xsd:integer`, `"300"^^xsd:byte`,
		`"5"^^xsd:byte`, `"a"`, `"a"@EN`, `"a"@en--ltr`, `"2024-02-29T24:00:00+00:00"^^xsd:dateTime`, `"2024-01-01"^^xsd:date`, `"x"^^xsd:date`,
		`"P1Y"^^xsd:duration`, `"x"^^x:t`, "<http://a/b>", "_:b", `""`, `"99999999999999999999.5"^^xsd:decimal`, `"99999999999999999999"^^xsd:integer`} {
		if want, got := term(t, s), val(t, s).Term(); got != want {
			t.Errorf("%s: %v, want %v", s, got, want)
		}
	}
	if !FromTerm(rdf.Term{}).Term().IsZero() || !Error().Term().IsZero() {
		t.Error("an unbound value or an error has a term")
	}
}

func TestKindsOfTerms(t *testing.T) {
	for s, want := range map[string]Kind{
		"1": KindInteger, `"5"^^xsd:byte`: KindInteger, `"128"^^xsd:byte`: KindOther, `"-1"^^xsd:unsignedLong`: KindOther,
		"1.5":                KindDecimal,
		`"1.0"^^xsd:integer`: KindOther, `""^^xsd:integer`: KindOther, `"+"^^xsd:decimal`: KindOther,
		`"."^^xsd:decimal`: KindOther, `" 1"^^xsd:integer`: KindOther,
		`"9223372036854775807"^^xsd:integer`: KindInteger, `"1"^^xsd:float`: KindFloat, "1e0": KindDouble, `"x"^^xsd:double`: KindOther,
		`"1"^^xsd:boolean`: KindBoolean, `"TRUE"^^xsd:boolean`: KindOther, `"a"`: KindString, `"a"@en`: KindLangString,
		`"a"^^xsd:token`:                      KindOther,
		`"2024-01-01T00:00:00"^^xsd:dateTime`: KindDateTime, `"2024-01-01T00:00:00Z"^^xsd:dateTimeStamp`: KindDateTime,
		`"2024-01-01T00:00:00"^^xsd:dateTimeStamp`: KindOther,
		`"2024-02-30"^^xsd:date`:                   KindOther, `"10:00:00"^^xsd:time`: KindTime, `"2024"^^xsd:gYear`: KindGYear,
		`"2024-01"^^xsd:gYearMonth`: KindGYearMonth,
		`"--01"^^xsd:gMonth`:        KindGMonth, `"--01-02"^^xsd:gMonthDay`: KindGMonthDay, `"---02"^^xsd:gDay`: KindGDay,
		`"PT0S"^^xsd:dayTimeDuration`: KindDuration,
		`"P1Y"^^xsd:dayTimeDuration`:  KindOther, `"x"^^x:t`: KindOther, `"<a/>"^^rdf:XMLLiteral`: KindOther, "<a>": KindIRI,
		"_:b": KindBlank, "unbound": KindUnbound, "err": KindError,
	} {
		if got := val(t, s).Kind(); got != want {
			t.Errorf("%s is of kind %d, want %d", s, got, want)
		}
	}
}

func TestComputedValuesHaveCanonicalTerms(t *testing.T) {
	for want, v := range map[string]Value{
		"-7": Integer(-7), "1.5": Decimal(150, 2), `"3"^^xsd:decimal`: Decimal(3000, 3), "-0.05": Decimal(-5, 2),
		"0.000000000000000001":  Decimal(1, 18),
		"-9.223372036854775808": Decimal(math.MinInt64, 18), "1.0E0": Double(1), "-0.0E0": Double(math.Copysign(0, -1)),
		"NaN":                 Double(math.NaN()),
		`"1.0E-1"^^xsd:float`: Float(0.1), "true": Boolean(true), `"a"`: String("a"), `"a"@en`: LangString("a", "en"),
		"<http://a>":                                          IRI("http://a"),
		`"1970-01-01T00:00:00Z"^^xsd:dateTime`:                DateTime(0, 0, 0, true),
		`"1969-12-31T23:59:59.5"^^xsd:dateTime`:               DateTime(-1, 5e8, 0, false),
		`"2024-02-29T12:00:00.000000001+05:30"^^xsd:dateTime`: DateTime(1709188200, 1, 330, true),
	} {
		if got := show(v); got != want {
			t.Errorf("%s, want %s", got, want)
		}
		if back := FromTerm(v.Term()); back.Kind() != v.Kind() || Order(back, v) != 0 {
			t.Errorf("%s reads back as %s", want, show(back))
		}
	}
}

func TestAccessors(t *testing.T) {
	for s, want := range map[string]float64{"1": 1, "0.1": 0.1, "123456789.123456789": 123456789.123456789, "9007199254740993.5": 9007199254740994, "99999999999999999999": 1e20, "2.5e0": 2.5} {
		if f, ok := val(t, s).Float64(); f != want || !ok {
			t.Errorf("%s: %v, %v", s, f, ok)
		}
	}
	if _, ok := String("1").Float64(); ok {
		t.Error("a string is a number")
	}
	if got := String("abc").Size(); got != 3 {
		t.Error(got)
	}
}

func TestNothingUsualAllocates(t *testing.T) {
	terms := []rdf.Term{term(t, "12"), term(t, "1.25"), term(t, "1.5e0"), term(t, `"2024-05-06T07:08:09.101Z"^^xsd:dateTime`), term(t, "true"), term(t, `"a"@en`), term(t, `"a"`)}
	for _, a := range terms {
		for _, b := range terms {
			if n := testing.AllocsPerRun(20, func() {
				x, y := FromTerm(a), FromTerm(b)
				Equal(x, y)
				Less(x, y)
				LessOrEqual(x, y)
				Order(x, y)
				Add(x, y)
				Subtract(x, y)
				Multiply(x, y)
				x.Truth()
			}); n != 0 && !(strings.Contains(a.Datatype(), "dateTime") && a == b) {
				t.Errorf("%v and %v: %v allocations", a, b, n)
			}
		}
	}
	a, b := FromTerm(terms[3]), DateTime(0, 1, 0, true)
	minute := val(t, `"PT1M"^^xsd:dayTimeDuration`)
	if n := testing.AllocsPerRun(20, func() {
		Equal(a, b)
		Less(a, b)
		Order(a, b)
		Less(minute, Subtract(a, b))
		Order(minute, Subtract(b, a))
	}); n != 0 {
		t.Errorf("comparing dateTimes and their differences: %v allocations", n)
	}
}
