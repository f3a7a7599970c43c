package persist

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"pgregory.net/rapid"

	"github.com/segraph/segraph/internal/suite"
	"github.com/segraph/segraph/resolver"
	"github.com/segraph/segraph/resolver/memory"
	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/engine"
	"github.com/segraph/segraph/store/engine/file"
	"github.com/segraph/segraph/store/engine/kv"
	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/turtle"
)

func iri(s string) rdf.Term { return rdf.NewIRI("http://ex/" + s) }

// inContexts returns a quad of the graph of contexts.
func inContexts(s, p, o string) rdf.Quad {
	return rdf.Quad{S: iri(s), P: iri(p), O: iri(o), G: rdf.NewIRI(store.ContextsGraph)}
}

// allQuads returns all quads of the store, sorted.
func allQuads(t testing.TB, s *Store) []string {
	t.Helper()
	var b bytes.Buffer
	if err := s.Dump(t.Context(), &b, turtle.NQuads); err != nil {
		t.Fatal(err)
	}
	lines := slices.Collect(strings.Lines(b.String()))
	slices.Sort(lines)
	return lines
}

// written returns quads in the form of allQuads.
func written(t testing.TB, quads []rdf.Quad) []string {
	t.Helper()
	var b bytes.Buffer
	w := turtle.NewWriter(&b, turtle.NQuads, nil)
	for _, q := range quads {
		if err := w.Write(q); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	lines := slices.Collect(strings.Lines(b.String()))
	slices.Sort(lines)
	return lines
}

// recordsOf returns all records of a resolver's store.
func recordsOf(t testing.TB, s resolver.Store) []string {
	t.Helper()
	var out []string
	err := s.Scan(nil, nil, func(k, v []byte) bool {
		out = append(out, fmt.Sprintf("%x=%x", k, v))
		return true
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// mustCheckStore verifies a store whose records the resolver did not write, so it does
// not compare them with the mirror.
func mustCheckStore(t testing.TB, s *Store) {
	t.Helper()
	extensions := []engine.Extension{s.Provenance.Extension(), s.Outbox.Extension()}
	for i := range extensions {
		extensions[i].Opened = nil // the extensions belong to s
	}
	copied, err := engine.Open(backedUp(t, s), engine.Options{ReadOnly: true, Extensions: extensions})
	if err != nil {
		t.Fatal(err)
	}
	defer copied.Close()
	if err := copied.Check(t.Context()); err != nil {
		t.Error(err)
	}
}

// checkFew is rapid.Check with as many sequences as -rapid.checks says. By default it
// runs few (a fifth with the race detector), because each creates a file. The file's
// path is unique, and the file is removed before the next one.
func checkFew(t *testing.T, few int, property func(rt *rapid.T, path string)) {
	if f := flag.Lookup("rapid.checks"); f.Value.String() == f.DefValue {
		if err := flag.Set(f.Name, strconv.Itoa(suite.Size(few, max(1, few/5)))); err != nil {
			t.Fatal(err)
		}
		defer func() { _ = flag.Set(f.Name, f.DefValue) }() // restores the default
	}
	dir := t.TempDir()
	rapid.Check(t, func(rt *rapid.T) {
		defer func() {
			left, err := filepath.Glob(filepath.Join(dir, "*"))
			for _, path := range left {
				err = errors.Join(err, os.Remove(path))
			}
			if err != nil {
				t.Error(err)
			}
		}()
		property(rt, filepath.Join(dir, "sequence.db"))
	})
}

// TestContextsAreWhatAStoreInMemoryHolds applies random changes to a file and to a store
// in memory, together with random posts and restarts.
func TestContextsAreWhatAStoreInMemoryHolds(t *testing.T) {
	t.Parallel()
	suite.NotShort(t)
	checkFew(t, 20, func(rt *rapid.T, path string) {
		s, err := Open(path, Options{})
		if err != nil {
			rt.Fatal(err)
		}
		defer func() { s.Close() }()
		var model memory.Store
		name := rapid.SampledFrom([]string{"a", "b", "c", "c/d"})
		anyQuad := rapid.Custom(func(t *rapid.T) rdf.Quad {
			q := inContexts(name.Draw(t, "s"), name.Draw(t, "p"), name.Draw(t, "o"))
			if rapid.IntRange(0, 4).Draw(t, "published") == 0 {
				q.G = rdf.Term{}
			}
			return q
		})
		record := rapid.Custom(func(t *rapid.T) resolver.Record {
			r := resolver.Record{Key: []byte(name.Draw(t, "key") + name.Draw(t, "key2"))}
			if rapid.IntRange(0, 3).Draw(t, "keep") > 0 {
				r.Value = rapid.SliceOfN(rapid.Byte(), 0, 40).Draw(t, "value")
			}
			return r
		})
		change := rapid.Custom(func(t *rapid.T) resolver.Change {
			return resolver.Change{
				Clear:   rapid.IntRange(0, 20).Draw(t, "clear") == 0,
				Records: rapid.SliceOfN(record, 0, 6).Draw(t, "records"),
				Remove:  rapid.SliceOfN(anyQuad, 0, 4).Draw(t, "remove"),
				Add:     rapid.SliceOfN(anyQuad, 0, 6).Draw(t, "add"),
			}
		})
		for range rapid.IntRange(1, 8).Draw(rt, "rounds") {
			changes := rapid.SliceOfN(change, 1, 4).Draw(rt, "changes")
			if err := s.Contexts().Apply(t.Context(), changes); err != nil {
				rt.Fatal(err)
			}
			if err := model.Apply(t.Context(), changes); err != nil {
				rt.Fatal(err)
			}
			if rapid.IntRange(0, 3).Draw(rt, "restart") == 0 {
				if err := s.Close(); err != nil {
					rt.Fatal(err)
				}
				if s, err = Open(path, Options{}); err != nil {
					rt.Fatal(err)
				}
			}
			if got, want := recordsOf(t, s.Contexts()), recordsOf(t, &model); !slices.Equal(got, want) {
				rt.Fatalf("the records are %v, want %v", got, want)
			}
			if got, want := allQuads(t, s), written(t, model.Quads()); !slices.Equal(got, want) {
				rt.Fatalf("the quads are %v, want %v", got, want)
			}
			key := record.Draw(rt, "get").Key
			got, err := s.Contexts().Get(key)
			want, _ := model.Get(key)
			if err != nil || !bytes.Equal(got, want) || (got == nil) != (want == nil) {
				rt.Fatalf("Get(%s) = %v, %v, want %v", key, got, err, want)
			}
		}
		mustCheckStore(t, s)
	})
}

// A reader sees both the records and the mirror of a change, or neither. Documents in the
// same transaction are stored as they would be alone.
func TestRecordsAndTheirMirrorAreConsistent(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	const changes = 60
	var writers sync.WaitGroup
	writers.Go(func() {
		for i := range changes {
			name := fmt.Sprint("c", i)
			err := s.Contexts().Apply(t.Context(), []resolver.Change{{
				Records: []resolver.Record{{Key: []byte(name), Value: []byte("1")}},
				Add:     []rdf.Quad{inContexts(name, "status", "active")},
			}})
			if err != nil {
				t.Error(err)
			}
		}
	})
	for w := range 4 {
		writers.Go(func() {
			for i := range changes / 4 {
				if n := add(t, s, fmt.Sprintf("<http://ex/d%d-%d> <http://ex/p> 1, 2 .", w, i)); n != 2 {
					t.Errorf("a document added %d triples, want 2", n)
				}
			}
		})
	}
	done := make(chan struct{})
	go func() { defer close(done); writers.Wait() }()
	for looks := 0; ; looks++ {
		snap, err := s.Snapshot()
		if err != nil {
			t.Fatal(err)
		}
		stored := 0
		for range kv.All(snap.KV().Bucket("contexts")) {
			stored++
		}
		mirrored := int64(0)
		if g, ok, err := snap.ID(rdf.NewIRI(store.ContextsGraph)); err != nil {
			t.Fatal(err)
		} else if ok {
			if mirrored, err = snap.Count(0, 0, 0, g); err != nil {
				t.Fatal(err)
			}
		}
		snap.Close()
		if int64(stored) != mirrored {
			t.Fatalf("one moment has %d records and %d quads", stored, mirrored)
		}
		select {
		case <-done:
			if stored == changes {
				mustCheckStore(t, s)
				return
			}
		default:
		}
	}
}

func TestTheMirrorIsNotPublished(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	add(t, s, "<http://ex/a> <http://ex/p> 1 .")
	before, err := s.Export(t.Context(), rdf.Term{}, turtle.Turtle)
	if err != nil {
		t.Fatal(err)
	}
	before.Close()
	apply := func(c resolver.Change) {
		t.Helper()
		if err := s.Contexts().Apply(t.Context(), []resolver.Change{c}); err != nil {
			t.Fatal(err)
		}
	}
	apply(resolver.Change{Add: []rdf.Quad{inContexts("c", "status", "active")}})
	after, err := s.Export(t.Context(), rdf.Term{}, turtle.Turtle)
	if err != nil {
		t.Fatal(err)
	}
	after.Close()
	if text := exported(t, s, turtle.NTriples); strings.Contains(text, "active") || before.ETag() != after.ETag() {
		t.Errorf("the mirror changes the export: %s", text)
	}
	merge := inContexts("c", "mergedInto", "d")
	merge.G = rdf.Term{}
	apply(resolver.Change{Add: []rdf.Quad{merge}})
	if text := exported(t, s, turtle.NTriples); !strings.Contains(text, "mergedInto") {
		t.Errorf("a merge is not published: %s", text)
	}
	if n, err := s.InNamedGraphs(); err != nil || n != 1 {
		t.Errorf("%d quads are in named graphs, %v; want 1", n, err)
	}
	mustCheckStore(t, s)
}

func TestADecisionIsEnteredWithItsChange(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	e := journal.Entry{LogID: uuid.NewString(), Action: journal.Accept, Time: time.Unix(1_767_000_000, 0).UTC(), Actor: "eva", Case: "review_1", Source: "http://ex/c", Target: "http://ex/d"}
	published := inContexts("c", "mergedInto", "d")
	published.G = rdf.Term{}
	err := s.Contexts().Apply(t.Context(), []resolver.Change{
		{Add: []rdf.Quad{inContexts("c", "status", "active")}},
		{Add: []rdf.Quad{inContexts("c", "mergedInto", "d"), published}, Entry: &e},
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := entries(t, s); len(got) != 1 || got[0] != e {
		t.Errorf("the journal is %+v", got)
	}
	log, err := s.Log(t.Context(), e.LogID, 10)
	if err != nil || len(log.Quads) != 1 || log.Quads[0] != published {
		t.Errorf("the decision brought %+v, %v", log.Quads, err)
	}
}

func TestClearingKeepsWhatTheResolverKeeps(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	add(t, s, "<http://ex/a> <http://ex/p> 1, 2 .")
	contexts := s.Contexts()
	clock := resolver.Record{Key: []byte("clock"), Value: []byte("7")}
	err := contexts.Apply(t.Context(), []resolver.Change{{
		Records: []resolver.Record{clock, {Key: []byte("c"), Value: []byte("1")}},
		Add:     []rdf.Quad{inContexts("c", "status", "active")},
	}})
	if err != nil {
		t.Fatal(err)
	}
	removed, err := contexts.Clear(t.Context(), resolver.Change{Clear: true, Records: []resolver.Record{clock}}, journal.Entry{Action: journal.Clear, Actor: "eva"})
	if err != nil || removed != 2 {
		t.Errorf("removed %d, %v; want 2", removed, err)
	}
	if got := recordsOf(t, contexts); len(got) != 1 || got[0] != fmt.Sprintf("%x=%x", "clock", "7") {
		t.Errorf("the records are %v", got)
	}
	if got := allQuads(t, s); len(got) != 0 {
		t.Errorf("the quads are %v", got)
	}
	if got := entries(t, s); len(got) != 2 || got[1].Removed != 2 {
		t.Errorf("the journal is %+v", got)
	}
	mustCheckStore(t, s)
}

func TestADamagedRecordIsNamed(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	err := s.Contexts().Apply(t.Context(), []resolver.Change{{Records: []resolver.Record{{Key: []byte("k"), Value: []byte("value")}}}})
	if err != nil {
		t.Fatal(err)
	}
	applied(t, s)
	err = s.Update(t.Context(), func(tx *engine.Tx) error {
		b, err := tx.KV().Writable("contexts")
		if err != nil {
			return err
		}
		v := bytes.Clone(b.Get([]byte("k")))
		v[0] ^= 1
		return b.Put([]byte("k"), v)
	})
	if err != nil {
		t.Fatal(err)
	}
	_, getErr := s.Contexts().Get([]byte("k"))
	scanErr := s.Contexts().Scan(nil, nil, func(_, _ []byte) bool { t.Error("a damaged record was given"); return true })
	for _, err := range []error{getErr, scanErr, s.Check(t.Context())} {
		var damaged *file.DamagedError
		if !errors.As(err, &damaged) {
			t.Errorf("got %v, want a *file.DamagedError", err)
		}
	}
}

func TestOnlyTheResolverWritesItsGraph(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	text := "<http://ex/c> <http://ex/status> \"active\" <" + store.ContextsGraph + "> .\n<http://ex/a> <http://ex/p> \"x\" <http://ex/g> .\n"
	res, err := s.Load(t.Context(), strings.NewReader(text), turtle.NQuads, turtle.Options{}, journal.Entry{Action: journal.Insert}, nil)
	if err != nil || res.Quads != 1 || res.Added != 1 || res.LeftOut != 1 {
		t.Errorf("loading gave %+v, %v", res, err)
	}
	q := rdf.Quad{S: iri("c"), P: iri("status"), O: rdf.NewString("active"), G: contextsGraph}
	var refused *engine.EditError
	err = s.Apply(t.Context(), []engine.Edit{{Quad: q}}, engine.EditOptions{}, journal.Entry{Action: journal.Insert})
	if !errors.As(err, &refused) {
		t.Errorf("an edit wrote it: %v", err)
	}
	if got := allQuads(t, s); len(got) != 1 || strings.Contains(got[0], store.ContextsGraph) {
		t.Errorf("the quads are %v", got)
	}
}
