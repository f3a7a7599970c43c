package provenance_test

import (
	"bytes"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/segraph/segraph/internal/storetest"
	"github.com/segraph/segraph/store/engine"
	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/store/provenance"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/turtle"
)

// Helpers of package storetest.
var (
	document  = storetest.Document
	quads     = storetest.Quads
	mustCheck = storetest.Check
)

const sample = storetest.Sample

// opened is a store that records contributions.
type opened struct {
	*engine.Store
	*provenance.Provenance
}

func open(path string) (opened, error) {
	p := provenance.New(provenance.Options{Agents: []rdf.Term{rdf.NewIRI("urn:by"), rdf.NewIRI("urn:byToo")}})
	s, err := engine.Open(path, engine.Options{Extensions: []engine.Extension{p.Extension()}})
	return opened{s, p}, err
}

// openStore returns a new store that is closed when the test ends.
func openStore(t testing.TB) opened {
	t.Helper()
	s, err := open(filepath.Join(t.TempDir(), "test.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	s.LookUp(1 << 20)
	return s
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
