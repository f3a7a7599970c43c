package provenance_test

import (
	"bytes"
	"errors"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/engine"
	"github.com/segraph/segraph/store/journal"
	"github.com/segraph/segraph/store/provenance"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/turtle"
)

// opened is a store that keeps contributions.
type opened struct {
	*engine.Store
	*provenance.Provenance
}

func open(path string) (opened, error) {
	p := provenance.New(provenance.Options{})
	s, err := engine.Open(path, engine.Options{Extensions: []engine.Extension{p.Extension()}})
	return opened{s, p}, err
}

// openStore returns a new store that ends with the test.
func openStore(t testing.TB) opened {
	t.Helper()
	s, err := open(filepath.Join(t.TempDir(), "test.db"))
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
			return d
		}
		if err != nil {
			t.Fatal(err)
		}
		d.Add(q)
	}
}

func quads(t testing.TB, f turtle.Format, text string) []rdf.Quad {
	t.Helper()
	d := document(t, f, text)
	out := make([]rdf.Quad, len(d.Quads))
	for i := range out {
		out[i] = d.Quad(i)
	}
	return out
}

func entryOf(a journal.Action) journal.Entry {
	return journal.Entry{LogID: journal.NewLogID(), Action: a, Actor: "ari", Time: time.Now().UTC()}
}

func load(t testing.TB, s opened, f turtle.Format, text string) {
	t.Helper()
	if _, err := s.Load(t.Context(), strings.NewReader(text), f, turtle.Options{}, entryOf(journal.Insert), nil); err != nil {
		t.Fatal(err)
	}
}

func mustCheck(t testing.TB, s opened) {
	t.Helper()
	if err := s.Check(t.Context()); err != nil {
		t.Error(err)
	}
}

// allQuads returns all quads of the store, sorted.
func allQuads(t testing.TB, s opened) []string {
	t.Helper()
	var b bytes.Buffer
	if err := s.Dump(t.Context(), &b, turtle.NQuads); err != nil {
		t.Fatal(err)
	}
	lines := slices.Collect(strings.Lines(b.String()))
	slices.Sort(lines)
	return lines
}

const sample = `@prefix ex: <http://ex/> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
ex:a a ex:Event ; ex:score 1.50 , "01"^^xsd:integer ; ex:text "hé\nllo"@en-GB ; ex:parts ( 1 [ ex:x 0.5 ] "three" ) .`
