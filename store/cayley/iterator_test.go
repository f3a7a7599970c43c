package cayley

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/cayleygraph/cayley/graph"
	"github.com/cayleygraph/quad"

	"github.com/segraph/segraph/store/engine"
	"github.com/segraph/segraph/store/engine/index"
	"github.com/segraph/segraph/store/turtle"
)

// refs reads an iterator to its end.
func refs(t *testing.T, it graph.Iterator) []graph.Ref {
	t.Helper()
	var out []graph.Ref
	for it.Next(t.Context()) {
		out = append(out, it.Result())
	}
	if it.Err() != nil {
		t.Fatal(it.Err())
	}
	if it.Result() != nil || it.Next(t.Context()) {
		t.Error("there is a result after the last one")
	}
	return out
}

func distinct(all []graph.Ref) int {
	seen := map[any]bool{}
	for _, r := range all {
		seen[r.Key()] = true
	}
	return len(seen)
}

// wide stores a dataset that no iterator can read in one batch: a graph of 5 quads,
// another of 3 × batchSize quads, and a default graph of the same size. In each, every
// quad has another subject, one of two predicates, and one of three objects.
func wide(t *testing.T, s *engine.Store) (quads int) {
	t.Helper()
	var b strings.Builder
	for g, n := range []int{5, 3 * batchSize, 3 * batchSize} {
		for i := range n {
			fmt.Fprintf(&b, "<http://ex/s%d> <http://ex/p%d> <http://ex/o%d>", i, i%2, i%3)
			if g < 2 {
				fmt.Fprintf(&b, " <http://ex/g%d>", g)
			}
			b.WriteString(" .\n")
			quads++
		}
	}
	load(t, s, turtle.NQuads, b.String())
	return quads
}

func TestIteratorsGiveEachResultOnceAcrossBatches(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	qs := New(s, nil)
	all := wide(t, s)
	for _, c := range []struct {
		it   graph.Iterator
		want int
	}{
		{qs.QuadsAllIterator(), all},
		{qs.NodesAllIterator(), 3*batchSize + 2 + 3 + 2},
		{qs.QuadIterator(quad.Subject, qs.ValueOf(ex("s1"))), 3},
		{qs.QuadIterator(quad.Subject, qs.ValueOf(ex("s7"))), 2},
		{qs.QuadIterator(quad.Predicate, qs.ValueOf(ex("p1"))), 3*batchSize + 2},
		{qs.QuadIterator(quad.Object, qs.ValueOf(ex("o0"))), 2*batchSize + 2},
		{qs.QuadIterator(quad.Label, qs.ValueOf(ex("g1"))), 3 * batchSize},
		{qs.QuadIterator(quad.Label, qs.ValueOf(ex("g0"))), 5},
		{qs.QuadIterator(quad.Label, qs.ValueOf(ex("g2"))), 0},
	} {
		for range 2 { // again after Reset
			got := refs(t, c.it)
			if len(got) != c.want || distinct(got) != c.want {
				t.Errorf("%v: %d results, %d distinct, want %d", c.it, len(got), distinct(got), c.want)
			}
			c.it.Reset()
		}
		if size, exact := c.it.Size(); exact && size != int64(c.want) {
			t.Errorf("%v: size %d, want %d", c.it, size, c.want)
		}
	}
}

func TestNodesComeInTheOrderOfTheirIDs(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	wide(t, s)
	got := refs(t, New(s, nil).NodesAllIterator())
	if !slices.IsSortedFunc(got, func(a, b graph.Ref) int { return int(a.(nodeRef)) - int(b.(nodeRef)) }) {
		t.Error("they are not sorted")
	}
}

func TestMoreGraphsThanABatchHasResults(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	var b strings.Builder
	const graphs = batchSize/4 + 10 // four streams each
	for i := range graphs {
		fmt.Fprintf(&b, "<http://ex/s> <http://ex/p> \"o%d\" <http://ex/g%d> .\n", i, i)
	}
	load(t, s, turtle.NQuads, b.String())
	nodes, quads := mustStats(t, New(s, nil))
	if nodes != 2*graphs+2 || quads != graphs {
		t.Errorf("%d nodes and %d quads, want %d and %d", nodes, quads, 2*graphs+2, graphs)
	}
}

