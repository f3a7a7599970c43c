package engine

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	bolt "go.etcd.io/bbolt"

	"github.com/segraph/segraph/internal/storetest"
	"github.com/segraph/segraph/internal/suite"
	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/engine/dict"
	"github.com/segraph/segraph/store/engine/file"
	"github.com/segraph/segraph/store/ids"
	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/rdf/canon"
	"github.com/segraph/segraph/store/turtle"
)

// Helpers of package storetest.
var (
	document  = storetest.Document
	quads     = storetest.Quads
	add       = storetest.Add
	publish   = storetest.Publish
	exported  = storetest.Exported
	mustCheck = storetest.Check
	large     = storetest.Large
)

// openStore returns a new store that is closed when the test ends.
func openStore(t testing.TB) *Store {
	t.Helper()
	return reopen(t, filepath.Join(t.TempDir(), "test.db"))
}

func reopen(t testing.TB, path string) *Store {
	t.Helper()
	s, err := Open(path, withProvenance(Options{Labels: []turtle.Prefix{{Label: "schema", Namespace: "http://schema.org/"}}}))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// flushed flushes everything deferred in the store.
func flushed(t testing.TB, s *Store) {
	t.Helper()
	if err := s.direct(t.Context(), directly{do: func(*Tx) error { return nil }}); err != nil {
		t.Fatal(err)
	}
}

func entries(t testing.TB, s *Store) (out []journal.Entry) {
	t.Helper()
	if err := s.View(func(snap *Snapshot) (err error) { out, err = storetest.Entries(snap.KV()); return err }); err != nil {
		t.Fatal(err)
	}
	return out
}

const sample = `@prefix ex: <http://ex/> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
ex:a a ex:Event ; ex:when "2026-06-04T11:53:18.739212+00:00"^^xsd:dateTime , "2026-06-04T11:53:18.739212Z"^^xsd:dateTime ;
  ex:score 1.50 , 1.5 , "01"^^xsd:integer , 1 , 1e0 , "NaN"^^xsd:float , "x"^^ex:odd , "abc"^^xsd:integer ;
  ex:text "hé\nllo"@en-GB , "hé\nllo"@en-gb , "hé\nllo" , "" , "nul\u0000" ;
  ex:parts ( 1 [ ex:x 0.5 ] "three" ) .`

func TestStoredTermsRoundTrip(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "x.db")
	s := reopen(t, path)
	want := quads(t, turtle.Turtle, sample)
	if n := add(t, s, sample); n != len(want)-1 { // two differ only in the case of a language tag
		t.Errorf("%d triples are new, want %d", n, len(want)-1)
	}
	var texts []string
	for range 2 {
		for _, f := range []turtle.Format{turtle.Turtle, turtle.NTriples} {
			text := exported(t, s, f)
			if !canon.Isomorphic(quads(t, f, text), want) {
				t.Errorf("what came back in format %d is another graph:\n%s", f, text)
			}
			texts = append(texts, text)
		}
		mustCheck(t, s)
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		s = reopen(t, path)
	}
	if texts[0] != texts[2] || texts[1] != texts[3] {
		t.Error("the same graph has other bytes after a restart")
	}
}

func TestTheSameAgainAddsNothing(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	text := "@prefix ex: <http://ex/> . ex:a ex:p 1 , 2 , ex:b ; ex:q \"x\"@en ."
	if n := add(t, s, text); n != 4 {
		t.Errorf("first: %d", n)
	}
	before := exported(t, s, turtle.Turtle)
	if n := add(t, s, text+" ex:a ex:p 1 ."); n != 0 {
		t.Errorf("again: %d", n)
	}
	if n := add(t, s, text+" ex:a ex:p 3 ."); n != 1 {
		t.Errorf("one more: %d", n)
	}
	if after := exported(t, s, turtle.Turtle); after == before {
		t.Error("the new triple is not there")
	}
}

func TestDocumentsDoNotShareBlankNodes(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	for range 2 {
		if n := add(t, s, "_:x <http://ex/p> _:y . _:x <http://ex/q> [] ."); n != 2 {
			t.Errorf("%d triples are new, want 2", n)
		}
	}
	want := quads(t, turtle.Turtle, "_:x <http://ex/p> _:y . _:x <http://ex/q> [] . _:z <http://ex/p> _:u . _:z <http://ex/q> [] .")
	if !canon.Isomorphic(quads(t, turtle.Turtle, exported(t, s, turtle.Turtle)), want) {
		t.Error(exported(t, s, turtle.Turtle))
	}
}

