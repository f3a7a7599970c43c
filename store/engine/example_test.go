package engine_test

import (
	"context"
	"errors"
	"log"
	"os"
	"path/filepath"
	"strings"

	"github.com/segraph/segraph/store/engine"
	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql"
	"github.com/segraph/segraph/store/sparql/budget"
	"github.com/segraph/segraph/store/sparql/results"
	"github.com/segraph/segraph/store/turtle"
)

// A program keeps a graph in a file and queries it.
func Example() {
	dir, err := os.MkdirTemp("", "graph")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	if err := keepAndAsk(filepath.Join(dir, "graph.db")); err != nil {
		log.Fatal(err)
	}
	// Output:
	// ?robot	?heard
	// "ari"	2
	// "tiago"	1
}

func keepAndAsk(path string) (err error) {
	graph, err := engine.Open(path, engine.Options{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, graph.Close()) }()

	ctx := context.Background()
	text := strings.NewReader(`@prefix ex: <http://example.org/> .
		ex:m1 ex:heardBy "ari", "tiago" . ex:m2 ex:heardBy "ari" .`)
	w := graph.Writer(journal.Entry{Actor: "importer"})
	if _, err := w.Load(ctx, text, turtle.Turtle, rdf.Term{}, turtle.Options{}); err != nil {
		return err
	}
	wrong := rdf.Quad{S: rdf.NewIRI("http://example.org/m3"), P: rdf.NewIRI("http://example.org/heardBy"), O: rdf.NewString("ari")}
	if _, err := w.Add(ctx, wrong); err != nil {
		return err
	}
	if _, err := w.Remove(ctx, wrong); err != nil {
		return err
	}

	query, err := sparql.Prepare(context.Background(), `PREFIX ex: <http://example.org/>
		SELECT ?robot (COUNT(*) AS ?heard) { ?message ex:heardBy ?robot } GROUP BY ?robot ORDER BY DESC(?heard)`, sparql.Options{})
	if err != nil {
		return err
	}
	answer := results.NewWriter(os.Stdout, results.TSV)
	if err := graph.Query(ctx, query, budget.Limits{Memory: 64 << 20}, answer, nil); err != nil {
		return err
	}
	return answer.Close()
}
