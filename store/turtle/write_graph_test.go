package turtle_test

import (
	"errors"
	"flag"
	"fmt"
	"iter"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/segraph/segraph/internal/suite"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/rdf/canon"
	"github.com/segraph/segraph/store/turtle"
)

var update = flag.Bool("update", false, "write the golden files of this package anew")

// goldenPrefixes are the prefixes in testdata/write.
var goldenPrefixes = []turtle.Prefix{
	{Label: "seg", Namespace: "http://example.org/seg#"},
	{Label: "ex", Namespace: "http://example.org/id/"},
	{Label: "room", Namespace: "http://example.org/id/deep/room"},
	{Label: "u", Namespace: "urn:example:"},
	{Label: "xsd", Namespace: rdf.XSD},
	{Label: "rdf", Namespace: rdf.RDF},
}

func TestWriteGraphGivesTheGoldenText(t *testing.T) {
	files, err := filepath.Glob("testdata/write/*.nt")
	if err != nil || len(files) == 0 {
		t.Fatal("no golden files", err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".nt")
		t.Run(name, func(t *testing.T) {
			quads, err := readFile(t, file, turtle.NTriples, "")
			if err != nil {
				t.Fatal(err)
			}
			got := graphText(t, quads, goldenPrefixes)
			golden := strings.TrimSuffix(file, ".nt") + ".ttl"
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if got != string(want) {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
			mustReadBack(t, got, turtle.Turtle, quads)
		})
	}
}

// graphText returns the output of WriteGraph for the triples of quads.
func graphText(t testing.TB, quads []rdf.Quad, prefixes []turtle.Prefix) string {
	t.Helper()
	var text strings.Builder
	if err := turtle.WriteGraph(&text, turtle.NewMemorySource(triplesOf(quads)), prefixes); err != nil {
		t.Fatal(err)
	}
	return text.String()
}

func triplesOf(quads []rdf.Quad) (triples []rdf.Triple) {
	for _, q := range quads {
		triples = append(triples, q.Triple())
	}
	return triples
}

// mustReadBack checks that a text contains the expected quads.
func mustReadBack(t testing.TB, text string, f turtle.Format, want []rdf.Quad) {
	t.Helper()
	got, err := turtle.Parse([]byte(text), f, turtle.Options{})
	if err != nil {
		t.Fatalf("what was written can't be read: %v\n%.3000s", err, text)
	}
	if !canon.Isomorphic(got, want) {
		t.Fatalf("what was written says something else:\n%.3000s", text)
	}
}

func TestWriteGraphDependsOnTheTriplesAlone(t *testing.T) {
	quads, err := readFile(t, "testdata/write/lists.nt", turtle.NTriples, "")
	if err != nil {
		t.Fatal(err)
	}
	want := graphText(t, quads, nil)
	r := rand.New(rand.NewPCG(1, 2))
	for range 5 {
		r.Shuffle(len(quads), func(i, j int) { quads[i], quads[j] = quads[j], quads[i] })
		if got := graphText(t, append(quads, quads[:5]...), nil); got != want {
			t.Fatalf("got\n%s\nwant\n%s", got, want)
		}
	}
}

const ns = "http://example.org/"

// chain returns a chain of blank nodes that begins at an IRI. Its labels do not sort in
// chain order. Every link has a predicate of its own, which makes chains quick to compare.
func chain(length int) (quads []rdf.Quad) {
	label := func(i int) rdf.Term { return rdf.NewBlank(fmt.Sprint("b", i*7919%length)) }
	quads = append(quads, rdf.Quad{S: rdf.NewIRI(ns), P: rdf.NewIRI(ns + "p"), O: label(0)})
	for i := range length {
		quads = append(quads, rdf.Quad{S: label(i), P: rdf.NewIRI(fmt.Sprint(ns, "p", i)), O: label(i + 1)})
	}
	quads[length].O = rdf.NewString("end")
	return quads
}

func TestWriteGraphLimitsNesting(t *testing.T) {
	suite.NotShort(t)
	quads := chain(10_000)
	text := graphText(t, quads, nil)
	depth, deepest := 0, 0
	for _, c := range text {
		switch c {
		case '[':
			depth++
			deepest = max(deepest, depth)
		case ']':
			depth--
		}
	}
	if deepest != 50 {
		t.Errorf("it nests to %d, want 50", deepest)
	}
	mustReadBack(t, text, turtle.Turtle, quads)
	lists := nestedLists(200)
	text = graphText(t, lists, nil)
	if deepest := strings.Count(strings.SplitN(text, ")", 2)[0], "("); deepest > 51 {
		t.Errorf("lists nest to %d", deepest)
	}
	mustReadBack(t, text, turtle.Turtle, lists)
}

// nestedLists returns lists nested depth levels deep.
func nestedLists(depth int) []rdf.Quad {
	quads := []rdf.Quad{{S: rdf.NewIRI(ns), P: rdf.NewIRI(ns + "p"), O: rdf.NewBlank("b0")}}
	for i := range depth {
		s := rdf.NewBlank(fmt.Sprint("b", i))
		quads = append(quads, rdf.Quad{S: s, P: rdf.NewIRI(rdf.RDFFirst), O: rdf.NewBlank(fmt.Sprint("b", i+1))},
			rdf.Quad{S: s, P: rdf.NewIRI(rdf.RDFRest), O: rdf.NewIRI(rdf.RDFNil)})
	}
	return append(quads, rdf.Quad{S: rdf.NewBlank(fmt.Sprint("b", depth)), P: rdf.NewIRI(ns + "p"), O: rdf.NewString("in")})
}

// longList returns a list of n numbers that ends with tail.
func longList(n int, tail rdf.Term) []rdf.Quad {
	quads := []rdf.Quad{{S: rdf.NewIRI(ns), P: rdf.NewIRI(ns + "p"), O: rdf.NewBlank("b0")}}
	for i := range n {
		s, next := rdf.NewBlank(fmt.Sprint("b", i)), rdf.NewBlank(fmt.Sprint("b", i+1))
		if i == n-1 {
			next = tail
		}
		quads = append(quads, rdf.Quad{S: s, P: rdf.NewIRI(rdf.RDFFirst), O: rdf.NewLiteral(fmt.Sprint(i), rdf.XSDInteger)},
			rdf.Quad{S: s, P: rdf.NewIRI(rdf.RDFRest), O: next})
	}
	return quads
}

func TestWriteGraphWritesLongLists(t *testing.T) {
	suite.NotShort(t)
	list := longList(suite.Size(suite.Times(100_000, 30_000), 5_000), rdf.NewIRI(rdf.RDFNil))
	text := graphText(t, list, nil)
	if strings.Count(text, "(") != 1 || strings.Contains(text, "_:") || strings.Contains(text, "[") {
		t.Errorf("it is not written as one list: %.500s", text)
	}
	mustReadBack(t, text, turtle.Turtle, list)
}

// A list that is malformed at its end must not be read again from every cell.
func TestWriteGraphIsQuickOnBrokenLists(t *testing.T) {
	suite.NotShort(t)
	for name, tail := range map[string]rdf.Term{"open": rdf.NewBlank("z"), "string": rdf.NewString("z"), "itself": rdf.NewBlank("b0")} {
		t.Run(name, func(t *testing.T) {
			n := suite.Size(suite.Times(20_000, 6_000), 2_000)
			list := longList(n, tail)
			source := &countingSource{Source: turtle.NewMemorySource(triplesOf(list))}
			var text strings.Builder
			if err := turtle.WriteGraph(&text, source, nil); err != nil {
				t.Fatal(err)
			}
			if source.nodes > 5*n {
				t.Errorf("%d look-ups for %d cells", source.nodes, n)
			}
			mustReadBack(t, text.String(), turtle.Turtle, list)
		})
	}
}

// countingSource counts calls, and fails after a number of subjects, if that is not 0.
type countingSource struct {
	turtle.Source
	nodes     int
	failAfter int
	err       error
}

func (c *countingSource) Node(b rdf.Term) iter.Seq2[rdf.Term, rdf.Term] {
	c.nodes++
	return c.Source.Node(b)
}

func (c *countingSource) Nodes() iter.Seq2[rdf.Term, iter.Seq2[rdf.Term, rdf.Term]] {
	return func(yield func(rdf.Term, iter.Seq2[rdf.Term, rdf.Term]) bool) {
		n := 0
		for s, pairs := range c.Source.Nodes() {
			if n++; c.failAfter > 0 && n > c.failAfter {
				c.err = errors.New("the disk is gone")
				return
			}
			if !yield(s, pairs) {
				return
			}
		}
	}
}

func (c *countingSource) Err() error { return c.err }

func TestWriteGraphGivesTheSourcesError(t *testing.T) {
	quads, err := readFile(t, "testdata/write/subjects.nt", turtle.NTriples, "")
	if err != nil {
		t.Fatal(err)
	}
	source := &countingSource{Source: turtle.NewMemorySource(triplesOf(quads)), failAfter: 2}
	if err := turtle.WriteGraph(&strings.Builder{}, source, nil); err != source.err || err == nil {
		t.Errorf("got %v", err)
	}
}

func TestWriteGraphGivesTheWritersError(t *testing.T) {
	suite.NotShort(t)
	full := errors.New("no room")
	for _, after := range []int{0, suite.Size(100_000, 10_000)} {
		source := turtle.NewMemorySource(triplesOf(longList(suite.Size(50_000, 5_000), rdf.NewIRI(rdf.RDFNil))))
		w := &failingWriter{left: after, err: full}
		if err := turtle.WriteGraph(w, source, nil); !errors.Is(err, full) {
			t.Errorf("after %d bytes: %v", after, err)
		}
		if w.failed != 1 {
			t.Errorf("%d writes after the error", w.failed-1)
		}
	}
}

// failingWriter accepts a number of bytes and then fails.
type failingWriter struct {
	left   int
	failed int
	err    error
}

func (w *failingWriter) Write(b []byte) (int, error) {
	if w.left -= len(b); w.left < 0 {
		w.failed++
		return 0, w.err
	}
	return len(b), nil
}

func TestWriteGraphRefusesWhatCannotBeReadBack(t *testing.T) {
	s, p := rdf.NewIRI(ns), rdf.NewIRI(ns+"p")
	for name, triple := range map[string]rdf.Triple{
		"relative IRI":  {S: rdf.NewIRI("a"), P: p, O: s},
		"object":        {S: s, P: p},
		"subject":       {S: rdf.NewString("a"), P: p, O: s},
		"predicate":     {S: s, P: rdf.NewBlank("a"), O: s},
		"inside a node": {S: rdf.NewBlank("a"), P: p, O: rdf.NewIRI("a b")},
	} {
		triples := []rdf.Triple{triple, {S: s, P: p, O: rdf.NewBlank("a")}}
		if err := turtle.WriteGraph(&strings.Builder{}, turtle.NewMemorySource(triples), nil); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// observations is a large graph generated on demand, as from a store, without using
// memory.
type observations struct{ n int }

func (g observations) Nodes() iter.Seq2[rdf.Term, iter.Seq2[rdf.Term, rdf.Term]] {
	return func(yield func(rdf.Term, iter.Seq2[rdf.Term, rdf.Term]) bool) {
		for i := range g.n {
			pairs := func(yield func(p, o rdf.Term) bool) {
				_ = yield(rdf.NewIRI(rdf.RDFType), rdf.NewIRI(ns+"Observation")) &&
					yield(rdf.NewIRI(ns+"text"), rdf.NewString("something was said")) &&
					yield(rdf.NewIRI(ns+"part"), rdf.NewBlank(fmt.Sprint("b", i)))
			}
			if !yield(rdf.NewIRI(fmt.Sprint(ns, "id/", i)), pairs) || !yield(rdf.NewBlank(fmt.Sprint("b", i)), g.Node(rdf.Term{})) {
				return
			}
		}
	}
}

func (g observations) Node(rdf.Term) iter.Seq2[rdf.Term, rdf.Term] {
	return func(yield func(p, o rdf.Term) bool) { yield(rdf.NewIRI(ns+"p"), rdf.NewString("x")) }
}

func (g observations) References(rdf.Term) int { return 1 }

func (g observations) Annotated() bool                              { return false }
func (g observations) Annotates(p, o rdf.Term) bool                 { return false }
func (g observations) Reifiers(s, p, o rdf.Term) iter.Seq[rdf.Term] { return nil }
func (g observations) Err() error                                   { return nil }

// memoryWatch discards its input and records the peak memory in use.
type memoryWatch struct{ written, next, most int }

func (w *memoryWatch) Write(b []byte) (int, error) {
	if w.written += len(b); w.written >= w.next {
		w.next += 5 << 20
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		w.most = max(w.most, int(m.HeapAlloc))
	}
	return len(b), nil
}

func TestWriteGraphKeepsMemoryFlat(t *testing.T) {
	suite.NotShort(t)
	var before runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	w := &memoryWatch{}
	prefixes := []turtle.Prefix{{Label: "ex", Namespace: ns}}
	if err := turtle.WriteGraph(w, observations{suite.Size(300_000, 20_000)}, prefixes); err != nil {
		t.Fatal(err)
	}
	t.Logf("%d MB written, %d KB of memory", w.written>>20, (w.most-int(before.HeapAlloc))>>10)
	if w.written < suite.Size(25<<20, 1<<20) {
		t.Fatalf("only %d bytes were written", w.written)
	}
	if grown := w.most - int(before.HeapAlloc); grown > 2<<20 {
		t.Errorf("%d bytes of memory for a graph of %d bytes", grown, w.written)
	}
}

func TestMemorySourceSaysWhatItHolds(t *testing.T) {
	p, q := rdf.NewIRI(ns+"p"), rdf.NewIRI(ns+"q")
	a, b, c := rdf.NewBlank("a"), rdf.NewBlank("b"), rdf.NewBlank("c")
	var triples []rdf.Triple
	for _, t := range [][3]rdf.Term{{b, q, a}, {a, p, b}, {a, p, c}, {b, p, c}, {b, p, c}, {a, q, c}} {
		triples = append(triples, rdf.Triple{S: t[0], P: t[1], O: t[2]})
	}
	source := turtle.NewMemorySource(triples)
	var subjects []rdf.Term
	for s, pairs := range source.Nodes() {
		subjects = append(subjects, s)
		if got, want := collect(pairs), collect(source.Node(s)); !slices.Equal(got, want) || len(got) == 0 {
			t.Errorf("Nodes gives %v for %v, Node %v", got, s, want)
		}
	}
	if !slices.Equal(subjects, []rdf.Term{a, b}) {
		t.Errorf("subjects %v", subjects)
	}
	if got := collect(source.Node(a)); !slices.Equal(got, [][2]rdf.Term{{p, b}, {p, c}, {q, c}}) {
		t.Errorf("pairs %v", got)
	}
	if got := collect(source.Node(c)); got != nil {
		t.Errorf("pairs %v of what is no subject", got)
	}
	for node, want := range map[rdf.Term]int{a: 1, b: 1, c: 2, rdf.NewBlank("d"): 0} {
		if got := source.References(node); got != want {
			t.Errorf("%v has %d references, want %d", node, got, want)
		}
	}
}

func collect(pairs iter.Seq2[rdf.Term, rdf.Term]) (out [][2]rdf.Term) {
	for p, o := range pairs {
		out = append(out, [2]rdf.Term{p, o})
	}
	return out
}
