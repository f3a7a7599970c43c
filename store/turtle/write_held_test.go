package turtle_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/segraph/segraph/internal/suite"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/turtle"
)

// annotatedText writes quads with an AnnotatingWriter.
func annotatedText(t testing.TB, quads []rdf.Quad, f turtle.Format) string {
	t.Helper()
	var text strings.Builder
	w := turtle.NewAnnotatingWriter(&text, f, []turtle.Prefix{{Label: "", Namespace: ns}, {Label: "rdf", Namespace: rdf.RDF}})
	for _, q := range quads {
		if err := w.Write(q); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return text.String()
}

// Annotations are restored from quads in any order. A graph held completely is
// written like a graph; several graphs of a TriG text stay apart.
func TestAnnotatingWriterRestoresAnnotations(t *testing.T) {
	quads, err := turtle.Parse([]byte(`@prefix : <`+ns+`> . :s :p "a" ~ :r {| :q 1 |} {| :q 2 |} ; :p "b" . :g { :s :p "a" {| :q 3 |} }`), turtle.TriG, turtle.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var plain []rdf.Quad
	for _, q := range quads {
		if q.G.IsZero() {
			plain = append(plain, q)
		}
	}
	r := rand.New(rand.NewPCG(18, 2))
	for range 20 {
		r.Shuffle(len(quads), func(i, j int) { quads[i], quads[j] = quads[j], quads[i] })
		text := annotatedText(t, quads, turtle.TriG)
		if n := strings.Count(text, "~"); n != 3 || strings.Contains(text, "reifies") {
			t.Fatalf("%d annotations in\n%s", n, text)
		}
		mustReadBack(t, text, turtle.TriG, quads)
		r.Shuffle(len(plain), func(i, j int) { plain[i], plain[j] = plain[j], plain[i] })
		text = annotatedText(t, plain, turtle.Turtle)
		if n := strings.Count(text, "{|"); n != 1 || !strings.Contains(text, "~ :r") {
			t.Fatalf("%d annotations in\n%s", n, text)
		}
		mustReadBack(t, text, turtle.Turtle, plain)
	}
}

// Random quads read back the same, and so do more of them than the writer holds. Then
// reifiers near their triples, and only these, become annotations.
func TestAnnotatingWriterHoldsSomeQuads(t *testing.T) {
	r := rand.New(rand.NewPCG(18, 3))
	for range suite.Times(500, 50) {
		quads := annotated(r)
		mustReadBack(t, annotatedText(t, quads, turtle.Turtle), turtle.Turtle, quads)
	}
	const n, each = 150, 12_000 // bytes of a literal
	var quads []rdf.Quad
	for i := range n {
		q := rdf.Quad{S: rdf.NewIRI(ns), P: rdf.NewIRI(ns + "p"), O: rdf.NewString(fmt.Sprint(i, strings.Repeat("x", each)))}
		reifier := rdf.Quad{S: rdf.NewIRI(fmt.Sprint(ns, "r", i)), P: rdf.NewIRI(rdf.RDFReifies), O: rdf.NewTripleTerm(q.Triple())}
		quads = append(quads, q, reifier)
	}
	for _, tt := range []struct {
		name        string
		reach       int // how far a quad moves
		least, most int
	}{
		{"near", 5, n, n},
		{"far", 2 * n, n / 10, n * 9 / 10},
	} {
		moved := make([]rdf.Quad, 0, len(quads))
		for from := 0; from < len(quads); from += tt.reach {
			some := quads[from:min(from+tt.reach, len(quads))]
			for _, i := range r.Perm(len(some)) {
				moved = append(moved, some[i])
			}
		}
		text := annotatedText(t, moved, turtle.Turtle)
		if got := strings.Count(text, " ~ "); got < tt.least || got > tt.most {
			t.Errorf("%s: %d annotations were restored, want %d to %d", tt.name, got, tt.least, tt.most)
		}
		mustReadBack(t, text, turtle.Turtle, quads)
	}
}

// An error of a quad that is held is not lost.
func TestAnnotatingWriterReturnsErrors(t *testing.T) {
	for name, q := range map[string]rdf.Quad{
		"an IRI with a space": {S: rdf.NewIRI("urn:a b"), P: rdf.NewIRI(ns), O: rdf.NewIRI(ns)},
		"a named graph":       {S: rdf.NewIRI(ns), P: rdf.NewIRI(ns), O: rdf.NewIRI(ns), G: rdf.NewIRI(ns)},
	} {
		for _, annotations := range []int{0, 1} {
			var text strings.Builder
			w := turtle.NewAnnotatingWriter(&text, turtle.Turtle, nil)
			err := w.Write(q)
			for range annotations {
				if err == nil {
					err = w.Write(rdf.Quad{S: rdf.NewBlank("r"), P: rdf.NewIRI(rdf.RDFReifies), O: rdf.NewTripleTerm(q.Triple()), G: q.G})
				}
			}
			if err == nil {
				err = w.Close()
			}
			if err == nil || w.Close() == nil {
				t.Errorf("%s: no error, but\n%s", name, text.String())
			}
		}
	}
}
