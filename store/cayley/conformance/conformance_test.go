// Package conformance runs graphtest, Cayley's test suite for backends, on store/cayley.
// It contains only tests, and is a module of its own, because the suite imports Cayley's
// query languages.
package conformance

import (
	"context"
	"os/exec"
	"path/filepath"
	"reflect"
	"sort"
	"strings"
	"testing"

	"github.com/cayleygraph/cayley/graph"
	"github.com/cayleygraph/cayley/graph/graphtest"
	"github.com/cayleygraph/cayley/graph/graphtest/testutil"
	"github.com/cayleygraph/cayley/graph/memstore"
	"github.com/cayleygraph/cayley/graph/path"
	"github.com/cayleygraph/cayley/graph/path/pathtest"
	"github.com/cayleygraph/quad"

	"github.com/segraph/segraph/internal/suite"
	"github.com/segraph/segraph/store/engine"
)

// stores creates a new file for each case, with native values or without.
//
// Every store first stores <3>, so that this node has the lowest id. The suite's case
// "follows recursive loop" needs this: it passes or fails depending on the order of
// results. See TestTheRecursiveLoopIsCayleysOwnFault.
func stores(native bool) testutil.DatabaseFunc {
	return func(t testing.TB) (graph.QuadStore, graph.Options, func()) {
		s, err := engine.Open(filepath.Join(t.TempDir(), "segraph.db"), engine.Options{})
		if err != nil {
			t.Fatal(err)
		}
		qs := newWritable(s, native)
		three := quad.MakeIRI("3", "3", "3", "")
		err = qs.ApplyDeltas([]graph.Delta{{Quad: three, Action: graph.Add}, {Quad: three, Action: graph.Delete}}, graph.IgnoreOpts{})
		if err != nil {
			t.Fatal(err)
		}
		return qs, nil, func() {
			if err := qs.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}

// enterCayley changes to the directory in Cayley's source with the suite's data.
func enterCayley(t *testing.T) {
	t.Helper()
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/cayleygraph/cayley").Output()
	if err != nil {
		t.Fatalf("finding Cayley's source: %v", err)
	}
	t.Chdir(filepath.Join(strings.TrimSpace(string(out)), "graph", "graphtest", "testutil"))
}

// TestGraphtest runs the whole suite, with native values, which four of its cases
// compare. With -short or the race detector, it skips the queries over 471,000 quads,
// each of which runs in one goroutine.
func TestGraphtest(t *testing.T) {
	suite.OneGoroutine(t)
	enterCayley(t)
	graphtest.TestAll(t, stores(true), &graphtest.Config{
		AlwaysRunIntegration: !suite.Race,
	})
}

// TestGraphtestWithExactLiterals runs the cases that do not compare native values,
// on stores without native values. The other four are "load typed quad", "compare typed
// values" and both of "1k". store/cayley tests the conversion of typed literals.
func TestGraphtestWithExactLiterals(t *testing.T) {
	enterCayley(t)
	gen := stores(false)
	for name, test := range map[string]func(testing.TB, testutil.DatabaseFunc, *graphtest.Config){
		"load one quad":                   graphtest.TestLoadOneQuad,
		"load dup":                        graphtest.TestLoadDup,
		"load dup single":                 graphtest.TestLoadDupSingle,
		"load dup raw":                    graphtest.TestLoadDupRaw,
		"delete quad":                     graphtest.TestDeleteQuad,
		"sizes":                           graphtest.TestSizes,
		"iterator":                        graphtest.TestIterator,
		"hasa":                            graphtest.TestHasA,
		"set iterator":                    graphtest.TestSetIterator,
		"deleted from iterator":           graphtest.TestDeletedFromIterator,
		"add and remove":                  graphtest.TestAddRemove,
		"node delete":                     graphtest.TestNodeDelete,
		"iterators and next result order": graphtest.TestIteratorsAndNextResultOrderA,
		"schema":                          graphtest.TestSchema,
		"delete reinserted":               graphtest.TestDeleteReinserted,
		"delete reinserted dup":           graphtest.TestDeleteReinsertedDup,
	} {
		t.Run(name, func(t *testing.T) { test(t, gen, &graphtest.Config{}) })
	}
	t.Run("writers", func(t *testing.T) { graphtest.TestWriters(t, gen, &graphtest.Config{}) })
	t.Run("paths", func(t *testing.T) { pathtest.RunTestMorphisms(t, gen) })
}

// TestTheRecursiveLoopIsCayleysOwnFault runs the suite's "follows recursive loop" on
// Cayley's own memstore. The result is right with the quads in the suite's order, and
// wrong with two of them exchanged, although the order should not matter.
//
// The bug is in graph/iterator/recursive.go. A lookup of a node that was seen before
// leaves that node's tags in recursiveContains.tags. A lookup that must go on to find its
// node does not clear them, so TagResults returns the tags of the previous node. This
// shows if <1>, at depth two, is found before <3>. This test will fail once Cayley fixes
// the bug; then stores need not store <3> first.
func TestTheRecursiveLoopIsCayleysOwnFault(t *testing.T) {
	quads := []quad.Quad{
		quad.MakeIRI("1", "relatesTo", "x", ""),
		quad.MakeIRI("2", "relatesTo", "x", ""),
		quad.MakeIRI("3", "relatesTo", "y", ""),
		quad.MakeIRI("1", "knows", "2", ""),
		quad.MakeIRI("2", "knows", "3", ""),
		quad.MakeIRI("2", "knows", "1", ""),
	}
	want := []string{"<1> by <2>", "<2> by <1>", "<3> by <2>"}
	if got := whoIsKnownBy(t, memstore.New(quads...)); !reflect.DeepEqual(got, want) {
		t.Errorf("in the suite's order: %v, want %v", got, want)
	}
	quads[4], quads[5] = quads[5], quads[4]
	want[2] = "<3> by <1>" // this quad was never stored
	if got := whoIsKnownBy(t, memstore.New(quads...)); !reflect.DeepEqual(got, want) {
		t.Errorf("in another order: %v, but Cayley's bug returns %v", got, want)
	}
}

func whoIsKnownBy(t *testing.T, qs graph.QuadStore) []string {
	t.Helper()
	p := path.StartPath(qs, quad.IRI("1")).FollowRecursive(
		path.StartMorphism().Tag("pid").Out(quad.IRI("knows")), 2, nil,
	).Has(quad.IRI("relatesTo")).Tag("id")
	var out []string
	err := p.Iterate(context.Background()).Paths(true).TagValues(qs, func(tags map[string]quad.Value) {
		out = append(out, tags["id"].String()+" by "+tags["pid"].String())
	})
	if err != nil {
		t.Fatal(err)
	}
	sort.Strings(out)
	return out
}
