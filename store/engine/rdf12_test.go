package engine

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/segraph/segraph/store/engine/dict"
	"github.com/segraph/segraph/store/journal"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/turtle"
)

// rdf12 reports whether an export of a graph has what RDF 1.1 lacks.
func rdf12(t testing.TB, s *Store, graph rdf.Term) bool {
	t.Helper()
	x, err := s.Export(t.Context(), graph, turtle.Turtle)
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	v, err := x.Version()
	if err != nil {
		t.Fatal(err)
	}
	return v != rdf.RDF11
}

// Exports find directions whenever they were written, and look at a string without one
// only once.
func TestExportsLookAtEachStringOnce(t *testing.T) {
	other := iri("other")
	for _, deferred := range []bool{true, false} {
		path := filepath.Join(t.TempDir(), "test.db")
		s := reopen(t, path)
		for i, step := range []struct {
			text           string // "" reopens the file, "clear" removes the graphs
			here, there    bool   // the default graph and the other have RDF 1.2
			known          uint64 // strings without a direction before the first with one
			dictionaryHas  bool   // the dictionary has RDF 1.2
			otherIsMissing bool
		}{
			{text: `<s> <p> "a"@en, "b"@de-x-rtl, "--ltr" .`, known: 2, otherIsMissing: true},
			{text: `<s> <p> "a"@en, "c"@en . <http://ex/other> { <s> <p> "d"@en }`, known: 4},
			{text: `<http://ex/other> { <s> <p> "a"@en--rtl }`, there: true, known: 4, dictionaryHas: true},
			{text: `<s> <p> "e"@en .`, there: true, known: 4, dictionaryHas: true},
			{text: ``, there: true, known: 4, dictionaryHas: true},
			{text: `<s> <p> "a"@en--rtl .`, here: true, there: true, known: 4, dictionaryHas: true},
			{text: `clear`, known: 4, dictionaryHas: true, otherIsMissing: true},
			{text: `<s> <p> "a"@en, "f"@en .`, known: 4, dictionaryHas: true, otherIsMissing: true},
			{text: ``, known: 4, dictionaryHas: true, otherIsMissing: true},
			{text: `<s> <p> <<( <s> <p> 1 )>> .`, here: true, known: 4, dictionaryHas: true, otherIsMissing: true},
		} {
			switch step.text {
			case "":
				if err := s.Close(); err != nil {
					t.Fatal(err)
				}
				s = reopen(t, path)
			case "clear":
				if err := s.direct(t.Context(), directly{do: func(tx *Tx) error {
					ids := make([]dict.ID, 1)
					if err := tx.Find([]rdf.Term{other}, ids); err != nil {
						return err
					}
					return errors.Join(tx.removeGraph(ids[0]), tx.removeGraph(defaultGraph))
				}}); err != nil {
					t.Fatal(err)
				}
			default:
				d := document(t, turtle.TriG, "@base <http://ex/> . "+step.text)
				if err := s.Update(t.Context(), func(tx *Tx) error { return tx.Apply(&Delta{Add: *d}) }); err != nil {
					t.Fatal(err)
				}
			}
			if !deferred {
				flushed(t, s)
			}
			name := fmt.Sprintf("step %d, deferred %t", i, deferred)
			if got := rdf12(t, s, rdf.Term{}); got != step.here {
				t.Errorf("%s: the default graph has RDF 1.2: %t", name, got)
			}
			if !step.otherIsMissing {
				if got := rdf12(t, s, other); got != step.there {
					t.Errorf("%s: the other graph has RDF 1.2: %t", name, got)
				}
			}
			withSnapshot(t, s, func(snap *Snapshot) {
				if got := snap.MayHaveRDF12(t.Context()); got != step.dictionaryHas {
					t.Errorf("%s: the dictionary has RDF 1.2: %t", name, got)
				}
			})
			if got := s.undirected.n.Load(); got != step.known && !strings.Contains(step.text, "<<(") {
				t.Errorf("%s: %d strings are known to have no direction, want %d", name, got, step.known)
			}
		}
	}
}

// A snapshot does not see directions written later. Strings that it has read are not read
// again by later snapshots.
func TestWhatOneSnapshotFoundCountsForOthers(t *testing.T) {
	s := openStore(t)
	mustAdd(t, s, document(t, turtle.Turtle, `<http://ex/s> <http://ex/p> "a"@en, "b"@en .`))
	withSnapshot(t, s, func(old *Snapshot) {
		mustAdd(t, s, document(t, turtle.Turtle, `<http://ex/s> <http://ex/p> "a"@en--ltr .`))
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		if !old.MayHaveRDF12(ended) || s.undirected.n.Load() != 0 {
			t.Error("a search that was stopped counts strings that it did not read")
		}
		if old.MayHaveRDF12(t.Context()) || s.undirected.n.Load() != 2 {
			t.Errorf("an old snapshot finds the new direction, or %d strings", s.undirected.n.Load())
		}
		withSnapshot(t, s, func(newer *Snapshot) {
			if !newer.MayHaveRDF12(t.Context()) {
				t.Error("a new snapshot does not find the new direction")
			}
		})
		if s.undirected.atLeast(1); s.undirected.n.Load() != 2 {
			t.Error("the count of strings fell")
		}
	})
	s.undirected.atLeast(3) // as if the directed string were known
	if rdf12(t, s, rdf.Term{}) {
		t.Error("an export reads strings that are known")
	}
}

// BenchmarkRDF12 looks for RDF 1.2 in a graph of 200,000 strings: first in a file that was
// just opened, then again.
func BenchmarkRDF12(b *testing.B) {
	var text strings.Builder
	for i := range 200_000 {
		fmt.Fprintf(&text, "<http://ex/%d> <http://ex/p> \"the robot greeted visitor number %d\"@en .\n", i, i)
	}
	s := openStore(b)
	if _, err := s.Load(b.Context(), strings.NewReader(text.String()), turtle.NTriples, turtle.Options{}, journal.Entry{Action: journal.Insert}, nil); err != nil {
		b.Fatal(err)
	}
	for _, again := range []bool{false, true} {
		b.Run(map[bool]string{false: "first", true: "again"}[again], func(b *testing.B) {
			for b.Loop() {
				if !again {
					s.undirected.n.Store(0)
				}
				if rdf12(b, s, rdf.Term{}) {
					b.Fatal("found RDF 1.2")
				}
			}
		})
	}
}
