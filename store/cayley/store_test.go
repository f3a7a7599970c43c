package cayley

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cayleygraph/quad"

	"github.com/segraph/segraph/internal/storetest"
	"github.com/segraph/segraph/store/engine"
	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/turtle"
)

func openStore(t testing.TB) *engine.Store {
	t.Helper()
	return reopen(t, filepath.Join(t.TempDir(), "test.db"))
}

func reopen(t testing.TB, path string) *engine.Store {
	t.Helper()
	s, err := engine.Open(path, engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func load(t testing.TB, s *engine.Store, f turtle.Format, text string) engine.LoadResult {
	t.Helper()
	res, err := s.Load(t.Context(), strings.NewReader(text), f, turtle.Options{}, journal.Entry{Action: journal.Insert, Actor: "loader"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// change adds quads, or removes them.
func change(t testing.TB, s *engine.Store, remove bool, quads ...quad.Quad) {
	t.Helper()
	edits := make([]engine.Edit, len(quads))
	for i, q := range quads {
		edits[i].Remove = remove
		for d, to := range map[quad.Direction]*rdf.Term{quad.Subject: &edits[i].Quad.S, quad.Predicate: &edits[i].Quad.P, quad.Object: &edits[i].Quad.O, quad.Label: &edits[i].Quad.G} {
			if v := q.Get(d); v != nil {
				var err error
				if *to, err = termOf(v); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	e := journal.Entry{LogID: journal.NewLogID(), Action: journal.Insert, Actor: "test"}
	if err := s.Apply(t.Context(), edits, engine.EditOptions{IgnorePresent: true}, e); err != nil {
		t.Fatal(err)
	}
}

func withSnapshot(t testing.TB, s *engine.Store, f func(*engine.Snapshot)) {
	t.Helper()
	if err := s.View(func(snap *engine.Snapshot) error { f(snap); return nil }); err != nil {
		t.Fatal(err)
	}
}

// manyTriples returns n triples in N-Triples, with ten blank nodes as objects.
func manyTriples(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "<http://ex/%d> <http://ex/p> _:shared%d .\n", i, i%10)
	}
	return b.String()
}

// exported returns the published graph as N-Triples.
func exported(t testing.TB, s *engine.Store) string {
	t.Helper()
	return storetest.Exported(t, s, turtle.NTriples)
}
