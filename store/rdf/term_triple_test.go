package rdf

import "testing"

// TestTripleTerms checks that a triple term holds any triple, also in itself, and that
// equal triples make equal terms.
func TestTripleTerms(t *testing.T) {
	s, p := NewIRI("https://example.org/s"), NewIRI("https://example.org/p")
	inner := Triple{NewBlank("b1"), p, NewString(`a )>> "quoted" \ <<( line` + "\n\r end")}
	for _, o := range []Term{
		s, NewBlank("b2"), NewString(""), NewString(" "), NewLang("été", "FR"), NewDirLang("شارع", "ar", "rtl"),
		NewLiteral("1", XSDInteger), NewTripleTerm(inner),
		NewTripleTerm(Triple{s, p, NewTripleTerm(inner)}),
	} {
		triple := Triple{s, p, o}
		term := NewTripleTerm(triple)
		if got := term.Triple(); got != triple {
			t.Errorf("%s holds %s, want %s", term, got, triple)
		}
		if again := NewTripleTerm(triple); again != term || Compare(again, term) != 0 {
			t.Errorf("%s differs from itself", term)
		}
		if !term.IsTriple() || term.Datatype() != "" || term.Language() != "" || term.Direction() != "" {
			t.Errorf("%s is not only a triple term", term)
		}
	}
	if got := (NewTripleTerm(Triple{s, p, NewLang("x", "EN")})).Fold().Triple().O.Language(); got != "en" {
		t.Errorf("Fold leaves the tag %q", got)
	}
	if got := NewTripleTerm(inner).Fold(); got != NewTripleTerm(inner) {
		t.Errorf("Fold changes %s", got)
	}
	if !s.Triple().S.IsZero() {
		t.Error("an IRI holds a triple")
	}
}

// TestTripleDepth checks that only triple terms count, and not what strings contain.
func TestTripleDepth(t *testing.T) {
	p := NewIRI("https://example.org/p")
	for _, o := range []Term{p, NewBlank("b"), NewString(`<<( "<<( `)} {
		for want := range 4 {
			if got := o.TripleDepth(); got != want {
				t.Errorf("%s has depth %d, want %d", o, got, want)
			}
			o = NewTripleTerm(Triple{p, p, o})
		}
	}
	deep := NewTripleTerm(Triple{p, p, p})
	beside := NewTripleTerm(Triple{deep, p, deep}) // generalized RDF
	if got := beside.TripleDepth(); got != 2 {
		t.Errorf("%s has depth %d", beside, got)
	}
}

func TestDirection(t *testing.T) {
	term := NewDirLang("שלום", "he", "rtl")
	if term.Language() != "he" || term.Direction() != "rtl" || term.Datatype() != RDFDirLangString {
		t.Errorf("got %q, %q, %q", term.Language(), term.Direction(), term.Datatype())
	}
	if got := term.String(); got != `"שלום"@he--rtl` {
		t.Errorf("String() = %s", got)
	}
	if NewLang("x", "en").Direction() != "" || NewString("x").Direction() != "" {
		t.Error("a string without direction has one")
	}
}
