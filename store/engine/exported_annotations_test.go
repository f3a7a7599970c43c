package engine

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/rdf/canon"
	"github.com/segraph/segraph/store/turtle"
)

// claimed returns random quads, and reifiers of these and of others.
func claimed(r *rand.Rand, graph rdf.Term) *store.Document {
	d := &store.Document{}
	node := func() rdf.Term {
		if r.IntN(2) == 0 {
			return rdf.NewBlank(fmt.Sprint("b", r.IntN(5)))
		}
		return iri(fmt.Sprint("n", r.IntN(5)))
	}
	for range 12 {
		q := rdf.Quad{S: node(), P: iri("p"), O: []rdf.Term{node(), rdf.NewDirLang("x", "ar", "rtl")}[r.IntN(2)], G: graph}
		reifies := rdf.Quad{S: node(), P: rdf.NewIRI(rdf.RDFReifies), O: rdf.NewTripleTerm(q.Triple()), G: graph}
		if r.IntN(6) == 0 {
			q.P = iri(strings.Repeat("p", 300)) // which is not Annotatable
			reifies.O = rdf.NewTripleTerm(q.Triple())
		}
		again := rdf.Quad{S: node(), P: rdf.NewIRI(rdf.RDFReifies), O: rdf.NewTripleTerm(reifies.Triple()), G: graph}
		for _, i := range r.Perm(3)[:1+r.IntN(3)] {
			d.Add([]rdf.Quad{q, reifies, again}[i])
		}
	}
	return d
}

// Exports of random graphs read back the same, and reifiers of triples that the graph has
// become annotations.
func TestExportsRestoreAnnotations(t *testing.T) {
	t.Parallel()
	s, r := openStore(t), rand.New(rand.NewPCG(18, 1))
	for round := range 12 {
		mustAdd(t, s, claimed(r, []rdf.Term{{}, {}, iri("g")}[round/4])) // several graphs in the last rounds only
		want := quads(t, turtle.NQuads, dumped(t, s, turtle.NQuads))
		text := dumped(t, s, turtle.TriG)
		if got := quads(t, turtle.TriG, text); !canon.Isomorphic(got, want) {
			t.Fatalf("round %d is exported as TriG as\n%s", round, text)
		}
		if round >= 8 {
			continue
		}
		if got := dumped(t, s, turtle.Turtle); got != text {
			t.Fatalf("round %d has other bytes as Turtle:\n%s", round, got)
		}
		stored, plain, restored := map[rdf.Triple]bool{}, 0, 0
		for _, q := range want {
			stored[q.Triple()] = true
		}
		for _, q := range want {
			switch stated := q.O.Triple(); {
			case q.P.Value() != rdf.RDFReifies:
			case stated.P == q.P:
				plain += 2 // and the one inside
			case !stored[stated] || !turtle.Annotatable(stated.S, stated.P):
				plain++
			default:
				restored++
			}
		}
		if got := strings.Count(text, "<<("); got != plain {
			t.Errorf("round %d has %d plain reifiers, want %d", round, got, plain)
		}
		if got := strings.Count(text, "~") + strings.Count(text, "{|"); got != restored {
			t.Errorf("round %d has %d annotations, want %d", round, got, restored)
		}
	}
}

func TestExportsWriteAnnotationsAtTheirTriples(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	add(t, s, annotated+`:t :p :o ~ :r2 , :o2 {| :by [ :name "x" ] |} ~ :z ~ :a . :r3 <`+rdf.RDFReifies+`> <<( :t :p :absent )>> .`)
	want := `:r :by :robot .

:r2 <http://www.w3.org/1999/02/22-rdf-syntax-ns#reifies> <<( _:b0 :p _:b3 )>> .

:r3 <http://www.w3.org/1999/02/22-rdf-syntax-ns#reifies> <<( :t :p :absent )>> .

:s :p _:b0 ~ ~ :r , "a"@ar--rtl {|
        :at 5
    |} .

:t :p :o ~ :r2 , :o2 {|
        :by [
            :name "x"
        ]
    |} ~ :a ~ :z .
`
	got := dumped(t, s, turtle.Turtle)
	if !strings.Contains(got, want) {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
