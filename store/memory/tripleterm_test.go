package memory_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/segraph/segraph/store/memory"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql/eval"
)

// Triple terms are found by any of their parts, and a snapshot does not see later ones.
func TestTripleTermsAreFoundByTheirParts(t *testing.T) {
	var d memory.Dataset
	inner := rdf.NewTripleTerm(rdf.Triple{S: iri("a"), P: iri("p"), O: rdf.NewLang("x", "en")})
	outer := rdf.NewTripleTerm(rdf.Triple{S: iri("a"), P: iri("q"), O: inner})
	reify := func(r string, o rdf.Term) rdf.Quad {
		return rdf.Quad{S: iri(r), P: rdf.NewIRI(rdf.RDFReifies), O: o}
	}
	if _, err := d.Add(reify("r", outer)); err != nil {
		t.Fatal(err)
	}
	before := d.Index().(eval.TripleIndex)
	later := rdf.NewTripleTerm(rdf.Triple{S: iri("a"), P: iri("p"), O: rdf.NewString("later")})
	if _, err := d.Add(reify("r", outer), reify("r2", later), reify("r3", rdf.NewTripleTerm(rdf.Triple{S: iri("a"), P: iri("p"), O: rdf.NewLang("x", "EN")}))); err != nil {
		t.Fatal(err)
	}
	found := func(x eval.TripleIndex, s, p, o rdf.Term) (out []string) {
		var ids [3]eval.ID
		for i, term := range []rdf.Term{s, p, o} {
			ids[i], _ = x.ID(term)
		}
		for triple, err := range x.TripleTerms(ids[0], ids[1], ids[2]) {
			term, wrong := x.Term(triple.ID)
			if spo, ok, failed := x.TripleParts(triple.ID); !ok || spo != triple.Parts || err != nil || wrong != nil || failed != nil || ids[2] != 0 && spo[2] != ids[2] {
				t.Error(triple, spo, ok, err, wrong, failed)
			}
			out = append(out, term.String())
		}
		slices.Sort(out)
		return out
	}
	now := d.Index().(eval.TripleIndex)
	for _, c := range []struct {
		x       eval.TripleIndex
		s, p, o rdf.Term
		want    []rdf.Term
	}{
		{x: before, want: []rdf.Term{inner, outer}},
		{x: now, want: []rdf.Term{inner, later, outer}},
		{x: now, s: iri("a"), p: iri("p"), want: []rdf.Term{inner, later}},
		{x: before, p: iri("p"), want: []rdf.Term{inner}},
		{x: now, o: inner, want: []rdf.Term{outer}},
		{x: now, s: iri("a"), o: rdf.NewLang("x", "en"), want: []rdf.Term{inner}},
		{x: now, s: iri("r")},
	} {
		var want []string
		for _, term := range c.want {
			want = append(want, term.String())
		}
		slices.Sort(want)
		if got := found(c.x, c.s, c.p, c.o); !slices.Equal(got, want) {
			t.Errorf("with %v, %v, %v: %v, want %v", c.s, c.p, c.o, got, want)
		}
	}
	if _, ok, _ := now.TripleParts(1); ok {
		t.Error("an IRI has parts")
	}
	literal := rdf.NewTripleTerm(rdf.Triple{S: rdf.NewString("x"), P: iri("p"), O: iri("o")})
	for _, q := range []rdf.Quad{reify("r", literal), {S: inner, P: iri("p"), O: iri("o")}, {S: iri("s"), P: iri("p"), O: iri("o"), G: inner}} {
		if _, err := d.Add(q); err == nil {
			t.Errorf("%v is stored", q)
		}
	}
}

// Triple terms are nested no deeper than a document may have them.
func TestTheNestingOfTripleTermsIsLimited(t *testing.T) {
	q := rdf.Quad{S: iri("s"), P: iri("p"), O: iri("o")}
	for range rdf.MaxTripleDepth {
		q.O = rdf.NewTripleTerm(q.Triple())
	}
	var d memory.Dataset
	if n, err := d.Add(q); n != 1 || err != nil {
		t.Errorf("at the limit: %d, %v", n, err)
	}
	q.O = rdf.NewTripleTerm(q.Triple())
	if n, err := d.Add(q); n != 0 || err == nil || !strings.Contains(err.Error(), "deeper than 50") {
		t.Errorf("above the limit: %d, %v", n, err)
	}
}
