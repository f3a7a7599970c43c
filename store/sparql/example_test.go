package sparql_test

import (
	"context"
	"fmt"
	"log"
	"strconv"
	"time"

	"github.com/segraph/segraph/store/memory"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql"
	"github.com/segraph/segraph/store/sparql/budget"
	"github.com/segraph/segraph/store/turtle"
)

// A program queries data in memory.
func Example() {
	ctx := context.Background()
	quads, err := turtle.Parse([]byte(`@prefix ex: <http://example.org/> .
		ex:ari ex:heard "Hello", "Thank you" . ex:tiago ex:heard "Hello" .`), turtle.Turtle, turtle.Options{})
	if err != nil {
		log.Fatal(err)
	}
	pepper := rdf.Quad{S: rdf.NewIRI("http://example.org/pepper"), P: rdf.NewIRI("http://example.org/heard"), O: rdf.NewString("Goodbye")}
	data := memory.New(append(quads, pepper))

	query, err := sparql.Prepare(ctx, `PREFIX ex: <http://example.org/>
		SELECT ?robot (COUNT(*) AS ?n) { ?robot ex:heard ?text } GROUP BY ?robot ORDER BY DESC(?n) ?robot`, sparql.Options{})
	if err != nil {
		log.Fatal(err)
	}
	for row, err := range query.Select(ctx, data, budget.Limits{Time: time.Second, Memory: 64 << 20}) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(row.Get("robot"), row.Get("n").Value())
	}
	// Output:
	// <http://example.org/ari> 2
	// <http://example.org/pepper> 1
	// <http://example.org/tiago> 1
}

// A program queries data of its own as triples in memory.
func ExampleDataset() {
	readings := map[string]int{"hall": 19, "cafe": 23, "shop": 21}
	var quads []rdf.Quad
	for room, t := range readings {
		number := rdf.NewLiteral(strconv.Itoa(t), rdf.XSDInteger)
		quads = append(quads, rdf.Quad{S: rdf.NewIRI("http://example.org/" + room), P: rdf.NewIRI("http://example.org/celsius"), O: number})
	}
	ctx := context.Background()
	query, err := sparql.Prepare(ctx, `PREFIX ex: <http://example.org/>
		SELECT ?room ?t { ?room ex:celsius ?t FILTER(?t > 20) } ORDER BY ?t`, sparql.Options{})
	if err != nil {
		log.Fatal(err)
	}
	for row, err := range query.Select(ctx, memory.New(quads), budget.Limits{}) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(row.Get("room"), row.Get("t").Value())
	}
	// Output:
	// <http://example.org/shop> 21
	// <http://example.org/cafe> 23
}
