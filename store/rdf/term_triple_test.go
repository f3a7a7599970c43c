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
