package cayley

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/cayleygraph/cayley/graph"
	"github.com/cayleygraph/cayley/writer"
	"github.com/cayleygraph/quad"

	"github.com/segraph/segraph/internal/storetest"
	"github.com/segraph/segraph/internal/suite"
	"github.com/segraph/segraph/store/engine"
	"github.com/segraph/segraph/store/engine/dict"
	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/turtle"
)

// fact returns the quad "<http://ex/NAME> <http://ex/is> NAME" in a graph.
func fact(name string, label quad.Value) quad.Quad {
	return quad.Quad{Subject: ex(name), Predicate: ex("is"), Object: quad.String(name), Label: label}
}

func plus(q quad.Quad) graph.Delta  { return graph.Delta{Quad: q, Action: graph.Add} }
func minus(q quad.Quad) graph.Delta { return graph.Delta{Quad: q, Action: graph.Delete} }

// stored returns all quads as text, sorted.
func stored(t *testing.T, qs graph.QuadStore) []string {
	t.Helper()
	out := []string{}
	it := qs.QuadsAllIterator()
	defer it.Close()
	for it.Next(t.Context()) {
		out = append(out, qs.Quad(it.Result()).String())
	}
	if it.Err() != nil {
		t.Fatal(it.Err())
	}
	slices.Sort(out)
	return out
}

func texts(qs ...quad.Quad) []string {
	out := []string{}
	for _, q := range qs {
		out = append(out, q.String())
	}
	slices.Sort(out)
	return out
}

func TestDeltasAreDoneInOrderAllOrNone(t *testing.T) {
	t.Parallel()
	suite.NotShort(t)
	a, b, c := fact("a", nil), fact("b", nil), fact("c", nil)
	inG := fact("a", ex("g"))
	for _, test := range []struct {
		name    string
		there   []quad.Quad
		deltas  []graph.Delta
		opts    graph.IgnoreOpts
		err     error
		at      int // the delta of the error
		left    []quad.Quad
		added   int
		removed int64
	}{
		{name: "add", deltas: []graph.Delta{plus(a), plus(b)}, left: []quad.Quad{a, b}, added: 2},
		{name: "add what is there", there: []quad.Quad{a}, deltas: []graph.Delta{plus(b), plus(a)}, err: graph.ErrQuadExists, at: 1, left: []quad.Quad{a}},
		{name: "ignore what is there", there: []quad.Quad{a}, deltas: []graph.Delta{plus(b), plus(a)}, opts: graph.IgnoreOpts{IgnoreDup: true}, left: []quad.Quad{a, b}, added: 1},
		{name: "add twice", deltas: []graph.Delta{plus(a), plus(b), plus(a)}, err: graph.ErrQuadExists, at: 2},
		{name: "ignore adding twice", deltas: []graph.Delta{plus(a), plus(a)}, opts: graph.IgnoreOpts{IgnoreDup: true}, left: []quad.Quad{a}, added: 1},
		{name: "delete", there: []quad.Quad{a, b}, deltas: []graph.Delta{minus(a)}, left: []quad.Quad{b}, removed: 1},
		{name: "delete what is not there", there: []quad.Quad{a}, deltas: []graph.Delta{minus(a), minus(b)}, err: graph.ErrQuadNotExist, at: 1, left: []quad.Quad{a}},
		{name: "delete unknown terms", there: []quad.Quad{a}, deltas: []graph.Delta{plus(b), minus(c)}, err: graph.ErrQuadNotExist, at: 1, left: []quad.Quad{a}},
		{name: "ignore what is missing", there: []quad.Quad{a}, deltas: []graph.Delta{minus(b), minus(c), minus(a)}, opts: graph.IgnoreOpts{IgnoreMissing: true}, removed: 1},
		{name: "delete twice", there: []quad.Quad{a}, deltas: []graph.Delta{minus(a), minus(a)}, err: graph.ErrQuadNotExist, at: 1, left: []quad.Quad{a}},
		{name: "add and delete", deltas: []graph.Delta{plus(a), minus(a)}},
		{name: "delete and add", there: []quad.Quad{a}, deltas: []graph.Delta{minus(a), plus(a)}, left: []quad.Quad{a}},
		{name: "another graph is another quad", there: []quad.Quad{a}, deltas: []graph.Delta{plus(inG), minus(a)}, left: []quad.Quad{inG}, added: 1, removed: 1},
		{name: "delete from a graph that is not there", there: []quad.Quad{a}, deltas: []graph.Delta{minus(inG)}, err: graph.ErrQuadNotExist, left: []quad.Quad{a}},
		{name: "no action", deltas: []graph.Delta{plus(a), {Quad: b}}, err: graph.ErrInvalidAction, at: 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := openStore(t)
			qs := New(s, nil)
			for _, q := range test.there {
				if err := qs.ApplyDeltas([]graph.Delta{plus(q)}, graph.IgnoreOpts{}); err != nil {
					t.Fatal(err)
				}
			}
			before := len(entries(t, s))
			err := qs.ApplyDeltas(test.deltas, test.opts)
			if test.err != nil {
				delta, ok := err.(*graph.DeltaError)
				if !ok || delta.Err != test.err || delta.Delta != test.deltas[test.at] {
					t.Errorf("error %v, want %v of delta %d", err, test.err, test.at)
				}
			} else if err != nil {
				t.Error(err)
			}
			if got, want := stored(t, qs), texts(test.left...); !slices.Equal(got, want) {
				t.Errorf("left: %v, want %v", got, want)
			}
			log := entries(t, s)[before:]
			if test.err != nil {
				if len(log) != 0 {
					t.Errorf("what was refused is in the journal: %+v", log)
				}
			} else if len(log) != 1 || log[0].Added != test.added || log[0].Removed != test.removed {
				t.Errorf("journal: %+v, want %d added and %d removed", log, test.added, test.removed)
			}
			storetest.Check(t, s)
		})
	}
}

