package memory_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/segraph/segraph/store/memory"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql"
	"github.com/segraph/segraph/store/sparql/eval"
	"github.com/segraph/segraph/store/turtle"
)

func iri(s string) rdf.Term { return rdf.NewIRI("http://example/" + s) }

func count(t testing.TB, ds sparql.Dataset, pattern string) string {
	t.Helper()
	q, err := sparql.Prepare(context.Background(), "PREFIX : <http://example/> SELECT (COUNT(*) AS ?n) { "+pattern+" }", sparql.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for s, err := range q.Select(context.Background(), ds, sparql.Limits{}) {
		if err != nil {
			t.Fatal(err)
		}
		return s.Get("n").Value()
	}
	t.Fatal("no row")
	return ""
}

// A Dataset has the same content as a map of quads, whatever is added and removed, and in
// whatever portions.
func TestDatasetIsASetOfQuads(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		var d memory.Dataset
		model := map[rdf.Quad]bool{}
		names := rapid.SampledFrom([]string{"a", "b", "c", "d", "e"})
		quad := func() rdf.Quad {
			q := rdf.Quad{S: iri(names.Draw(rt, "s")), P: iri(names.Draw(rt, "p")), O: rdf.NewLiteral(fmt.Sprint(rapid.IntRange(0, 600).Draw(rt, "o")), rdf.XSDInteger)}
			if rapid.Bool().Draw(rt, "named") {
				q.G = iri(names.Draw(rt, "g"))
			}
			return q
		}
		for range rapid.IntRange(1, 6).Draw(rt, "writes") {
			var quads []rdf.Quad
			for range rapid.SampledFrom([]int{1, 3, 700}).Draw(rt, "size") {
				quads = append(quads, quad())
			}
			changed := 0
			if rapid.Bool().Draw(rt, "remove") {
				for _, q := range quads {
					if model[q] {
						delete(model, q)
						changed++
					}
				}
				if n := d.Remove(quads...); n != changed {
					rt.Fatalf("%d quads were removed, want %d", n, changed)
				}
			} else {
				for _, q := range quads {
					if !model[q] {
						model[q] = true
						changed++
					}
				}
				if n, err := d.Add(quads...); n != changed || err != nil {
					rt.Fatalf("%d quads were added, %v; want %d", n, err, changed)
				}
			}
		}
		same(rt, &d, model)
		p := rdf.Triple{P: iri(names.Draw(rt, "p"))}
		want := 0
		for q := range model {
			if q.G.IsZero() && q.P == p.P {
				want++
			}
		}
		if n, err := d.Estimate(context.Background(), rdf.Term{}, p); n != int64(want) || err != nil {
			rt.Fatalf("%d triples of a predicate, %v; want %d", n, err, want)
		}
	})
}

