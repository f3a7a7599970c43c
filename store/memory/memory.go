// Package memory holds RDF data in memory, for tests and for programs that read RDF to
// query it.
package memory

import (
	"context"
	"iter"

	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql"
)

// Store is a default graph and any number of named graphs, which never change. It is
// safe for concurrent use.
type Store struct {
	names  []rdf.Term
	graphs map[rdf.Term]*graph
}

var _ sparql.Dataset = (*Store)(nil)

// graph holds the triples of a graph. Keys have their language tags folded.
type graph struct {
	seen map[rdf.Triple]bool
	all  []rdf.Triple
	by   [3]map[rdf.Term][]rdf.Triple // by subject, by predicate and by object
}

// New returns a Store of quads, in which a quad may occur more than once. Blank nodes
// with one label are one node: read each document with its own turtle.Options.Scope.
func New(quads []rdf.Quad) *Store {
	d := &Store{graphs: map[rdf.Term]*graph{}}
	for _, q := range quads {
		g, ok := d.graphs[q.G]
		if !ok {
			g = &graph{seen: map[rdf.Triple]bool{}}
			for i := range g.by {
				g.by[i] = map[rdf.Term][]rdf.Triple{}
			}
			if d.graphs[q.G] = g; !q.G.IsZero() {
				d.names = append(d.names, q.G)
			}
		}
		g.add(q.Triple())
	}
	return d
}

// add adds a triple, unless the graph has it.
func (g *graph) add(t rdf.Triple) {
	key := rdf.Triple{S: t.S, P: t.P, O: t.O.Fold()}
	if g.seen[key] {
		return
	}
	g.seen[key] = true
	g.all = append(g.all, t)
	for i, term := range [...]rdf.Term{key.S, key.P, key.O} {
		g.by[i][term] = append(g.by[i][term], t)
	}
}

// Graphs returns the names of the named graphs.
func (d *Store) Graphs(context.Context) ([]rdf.Term, error) { return d.names, nil }

// Match yields the triples of a graph that match a pattern, and some that do not (see
// sparql.Dataset).
func (d *Store) Match(ctx context.Context, graph rdf.Term, pattern rdf.Triple) iter.Seq2[rdf.Triple, error] {
	return func(yield func(rdf.Triple, error) bool) {
		for _, t := range d.find(graph, pattern) {
			if !yield(t, context.Cause(ctx)) {
				return
			}
		}
	}
}

// Estimate returns how many triples Match yields.
func (d *Store) Estimate(_ context.Context, graph rdf.Term, pattern rdf.Triple) (int64, error) {
	return int64(len(d.find(graph, pattern))), nil
}

// find returns the triples that may match a pattern: the shortest of the lists of its terms.
func (d *Store) find(graph rdf.Term, pattern rdf.Triple) []rdf.Triple {
	g, ok := d.graphs[graph]
	if !ok {
		return nil
	}
	least := g.all
	for i, term := range [...]rdf.Term{pattern.S, pattern.P, pattern.O} {
		if found := g.by[i][term.Fold()]; !term.IsZero() && len(found) < len(least) {
			least = found
		}
	}
	return least
}
