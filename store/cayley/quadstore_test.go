package cayley

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"sort"
	"testing"
	"time"

	"github.com/cayleygraph/cayley/graph"
	"github.com/cayleygraph/cayley/graph/iterator"
	"github.com/cayleygraph/cayley/graph/path"
	"github.com/cayleygraph/quad"

	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/engine"
	"github.com/segraph/segraph/store/turtle"
)

const people = `@prefix ex: <http://ex/> .
ex:ada ex:knows ex:bob , ex:cleo ; ex:age 36 ; ex:name "Ada"@en .
ex:bob ex:knows ex:cleo ; ex:age 7 .
ex:cleo ex:knows ex:dan ; ex:age "036"^^<http://www.w3.org/2001/XMLSchema#integer> .
ex:friday { ex:dan ex:knows ex:ada . ex:ada ex:knows ex:bob }`

func ex(name string) quad.IRI { return quad.IRI("http://ex/" + name) }

func mustSize(t *testing.T, qs graph.QuadStore, d quad.Direction, v quad.Value) int64 {
	t.Helper()
	size, err := qs.QuadIteratorSize(t.Context(), d, qs.ValueOf(v))
	if err != nil || !size.Exact {
		t.Fatalf("size of %v %v: %v, %v", d, v, size, err)
	}
	return size.Size
}

func mustStats(t *testing.T, qs graph.QuadStore) (nodes, quads int64) {
	t.Helper()
	st, err := qs.Stats(t.Context(), true)
	if err != nil || !st.Nodes.Exact || !st.Quads.Exact {
		t.Fatalf("stats: %v, %v", st, err)
	}
	return st.Nodes.Size, st.Quads.Size
}

func TestCayleysPathsWalkALoadedStore(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	load(t, s, turtle.TriG, people)
	exact := New(s, nil)
	knows, age := ex("knows"), ex("age")
	for _, c := range []struct {
		name string
		qs   graph.QuadStore
		path *path.Path
		want []quad.Value
	}{
		{"out", exact, path.StartPath(exact, ex("ada")).Out(knows).Unique(), []quad.Value{ex("bob"), ex("cleo")}},
		{"in", exact, path.StartPath(exact, ex("cleo")).In(knows), []quad.Value{ex("ada"), ex("bob")}},
		{"label", exact, path.StartPath(exact, ex("dan")).LabelContext(ex("friday")).Out(knows), []quad.Value{ex("ada")}},
		{"labels", exact, path.StartPath(exact, ex("dan")).Labels(), []quad.Value{ex("friday")}},
		{"has", exact, path.StartPath(exact).Has(age, quad.TypedString{Value: "7", Type: xsd + "integer"}), []quad.Value{ex("bob")}},
		{"has native", exact, path.StartPath(exact).Has(age, quad.Int(7)), []quad.Value{ex("bob")}},
		{"recursive", exact, path.StartPath(exact, ex("bob")).FollowRecursive(knows, 0, nil), []quad.Value{ex("ada"), ex("bob"), ex("cleo"), ex("dan")}},
		{"predicates", exact, path.StartPath(exact, ex("ada")).OutPredicates(), []quad.Value{age, knows, ex("name")}},
		{"language", exact, path.StartPath(exact, ex("ada")).Out(ex("name")), []quad.Value{quad.LangString{Value: "Ada", Lang: "en"}}},
		{"to the letter", exact, path.StartPath(exact, ex("cleo")).Out(age), []quad.Value{quad.TypedString{Value: "036", Type: xsd + "integer"}}},
		{"compare exactly", exact, path.StartPath(exact).Out(age).Filter(iterator.CompareGT, quad.Int(10)), nil}, // Cayley compares native values alone
		{"nobody", exact, path.StartPath(exact, ex("eve")).Out(knows), nil},
		{"count", exact, path.StartPath(exact).LabelContext(ex("friday")).Out(knows).Count(), []quad.Value{quad.Int(2)}},
	} {
		got, err := c.path.Iterate(t.Context()).Paths(false).AllValues(c.qs)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		sort.Sort(quad.ByValueString(got))
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: got %v, want %v", c.name, got, c.want)
		}
	}
}