func TestContainsAsksTheStore(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	qs := New(s, nil)
	load(t, s, turtle.TriG, people)
	inG := quadRefOf(t, s, quad.Make(ex("dan"), ex("knows"), ex("ada"), ex("friday")))
	gone := quadRefOf(t, s, quad.Make(ex("bob"), ex("knows"), ex("cleo"), nil))
	dan, ada := qs.ValueOf(ex("dan")), qs.ValueOf(ex("ada"))
	change(t, s, true, qs.Quad(gone))
	for _, c := range []struct {
		it   graph.Iterator
		ref  graph.Ref
		want bool
	}{
		{qs.QuadsAllIterator(), inG, true},
		{qs.QuadsAllIterator(), gone, false},
		{qs.QuadsAllIterator(), dan, false},
		{qs.QuadsAllIterator(), nil, false},
		{qs.QuadIterator(quad.Subject, dan), inG, true},
		{qs.QuadIterator(quad.Subject, ada), inG, false},
		{qs.QuadIterator(quad.Predicate, qs.ValueOf(ex("knows"))), inG, true},
		{qs.QuadIterator(quad.Predicate, qs.ValueOf(ex("knows"))), gone, false},
		{qs.QuadIterator(quad.Object, ada), inG, true},
		{qs.QuadIterator(quad.Object, dan), inG, false},
		{qs.QuadIterator(quad.Label, qs.ValueOf(ex("friday"))), inG, true},
		{qs.QuadIterator(quad.Label, ada), inG, false},
		{qs.NodesAllIterator(), dan, true},
		{qs.NodesAllIterator(), qs.ValueOf(ex("friday")), true},
		{qs.NodesAllIterator(), nodeRef(1), false},
		{qs.NodesAllIterator(), inG, false},
	} {
		got := c.it.Contains(t.Context(), c.ref)
		if got != c.want || got != (c.it.Result() != nil) || got && c.it.Result() != c.ref || c.it.Err() != nil {
			t.Errorf("%v contains %v: %v with result %v, %v", c.it, c.ref, got, c.it.Result(), c.it.Err())
		}
	}
}

func TestAnIteratorSeesWhatIsWrittenAheadOfIt(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	qs := New(s, nil)
	load(t, s, turtle.Turtle, manyTriples(3*batchSize))
	it := qs.QuadsAllIterator()
	if !it.Next(t.Context()) {
		t.Fatal(it.Err())
	}
	var all []quad.Quad
	for _, r := range refs(t, qs.QuadsAllIterator()) {
		all = append(all, qs.Quad(r))
	}
	last := quad.Make(ex("last"), ex("is"), quad.String("last"), nil)
	change(t, s, true, all...)
	change(t, s, false, last)
	rest := refs(t, it)
	if n := len(rest); n >= 2*batchSize {
		t.Errorf("%d quads were returned that were deleted before they were read", n)
	}
	if q := qs.Quad(rest[len(rest)-1]); q != last {
		t.Errorf("the last quad is %v", q)
	}
}

func TestACanceledIteratorSaysSo(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	qs := New(s, nil)
	load(t, s, turtle.TriG, people)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	next, contains := qs.QuadsAllIterator(), qs.NodesAllIterator()
	if next.Next(ctx) || !errors.Is(next.Err(), context.Canceled) {
		t.Errorf("Next: %v", next.Err())
	}
	if contains.Contains(ctx, qs.ValueOf(ex("ada"))) || !errors.Is(contains.Err(), context.Canceled) {
		t.Errorf("Contains: %v", contains.Err())
	}
	if _, err := qs.QuadIteratorSize(ctx, quad.Subject, qs.ValueOf(ex("ada"))); !errors.Is(err, context.Canceled) {
		t.Errorf("QuadIteratorSize: %v", err)
	}
	if _, err := qs.Stats(ctx, true); !errors.Is(err, context.Canceled) {
		t.Errorf("Stats: %v", err)
	}
}

func TestAClosedIteratorGivesNothing(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	qs := New(s, nil)
	load(t, s, turtle.TriG, people)
	shape := graph.AsShape(qs.QuadsAllIterator())
	scan, find := shape.Iterate(), shape.Lookup()
	if !scan.Next(t.Context()) {
		t.Fatal(scan.Err())
	}
	ref := scan.Result()
	scan.Close()
	find.Close()
	if scan.Next(t.Context()) || scan.Result() != nil || find.Contains(t.Context(), ref) || find.Result() != nil {
		t.Error("a closed iterator returns results")
	}
}

func TestSuccessorIsTheNextTuple(t *testing.T) {
	t.Parallel()
	const top = ^uint64(0)
	for _, c := range [][2]index.Tuple{
		{{1, 2, 3}, {1, 2, 4}},
		{{1, 2, top}, {1, 3, 0}},
		{{1, top, top}, {2, 0, 0}},
	} {
		if got := successor(c[0]); got != c[1] {
			t.Errorf("the successor of %v is %v, want %v", c[0], got, c[1])
		}
	}
}
