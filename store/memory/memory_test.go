package memory_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/segraph/segraph/store/memory"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql"
	"github.com/segraph/segraph/store/sparql/budget"
	"github.com/segraph/segraph/store/turtle"
)

// Queries find quads by each of their terms, once each, in their graph.
func TestQueriesFindTheQuads(t *testing.T) {
	quads, err := turtle.Parse([]byte(`PREFIX : <http://e/>
		:a :p :b, "x"@en-GB, "x"@EN-gb, <<( :a :p "x"@en )>> . :b :q :b .
		:g { :a :p :b } _:g { :c :p 1 }`), turtle.TriG, turtle.Options{})
	if err != nil {
		t.Fatal(err)
	}
	ds := memory.New(append(quads, quads...))
	for pattern, want := range map[string]string{
		"?s ?p ?o":                        "4",
		":a ?p ?o":                        "3",
		"?s :q ?o":                        "1",
		"?s ?p :b":                        "2",
		"?s :p :b":                        "1",
		`?s ?p "x"@en-gb`:                 "1",
		`?s ?p <<( ?a ?b "x"@EN )>>`:      "1",
		":none ?p ?o":                     "0",
		"GRAPH :g { ?s ?p ?o }":           "1",
		"GRAPH ?g { ?s ?p ?o }":           "2",
		"GRAPH :none { ?s ?p ?o }":        "0",
		"GRAPH ?g { ?s :p ?o } ?s :p ?o2": "3",
	} {
		if got, err := count(t.Context(), ds, pattern); got != want || err != nil {
			t.Errorf("%s: %s, %v; want %s", pattern, got, err, want)
		}
	}
	id, _ := ds.ID(rdf.NewLang("x", "EN-GB"))
	if term, err := ds.Term(id); term.Tag() != "en-GB" || err != nil {
		t.Errorf("the literal is written %q, %v, want it as it came first", term.Tag(), err)
	}
}

func TestAQueryEndsWithItsContext(t *testing.T) {
	var quads []rdf.Quad
	for i := range 10 {
		quads = append(quads, rdf.Quad{S: rdf.NewIRI(fmt.Sprint("http://e/", i)), P: rdf.NewIRI("http://e/p"), O: rdf.NewString("x")})
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if n, err := count(ctx, memory.New(quads), "?s ?p ?o"); !errors.Is(err, context.Canceled) {
		t.Errorf("%s, %v", n, err)
	}
}

func count(ctx context.Context, ds sparql.Dataset, pattern string) (string, error) {
	q, err := sparql.Prepare(context.Background(), strings.Join([]string{"PREFIX : <http://e/> SELECT (COUNT(*) AS ?n) {", pattern, "}"}, " "), sparql.Options{})
	if err != nil {
		return "", err
	}
	for s, err := range q.Select(ctx, ds, budget.Limits{}) {
		if err != nil {
			return "", err
		}
		return s.Get("n").Value(), nil
	}
	return "", errors.New("no row")
}
