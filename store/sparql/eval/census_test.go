package eval

import (
	"fmt"
	"testing"

	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql/algebra"
	"github.com/segraph/segraph/store/sparql/statistics"
)

// Statistics found for one query serve the next, until the predicate's number of
// triples changes.
func TestCensus(t *testing.T) {
	m := many(100)
	m.census = &statistics.Census{}
	ask := func() (subjects, objects float64, seeks int) {
		t.Helper()
		was := m.seeks
		c, err := statistics.Of(m, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		if subjects, objects, err = c.Distinct(algebra.DefaultGraph, iri("p")); err != nil {
			t.Fatal(err)
		}
		return subjects, objects, m.seeks - was
	}
	subjects, objects, seeks := ask()
	if subjects != 100 || objects != 7 || seeks == 0 {
		t.Errorf("%v subjects, %v objects, found with %d seeks; want 100 and 7", subjects, objects, seeks)
	}
	if s, o, seeks := ask(); s != subjects || o != objects || seeks != 0 {
		t.Errorf("then %v and %v with %d seeks, want the same with none", s, o, seeks)
	}
	for i := range 30 {
		m.add(quad("s0", "p", fmt.Sprint("new", i), ""))
	}
	if _, o, seeks := ask(); seeks == 0 || o < 8 {
		t.Errorf("with 30 triples more there are %v objects, found with %d seeks", o, seeks)
	}
}

// A large count is remembered. Exact counts again.
func TestCensusOfCounts(t *testing.T) {
	const n = 5000 // a count that is worth remembering
	m := many(n)
	m.census = &statistics.Census{}
	count := func(exact bool) int64 {
		t.Helper()
		c, err := statistics.Of(m, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		if exact {
			c = c.Exact()
		}
		n, err := c.Count(algebra.DefaultGraph, rdf.Term{}, iri("a"), iri("k"))
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	before := count(false)
	m.add(quad("other", "a", "k", ""))
	if again, exactly := count(false), count(true); before != n || again != before || exactly != before+1 {
		t.Errorf("%d, then %d and exactly %d; want %d, the same and one more", before, again, exactly, n)
	}
}