func TestTheOrderOfDocumentsDoesNotShow(t *testing.T) {
	t.Parallel()
	texts := []string{"<http://ex/z> <http://ex/p> 1 , \"a\" .", "<http://ex/a> a <http://ex/T> ; <http://ex/p> <http://ex/z> .", "<http://ex/z> a <http://ex/A> ; <http://ex/b> 3 ."}
	var got []string
	for _, order := range [][]int{{0, 1, 2}, {2, 1, 0}, {1, 2, 0}} {
		s := openStore(t)
		for _, i := range order {
			add(t, s, texts[i])
		}
		got = append(got, exported(t, s, turtle.Turtle), exported(t, s, turtle.NTriples))
	}
	if got[0] != got[2] || got[0] != got[4] || got[1] != got[3] || got[1] != got[5] {
		t.Errorf("one graph, several texts:\n%s", strings.Join(got, "\n---\n"))
	}
}

func TestETagChangesWithTheGraphAlone(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "x.db")
	s := reopen(t, path)
	tag := func(f turtle.Format) string {
		e, err := s.Export(t.Context(), rdf.Term{}, f)
		if err != nil {
			t.Fatal(err)
		}
		defer e.Close()
		return e.ETag()
	}
	empty := tag(turtle.Turtle)
	add(t, s, "<http://ex/a> <http://ex/p> 1 .")
	one := tag(turtle.Turtle)
	add(t, s, "<http://ex/a> <http://ex/p> 1 .")
	if again := tag(turtle.Turtle); again != one || one == empty {
		t.Errorf("empty %s, one triple %s, the same again %s", empty, one, again)
	}
	if tag(turtle.NTriples) == one {
		t.Error("two formats share an ETag")
	}
	s.Close()
	s = reopen(t, path)
	if tag(turtle.Turtle) != one {
		t.Error("a restart changes the ETag")
	}
	if _, err := s.Clear(t.Context(), true, journal.Entry{}); err != nil {
		t.Fatal(err)
	}
	cleared := tag(turtle.Turtle)
	if cleared == one || cleared == empty {
		t.Errorf("after clearing: %s", cleared)
	}
	if _, err := s.Clear(t.Context(), true, journal.Entry{}); err != nil {
		t.Fatal(err)
	}
	s.Close()
	s = reopen(t, path)
	if again := tag(turtle.Turtle); again != cleared {
		t.Errorf("clearing what is empty and a restart change the ETag from %s to %s", cleared, again)
	}
}

func TestClearRemovesTheGraphAndKeepsTheJournal(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	n := add(t, s, sample)
	load(t, s, turtle.NQuads, "<http://ex/a> <http://ex/p> \"kept\" <http://ex/g> .\n<http://ex/c> <http://ex/p> \"gone\" <"+store.ContextsGraph+"> .\n")
	cleared, err := s.Clear(t.Context(), true, journal.Entry{Action: journal.Clear, Actor: "admin"})
	if err != nil || cleared.Triples != int64(n) {
		t.Fatalf("removed %d, %v; want %d", cleared.Triples, err, n)
	}
	if text := exported(t, s, turtle.NTriples); text != "" {
		t.Errorf("left: %s", text)
	}
	if text := dumped(t, s, turtle.NQuads); strings.Count(text, "\n") != 1 || !strings.Contains(text, "kept") {
		t.Errorf("left of other graphs: %s", text)
	}
	if again, err := s.Clear(t.Context(), true, journal.Entry{Action: journal.Clear}); err != nil || again.Triples != 0 {
		t.Errorf("an empty graph: removed %d, %v", again.Triples, err)
	}
	if n := add(t, s, sample); n == 0 {
		t.Error("nothing can be stored after clearing")
	}
	es := entries(t, s)
	if len(es) != 5 || es[2].Removed != cleared.Triples || es[2].Actor != "admin" {
		t.Errorf("journal: %+v", es)
	}
	mustCheck(t, s)
}

