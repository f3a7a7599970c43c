package eval

import (
	"errors"
	"fmt"

	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql/algebra"
	"github.com/segraph/segraph/store/sparql/source"
	"github.com/segraph/segraph/store/sparql/syntax"
)

// follow calls emit with each node at the other end of a path from a node. An error of
// emit ends it.
type follow func(from source.ID, emit func(source.ID) error) error

// walker follows property paths (SPARQL 1.1, section 18.4), in one graph at a time.
// Each part of a path has its own scan. No part is entered again while it runs, because
// a search collects the nodes that a step leads to before it makes the next step.
type walker struct {
	r     *Run
	graph source.ID
}

// leaf compiles a step along one triple.
func (w *walker) leaf(s algebra.Step) (follow, error) {
	inverse, backwards := s.(*syntax.InversePath)
	if backwards {
		s = inverse.Path
	}
	switch x := s.(type) {
	case *syntax.Link:
		return w.link(x.IRI, backwards)
	case *syntax.NegatedSet:
		return w.negated(x, backwards)
	}
	return nil, fmt.Errorf("unknown kind of path: %T", s)
}

// link steps along a property, from subject to object or backwards.
func (w *walker) link(iri string, backwards bool) (follow, error) {
	property, err := w.r.ds.ID(rdf.NewIRI(iri))
	if err != nil {
		return nil, err
	}
	x := newIndexes(w.r.ds)
	return func(from source.ID, emit func(source.ID) error) error {
		if property == 0 || from >= source.LocalFirst {
			return nil
		}
		order, key := source.SPO, source.Tuple{uint64(from), uint64(property)}
		if backwards {
			order, key = source.POS, source.Tuple{uint64(property), uint64(from)}
		}
		lo, hi := source.Prefix(key, 2)
		return w.scan(x.scan(w.graph, order), lo, hi, func(t *source.Tuple) error { return emit(source.ID(t[2])) })
	}, nil
}

// negated steps along every property except some, backwards from object to subject or ahead.
func (w *walker) negated(n *syntax.NegatedSet, backwards bool) (follow, error) {
	not := map[uint64]bool{}
	for _, link := range n.Links {
		property, err := w.r.ds.ID(rdf.NewIRI(link.IRI))
		if err != nil {
			return nil, err
		}
		not[uint64(property)] = true
	}
	order, property, to := source.SPO, 1, 2
	if backwards {
		order, property, to = source.OSP, 2, 1
	}
	x := newIndexes(w.r.ds)
	return func(from source.ID, emit func(source.ID) error) error {
		if from >= source.LocalFirst {
			return nil
		}
		lo, hi := source.Prefix(source.Tuple{uint64(from)}, 1)
		return w.scan(x.scan(w.graph, order), lo, hi, func(t *source.Tuple) error {
			if not[t[property]] {
				return nil
			}
			return emit(source.ID(t[to]))
		})
	}, nil
}

// scan calls f with the tuples from lo to hi.
func (w *walker) scan(s source.Scan, lo, hi source.Tuple, f func(*source.Tuple) error) error {
	s.Seek(lo, hi)
	for tuples := s.Next(); tuples != nil; tuples = s.Next() {
		if err := w.r.budget.Tick(len(tuples)); err != nil {
			return err
		}
		for i := range tuples {
			if err := f(&tuples[i]); err != nil {
				return err
			}
		}
	}
	return s.Err()
}

// errFound ends a walk that has found the end of the path. It never leaves the package.
var errFound = errors.New("the end of the path is found")