func TestTheJournalNamesCayley(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	qs := New(s, nil)
	if err := qs.ApplyDeltas(nil, graph.IgnoreOpts{}); err != nil {
		t.Fatal(err)
	}
	a := fact("a", nil)
	if err := qs.ApplyDeltas([]graph.Delta{plus(a), plus(fact("b", ex("g"))), plus(a)}, graph.IgnoreOpts{IgnoreDup: true}); err != nil {
		t.Fatal(err)
	}
	log := entries(t, s)
	if len(log) != 1 {
		t.Fatalf("%d entries, want one for the one write", len(log))
	}
	e := log[0]
	if e.Actor != "cayley" || e.Action != journal.Insert || e.Triples != 2 || e.Added != 2 || e.LogID == "" || e.Time.IsZero() {
		t.Errorf("entry %+v", e)
	}
}

func TestDeletingLooksTermsUpAndGivesNoIDs(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	if err := New(s, nil).ApplyDeltas([]graph.Delta{minus(fact("a", ex("g")))}, graph.IgnoreOpts{IgnoreMissing: true}); err != nil {
		t.Fatal(err)
	}
	withSnapshot(t, s, func(snap *engine.Snapshot) {
		for _, term := range []rdf.Term{rdf.NewIRI("http://ex/a"), rdf.NewIRI("http://ex/g"), rdf.NewString("a")} {
			if id, ok, err := snap.ID(term); ok || err != nil {
				t.Errorf("%v has id %#x, %v", term, uint64(id), err)
			}
		}
		if g := snap.Graphs(); len(g) != 0 {
			t.Errorf("graphs %v were made", g)
		}
	})
}

func TestAnEmptiedGraphIsGone(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	qs := New(s, nil)
	load(t, s, turtle.TriG, people)
	w, err := writer.NewSingle(qs, graph.IgnoreOpts{})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.RemoveNode(ex("friday")); err != nil {
		t.Fatal(err)
	}
	if qs.ValueOf(ex("friday")) != nil {
		t.Error("the name of an empty graph is a node")
	}
	withSnapshot(t, s, func(snap *engine.Snapshot) {
		if g := snap.Graphs(); !slices.Equal(g, []dict.ID{0}) {
			t.Errorf("graphs %v, want the default graph's alone", g)
		}
	})
	if err := w.RemoveNode(ex("knows")); err != nil {
		t.Fatal(err)
	}
	if _, quads := mustStats(t, qs); quads != 4 {
		t.Errorf("%d quads are left, want 4", quads)
	}
	storetest.Check(t, s)
}

