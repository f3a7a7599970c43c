package rdf

import (
	"math/rand/v2"
	"slices"
	"testing"
)

func TestTermParts(t *testing.T) {
	for _, c := range []struct {
		term                      Term
		kind                      Kind
		value, datatype, language string
	}{
		{Term{}, KindNone, "", "", ""},
		{NewIRI("http://a/"), KindIRI, "http://a/", "", ""},
		{NewBlank("b"), KindBlank, "b", "", ""},
		{NewString("s"), KindLiteral, "s", XSDString, ""},
		{NewLiteral("1", XSDInteger), KindLiteral, "1", XSDInteger, ""},
		{NewLang("s", "en-GB"), KindLiteral, "s", RDFLangString, "en-GB"},
	} {
		if c.term.Kind() != c.kind || c.term.Value() != c.value || c.term.Datatype() != c.datatype || c.term.Language() != c.language {
			t.Errorf("%v: %v, %q, %q, %q", c.term, c.term.Kind(), c.term.Value(), c.term.Datatype(), c.term.Language())
		}
		if c.term.IsZero() != (c.kind == KindNone) || c.term.IsIRI() != (c.kind == KindIRI) ||
			c.term.IsBlank() != (c.kind == KindBlank) || c.term.IsLiteral() != (c.kind == KindLiteral) {
			t.Errorf("%v: kind tests do not agree with %v", c.term, c.kind)
		}
	}
}

func TestTermsAreEqualOnlyIfIdentical(t *testing.T) {
	if NewString("a") != NewLiteral("a", XSDString) || NewString("a") != NewLiteral("a", "") {
		t.Error("xsd:string has two forms")
	}
	all := sampleTerms()
	for i, a := range all {
		for j, b := range all {
			if (a == b) != (i == j) {
				t.Errorf("%v == %v is %v", a, b, a == b)
			}
		}
	}
}

// sampleTerms returns different terms in the order of Compare.
func sampleTerms() []Term {
	return []Term{
		{},
		NewBlank("a"),
		NewBlank("a0"),
		NewBlank("b"),
		NewIRI("a"),
		NewIRI("http://a/"),
		NewIRI("http://a/b"),
		NewString(""),
		NewLang("a", "EN"),
		NewLang("a", "de"),
		NewLang("a", "en"),
		NewLang("a", "en-GB"),
		NewLiteral("a", "http://x/"),
		NewLiteral("a", "en"),
		NewLiteral("b", XSDInteger),
		NewString("b"),
		NewString("b\x00"),
		NewString("ä"),
		NewString("\U0001F600"),
	}
}

func TestCompareIsTotal(t *testing.T) {
	want := sampleTerms()
	// Datatypes sort by IRI; language tags sort as rdf:langString.
	want[12], want[13] = NewLiteral("a", "http://x/"), NewLiteral("a", "zz")
	slices.SortStableFunc(want, Compare)
	for i, a := range want {
		for j, b := range want {
			c := Compare(a, b)
			if c != -Compare(b, a) || (c == 0) != (a == b) || (c < 0) != (i < j) {
				t.Errorf("Compare(%v, %v) = %d at %d and %d", a, b, c, i, j)
			}
		}
	}
	shuffled := slices.Clone(want)
	rand.New(rand.NewPCG(1, 2)).Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
	slices.SortFunc(shuffled, Compare)
	if !slices.Equal(shuffled, want) {
		t.Error("the order depends on where sorting starts")
	}
	kinds := []Term{{}, NewBlank("z"), NewIRI("y"), NewString("x")}
	if !slices.IsSortedFunc(kinds, Compare) {
		t.Error("kinds do not come first")
	}
}

func TestCompareTriplesGoesBySubjectFirst(t *testing.T) {
	a, b := NewIRI("a"), NewIRI("b")
	want := []Triple{{a, a, a}, {a, a, b}, {a, b, a}, {a, b, b}, {b, a, a}}
	if got := slices.SortedFunc(slices.Values([]Triple{want[4], want[2], want[3], want[0], want[1]}), CompareTriples); !slices.Equal(got, want) {
		t.Errorf("got %v", got)
	}
}

func TestEqualFoldFoldsLanguageTagsAlone(t *testing.T) {
	for _, c := range []struct {
		a, b Term
		want bool
	}{
		{NewLang("a", "en-GB"), NewLang("a", "EN-gb"), true},
		{NewLang("a", "en"), NewLang("a", "en"), true},
		{NewLang("a", "en"), NewLang("a", "de"), false},
		{NewLang("a", "en"), NewLang("a", "en-GB"), false},
		{NewLang("a", "en"), NewLang("A", "en"), false},
		{NewLang("a", "en"), NewString("a"), false},
		{NewLiteral("a", "http://X"), NewLiteral("a", "http://x"), false},
		{NewIRI("http://X"), NewIRI("http://x"), false},
		{NewIRI("a"), NewBlank("a"), false},
	} {
		if c.a.EqualFold(c.b) != c.want || c.b.EqualFold(c.a) != c.want {
			t.Errorf("%v and %v: not %v", c.a, c.b, c.want)
		}
	}
}

func TestStringIsCanonicalNTriples(t *testing.T) {
	for _, c := range []struct {
		term Term
		want string
	}{
		{Term{}, ``},
		{NewIRI("http://a/é"), `<http://a/é>`},
		{NewBlank("b1"), `_:b1`},
		{NewString(""), `""`},
		{NewString("a\"b\\c\nd\re\tf\u0000g\u007f"), "\"a\\\"b\\\\c\\nd\\re\tf\u0000g\u007f\""},
		{NewString("ä\U0001F600\uFFFD"), "\"ä\U0001F600\uFFFD\""},
		{NewString("a\xffb"), "\"a\uFFFDb\""},
		{NewLang("a", "en-GB"), `"a"@en-GB`},
		{NewLiteral("1", XSDInteger), `"1"^^<http://www.w3.org/2001/XMLSchema#integer>`},
	} {
		if got := c.term.String(); got != c.want {
			t.Errorf("got %s, want %s", got, c.want)
		}
	}
	q := Quad{NewBlank("s"), NewIRI("p"), NewString("o"), NewIRI("g")}
	if got, want := q.String(), `_:s <p> "o" <g> .`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got, want := q.Triple().String(), `_:s <p> "o" .`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if q.Triple().In(q.G) != q {
		t.Error("Triple and In are not inverse")
	}
}
