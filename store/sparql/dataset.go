package sparql

import (
	"context"
	"fmt"
	"iter"

	"github.com/segraph/segraph/store/ids"

	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql/budget"
	"github.com/segraph/segraph/store/sparql/source"
)

// Dataset is the data that queries read: a default graph and any number of named graphs.
// Implement it to query your own data.
//
// A query calls the methods from one goroutine, but may have several Matches open at a
// time. So a Match must not hold a lock that another one needs. The data should not
// change while a query runs.
type Dataset interface {
	// Graphs returns the distinct names of the named graphs.
	Graphs(ctx context.Context) ([]rdf.Term, error)

	// Match yields the triples of a graph that match a pattern, without duplicates, in
	// any order. The zero Term means the default graph and, in a pattern, any term.
	// Language tags match in any case (rdf.Term.EqualFold). A graph that does not exist
	// has no triples.
	//
	// Match may also yield triples of the graph that do not match. They are ignored. An
	// error ends the query. Match should return soon after ctx ends.
	Match(ctx context.Context, graph rdf.Term, pattern rdf.Triple) iter.Seq2[rdf.Triple, error]

	// Estimate returns about how many triples match. The planner uses it: a wrong number
	// may make a query slow, but never changes its answer.
	Estimate(ctx context.Context, graph rdf.Term, pattern rdf.Triple) (int64, error)
}

// Indexed is a Dataset that can also be read by sorted scans over ids, which is much
// faster. FromIndex makes one from an source.Reader.
type Indexed interface {
	Dataset
	// Index returns the current data for one query.
	Index() source.Reader
}

// FromIndex returns a Dataset with the terms and triples of x. Queries read x directly.
func FromIndex(x source.Reader) Indexed { return index{x} }

type index struct{ x source.Reader }

func (i index) Index() source.Reader { return i.x }

// Graphs implements Dataset.
func (i index) Graphs(context.Context) ([]rdf.Term, error) {
	var out []rdf.Term
	for _, id := range i.x.Graphs() {
		t, err := i.x.Term(id)
		if err != nil {
			return nil, fmt.Errorf("reading the name of a graph: %w", err)
		}
		out = append(out, t)
	}
	return out, nil
}

// Match implements Dataset.
func (i index) Match(ctx context.Context, graph rdf.Term, pattern rdf.Triple) iter.Seq2[rdf.Triple, error] {
	return func(yield func(rdf.Triple, error) bool) {
		g, spo, known, err := i.ids(graph, pattern)
		if err == nil && known {
			err = i.match(ctx, g, spo, yield)
		}
		if err != nil {
			yield(rdf.Triple{}, err)
		}
	}
}

// match yields the triples of graph g that match the ids spo, where 0 matches any. It returns
// errors instead of yielding them.
func (i index) match(ctx context.Context, g source.ID, spo [3]source.ID, yield func(rdf.Triple, error) bool) error {
	order, lo, hi := source.Range(spo[0], spo[1], spo[2])
	scan := i.x.Scan(g, order)
	scan.Seek(lo, hi)
	for tuples := scan.Next(); tuples != nil; tuples = scan.Next() {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		for _, tuple := range tuples {
			t, err := i.triple(order, tuple)
			if err != nil {
				return err
			}
			if !yield(t, nil) {
				return nil
			}
		}
	}
	return scan.Err()
}

func (i index) Estimate(_ context.Context, graph rdf.Term, pattern rdf.Triple) (int64, error) {
	g, spo, known, err := i.ids(graph, pattern)
	if err != nil || !known {
		return 0, err
	}
	return i.x.Count(g, spo[0], spo[1], spo[2])
}

// ids returns the ids of a graph and of a pattern's terms, and 0 for a zero Term. known
// reports whether the index has them all.
func (i index) ids(graph rdf.Term, pattern rdf.Triple) (g source.ID, spo [3]source.ID, known bool, err error) {
	for _, want := range []struct {
		term rdf.Term
		id   *source.ID
	}{{graph, &g}, {pattern.S, &spo[0]}, {pattern.P, &spo[1]}, {pattern.O, &spo[2]}} {
		if want.term.IsZero() {
			continue
		}
		if *want.id, err = i.x.ID(want.term); err != nil {
			return 0, spo, false, fmt.Errorf("looking for %s: %w", want.term, err)
		}
		if *want.id == 0 {
			return 0, spo, false, nil
		}
	}
	return g, spo, true, nil
}

// triple returns the triple of a tuple in some order.
func (i index) triple(order source.Order, tuple ids.Tuple) (rdf.Triple, error) {
	var spo [3]rdf.Term
	for k, place := range order.Places() {
		t, err := i.x.Term(source.ID(tuple[k]))
		if err != nil {
			return rdf.Triple{}, fmt.Errorf("reading a term: %w", err)
		}
		spo[place] = t
	}
	return rdf.Triple{S: spo[0], P: spo[1], O: spo[2]}, nil
}

// open returns ds in the form that the evaluator reads, within b. It is valid until
// release is called. release is never nil, and must be called even after an error.
func open(ctx context.Context, ds Dataset, b *budget.Budget) (x source.Reader, release func(), err error) {
	if i, ok := ds.(Indexed); ok {
		return i.Index(), func() {}, nil
	}
	a, err := newAdapter(ctx, ds, b)
	return a, a.release, err
}
