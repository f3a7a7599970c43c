package cayley

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/segraph/segraph/store/engine"
	"github.com/segraph/segraph/store/journal"
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

func withSnapshot(t testing.TB, s *engine.Store, f func(*engine.Snapshot)) {
	t.Helper()
	if err := s.View(func(snap *engine.Snapshot) error { f(snap); return nil }); err != nil {
		t.Fatal(err)
	}
}

// manyTriples returns n triples as N-Triples, whose objects are ten blank nodes.
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
	e, err := s.Export(t.Context(), turtle.NTriples)
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	var b strings.Builder
	if _, err := e.WriteTo(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func mustCheck(t testing.TB, s *engine.Store) {
	t.Helper()
	if err := s.Check(t.Context()); err != nil {
		t.Error(err)
	}
}

// entries returns the journal's entries, the oldest first.
func entries(t testing.TB, s *engine.Store) []journal.Entry {
	t.Helper()
	const most = 10_000
	var page journal.Page
	err := s.View(func(snap *engine.Snapshot) (err error) {
		page, err = journal.List(t.Context(), snap.KV(), journal.Filter{Limit: most, Look: most})
		return err
	})
	if err != nil || page.Next != 0 {
		t.Fatal(page.Next, err)
	}
	var out []journal.Entry
	for _, e := range slices.Backward(page.Entries) {
		out = append(out, e.Entry)
	}
	return out
}
