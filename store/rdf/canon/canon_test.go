package canon_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/segraph/segraph/internal/suite"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/rdf/canon"
	"github.com/segraph/segraph/store/turtle"
)

// arrows returns a dataset with an edge for each pair of blank nodes.
func arrows(pairs ...[2]int) (quads []rdf.Quad) {
	for _, p := range pairs {
		quads = append(quads, rdf.Quad{S: blank(p[0]), P: rdf.NewIRI("http://p.example/"), O: blank(p[1])})
	}
	return quads
}

func blank(n int) rdf.Term { return rdf.NewBlank(fmt.Sprint("n", n)) }

// shuffled returns the quads in another order, with other labels, and one of them twice.
func shuffled(r *rand.Rand, quads []rdf.Quad) []rdf.Quad {
	labels := make(map[rdf.Term]rdf.Term)
	rename := func(t rdf.Term) rdf.Term {
		if !t.IsBlank() {
			return t
		}
		if _, ok := labels[t]; !ok {
			labels[t] = rdf.NewBlank(fmt.Sprintf("x%d", r.Uint64()))
		}
		return labels[t]
	}
	out := []rdf.Quad{}
	for _, i := range r.Perm(len(quads)) {
		q := quads[i]
		out = append(out, rdf.Quad{S: rename(q.S), P: q.P, O: rename(q.O), G: rename(q.G)})
	}
	return append(out, out[0])
}

func TestTheFormDoesNotDependOnLabelsAndOrder(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	random := func() []rdf.Quad {
		var quads []rdf.Quad
		for range 1 + r.IntN(9) {
			q := arrows([2]int{r.IntN(5), r.IntN(5)})[0]
			switch r.IntN(6) {
			case 0:
				q.O = rdf.NewLang("a\tb", "en")
			case 1:
				q.G = blank(r.IntN(5))
			case 2:
				q.G = rdf.NewIRI("http://g.example/")
			}
			quads = append(quads, q)
		}
		return quads
	}
	form := func(quads []rdf.Quad) []byte {
		b, err := canon.NQuads(quads, canon.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	for range 3000 {
		a := random()
		f := form(a)
		if g := form(shuffled(r, a)); !bytes.Equal(f, g) {
			t.Fatalf("after renaming and reordering, the form is\n%sinstead of\n%s", g, f)
		}
		back, err := turtle.Parse(f, turtle.NQuads, turtle.Options{})
		if err != nil || !bytes.Equal(form(back), f) {
			t.Fatalf("read back (error %v), the form\n%sis another dataset than %v", err, f, a)
		}
	}
}

func TestAlikeNodesEndAtTheLimitOfSteps(t *testing.T) {
	suite.NotShort(t)
	clique := func(n int) (quads []rdf.Quad) {
		for i := range n {
			for j := range n {
				if i != j {
					quads = append(quads, arrows([2]int{i, j})...)
				}
			}
		}
		return quads
	}
	long := ring(0, 50)
	for i := range long {
		long[i].S, long[i].P = rdf.NewIRI(fmt.Sprint("e:", i)), rdf.NewIRI("u:"+strings.Repeat("x", 60_000))
	}
	for _, tt := range []struct {
		name  string
		quads []rdf.Quad
		steps int
		fails bool
	}{
		{"a clique of 4", clique(4), 0, false},
		{"a clique of 12", clique(12), 0, true},
		{"a ring of 50", ring(0, 50), 0, false},
		{"a ring of 100,000", ring(0, 100_000), 0, true},
		{"a ring of 50 in 100 steps", ring(0, 50), 100, true},
		{"a term of 60 KB in 50 lines", long, 2000, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := canon.NQuads(tt.quads, canon.Options{Steps: tt.steps})
			if tt.fails != errors.Is(err, canon.ErrSteps) || tt.fails != (got == nil) {
				t.Errorf("the error is %v with %d bytes; want ErrSteps: %v", err, len(got), tt.fails)
			}
		})
	}
}

func TestAnUnknownHashIsAnError(t *testing.T) {
	if _, err := canon.NQuads(nil, canon.Options{Hash: 3}); err == nil {
		t.Error("SHA-1 was accepted")
	}
}

// BenchmarkMillion compares the canonical form of a million triples without blank nodes
// with writing and sorting them.
func BenchmarkMillion(b *testing.B) {
	quads, err := turtle.Parse(suite.RobotLogs(b, 70_000), turtle.Turtle, turtle.Options{})
	if err != nil {
		b.Fatal(err)
	}
	quads = slices.DeleteFunc(quads, func(q rdf.Quad) bool { return q.S.IsBlank() || q.O.IsBlank() })
	b.Run("canonical", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := canon.NQuads(quads, canon.Options{}); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(len(quads)), "triples")
	})
	b.Run("sorted", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			var text []byte
			for _, q := range quads {
				text = append(q.AppendNQuads(text), '\n')
			}
			lines := bytes.SplitAfter(text, []byte("\n"))
			slices.SortFunc(lines, bytes.Compare)
			_ = bytes.Join(lines, nil)
		}
	})
}
