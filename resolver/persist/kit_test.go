package persist

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/engine"
	"github.com/segraph/segraph/store/journal"
	"github.com/segraph/segraph/store/turtle"
)

// openStore returns a new store that ends with the test.
func openStore(t testing.TB) *Store {
	t.Helper()
	return reopen(t, filepath.Join(t.TempDir(), "test.db"))
}

func reopen(t testing.TB, path string) *Store {
	t.Helper()
	s, err := Open(path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// document parses a text.
func document(t testing.TB, f turtle.Format, text string) *store.Document {
	t.Helper()
	d := &store.Document{}
	for r := turtle.NewReader(strings.NewReader(text), f, turtle.Options{}); ; {
		q, err := r.Read()
		if errors.Is(err, io.EOF) {
			d.Prefixes = r.Prefixes()
			return d
		}
		if err != nil {
			t.Fatal(err)
		}
		d.Add(q)
	}
}

func add(t testing.TB, s *Store, text string) int {
	t.Helper()
	n, err := s.Add(t.Context(), document(t, turtle.Turtle, text), journal.Entry{Action: journal.Insert, Actor: "test"})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// publish stores a text as one log and returns its id.
func publish(t testing.TB, s *Store, text string) string {
	t.Helper()
	e := entryOf(journal.Insert)
	d := document(t, turtle.Turtle, text)
	e.Triples = d.Distinct()
	if _, err := s.Add(t.Context(), d, e); err != nil {
		t.Fatal(err)
	}
	return e.LogID
}

func exported(t testing.TB, s *Store, f turtle.Format) string {
	t.Helper()
	e, err := s.Export(t.Context(), f)
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

func mustCheck(t testing.TB, s *Store) {
	t.Helper()
	if err := s.Check(t.Context()); err != nil {
		t.Error(err)
	}
}

// entries returns the journal's entries, the oldest first.
func entries(t testing.TB, s *Store) (out []journal.Entry) {
	t.Helper()
	err := s.View(func(snap *engine.Snapshot) error {
		return journal.Each(snap.KV(), func(_ journal.Head, e journal.Entry) error { out = append(out, e); return nil })
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// applied has what is deferred applied.
func applied(t *testing.T, s *Store) {
	t.Helper()
	snap, err := s.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	snap.Close()
}

// leftBy returns a copy of the file of a store, as a kill would leave it now.
func leftBy(t testing.TB, s *Store) string {
	t.Helper()
	left, err := os.ReadFile(s.Path())
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "left.db")
	if err := os.WriteFile(path, left, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// backedUp writes a backup to a file of its own and returns its path.
func backedUp(t testing.TB, s *Store) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "backup.db")
	out, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	_, err = s.Backup(t.Context(), out)
	if err = errors.Join(err, out.Close()); err != nil {
		t.Fatal(err)
	}
	return path
}

// large returns a text of n subjects from number first on.
func large(first, n int) string {
	var b strings.Builder
	for i := first; i < first+n; i++ {
		fmt.Fprintf(&b, "<http://ex/event%d> a <http://ex/Event> ; <http://ex/n> %d ; <http://ex/part> [ <http://ex/x> %d ] .\n", i, i, i)
	}
	return b.String()
}

const sample = `@prefix ex: <http://ex/> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
ex:a a ex:Event ; ex:score 1.50 , "01"^^xsd:integer ; ex:text "hé\nllo"@en-GB ; ex:parts ( 1 [ ex:x 0.5 ] "three" ) .`