func TestClearOfTheLastGraphEmptiesTheDictionary(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	add(t, s, "@prefix one: <http://ex/> . one:a one:p one:b .")
	var old dict.ID
	withSnapshot(t, s, func(snap *Snapshot) { old, _, _ = snap.ID(rdf.NewIRI("http://ex/a")) })
	if _, err := s.Clear(t.Context(), true, journal.Entry{}); err != nil {
		t.Fatal(err)
	}
	withSnapshot(t, s, func(snap *Snapshot) {
		if id, ok, err := snap.ID(rdf.NewIRI("http://ex/a")); ok || err != nil {
			t.Errorf("the term is still there as %#x, %v", uint64(id), err)
		}
	})
	add(t, s, "@prefix two: <http://ex/> . two:new two:p two:a .")
	withSnapshot(t, s, func(snap *Snapshot) {
		id, ok, err := snap.ID(rdf.NewIRI("http://ex/a"))
		if !ok || err != nil || id == old {
			t.Errorf("the term has id %#x again (was %#x), %v", uint64(id), uint64(old), err)
		}
	})
	if text := exported(t, s, turtle.Turtle); !strings.Contains(text, "@prefix two:") || strings.Contains(text, "one:") {
		t.Error(text)
	}
	mustCheck(t, s)
}

func withSnapshot(t testing.TB, s *Store, f func(*Snapshot)) {
	t.Helper()
	snap, err := s.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer snap.Close()
	f(snap)
}

func TestASnapshotIsConsistent(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	add(t, s, "<http://ex/a> <http://ex/p> 1 .")
	e, err := s.Export(t.Context(), rdf.Term{}, turtle.NTriples)
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	add(t, s, "<http://ex/a> <http://ex/p> 2 .")
	var b strings.Builder
	if _, err := e.WriteTo(&b); err != nil || strings.Count(b.String(), "\n") != 1 {
		t.Errorf("%s, %v", b.String(), err)
	}
}

func TestMatchFindsEveryPattern(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	var all []rdf.Triple
	var text strings.Builder
	for i := range 12 {
		tr := rdf.Triple{S: rdf.NewIRI(fmt.Sprint("http://ex/s", i%3)), P: rdf.NewIRI(fmt.Sprint("http://ex/p", i%2)), O: rdf.NewLiteral(fmt.Sprint(i%4), rdf.XSDInteger)}
		all = append(all, tr)
		fmt.Fprintf(&text, "<%s> <%s> %s .\n", tr.S.Value(), tr.P.Value(), tr.O.Value())
	}
	add(t, s, text.String())
	withSnapshot(t, s, func(snap *Snapshot) {
		id := func(x rdf.Term) dict.ID {
			if x.IsZero() {
				return 0
			}
			id, ok, err := snap.ID(x)
			if !ok || err != nil {
				t.Fatalf("%v: %v, %v", x, ok, err)
			}
			return id
		}
		for mask := range 8 {
			for _, q := range all {
				p := q
				if mask&1 == 0 {
					p.S = rdf.Term{}
				}
				if mask&2 == 0 {
					p.P = rdf.Term{}
				}
				if mask&4 == 0 {
					p.O = rdf.Term{}
				}
				want := map[rdf.Triple]bool{}
				for _, x := range all {
					if (p.S.IsZero() || p.S == x.S) && (p.P.IsZero() || p.P == x.P) && (p.O.IsZero() || p.O == x.O) {
						want[x] = true
					}
				}
				scan := snap.Match(id(p.S), id(p.P), id(p.O), 0)
				got := 0
				for batch := scan.Next(); batch != nil; batch = scan.Next() {
					for _, tu := range batch {
						a, b, c := scan.Order.Triple(tu)
						x, err := snap.Triple(a, b, c)
						if err != nil || !want[x] {
							t.Errorf("%v gives %v, %v", p, x, err)
						}
						got++
					}
				}
				n, err := snap.Count(id(p.S), id(p.P), id(p.O), 0)
				if got != len(want) || n != int64(len(want)) || err != nil || scan.Err() != nil {
					t.Errorf("%v: %d found, %d counted, want %d", p, got, n, len(want))
				}
			}
		}
		if ps := snap.Predicates(0); len(ps) != 2 || ps[id(all[0].P)] != 6 {
			t.Errorf("predicates: %v", ps)
		}
	})
}

