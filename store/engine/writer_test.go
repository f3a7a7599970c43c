package engine

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql"
	"github.com/segraph/segraph/store/sparql/budget"
	"github.com/segraph/segraph/store/turtle"
)

func libraryQuad(s, o, g string) rdf.Quad {
	q := rdf.Quad{S: rdf.NewIRI("http://example/" + s), P: rdf.NewIRI("http://example/p"), O: rdf.NewString(o)}
	if g != "" {
		q.G = rdf.NewIRI("http://example/" + g)
	}
	return q
}

// countOf returns the result of a SELECT with one COUNT as ?n.
func countOf(t *testing.T, s *Store, pattern string) (n string) {
	t.Helper()
	q, err := sparql.Prepare(t.Context(), "PREFIX : <http://example/> SELECT (COUNT(*) AS ?n) { "+pattern+" }", sparql.Options{})
	if err != nil {
		t.Fatal(err)
	}
	err = s.View(func(snap *Snapshot) error {
		for row, err := range q.Select(t.Context(), snap.Dataset(), budget.Limits{}) {
			if err != nil {
				return err
			}
			n = row.Get("n").Value()
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// writeAll writes in every way that a program without the service can, with zero entries.
func writeAll(t *testing.T, s *Store) {
	t.Helper()
	ctx, w := t.Context(), s.Writer(journal.Entry{})
	if n, err := w.Add(ctx, libraryQuad("a", "1", ""), libraryQuad("a", "1", ""), libraryQuad("b", "2", "g")); n != 2 || err != nil {
		t.Errorf("%d quads were added, %v", n, err)
	}
	if n, err := w.Add(ctx, libraryQuad("a", "1", ""), libraryQuad("c", "3", "")); n != 1 || err != nil {
		t.Errorf("%d quads were added, %v", n, err)
	}
	text := "PREFIX : <http://example/> :t :p 1, 2, [] . "
	if r, err := w.Load(ctx, strings.NewReader(text), turtle.Turtle, rdf.NewIRI("http://example/loaded"), turtle.Options{}); r.Added != 3 || err != nil {
		t.Errorf("%+v, %v", r, err)
	}
	if r, err := w.Load(ctx, strings.NewReader(text+":own { :t :p 3 }"), turtle.TriG, rdf.NewIRI("http://example/loaded"), turtle.Options{}); r.Added != 2 || err != nil {
		t.Errorf("%+v, %v", r, err)
	}
	if n, err := w.Remove(ctx, libraryQuad("a", "1", ""), libraryQuad("never", "1", "")); n != 1 || err != nil {
		t.Errorf("%d quads were removed, %v", n, err)
	}
	d := &store.Document{}
	d.Add(libraryQuad("d", "4", ""))
	if n, err := s.Add(ctx, d, journal.Entry{}); n != 1 || err != nil {
		t.Errorf("%d quads of a document were added, %v", n, err)
	}
	if _, err := s.AddText(ctx, &store.Text{Content: []byte("<http://example/e> <http://example/p> 5 ."), Format: turtle.Turtle}, journal.Entry{}); err != nil {
		t.Error(err)
	}
	if got := fmt.Sprint(countOf(t, s, "?s :p ?o"), countOf(t, s, "GRAPH :loaded { ?s ?p ?o }"), countOf(t, s, "GRAPH :own { ?s ?p ?o }"), countOf(t, s, "GRAPH :g { ?s ?p ?o }")); got != "3411" {
		t.Errorf("the graphs have %s triples", got)
	}
}

// A file with a journal gets an entry for every write. The entry has an id, an action, a
// time and an actor, even if the program sets none of them.
func TestEveryWriteOfALibraryHasAnEntry(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "graph.db")
	s, err := Open(path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	begun := time.Now()
	writeAll(t, s)
	var got []string
	ids := map[string]bool{}
	for _, e := range entries(t, s) {
		got = append(got, fmt.Sprintf("%s +%d -%d", e.Action, e.Added, e.Removed))
		if ids[e.LogID] = true; e.LogID == "" || e.Actor != journal.LibraryActor || e.Time.Before(begun.Add(-time.Second)) {
			t.Errorf("%+v", e)
		}
	}
	if want := "[insert +2 -0 insert +1 -0 insert +3 -0 insert +2 -0 remove +0 -1 insert +1 -0 insert +1 -0]"; fmt.Sprint(got) != want || len(ids) != len(got) {
		t.Errorf("the journal has %s with %d ids, want %s", got, len(ids), want)
	}
	if _, err := s.Writer(journal.Entry{Actor: "importer", Detail: "by hand"}).Add(t.Context(), libraryQuad("f", "6", "")); err != nil {
		t.Fatal(err)
	}
	if all := entries(t, s); all[len(all)-1].Actor != "importer" || all[len(all)-1].Detail != "by hand" {
		t.Errorf("%+v", all[len(all)-1])
	}
	mustCheck(t, s)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if s, err = Open(path, Options{NoJournal: true}); err != nil { // a file that has a journal keeps it
		t.Fatal(err)
	}
	defer s.Close()
	before := len(entries(t, s))
	if _, err := s.Writer(journal.Entry{}).Add(t.Context(), libraryQuad("g", "7", "")); err != nil || len(entries(t, s)) != before+1 {
		t.Errorf("%v, and %d entries", err, len(entries(t, s)))
	}
}

// A file that was created without a journal has no entries, and a program that relies on
// a journal can't write to it.
func TestAFileWithoutAJournalHasNoEntry(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "graph.db")
	for range 2 {
		s, err := Open(path, Options{NoJournal: true})
		if err != nil {
			t.Fatal(err)
		}
		if countOf(t, s, "?s ?p ?o") == "0" {
			writeAll(t, s)
		}
		if e := entries(t, s); len(e) > 0 {
			t.Errorf("the journal has %v", e)
		}
		mustCheck(t, s)
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if s, err := Open(path, Options{}); !errors.Is(err, ErrNoJournal) {
		t.Errorf("%v, %v", s, err)
	}
	s, err := Open(path, Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if n := countOf(t, s, "?s ?p ?o"); n != "3" {
		t.Errorf("%s triples are read", n)
	}
}

// If a Writer can't write a quad, it returns the quad's index and the reason, and writes
// nothing.
func TestWriterWritesAllOrNothing(t *testing.T) {
	t.Parallel()
	s, err := Open(filepath.Join(t.TempDir(), "graph.db"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	w := s.Writer(journal.Entry{})
	bad := libraryQuad("a", "1", "")
	bad.S = rdf.NewString("literal")
	var wrong *EditError
	if n, err := w.Add(t.Context(), libraryQuad("a", "1", ""), bad); n != 0 || !errors.As(err, &wrong) || wrong.Index != 1 {
		t.Errorf("%d, %v", n, err)
	}
	for _, graph := range []rdf.Term{contextsGraph, rdf.NewString("g")} {
		if _, err := w.Load(t.Context(), strings.NewReader("<http://a> <http://b> 1 ."), turtle.Turtle, graph, turtle.Options{}); err == nil {
			t.Errorf("loaded into %s", graph)
		}
	}
	if _, err := w.Load(t.Context(), strings.NewReader("<http://a> <http://b> 1 . <c>"), turtle.Turtle, rdf.Term{}, turtle.Options{}); err == nil {
		t.Error("a wrong text was loaded")
	}
	if n := countOf(t, s, "?s ?p ?o"); n != "0" || len(entries(t, s)) > 0 {
		t.Errorf("%s triples, and %d entries", n, len(entries(t, s)))
	}
}

// A blank node that a query or Match returned can be removed, and used in new quads.
func TestBlankNodesOfTheStoreCanBeWrittenAbout(t *testing.T) {
	t.Parallel()
	s, err := Open(filepath.Join(t.TempDir(), "graph.db"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	w := s.Writer(journal.Entry{})
	if _, err := w.Load(t.Context(), strings.NewReader("[] <http://example/p> 1 ."), turtle.Turtle, rdf.Term{}, turtle.Options{}); err != nil {
		t.Fatal(err)
	}
	var found rdf.Term
	err = s.View(func(snap *Snapshot) error {
		q, err := sparql.Prepare(t.Context(), "SELECT ?s { ?s <http://example/p> ?o }", sparql.Options{})
		if err != nil {
			return err
		}
		for row, err := range q.Select(t.Context(), snap.Dataset(), budget.Limits{}) {
			if err != nil {
				return err
			}
			found = row.Get("s")
		}
		return nil
	})
	if err != nil || !found.IsBlank() {
		t.Fatal(found, err)
	}
	if n, err := w.Add(t.Context(), rdf.Quad{S: found, P: rdf.NewIRI("http://example/q"), O: found}); n != 1 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
	if n := countOf(t, s, "?s :p 1 ; :q ?s"); n != "1" {
		t.Errorf("%s nodes", n)
	}
	if n, err := w.Remove(t.Context(), rdf.Quad{S: found, P: rdf.NewIRI("http://example/p"), O: rdf.NewLiteral("1", rdf.XSDInteger)}); n != 1 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
}