func TestOneTransactionDeletesManyPagesAndAddsAmidThem(t *testing.T) {
	t.Parallel()
	suite.NotShort(t)
	s := openStore(t)
	qs := New(s, nil)
	const many = 20_000
	var first, second []graph.Delta
	want := 0
	for i := range many {
		first = append(first, plus(fact(fmt.Sprintf("%05d", i), nil)))
		switch {
		case i > many/4 && i < many/2:
			second = append(second, minus(fact(fmt.Sprintf("%05d", i), nil)))
			if i%1000 == 0 { // known terms, so that they sort among the deleted quads
				second = append(second, plus(quad.Make(ex(fmt.Sprintf("%05d", i)), ex("is"), ex("back"), nil)))
				want++
			}
		default:
			want++
		}
	}
	for _, deltas := range [][]graph.Delta{first, second} {
		if err := qs.ApplyDeltas(deltas, graph.IgnoreOpts{}); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(stored(t, qs)); n != want {
		t.Errorf("%d quads are left, want %d", n, want)
	}
	storetest.Check(t, s)
}

func TestChangesThroughCayleyChangeTheETag(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	tag := func() string {
		e, err := s.Export(t.Context(), rdf.Term{}, turtle.Turtle)
		if err != nil {
			t.Fatal(err)
		}
		defer e.Close()
		return e.ETag()
	}
	tags := []string{tag()}
	for _, deltas := range [][]graph.Delta{{plus(fact("a", nil))}, {minus(fact("a", nil))}} {
		if err := New(s, nil).ApplyDeltas(deltas, graph.IgnoreOpts{}); err != nil {
			t.Fatal(err)
		}
		tags = append(tags, tag())
	}
	if tags[0] == tags[1] || tags[1] == tags[2] {
		t.Errorf("tags %v", tags)
	}
}

func TestOfManyWritersOfOneQuadOneWins(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	const writers, facts = 4, 40
	var wg sync.WaitGroup
	var won, lost atomic.Int32
	for range writers {
		qs := New(s, nil)
		wg.Go(func() {
			for i := range facts {
				err := qs.ApplyDeltas([]graph.Delta{plus(fact(fmt.Sprint(i), ex("g"))), plus(fact(fmt.Sprint(i), nil))}, graph.IgnoreOpts{})
				switch {
				case err == nil:
					won.Add(1)
				case graph.IsQuadExist(err):
					lost.Add(1)
				default:
					t.Errorf("fact %d: %v", i, err)
				}
			}
		})
	}
	wg.Go(func() { // and a reader
		qs := New(s, nil)
		for range 20 {
			it := qs.QuadIterator(quad.Predicate, qs.ValueOf(ex("is")))
			for it.Next(t.Context()) {
				if q := qs.Quad(it.Result()); !q.IsValid() {
					t.Errorf("half a quad: %v", q)
				}
			}
			if it.Err() != nil {
				t.Error(it.Err())
			}
		}
	})
	wg.Wait()
	if won.Load() != facts || lost.Load() != (writers-1)*facts {
		t.Errorf("%d won and %d lost, want %d and %d", won.Load(), lost.Load(), facts, (writers-1)*facts)
	}
	if _, quads := mustStats(t, New(s, nil)); quads != 2*facts {
		t.Errorf("%d quads, want %d", quads, 2*facts)
	}
	storetest.Check(t, s)
}

func TestAQuadWriterStoresInBatches(t *testing.T) {
	t.Parallel()
	suite.NotShort(t)
	s := openStore(t)
	qs := New(s, nil)
	w, err := qs.NewQuadWriter()
	if err != nil {
		t.Fatal(err)
	}
	//lint:ignore SA1019 Cayley's interface still has it
	if err := w.WriteQuad(fact("first", nil)); err != nil {
		t.Fatal(err)
	}
	if n := len(stored(t, qs)); n != 0 {
		t.Errorf("%d quads are stored before a batch is full", n)
	}
	batch := make([]quad.Quad, quad.DefaultBatch)
	for i := range batch {
		batch[i] = fact(fmt.Sprint(i), nil)
	}
	if n, err := w.WriteQuads(batch); n != len(batch) || err != nil {
		t.Fatal(n, err)
	}
	if n := len(stored(t, qs)); n != len(batch)+1 {
		t.Errorf("%d quads are stored, want %d", n, len(batch)+1)
	}
	if _, err := w.WriteQuads([]quad.Quad{fact("first", nil), fact("last", nil)}); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if n, log := len(stored(t, qs)), entries(t, s); n != len(batch)+2 || len(log) != 2 || log[1].Added != 1 {
		t.Errorf("%d quads by %d writes, want %d by 2", n, len(log), len(batch)+2)
	}
}

func TestAQuadWriterReportsWhatItCouldNotStore(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	w, err := New(s, nil).NewQuadWriter()
	if err != nil {
		t.Fatal(err)
	}
	for _, q := range []quad.Quad{fact("a", nil), {Subject: ex("b")}} {
		//lint:ignore SA1019 Cayley's interface still has it
		if err := w.WriteQuad(q); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err == nil {
		t.Error("a quad without a predicate was stored")
	}
	if n := len(stored(t, New(s, nil))); n != 0 {
		t.Errorf("%d quads of a refused batch are stored", n)
	}
}

// TestTermsThatCannotBeExportedAreRefused: a single such quad would make every export fail.
func TestTermsThatCannotBeExportedAreRefused(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	p := quad.IRI("http://ex/p")
	for _, q := range []quad.Quad{
		{Subject: quad.String("literal"), Predicate: p, Object: p},
		{Subject: p, Predicate: quad.BNode("b"), Object: p},
		{Subject: quad.IRI("relative"), Predicate: p, Object: p},
		{Subject: quad.IRI("http://ex/with space"), Predicate: p, Object: p},
		{Subject: p, Predicate: p, Object: quad.LangString{Value: "x", Lang: "no tag"}},
		{Subject: p, Predicate: p, Object: quad.String("\xff")},
	} {
		err := New(s, nil).ApplyDeltas([]graph.Delta{{Quad: q, Action: graph.Add}}, graph.IgnoreOpts{})
		var delta *graph.DeltaError
		if !errors.As(err, &delta) {
			t.Errorf("%v: %v", q, err)
		}
	}
	if text := exported(t, s); text != "" {
		t.Errorf("stored: %s", text)
	}
}