func TestCheckFindsWhatDoesNotFit(t *testing.T) {
	t.Parallel()
	for name, harm := range map[string]func(tx *bolt.Tx) error{
		"a block changed": func(tx *bolt.Tx) error {
			b := tx.Bucket(graphsName).Bucket(idKey(0)).Bucket(indexNames[POS])
			k, v := b.Cursor().First()
			v = slices.Clone(v)
			v[0] ^= 1
			return b.Put(slices.Clone(k), v)
		},
		"an index emptied": func(tx *bolt.Tx) error {
			b := tx.Bucket(graphsName).Bucket(idKey(0)).Bucket(indexNames[OSP])
			k, _ := b.Cursor().First()
			return b.Delete(k)
		},
		"a count changed": func(tx *bolt.Tx) error {
			return (&indexed{counts: tx.Bucket(graphsName).Bucket(idKey(0)).Bucket(countsName)}).addCount(0, 1)
		},
		"a term lost": func(tx *bolt.Tx) error {
			b := tx.Bucket(dictName).Bucket([]byte("terms"))
			k, _ := b.Cursor().First()
			return b.Delete(k)
		},
	} {
		s := openStore(t)
		add(t, s, sample)
		mustCheck(t, s)
		flushed(t, s)
		if err := s.file.DB.Update(harm); err != nil {
			t.Fatal(err)
		}
		s.terms = &dict.Cache{}
		var damaged *file.DamagedError
		if err := s.Check(t.Context()); !errors.As(err, &damaged) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestOpenIsQuick(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.db")
	s := reopen(t, path)
	add(t, s, sample)
	s.Close()
	suite.Within(t, "opening a small file", 500*time.Millisecond, func() time.Duration {
		start := time.Now()
		s := reopen(t, path)
		took := time.Since(start)
		s.Close()
		return took
	})
}

// A closed snapshot panics with the reason, and the panic is not reported as damage.
func TestAClosedSnapshotSaysSo(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	add(t, s, sample)
	flushed(t, s)
	var kept *Snapshot
	withSnapshot(t, s, func(snap *Snapshot) { kept = snap })
	for name, use := range map[string]func(){
		"Count":       func() { _, _ = kept.Count(0, 0, 0, 0) },
		"Match":       func() { kept.Match(0, 0, 0, 0) },
		"Graphs":      func() { kept.Graphs() },
		"ID":          func() { _, _, _ = kept.ID(iri("a")) },
		"Term":        func() { id, _ := ids.Range(ids.TagIRI); _, _ = kept.Term(id) },
		"KV":          func() { kept.KV() },
		"Records":     func() { kept.Records() },
		"Prefixes":    func() { _, _ = kept.Prefixes() },
		"under Guard": func() { _ = s.Guard(func() error { kept.KV(); return nil }) },
	} {
		func() {
			defer func() {
				if r := recover(); r != usedAfterClose {
					t.Errorf("%s: the panic is %v", name, r)
				}
			}()
			use()
		}()
	}
	kept.Close()
	add(t, s, "<http://ex/a> <http://ex/p> 1 .") // writing goes on
}

// Quads that lack a term are refused with words, however they come.
func TestQuadsWithoutATermAreRefused(t *testing.T) {
	t.Parallel()
	s, a := openStore(t), iri("a")
	for _, q := range []rdf.Quad{{}, {S: a}, {S: a, P: a}, {P: a, O: a}, {S: a, O: a}} {
		for _, remove := range []bool{false, true} {
			err := s.Apply(t.Context(), []Edit{{Quad: q, Remove: remove}}, EditOptions{AnyTerms: true}, journal.Entry{})
			if err == nil || !strings.Contains(err.Error(), "lacks a subject, predicate or object") {
				t.Errorf("Apply of %q: %v", q, err)
			}
		}
		var d store.Document
		d.Add(rdf.Quad{S: a, P: a, O: a})
		d.Add(q)
		if _, err := s.Add(t.Context(), &d, journal.Entry{}); err == nil || !strings.Contains(err.Error(), "a subject, predicate or object is missing") {
			t.Errorf("Add of %q: %v", q, err)
		}
		err := turtle.NewWriter(io.Discard, turtle.NQuads, nil).Write(q)
		if err == nil || !strings.HasPrefix(err.Error(), "there is no ") {
			t.Errorf("writing %q: %v", q, err)
		}
	}
	if n := len(entries(t, s)); n != 0 {
		t.Errorf("%d entries", n)
	}
	mustCheck(t, s)
}

// A caller that gives way learns that writing has stopped, so that there will be no flush to wait for.
func TestNobodyGivesWayToAStoppedStore(t *testing.T) {
	s := openStore(t)
	s.queue.mu.Lock()
	s.queue.most = -10 // as if the room were full
	s.queue.mu.Unlock()
	s.stopWriting(isBroken, errors.New("a test"))
	ctx, end := context.WithTimeout(t.Context(), time.Second)
	defer end()
	if err := s.GiveWay(ctx); !errors.As(err, new(*store.UnreadyError)) {
		t.Errorf("it gave way: %v", err)
	}
}
