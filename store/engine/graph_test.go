package engine

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/store/rdf"
)

// A document that is too large for a level of the memtable is not tried there first. A
// smaller one goes there.
func TestLargeDocumentsAreAddedOnce(t *testing.T) {
	t.Parallel()
	for _, n := range []int{500, 2000} {
		s, err := Open(filepath.Join(t.TempDir(), "add.db"), Options{Deferred: 1 << 20})
		if err != nil {
			t.Fatal(err)
		}
		d := &store.Document{}
		for i := range n {
			d.Add(rdf.Quad{S: rdf.NewIRI(fmt.Sprint("x:", i)), P: rdf.NewIRI("x:p"), O: rdf.NewString("o")})
		}
		fits := sizeOfNew(d) <= s.queue.largest()
		s.turn.own = nil // the memory of units of work on the memtable
		added, err := s.Add(t.Context(), d, journal.Entry{})
		if tried := s.turn.own != nil; err != nil || added != n || tried != fits || fits != (n == 500) {
			t.Errorf("%d of %d triples added, %v; the memtable was tried: %v", added, n, err, tried)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// Deleting everything looks for unused terms also if the published graph was empty: those of the contexts are unused.
func TestDeletingContextsAloneCollectsTheirTerms(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	other := rdf.Quad{S: rdf.NewIRI("http://ex/s"), P: rdf.NewIRI("http://ex/p"), O: rdf.NewString("x"), G: rdf.NewIRI("http://ex/g")}
	if _, err := s.Writer(journal.Entry{}).Add(t.Context(), other); err != nil {
		t.Fatal(err)
	}
	for _, contexts := range []bool{false, true} {
		if _, err := s.Clear(t.Context(), contexts, journal.Entry{Action: journal.Clear}); err != nil || s.orphaned() != contexts {
			t.Errorf("contexts %t: it looks for unused terms: %t, %v", contexts, s.orphaned(), err)
		}
	}
}
