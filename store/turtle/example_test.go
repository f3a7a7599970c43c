package turtle_test

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/turtle"
)

const log = `@prefix ex: <http://example.org/> .
ex:m1 ex:text "Hello"@en ; ex:heard [ ex:by ex:ari ; ex:confidence 0.93 ] .
`

func ExampleReader() {
	r := turtle.NewReader(strings.NewReader(log), turtle.Turtle, turtle.Options{})
	w := turtle.NewWriter(os.Stdout, turtle.NTriples, nil)
	for {
		q, err := r.Read()
		if err == io.EOF {
			break
		}
		if err == nil {
			err = w.Write(q)
		}
		if err != nil {
			fmt.Println(err)
			return
		}
	}
	if err := w.Close(); err != nil {
		fmt.Println(err)
	}
	// Output:
	// <http://example.org/m1> <http://example.org/text> "Hello"@en .
	// <http://example.org/m1> <http://example.org/heard> _:a0 .
	// _:a0 <http://example.org/by> <http://example.org/ari> .
	// _:a0 <http://example.org/confidence> "0.93"^^<http://www.w3.org/2001/XMLSchema#decimal> .
}

func ExampleSyntaxError() {
	_, err := turtle.Parse([]byte("@prefix ex: <http://example.org/> .\nex:m1 foaf:name \"Ana\" ."), turtle.Turtle, turtle.Options{})
	if wrong, is := errors.AsType[*turtle.SyntaxError](err); is {
		fmt.Println("line", wrong.Line, "column", wrong.Column)
		fmt.Println("undeclared:", wrong.Undeclared)
	}
	// Output:
	// line 2 column 7
	// undeclared: foaf:
}

func ExampleWriteGraph() {
	quads, err := turtle.Parse([]byte(log), turtle.Turtle, turtle.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	var triples []rdf.Triple
	for _, q := range quads {
		triples = append(triples, q.Triple())
	}
	prefixes := []turtle.Prefix{{Label: "ex", Namespace: "http://example.org/"}}
	if err := turtle.WriteGraph(os.Stdout, turtle.NewMemorySource(triples), prefixes); err != nil {
		fmt.Println(err)
	}
	// Output:
	// @prefix ex: <http://example.org/> .
	//
	// ex:m1 ex:heard [
	//         ex:by ex:ari ;
	//         ex:confidence 0.93
	//     ] ;
	//     ex:text "Hello"@en .
}