func TestNodesAreWhatQuadsUse(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	qs := New(s, nil)
	load(t, s, turtle.TriG, people)
	if nodes, quads := mustStats(t, qs); nodes != 12 || quads != 10 {
		t.Errorf("%d nodes and %d quads, want 12 and 10", nodes, quads)
	}
	if st, err := qs.Stats(t.Context(), false); err != nil || st.Quads != (graph.Size{Size: 10, Exact: true}) || st.Nodes.Exact {
		t.Errorf("estimated stats: %v, %v", st, err)
	}
	for _, d := range []struct {
		d    quad.Direction
		v    quad.Value
		want int64
	}{
		{quad.Subject, ex("ada"), 5}, {quad.Predicate, ex("knows"), 6}, {quad.Object, ex("cleo"), 2}, {quad.Label, ex("friday"), 2},
		{quad.Subject, ex("friday"), 0}, {quad.Label, ex("ada"), 0}, {quad.Any, ex("ada"), 0}, {quad.Subject, ex("eve"), 0},
	} {
		if n := mustSize(t, qs, d.d, d.v); n != d.want {
			t.Errorf("%v quads with %v as %v, want %d", n, d.v, d.d, d.want)
		}
	}
	q := quad.Make(ex("dan"), ex("knows"), ex("ada"), ex("friday"))
	ref := quadRefOf(t, s, q)
	if qs.NameOf(qs.QuadDirection(ref, quad.Label)) != ex("friday") || qs.NameOf(qs.QuadDirection(ref, quad.Object)) != ex("ada") {
		t.Error("the directions of a quad are not its nodes")
	}
	bare := quadRefOf(t, s, quad.Make(ex("bob"), ex("knows"), ex("cleo"), nil))
	if qs.QuadDirection(bare, quad.Label) != nil || qs.QuadDirection(bare, quad.Any) != nil {
		t.Error("a quad of the default graph has a label")
	}
	if qs.Quad(nil) != (quad.Quad{}) || qs.NameOf(nil) != nil || qs.NameOf(ref) != nil || qs.QuadDirection(nil, quad.Subject) != nil {
		t.Error("a value that is no reference has a quad or a name")
	}
	if qs.NameOf(nodeRef(1<<60-1)) != nil {
		t.Error("an id that was never assigned has a name")
	}
	size, err := qs.QuadIteratorSize(t.Context(), quad.Subject, graph.PreFetched(ex("ada")))
	if err != nil || size.Size != 5 {
		t.Errorf("a value that Cayley made is the subject of %v quads, %v, want 5", size, err)
	}
}

// quadRefOf returns the reference of a stored quad.
func quadRefOf(t *testing.T, s *engine.Store, q quad.Quad) graph.Ref {
	t.Helper()
	qs := New(s, nil)
	it := qs.QuadsAllIterator()
	for it.Next(t.Context()) {
		if qs.Quad(it.Result()) == q {
			return it.Result()
		}
	}
	t.Fatalf("%v is not stored: %v", q, it.Err())
	return nil
}

func TestClosingTheQuadStoreOfAnOpenStoreLeavesItOpen(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	if err := New(s, nil).Close(); err != nil {
		t.Fatal(err)
	}
	if err := s.Ready(context.Background()); err != nil {
		t.Error(err)
	}
}

func TestAForgottenIteratorDoesNotHoldTheStore(t *testing.T) {
	t.Parallel()
	s := reopen(t, filepath.Join(t.TempDir(), "x.db"))
	load(t, s, turtle.Turtle, manyTriples(3*batchSize))
	qs := New(s, nil)
	forgotten := []graph.Iterator{qs.QuadsAllIterator(), qs.NodesAllIterator()}
	for _, it := range forgotten {
		if !it.Next(t.Context()) {
			t.Fatal(it.Err())
		}
	}
	contains := qs.QuadsAllIterator()
	if !contains.Contains(t.Context(), forgotten[0].Result()) {
		t.Fatal(contains.Err())
	}
	// bbolt's Close waits for open transactions, which are what pins pages too.
	closed := make(chan error, 1)
	go func() { closed <- s.Close() }()
	select {
	case err := <-closed:
		if err != nil {
			t.Fatal(err)
		}
	case <-time.After(20 * time.Second):
		t.Fatal("Close waits for the iterators")
	}
	for _, it := range forgotten {
		for it.Next(t.Context()) { // what was already read is still returned
		}
		if !errors.Is(it.Err(), store.ErrUnavailable) {
			t.Errorf("%v after the store was closed: %v", it, it.Err())
		}
	}
	if contains.Contains(t.Context(), quadRef{1, 1, 1, 0}) || !errors.Is(contains.Err(), store.ErrUnavailable) {
		t.Errorf("a look-up after the store was closed: %v", contains.Err())
	}
}
