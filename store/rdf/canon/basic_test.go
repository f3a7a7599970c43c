package canon

import (
	"testing"

	"github.com/segraph/segraph/store/rdf"
)

func iri(name string) rdf.Term { return rdf.NewIRI("http://e/" + name) }

func said(s, p, o rdf.Term) rdf.Term { return rdf.NewTripleTerm(rdf.Triple{S: s, P: p, O: o}) }

// TestTripleTermsHaveABasicEncoding compares canonical N-Quads of encodings with those
// written by hand.
func TestTripleTermsHaveABasicEncoding(t *testing.T) {
	const (
		word = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#"
		node = " " + word + "type> " + word + "TripleTerm> .\n"
	)
	a, b := iri("a"), iri("b")
	for name, x := range map[string]struct {
		quads []rdf.Quad
		want  string // "" means that there is no encoding
	}{
		"none": {[]rdf.Quad{{S: a, P: parts[0], O: b}}, "<http://e/a> " + word + "ttSubject> <http://e/b> .\n"},
		"the same term twice": {[]rdf.Quad{{S: a, P: b, O: said(a, b, rdf.NewLang("x", "EN"))}, {S: b, P: b, O: said(a, b, rdf.NewLang("x", "en"))}},
			"<http://e/a> <http://e/b> _:c14n0 .\n<http://e/b> <http://e/b> _:c14n0 .\n_:c14n0 " + word + "ttObject> \"x\"@en .\n_:c14n0 " +
				word + "ttPredicate> <http://e/b> .\n_:c14n0 " + word + "ttSubject> <http://e/a> .\n_:c14n0" + node},
		"a predicate of the encoding": {[]rdf.Quad{{S: a, P: b, O: said(a, b, a)}, {S: a, P: parts[2], O: b}}, ""},
	} {
		quads, ok := Basic(x.quads)
		text, err := NQuads(quads, Options{})
		if ok != (x.want != "") || ok && string(text) != x.want || err != nil {
			t.Errorf("%s: %v, %v\n%s\nwant\n%s", name, ok, err, text, x.want)
		}
	}
}

// TestEncodingsDifferAsTheirDatasetsDo checks that a blank node inside a triple term
// is the same node as outside.
func TestEncodingsDifferAsTheirDatasetsDo(t *testing.T) {
	a, x, y := iri("a"), rdf.NewBlank("x"), rdf.NewBlank("y")
	form := func(quads ...rdf.Quad) string {
		encoded, ok := Basic(quads)
		text, err := NQuads(encoded, Options{})
		if err != nil || !ok {
			t.Fatal(err)
		}
		return string(text)
	}
	nested := func(inner, outer rdf.Term) string {
		return form(rdf.Quad{S: outer, P: a, O: said(a, a, said(inner, a, a))})
	}
	if nested(x, x) != nested(y, y) || nested(x, y) != nested(y, x) {
		t.Error("the labels of blank nodes matter")
	}
	if nested(x, x) == nested(x, y) {
		t.Error("two datasets have one encoding")
	}
	if form(rdf.Quad{S: a, P: a, O: said(a, a, x)}, rdf.Quad{S: a, P: a, O: said(a, a, y)}) == form(rdf.Quad{S: a, P: a, O: said(a, a, x)}) {
		t.Error("two terms are one")
	}
}
