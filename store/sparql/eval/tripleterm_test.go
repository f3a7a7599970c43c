package eval

import (
	"context"
	"testing"

	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql/algebra"
	"github.com/segraph/segraph/store/sparql/budget"
)

// plainDataset hides the index of triple terms of a dataset.
type plainDataset struct{ Dataset }

// Triple terms are found by their parts, even before any pattern binds them, with and
// without an index.
func TestTripleTermsByTheirParts(t *testing.T) {
	iri := func(s string) rdf.Term { return rdf.NewIRI("x:" + s) }
	term := func(s, p string, o rdf.Term) rdf.Term {
		return rdf.NewTripleTerm(rdf.Triple{S: iri(s), P: iri(p), O: o})
	}
	inner := term("a", "p", rdf.NewString("1"))
	m := newMemory(
		rdf.Quad{S: iri("r1"), P: iri("q"), O: inner},
		rdf.Quad{S: iri("r2"), P: iri("q"), O: term("b", "p", inner)},
		rdf.Quad{S: iri("r3"), P: iri("q"), O: term("b", "p", iri("b"))},
		rdf.Quad{S: iri("r4"), P: iri("q"), O: iri("b")},
	)
	v, c := algebra.Variable, algebra.Constant
	for _, tt := range []struct {
		name    string
		s, p, o algebra.Node
		want    int
	}{
		{"all", v(1), v(2), v(3), 3},
		{"by subject", c(iri("b")), v(2), v(3), 2},
		{"by all parts", c(iri("a")), c(iri("p")), c(rdf.NewString("1")), 1},
		{"by a term in it", v(1), v(2), c(inner), 1},
		{"a variable twice", v(1), v(2), v(1), 1},
		{"a term that is not there", c(iri("none")), v(2), v(3), 0},
		{"a literal as the subject", c(rdf.NewString("1")), c(iri("p")), c(iri("b")), 0},
	} {
		for name, ds := range map[string]Dataset{"with an index": m.Dataset, "without one": plainDataset{m.Dataset}} {
			q := &algebra.Query{Names: make([]string, 4), Root: &algebra.TripleTerm{Term: 0, S: tt.s, P: tt.p, O: tt.o}}
			b := budget.New(context.Background(), budget.Limits{})
			r, err := New(b, q, ds)
			if err != nil {
				t.Fatal(err)
			}
			n := 0
			if err := r.Select(func([]rdf.Term) error { n++; return nil }); err != nil {
				t.Fatal(err)
			}
			if n != tt.want {
				t.Errorf("%s, %s: %d terms, want %d", tt.name, name, n, tt.want)
			}
			b.Close()
		}
	}
}
