package engine

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	bolt "go.etcd.io/bbolt"

	"github.com/segraph/segraph/store/engine/dict"
	"github.com/segraph/segraph/store/log/journal"
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

// Exports find directions whenever they were written. The file says that it has some from
// the first one on.
func TestExportsFindDirections(t *testing.T) {
	t.Parallel()
	other := iri("other")
	for _, deferred := range []bool{true, false} {
		path := filepath.Join(t.TempDir(), "test.db")
		s := reopen(t, path)
		for i, step := range []struct {
			text           string // "" reopens the file, "clear" removes the graphs
			here, there    bool   // the default graph and the other have RDF 1.2
			dictionaryHas  bool   // the dictionary has RDF 1.2
			otherIsMissing bool
		}{
			{text: `<s> <p> "a"@en, "b"@de-x-rtl, "--ltr" .`, otherIsMissing: true},
			{text: `<s> <p> "a"@en, "c"@en . <http://ex/other> { <s> <p> "d"@en }`},
			{text: `<http://ex/other> { <s> <p> "a"@en--rtl }`, there: true, dictionaryHas: true},
			{text: `<s> <p> "e"@en .`, there: true, dictionaryHas: true},
			{text: ``, there: true, dictionaryHas: true},
			{text: `<s> <p> "a"@en--rtl .`, here: true, there: true, dictionaryHas: true},
			{text: `clear`, dictionaryHas: true, otherIsMissing: true},
			{text: `<s> <p> "a"@en, "f"@en .`, dictionaryHas: true, otherIsMissing: true},
			{text: ``, dictionaryHas: true, otherIsMissing: true},
			{text: `<s> <p> <<( <s> <p> 1 )>> .`, here: true, dictionaryHas: true, otherIsMissing: true},
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
				if got := snap.MayHaveRDF12(); got != step.dictionaryHas {
					t.Errorf("%s: the dictionary has RDF 1.2: %t", name, got)
				}
			})
			mustCheck(t, s)
		}
	}
}

// A snapshot does not see directions written later. A file with a direction that does not
// say so is damaged.
func TestDirectionsAreSaidByTheFile(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	mustAdd(t, s, document(t, turtle.Turtle, `<http://ex/s> <http://ex/p> "a"@en, "b"@en .`))
	withSnapshot(t, s, func(old *Snapshot) {
		mustAdd(t, s, document(t, turtle.Turtle, `<http://ex/s> <http://ex/p> "a"@en--ltr .`))
		if old.MayHaveRDF12() {
			t.Error("an old snapshot finds the new direction")
		}
		withSnapshot(t, s, func(newer *Snapshot) {
			if !newer.MayHaveRDF12() {
				t.Error("a new snapshot does not find the new direction")
			}
		})
	})
	mustCheck(t, s)
	err := s.file.Update(func(tx *bolt.Tx) error {
		return tx.Bucket(metaName).Put([]byte("features"), []byte{0, 0, 0, 0, 0, 0, 0, 1})
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Check(t.Context()); err == nil || !strings.Contains(err.Error(), `"a"@en--ltr has a base direction`) {
		t.Errorf("a file that does not say that it has directions: %v", err)
	}
}

// BenchmarkRDF12 looks for RDF 1.2 in a graph of 200,000 strings.
func BenchmarkRDF12(b *testing.B) {
	var text strings.Builder
	for i := range 200_000 {
		fmt.Fprintf(&text, "<http://ex/%d> <http://ex/p> \"the robot greeted visitor number %d\"@en .\n", i, i)
	}
	s := openStore(b)
	if _, err := s.Load(b.Context(), strings.NewReader(text.String()), turtle.NTriples, turtle.Options{}, journal.Entry{Action: journal.Insert}, nil); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if rdf12(b, s, rdf.Term{}) {
			b.Fatal("found RDF 1.2")
		}
	}
}
