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

// annotated returns random triples of few terms, and reifiers of these and of others.
func annotated(r *rand.Rand) (quads []rdf.Quad) {
	node := func() rdf.Term {
		if n := r.IntN(6); n < 4 {
			return rdf.NewBlank(fmt.Sprint("b", n))
		}
		return rdf.NewIRI(fmt.Sprint(ns, r.IntN(3)))
	}
	triple := func() rdf.Triple {
		t := rdf.Triple{S: node(), P: rdf.NewIRI(ns + "p"), O: node()}
		switch r.IntN(6) {
		case 0:
			t.O = rdf.NewDirLang("x", "ar", "rtl")
		case 1:
			t.P, t.O = rdf.NewIRI(rdf.RDFFirst), rdf.NewString("x")
		case 2:
			t.P = rdf.NewIRI(rdf.RDFRest)
		case 3:
			t.O = rdf.NewIRI(rdf.RDFNil)
		case 4:
			t.P = rdf.NewIRI(ns + strings.Repeat("p", 300)) // which is not Annotatable
		}
		return t
	}
	reify := func(t rdf.Triple) rdf.Triple {
		return rdf.Triple{S: node(), P: rdf.NewIRI(rdf.RDFReifies), O: rdf.NewTripleTerm(t)}
	}
	for range r.IntN(9) {
		t := triple()
		add := []rdf.Triple{t, reify(t), reify(reify(t)), reify(triple()), {S: node(), P: t.P, O: rdf.NewTripleTerm(t)}}
		for _, i := range r.Perm(len(add))[:1+r.IntN(3)] {
			quads = append(quads, add[i].In(rdf.Term{}))
		}
	}
	return quads
}

// Random graphs with reifiers read back the same from every writer, and the same triples
// give the same bytes.
func TestWrittenAnnotationsReadBack(t *testing.T) {
	suite.NotShort(t)
	r := rand.New(rand.NewPCG(18, 0))
	restored := 0
	for range suite.Times(2000, 200) {
		quads := annotated(r)
		text := graphText(t, quads, nil)
		restored += strings.Count(text, " ~ ") + strings.Count(text, "{|")
		roundTrip(t, quads)
		r.Shuffle(len(quads), func(i, j int) { quads[i], quads[j] = quads[j], quads[i] })
		if again := graphText(t, quads, nil); again != text {
			t.Fatalf("shuffled, it is written as\n%s\nnot\n%s", again, text)
		}
	}
	if restored < 100 {
		t.Errorf("%d annotations were restored", restored)
	}
}

// The Writer, which sees one quad after the other, restores what follows its triple.
func TestWriterRestoresAnnotationsThatFollow(t *testing.T) {
	a := rdf.Quad{S: rdf.NewIRI(ns), P: rdf.NewIRI(ns + "p"), O: rdf.NewString("a")}
	reifies := func(reifier rdf.Term, q rdf.Quad) rdf.Quad {
		return rdf.Quad{S: reifier, P: rdf.NewIRI(rdf.RDFReifies), O: rdf.NewTripleTerm(q.Triple()), G: q.G}
	}
	b, g := a, a
	b.O, g.G = rdf.NewString("b"), rdf.NewIRI(ns+"g")
	iri, blank := rdf.NewIRI(ns+"r"), rdf.NewBlank("r")
	prefixes := []turtle.Prefix{{Label: "", Namespace: ns}, {Label: "rdf", Namespace: rdf.RDF}}
	for _, tt := range []struct {
		f     turtle.Format
		quads []rdf.Quad
		want  string
	}{
		{turtle.Turtle, []rdf.Quad{a, reifies(iri, a), reifies(blank, a), b}, `: :p "a" ~ :r ~ _:r , "b" .`},
		{turtle.Turtle, []rdf.Quad{a, b, reifies(iri, a)}, `: :p "a" , "b" . :r rdf:reifies <<( : :p "a" )>> .`},
		{turtle.Turtle, []rdf.Quad{reifies(iri, a), a}, `:r rdf:reifies <<( : :p "a" )>> . : :p "a" .`},
		{turtle.TriG, []rdf.Quad{g, reifies(iri, g), reifies(iri, a)}, `:g { : :p "a" ~ :r . } :r rdf:reifies <<( : :p "a" )>> .`},
	} {
		text := written(t, tt.quads, tt.f, prefixes)
		_, body, _ := strings.Cut(text, "\n\n")
		if got := strings.Join(strings.Fields(body), " "); got != tt.want {
			t.Errorf("got  %s\nwant %s", got, tt.want)
		}
		mustReadBack(t, text, tt.f, tt.quads)
	}
}

// WriteGraphs writes each graph as WriteGraph does, in its block.
func TestWriteGraphs(t *testing.T) {
	quads, err := turtle.Parse([]byte(`<urn:s> <urn:p> "a" ~ <urn:r> {| <urn:q> ( 1 [ <urn:p> 2 ] ) |} .
		<urn:g> { [] <urn:p> "b" {| <urn:q> 1 |} . <urn:t> <urn:p> [ <urn:q> "c" ] }`), turtle.TriG, turtle.Options{})
	if err != nil {
		t.Fatal(err)
	}
	g := rdf.NewIRI("urn:g")
	byGraph := map[rdf.Term][]rdf.Triple{}
	for _, q := range quads {
		byGraph[q.G] = append(byGraph[q.G], q.Triple())
	}
	var text strings.Builder
	err = turtle.WriteGraphs(&text, []turtle.NamedSource{
		{Source: turtle.NewMemorySource(byGraph[rdf.Term{}])},
		{Name: rdf.NewIRI("urn:empty"), Source: turtle.NewMemorySource(nil)},
		{Name: g, Source: turtle.NewMemorySource(byGraph[g])},
	}, []turtle.Prefix{{Label: "u", Namespace: "urn:"}})
	want := `@prefix u: <urn:> .

u:r u:q ( 1 [
            u:p 2
        ] ) .

u:s u:p "a" ~ u:r .

u:g {
    _:a3 u:p "b" {|
            u:q 1
        |} .

    u:t u:p [
            u:q "c"
        ] .
}
`
	if err != nil || text.String() != want {
		t.Errorf("error %v, got\n%s", err, text.String())
	}
	mustReadBack(t, text.String(), turtle.TriG, quads)
}
