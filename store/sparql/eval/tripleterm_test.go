package eval

import (
	"context"
	"fmt"
	"testing"

	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql/algebra"
	"github.com/segraph/segraph/store/sparql/budget"
	"github.com/segraph/segraph/store/sparql/source"
)

// Triple terms are found by their parts, even before any pattern binds them.
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
		q := &algebra.Query{Names: make([]string, 4), Root: &algebra.TripleTerm{Term: 0, S: tt.s, P: tt.p, O: tt.o}}
		b := budget.New(context.Background(), budget.Limits{})
		r, err := New(b, q, m)
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		if err := r.Select(func([]rdf.Term) error { n++; return nil }); err != nil {
			t.Fatal(err)
		}
		if n != tt.want {
			t.Errorf("%s: %d terms, want %d", tt.name, n, tt.want)
		}
		b.Close()
	}
}

// partsCounter counts look-ups of the parts of triple terms.
type partsCounter struct {
	source.Reader
	n int
}

func (c *partsCounter) TripleParts(id source.ID) ([3]source.ID, bool, error) {
	c.n++
	return c.Reader.TripleParts(id)
}

// Once many rows have a triple term, the set of those with the constant parts is read,
// unless it is too large. Then the parts of others are not looked up. That changes no
// answer.
func TestTripleTermsWithConstantPartsAreReadAtOnce(t *testing.T) {
	iri := func(s string, i int) rdf.Term { return rdf.NewIRI(fmt.Sprint("x:", s, i)) }
	var quads []rdf.Quad
	for i := range 3000 {
		o := rdf.NewTripleTerm(rdf.Triple{S: iri("s", i), P: iri("p", i%3), O: iri("s", i/2)})
		if i%10 == 9 {
			o = iri("no term", i)
		}
		quads = append(quads, rdf.Quad{S: iri("r", i), P: rdf.NewIRI(rdf.RDFReifies), O: o})
	}
	m := newMemory(quads...)
	v, c := algebra.Variable, algebra.Constant
	for _, tt := range []struct {
		name    string
		x       algebra.TripleTerm
		memory  int64
		lookups int // at most
		rows    int
	}{
		{name: "never", x: algebra.TripleTerm{P: c(iri("p", 1))}, lookups: 2700, rows: 900},
		{name: "after some rows", x: algebra.TripleTerm{P: c(iri("p", 1)), Known: 900}, lookups: 1000, rows: 900},
		{name: "sooner", x: algebra.TripleTerm{P: c(iri("p", 1)), Known: 900, FullScan: true}, lookups: 920, rows: 900},
		{name: "not for so few rows", x: algebra.TripleTerm{P: c(iri("p", 1)), Known: 1e6}, lookups: 2700, rows: 900},
		{name: "not with so little memory", x: algebra.TripleTerm{P: c(iri("p", 1)), Known: 20_000}, memory: 1 << 20, lookups: 2700, rows: 900},
		{name: "more than were estimated", x: algebra.TripleTerm{P: c(iri("p", 1)), Known: 1}, lookups: 1000, rows: 900},
		{name: "a variable twice", x: algebra.TripleTerm{P: c(iri("p", 0)), O: v(2), Known: 900}, lookups: 1000, rows: 1},
		{name: "a term that is in no triple", x: algebra.TripleTerm{P: c(iri("none", 0)), Known: 1}, lookups: 2700},
	} {
		x := tt.x
		x.Term, x.S = 1, v(2)
		if x.O == (algebra.Node{}) {
			x.O = v(3)
		}
		ds := &partsCounter{Reader: m}
		pattern := &algebra.Triple{Graph: algebra.DefaultGraph, S: v(0), P: c(rdf.NewIRI(rdf.RDFReifies)), O: v(1)}
		q := &algebra.Query{Names: make([]string, 4), Root: &algebra.Join{Ops: []algebra.Op{pattern, &x}}}
		b := budget.New(context.Background(), budget.Limits{Memory: tt.memory})
		r, err := New(b, q, ds)
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		if err := r.Select(func([]rdf.Term) error { n++; return nil }); err != nil {
			t.Fatal(err)
		}
		if b.Close(); n != tt.rows || ds.n > tt.lookups {
			t.Errorf("%s: %d rows after %d look-ups, want %d and at most %d", tt.name, n, ds.n, tt.rows, tt.lookups)
		}
	}
}