// same compares the dataset with the quads, read in each way.
func same(t rapid.TB, d *memory.Dataset, model map[rdf.Quad]bool) {
	t.Helper()
	if d.Len() != len(model) {
		t.Fatalf("%d quads, want %d", d.Len(), len(model))
	}
	n := 0
	for q := range d.Quads() {
		if n++; !model[q] {
			t.Fatalf("%v is there", q)
		}
	}
	graphs, err := d.Graphs(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	m := 0
	for _, g := range append(graphs, rdf.Term{}) {
		for triple, err := range d.Match(context.Background(), g, rdf.Triple{}) {
			if m++; err != nil || !model[triple.In(g)] {
				t.Fatalf("%v is there, %v", triple.In(g), err)
			}
		}
	}
	if n != len(model) || m != len(model) {
		t.Fatalf("Quads yields %d and Match %d, want %d", n, m, len(model))
	}
	for o := eval.SPO; o <= eval.OSP; o++ {
		forwards, backwards := scanned(d.Index().Scan(0, o)), scanned(d.Index().Backwards(0, o))
		for i, tuple := range forwards {
			if i > 0 && !less(forwards[i-1], tuple) || tuple != backwards[len(backwards)-1-i] {
				t.Fatalf("order %d is %v, and backwards %v", o, forwards, backwards)
			}
		}
	}
}

func scanned(s eval.Scan) (out [][3]uint64) {
	s.Seek([3]uint64{}, [3]uint64{^uint64(0), ^uint64(0), ^uint64(0)})
	for tuples := s.Next(); tuples != nil; tuples = s.Next() {
		out = append(out, tuples...)
	}
	return out
}

func less(a, b [3]uint64) bool {
	for i := range a {
		if a[i] != b[i] {
			return a[i] < b[i]
		}
	}
	return false
}

// Add refuses an invalid quad with its number, and adds nothing of the call.
func TestAddAddsAllOrNothing(t *testing.T) {
	good := rdf.Quad{S: iri("s"), P: iri("p"), O: iri("o")}
	for name, c := range map[string]struct {
		bad  rdf.Quad
		want string
	}{
		"subject":    {rdf.Quad{S: rdf.NewString("x"), P: iri("p"), O: iri("o")}, `quad 2 of 2: the subject must be an IRI or a blank node, not "x"`},
		"predicate":  {rdf.Quad{S: iri("s"), P: rdf.NewBlank("b"), O: iri("o")}, "quad 2 of 2: the predicate must be an IRI, not _:b"},
		"no subject": {rdf.Quad{P: iri("p"), O: iri("o")}, "quad 2 of 2: the subject must be an IRI or a blank node, not the zero Term"},
		"no object":  {rdf.Quad{S: iri("s"), P: iri("p")}, "quad 2 of 2: the object is missing"},
		"graph":      {rdf.Quad{S: iri("s"), P: iri("p"), O: iri("o"), G: rdf.NewString("g")}, `quad 2 of 2: the graph must be an IRI or a blank node, not "g"`},
	} {
		var d memory.Dataset
		if _, err := d.Add(good, c.bad); err == nil || err.Error() != c.want {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
		if d.Len() != 0 {
			t.Errorf("%s: %d quads were added", name, d.Len())
		}
	}
}

// Every format can be loaded, into a named graph too.
func TestLoadReadsEveryFormat(t *testing.T) {
	const triple, quad = "<http://example/s> <http://example/p> \"1\" .", "<http://example/s> <http://example/p> \"2\" <http://example/own> ."
	for _, c := range []struct {
		format       turtle.Format
		text         string
		inG, inOwn   string
		inDefault    string
		graph        rdf.Term
		added, again int
	}{
		{turtle.Turtle, "PREFIX : <http://example/> :s :p 1, 2 .", "0", "0", "2", rdf.Term{}, 2, 0},
		{turtle.Turtle, "PREFIX : <http://example/> :s :p 1, 2 .", "2", "0", "0", iri("g"), 2, 0},
		{turtle.NTriples, triple, "1", "0", "0", iri("g"), 1, 0},
		{turtle.NQuads, triple + "\n" + quad, "1", "1", "0", iri("g"), 2, 0},
		{turtle.TriG, "PREFIX : <http://example/> :s :p 1 . :own { :s :p 2, 3 }", "0", "2", "1", rdf.Term{}, 3, 0},
		{turtle.Turtle, "[] <http://example/p> 1 .", "1", "0", "0", iri("g"), 1, 1},
	} {
		var d memory.Dataset
		for _, want := range []int{c.added, c.again} {
			if n, err := d.Load(t.Context(), strings.NewReader(c.text), c.format, c.graph, turtle.Options{}); n != want || err != nil {
				t.Errorf("%s: %d added, %v; want %d", c.text, n, err, want)
			}
			if c.again > 0 {
				break // the document's blank nodes are new each time
			}
		}
		if g, own, def := count(t, &d, "GRAPH :g { ?s ?p ?o }"), count(t, &d, "GRAPH :own { ?s ?p ?o }"), count(t, &d, "?s ?p ?o"); g != c.inG || own != c.inOwn || def != c.inDefault {
			t.Errorf("%s: %s in :g, %s in :own, %s in the default graph", c.text, g, own, def)
		}
	}
}

// A document with an error at its end adds nothing. The error says where it is.
func TestLoadAddsAllOrNothing(t *testing.T) {
	var d memory.Dataset
	_, err := d.Load(t.Context(), strings.NewReader("<http://example/s> <http://example/p> 1 .\n<x> ."), turtle.Turtle, rdf.Term{}, turtle.Options{})
	var wrong *turtle.SyntaxError
	if !errors.As(err, &wrong) || wrong.Line != 2 || d.Len() != 0 {
		t.Errorf("%v, and %d quads", err, d.Len())
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := d.Load(ctx, strings.NewReader("<http://example/s> <http://example/p> 1 ."), turtle.Turtle, rdf.Term{}, turtle.Options{}); !errors.Is(err, context.Canceled) || d.Len() != 0 {
		t.Errorf("%v, and %d quads", err, d.Len())
	}
	if _, err := d.Load(t.Context(), strings.NewReader(""), turtle.Turtle, rdf.NewString("g"), turtle.Options{}); err == nil {
		t.Error("a literal is the name of a graph")
	}
}

// Documents have blank nodes of their own. Queries return labels by which these can be
// removed.
func TestBlankNodesOfDocumentsAreApart(t *testing.T) {
	var d memory.Dataset
	for range 2 {
		if _, err := d.Load(t.Context(), strings.NewReader("_:x <http://example/p> [] ."), turtle.Turtle, rdf.Term{}, turtle.Options{}); err != nil {
			t.Fatal(err)
		}
	}
	if n := count(t, &d, "?s :p ?o"); n != "2" {
		t.Errorf("%s triples", n)
	}
	for triple, err := range d.Match(t.Context(), rdf.Term{}, rdf.Triple{P: iri("p")}) {
		if err != nil || d.Remove(triple.In(rdf.Term{})) != 1 {
			t.Errorf("%v was not removed, %v", triple, err)
		}
	}
	if d.Len() != 0 {
		t.Errorf("%d quads are left", d.Len())
	}
}

// Literals whose language tags differ only in case are one term, as it was first added.
func TestLanguageTagsAreFolded(t *testing.T) {
	var d memory.Dataset
	quad := func(language string) rdf.Quad {
		return rdf.Quad{S: iri("s"), P: iri("p"), O: rdf.NewLang("x", language)}
	}
	if n, err := d.Add(quad("en-GB"), quad("EN-gb"), quad("en")); n != 2 || err != nil {
		t.Errorf("%d quads, %v", n, err)
	}
	for triple, err := range d.Match(t.Context(), rdf.Term{}, rdf.Triple{O: rdf.NewLang("x", "EN-GB")}) {
		if err != nil || triple.O.Tag() != "en-GB" {
			t.Errorf("%v, %v", triple, err)
		}
	}
	if n := d.Remove(quad("en-gb")); n != 1 {
		t.Errorf("%d quads were removed", n)
	}
}

// Each reader sees one state while a writer writes: all or nothing of each batch.
func TestReadersSeeOneSnapshot(t *testing.T) {
	var d memory.Dataset
	const batch, batches = 50, 60
	quads := func(b int) (out []rdf.Quad) {
		for i := range batch {
			out = append(out, rdf.Quad{S: iri(fmt.Sprint("s", b)), P: iri("p"), O: iri(fmt.Sprint("o", b, "-", i))})
		}
		return out
	}
	if _, err := d.Add(quads(0)...); err != nil {
		t.Fatal(err)
	}
	begun := d.Snapshot()
	var wg sync.WaitGroup
	done := make(chan struct{})
	for range 3 {
		wg.Go(func() {
			for {
				perSubject := map[rdf.Term]int{}
				for triple, err := range d.Match(context.Background(), rdf.Term{}, rdf.Triple{P: iri("p")}) {
					if err != nil {
						t.Error(err)
					}
					perSubject[triple.S]++
				}
				for s, n := range perSubject {
					if n != batch {
						t.Errorf("%s has %d triples", s, n)
					}
				}
				if n := count(t, &d, "?s :p ?o . ?s :p ?x FILTER(?o = ?x)"); len(n) < 2 || n[len(n)-1] != '0' {
					t.Errorf("%s solutions", n)
				}
				select {
				case <-done:
					return
				default:
				}
			}
		})
	}
	for b := 1; b < batches; b++ {
		if _, err := d.Add(quads(b)...); err != nil {
			t.Fatal(err)
		}
		if b%3 == 0 {
			d.Remove(quads(b - 1)...)
		}
	}
	close(done)
	wg.Wait()
	if n := count(t, begun, "?s :p ?o"); n != "50" {
		t.Errorf("a snapshot has %s of 50 triples", n)
	}
}

func BenchmarkAddOne(b *testing.B) {
	var d memory.Dataset
	var quads []rdf.Quad
	for i := range 100_000 {
		quads = append(quads, rdf.Quad{S: iri(fmt.Sprint("s", i%10_000)), P: iri(fmt.Sprint("p", i%10)), O: iri(fmt.Sprint("o", i))})
	}
	if _, err := d.Add(quads...); err != nil {
		b.Fatal(err)
	}
	for i := 0; b.Loop(); i++ {
		if _, err := d.Add(rdf.Quad{S: iri(fmt.Sprint("s", i%10_000)), P: iri("p"), O: iri(fmt.Sprint("more", i))}); err != nil {
			b.Fatal(err)
		}
	}
}
