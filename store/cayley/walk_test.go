package cayley

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/cayleygraph/cayley/graph"
	"github.com/cayleygraph/cayley/graph/path"
	"github.com/cayleygraph/cayley/graph/shape"
	"github.com/cayleygraph/quad"

	"github.com/segraph/segraph/internal/suite"
	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/engine"
	"github.com/segraph/segraph/store/engine/dict"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql"
	"github.com/segraph/segraph/store/sparql/budget"
	"github.com/segraph/segraph/store/turtle"
)

// terms collects an answer with one variable.
type terms []rdf.Term

func (*terms) Head([]string) error        { return nil }
func (*terms) Boolean(bool) error         { return nil }
func (a *terms) Row(row []rdf.Term) error { *a = append(*a, row[0]); return nil }

func ask(t testing.TB, s *engine.Store, text string) []rdf.Term {
	t.Helper()
	q, err := sparql.Prepare(t.Context(), text, sparql.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var out terms
	if err := s.Query(t.Context(), q, budget.Limits{Memory: 1 << 30}, &out, nil); err != nil {
		t.Fatal(err)
	}
	return out
}

// randomGraph returns a graph of 40 nodes with hubs, cycles, loops, literals, blank nodes
// and a class.
func randomGraph(rnd *rand.Rand) string {
	var b strings.Builder
	node := func() string {
		n := min(rnd.IntN(40), rnd.IntN(40))
		if n%9 == 8 {
			return fmt.Sprintf("_:b%d", n)
		}
		return fmt.Sprintf("<http://ex/n%d>", n)
	}
	for range 10 + rnd.IntN(60) {
		fmt.Fprintf(&b, "%s <http://ex/p%d> %s .\n", node(), rnd.IntN(8), node())
		if rnd.IntN(3) == 0 {
			fmt.Fprintf(&b, "%s a <http://ex/Class> ; <http://ex/p1> %d .\n", node(), rnd.IntN(9))
		}
		if rnd.IntN(9) == 0 {
			fmt.Fprintf(&b, "<http://ex/other> { %s <http://ex/p0> %s }\n", node(), node()) // walks ignore this graph
		}
	}
	return b.String()
}

// bySPARQL evaluates a walk with one query for each step.
func bySPARQL(t *testing.T, s *engine.Store, w store.Walk) map[string]int {
	found := map[string]int{w.From: 0}
	frontier := []string{w.From}
	for step := 1; step <= w.Steps && len(frontier) > 0; step++ {
		var ways []string
		if w.Out {
			ways = append(ways, "{ ?n ?p ?m }")
		}
		if w.In {
			ways = append(ways, "{ ?m ?p ?n }")
		}
		filter := "?p NOT IN (<" + strings.Join(w.Except, ">, <") + ">)"
		if len(w.By) > 0 {
			filter = "?p IN (<" + strings.Join(w.By, ">, <") + ">)"
		}
		if list := "FILTER(?q IN (<" + strings.Join(w.Against, ">, <") + ">)) BIND(?q AS ?b) }"; len(w.Against) > 0 {
			if w.Out {
				ways = append(ways, "{ ?m ?q ?n "+list)
			}
			if w.In {
				ways = append(ways, "{ ?n ?q ?m "+list)
			}
		}
		filter = "(BOUND(?b) || " + filter + ")"
		rows := ask(t, s, fmt.Sprintf("SELECT DISTINCT ?m { VALUES ?n { <%s> } %s FILTER(isIRI(?m) && %s) }", strings.Join(frontier, "> <"), strings.Join(ways, " UNION "), filter))
		frontier = nil
		for _, m := range rows {
			if _, there := found[m.Value()]; !there {
				found[m.Value()] = step
				frontier = append(frontier, m.Value())
			}
		}
	}
	delete(found, w.From)
	return found
}

func TestAWalkFindsWhatABreadthFirstSearchBySPARQLDoes(t *testing.T) {
	t.Parallel()
	suite.NotShort(t)
	suite.OneGoroutine(t)
	rnd := rand.New(rand.NewPCG(14, 5))
	found := 0
	for range 25 {
		s := openStore(t)
		load(t, s, turtle.TriG, randomGraph(rnd))
		for range 24 {
			w := store.Walk{From: fmt.Sprintf("http://ex/n%d", rnd.IntN(8)), Steps: 1 + rnd.IntN(4), Most: 1000, Except: []string{rdf.RDFType}}
			w.Out = rnd.IntN(2) == 0
			w.In = !w.Out || rnd.IntN(2) == 0
			for range rnd.IntN(8) { // sometimes more than fewIDs
				w.By = append(w.By, fmt.Sprintf("http://ex/p%d", rnd.IntN(9)))
			}
			for range rnd.IntN(3) {
				w.Against = append(w.Against, fmt.Sprintf("http://ex/p%d", rnd.IntN(9)))
			}
			reached, cut, err := NewWalker(s, nil).Walk(t.Context(), w)
			if err != nil || cut {
				t.Fatal(cut, err)
			}
			got, last := map[string]int{}, 0
			for _, r := range reached {
				if got[r.IRI] != 0 || r.Steps < last {
					t.Fatalf("%v: %v is found twice or too late", w, r)
				}
				got[r.IRI], last = r.Steps, r.Steps
			}
			if want := bySPARQL(t, s, w); !maps.Equal(got, want) {
				t.Fatalf("%+v:\ngot  %v\nwant %v", w, got, want)
			}
			found += len(got)
		}
		s.Close()
	}
	if found < 500 {
		t.Errorf("only %d nodes were found", found)
	}
}

func TestAWalkIsBoundedAndStopsWithItsContext(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	load(t, s, turtle.Turtle, strings.ReplaceAll(manyTriples(3000), "_:shared", "<http://ex/hub>  ; <http://ex/n> "))
	w := store.Walk{From: "http://ex/hub", In: true, Steps: 4, Most: 100}
	found, cut, err := NewWalker(s, nil).Walk(t.Context(), w)
	if err != nil || !cut || len(found) != 100 {
		t.Errorf("%d nodes, cut %v, %v", len(found), cut, err)
	}
	w.Most = 3000
	if found, cut, err := NewWalker(s, nil).Walk(t.Context(), w); err != nil || cut || len(found) != 3000 {
		t.Errorf("%d nodes, cut %v, %v", len(found), cut, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if found, _, err := NewWalker(s, nil).Walk(ctx, w); !errors.Is(err, context.Canceled) || len(found) > 0 {
		t.Errorf("after its end: %d nodes, %v", len(found), err)
	}
	if found, cut, err := NewWalker(s, nil).Walk(t.Context(), store.Walk{From: "http://ex/nothing", Out: true, Steps: 2, Most: 9}); len(found) > 0 || cut || err != nil {
		t.Errorf("from what is not stored: %v, %v, %v", found, cut, err)
	}
}

func TestAQuadStoreIsAReadOnlySnapshot(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	load(t, s, turtle.TriG, people)
	withSnapshot(t, s, func(snap *engine.Snapshot) {
		qs := OverSnapshot(snap, nil)
		load(t, s, turtle.Turtle, "<http://ex/ada> <http://ex/knows> <http://ex/eve> .")
		got, err := path.StartPath(qs, ex("ada")).Out(ex("knows")).Unique().Iterate(t.Context()).AllValues(qs)
		if err != nil || !slices.Equal(got, []quad.Value{ex("bob"), ex("cleo")}) {
			t.Errorf("ada knows %v, %v", got, err)
		}
		got, err = path.StartPath(qs, ex("dan"), ex("ada")).LabelContext(path.StartPathNodes(qs, DefaultGraph)).Out(ex("knows")).Iterate(t.Context()).AllValues(qs)
		if err != nil || !slices.Equal(got, []quad.Value{ex("bob"), ex("cleo")}) {
			t.Errorf("in the default graph dan and ada know %v, %v", got, err)
		}
		if n := mustSize(t, qs, quad.Subject, ex("eve")); n != 0 || qs.ValueOf(ex("eve")) != nil {
			t.Error("a later write is visible")
		}
		if qs.NameOf(DefaultGraph) != nil {
			t.Error("the default graph has a name")
		}
		if err := qs.ApplyDeltas([]graph.Delta{{Quad: quad.Make(ex("a"), ex("b"), ex("c"), nil), Action: graph.Add}}, graph.IgnoreOpts{}); !errors.Is(err, errReadOnly) {
			t.Errorf("writing: %v", err)
		}
		if _, err := qs.NewQuadWriter(); !errors.Is(err, errReadOnly) {
			t.Errorf("a writer: %v", err)
		}
		if err := qs.Close(); err != nil {
			t.Error(err)
		}
	})
}

// TestFixedDirectionsAreOneIndexRange checks every combination of fixed directions
// against a filter over all quads, by iteration and by lookup. Each must be a single
// iterator.
func TestFixedDirectionsAreOneIndexRange(t *testing.T) {
	t.Parallel()
	suite.NotShort(t)
	s := openStore(t)
	rnd := rand.New(rand.NewPCG(14, 6))
	load(t, s, turtle.TriG, randomGraph(rnd)+randomGraph(rnd))
	withSnapshot(t, s, func(snap *engine.Snapshot) {
		qs := OverSnapshot(snap, nil)
		all := refs(t, qs.QuadsAllIterator())
		var nodes []graph.Ref
		for _, d := range quad.Directions {
			for _, q := range all {
				if n := qs.QuadDirection(q, d); n != nil && !slices.Contains(nodes, n) {
					nodes = append(nodes, n)
				}
			}
		}
		nodes = append(nodes, DefaultGraph)
		some := 0
		for range 3000 {
			var filters shape.Quads
			fixed := map[quad.Direction]shape.Fixed{}
			for _, d := range quad.Directions {
				if rnd.IntN(2) == 0 {
					continue
				}
				list := shape.Fixed{}
				for range 1 + rnd.IntN(1+rnd.IntN(len(nodes))) {
					if n := nodes[rnd.IntN(len(nodes))]; !slices.Contains(list, n) {
						list = append(list, n)
					}
				}
				fixed[d] = list
				filters = append(filters, shape.QuadFilter{Dir: d, Values: list})
			}
			if len(filters) == 0 {
				continue
			}
			optimized, ok := shape.Optimize(filters, qs)
			if _, one := optimized.(setShape[quadRef]); !ok || !one {
				t.Fatalf("%v became %T", filters, optimized)
			}
			in := func(q graph.Ref) bool {
				for d, list := range fixed {
					if !slices.ContainsFunc(list, func(n graph.Ref) bool { return dict.ID(n.(nodeRef)) == q.(quadRef).get(d) }) {
						return false
					}
				}
				return true
			}
			it := optimized.BuildIterator(qs)
			got := map[graph.Ref]bool{}
			for _, q := range refs(t, it) {
				if got[q] {
					t.Fatalf("%v twice", q)
				}
				got[q] = true
			}
			for _, q := range all {
				if got[q] != in(q) || it.Contains(t.Context(), q) != in(q) {
					t.Fatalf("%v: %v is in the set: %v, want %v", it, q, got[q], in(q))
				}
			}
			if size, exact := it.Size(); exact && size != int64(len(got)) {
				t.Fatalf("%v has %d quads and says %d", it, len(got), size)
			}
			some += len(got)
		}
		if some < 3000 {
			t.Errorf("only %d quads were found", some)
		}
	})
}
