package cayley_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"

	"github.com/cayleygraph/cayley/graph/path"
	"github.com/cayleygraph/quad"

	"github.com/segraph/segraph/store/cayley"
	"github.com/segraph/segraph/store/engine"
	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/turtle"
)

// A program opens a segraph file and follows Cayley's paths through it.
func Example() {
	dir, err := os.MkdirTemp("", "graph")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "graph.db")
	if err := write(file); err != nil {
		log.Fatal(err)
	}
	if err := whoHeardTheSame(file, "http://example.org/ari"); err != nil {
		log.Fatal(err)
	}
	// Output:
	// <http://example.org/tiago>
}

// whoHeardTheSame prints the robots that heard what the given robot heard.
func whoHeardTheSame(file, robot string) (err error) {
	graph, err := engine.Open(file, engine.Options{ReadOnly: true})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, graph.Close()) }()

	return graph.View(func(moment *engine.Snapshot) error {
		qs := cayley.OverSnapshot(moment, nil)
		heard, self := quad.IRI("http://example.org/heard"), quad.IRI(robot)
		others := path.StartPath(qs, self).Out(heard).In(heard).Unique().Except(path.StartPath(qs, self))
		return others.Iterate(context.Background()).EachValue(qs, func(v quad.Value) { fmt.Println(v) })
	})
}

// write creates the file.
func write(file string) (err error) {
	graph, err := engine.Open(file, engine.Options{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, graph.Close()) }()
	text := strings.NewReader(`@prefix ex: <http://example.org/> .
		ex:ari ex:heard ex:hello, ex:thanks . ex:tiago ex:heard ex:thanks . ex:pepper ex:heard ex:goodbye .`)
	_, err = graph.Writer(journal.Entry{}).Load(context.Background(), text, turtle.Turtle, rdf.Term{}, turtle.Options{})
	return err
}
