package statistics_test

import (
	"fmt"
	"testing"

	"github.com/segraph/segraph/store/memory"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql/algebra"
	"github.com/segraph/segraph/store/sparql/statistics"
)

// Distinct looks only at the first named graph, which need not have the predicate.
func TestDistinctOfAPredicateThatTheFirstGraphLacks(t *testing.T) {
	iri := func(s string, i int) rdf.Term { return rdf.NewIRI(fmt.Sprint("http://example/", s, i)) }
	p := iri("p", 0)
	quads := []rdf.Quad{{S: iri("s", 0), P: iri("other", 0), O: iri("o", 0), G: iri("g", 0)}}
	for i := range 20 {
		quads = append(quads, rdf.Quad{S: iri("s", i), P: p, O: iri("o", i), G: iri("g", 1)})
	}
	c, err := statistics.Of(memory.New(quads), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	subjects, objects, err := c.Distinct(algebra.Variable(0), p)
	if err != nil || subjects > 20 || objects > 20 {
		t.Errorf("%v subjects and %v objects of 20 triples, %v", subjects, objects, err)
	}
}
