package engine

import (
	"testing"

	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/store/rdf"
)

// Edits that empty a graph run a second time, and count once.
func TestEditsThatEmptyAGraphCountOnce(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	x := rdf.NewIRI("http://ex/x")
	from, to := rdf.Quad{S: x, P: x, O: x, G: rdf.NewIRI("http://ex/from")}, rdf.Quad{S: x, P: x, O: x, G: rdf.NewIRI("http://ex/to")}
	for _, edits := range [][]Edit{{{Quad: from}}, {{Quad: to}, {Quad: from, Remove: true}}} {
		if err := s.Apply(t.Context(), edits, EditOptions{}, journal.Entry{}); err != nil {
			t.Fatal(err)
		}
	}
	es := entries(t, s)
	if e := es[len(es)-1]; e.Triples != 1 || e.Added != 1 || e.Removed != 1 {
		t.Errorf("%d triples, %d new, %d removed", e.Triples, e.Added, e.Removed)
	}
}
