package sparql

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"slices"

	"github.com/segraph/segraph/store/ids"

	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql/budget"
	"github.com/segraph/segraph/store/sparql/source"
	"github.com/segraph/segraph/store/sparql/syntax"
	"github.com/segraph/segraph/store/sparql/value"
)

// adapter lets the evaluator read a Dataset, for one query. It assigns ids to terms in
// order of occurrence and keeps them until the query ends.
type adapter struct {
	ctx    context.Context
	ds     Dataset
	budget *budget.Budget
	terms  []numbered // by id - 1
	ids    map[rdf.Term]source.ID
	graphs []source.ID
	scans  []*matchScan
}

type numbered struct {
	term  rdf.Term
	isOut bool // the dataset returned it in this form
}

var _ source.Unsorted = (*adapter)(nil)

// newAdapter returns an adapter of ds, which works within b. It reads the names of the graphs.
func newAdapter(ctx context.Context, ds Dataset, b *budget.Budget) (*adapter, error) {
	a := &adapter{ctx: ctx, ds: ds, budget: b, ids: map[rdf.Term]source.ID{}}
	graphs, err := ds.Graphs(ctx)
	if err != nil {
		return a, fmt.Errorf("listing the graphs: %w", err)
	}
	for _, g := range graphs {
		id, err := a.id(g, true)
		if err != nil {
			return a, err
		}
		a.graphs = append(a.graphs, id)
	}
	slices.Sort(a.graphs)
	a.graphs = slices.Compact(a.graphs)
	return a, nil
}

// release closes the scans that are still open.
func (a *adapter) release() {
	for _, s := range a.scans {
		s.close()
	}
}

// id returns the id of a term, assigning one if needed. isOut says that the dataset returned
// the term. Terms whose language tags differ only in case share an id, and are shown in the
// form that the dataset returned first, if any.
func (a *adapter) id(t rdf.Term, isOut bool) (source.ID, error) {
	key := t.Fold()
	id, ok := a.ids[key]
	if ok {
		if n := &a.terms[id-1]; isOut && !n.isOut {
			n.term, n.isOut = t, true
		}
		return id, nil
	}
	a.terms = append(a.terms, numbered{t, isOut})
	id = source.ID(len(a.terms))
	a.ids[key] = id
	const entry = 256 // approximate bytes per term, without its text
	return id, a.budget.Grow(entry + int64(t.Size()))
}

// ID returns the id of a term, assigning one if needed. For a blank node that the dataset
// has not returned, it returns 0.
func (a *adapter) ID(t rdf.Term) (source.ID, error) {
	if t.IsBlank() {
		return a.ids[t], nil
	}
	return a.id(t, false)
}

func (a *adapter) Term(id source.ID) (rdf.Term, error) { return a.terms[id-1].term, nil }
func (a *adapter) Kind(id source.ID) rdf.Kind          { return a.terms[id-1].term.Kind() }
func (a *adapter) Value(id source.ID) (value.Value, error) {
	return value.FromTerm(a.terms[id-1].term), nil
}
func (a *adapter) Graphs() []source.ID { return a.graphs }

// TripleParts returns the ids of the parts of a triple term, assigning them if needed, so
// that a blank node in it is the same as one in a triple.
func (a *adapter) TripleParts(id source.ID) (spo [3]source.ID, ok bool, err error) {
	n := a.terms[id-1]
	if !n.term.IsTriple() {
		return spo, false, nil
	}
	t := n.term.Triple()
	for i, part := range [...]rdf.Term{t.S, t.P, t.O} {
		if spo[i], err = a.id(part, n.isOut); err != nil {
			return spo, false, err
		}
	}
	return spo, true, nil
}

// Ranges reports false and Ordered returns nil, because ids are in order of occurrence.
func (a *adapter) Ranges(syntax.Op, value.Value) ([]source.IDRange, bool) { return nil, false }
func (a *adapter) Ordered() []source.OrderedRange                         { return nil }

func (a *adapter) Count(g, s, p, o source.ID) (int64, error) {
	return a.estimate(g, [3]source.ID{s, p, o})
}

func (a *adapter) Estimate(g source.ID, o source.Order, lo, hi ids.Tuple) (int64, error) {
	return a.estimate(g, fixed(o, lo, hi))
}

func (a *adapter) estimate(g source.ID, spo [3]source.ID) (int64, error) {
	n, err := a.ds.Estimate(a.ctx, a.named(g), a.pattern(spo))
	if err != nil {
		return 0, fmt.Errorf("estimating the matches of a pattern: %w", err)
	}
	return max(0, n), nil
}

// fixed returns the subject, predicate and object that all tuples from lo to hi begin
// with, or 0 in a position that varies.
func fixed(o source.Order, lo, hi ids.Tuple) (spo [3]source.ID) {
	for k, place := range o.Places() {
		if lo[k] != hi[k] {
			break
		}
		spo[place] = source.ID(lo[k])
	}
	return spo
}

// named returns the term of an id, or the zero Term for 0.
func (a *adapter) named(id source.ID) rdf.Term {
	if id == 0 {
		return rdf.Term{}
	}
	return a.terms[id-1].term
}

func (a *adapter) pattern(spo [3]source.ID) rdf.Triple {
	return rdf.Triple{S: a.named(spo[0]), P: a.named(spo[1]), O: a.named(spo[2])}
}

func (a *adapter) Scan(g source.ID, o source.Order) source.Scan   { return a.scan(g, o, asItComes) }
func (a *adapter) Sorted(g source.ID, o source.Order) source.Scan { return a.scan(g, o, forwards) }
func (a *adapter) Backwards(g source.ID, o source.Order) source.Scan {
	return a.scan(g, o, backwards)
}

func (a *adapter) scan(g source.ID, o source.Order, d direction) *matchScan {
	s := &matchScan{a: a, graph: g, order: o, direction: d}
	a.scans = append(a.scans, s)
	return s
}

// batches yields the tuples of an index from lo to hi, in growing batches. A batch is
// valid until the next one.
func (a *adapter) batches(g source.ID, o source.Order, lo, hi ids.Tuple) iter.Seq2[[]ids.Tuple, error] {
	const first, last = 16, 1024
	return func(yield func([]ids.Tuple, error) bool) {
		var batch []ids.Tuple
		size := first
		for t, err := range a.ds.Match(a.ctx, a.named(g), a.pattern(fixed(o, lo, hi))) {
			if err != nil {
				yield(nil, fmt.Errorf("matching a pattern: %w", err))
				return
			}
			tuple, err := a.tuple(o, t)
			if err == nil {
				err = a.budget.Tick(1)
			}
			if err != nil {
				yield(nil, err)
				return
			}
			if compareTuples(tuple, lo) < 0 || compareTuples(tuple, hi) > 0 {
				continue
			}
			if batch = append(batch, tuple); len(batch) == size {
				if !yield(batch, nil) {
					return
				}
				batch, size = batch[:0], min(2*size, last)
			}
		}
		if len(batch) > 0 {
			yield(batch, nil)
		}
	}
}

// tuple returns the ids of a triple in the order o, assigning new ones if needed.
func (a *adapter) tuple(o source.Order, t rdf.Triple) (tuple ids.Tuple, err error) {
	spo := [3]rdf.Term{t.S, t.P, t.O}
	for k, place := range o.Places() {
		if spo[place].IsZero() {
			return tuple, fmt.Errorf("matching a pattern: the dataset yielded a triple that lacks a term: %s %s %s", t.S, t.P, t.O)
		}
		id, err := a.id(spo[place], true)
		if err != nil {
			return tuple, err
		}
		tuple[k] = uint64(id)
	}
	return tuple, nil
}

func compareTuples(a, b ids.Tuple) int {
	return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1]), cmp.Compare(a[2], b[2]))
}

// direction is the order in which a matchScan returns tuples.
type direction uint8

const (
	asItComes direction = iota
	forwards
	backwards
)

// matchScan is a Scan over the results of Match.
type matchScan struct {
	a         *adapter
	graph     source.ID
	order     source.Order
	direction direction
	lo, hi    ids.Tuple
	isEmpty   bool // everything was returned
	next      func() ([]ids.Tuple, error, bool)
	stop      func()
	kept      int64 // bytes of the sorted tuples
	err       error
}

func (s *matchScan) Seek(lo, hi ids.Tuple) {
	s.close()
	s.lo, s.hi, s.isEmpty = lo, hi, false
}

// Next implements source.Scan. With a direction, it reads all triples before it returns the first.
func (s *matchScan) Next() []ids.Tuple {
	if s.isEmpty || s.err != nil {
		return nil
	}
	if s.direction != asItComes {
		s.isEmpty = true
		return s.all()
	}
	if s.next == nil {
		s.next, s.stop = iter.Pull2(s.a.batches(s.graph, s.order, s.lo, s.hi))
	}
	batch, err, ok := s.next()
	if s.err = err; err != nil || !ok {
		s.isEmpty = true
		s.close()
		return nil
	}
	return batch
}

// all returns all tuples from lo to hi, sorted in the scan's direction, without
// duplicates.
func (s *matchScan) all() []ids.Tuple {
	var all []ids.Tuple
	for batch, err := range s.a.batches(s.graph, s.order, s.lo, s.hi) {
		if err == nil {
			was := cap(all)
			all = append(all, batch...)
			more := int64(cap(all)-was) * 24 // bytes of a tuple
			s.kept += more
			err = s.a.budget.Grow(more)
		}
		if err != nil {
			s.err = err
			return nil
		}
	}
	slices.SortFunc(all, compareTuples)
	all = slices.Compact(all)
	if s.direction == backwards {
		slices.Reverse(all)
	}
	if len(all) == 0 {
		return nil
	}
	return all
}

func (s *matchScan) Err() error { return s.err }

// close ends the scan and frees what it kept.
func (s *matchScan) close() {
	if s.stop != nil {
		s.stop()
	}
	s.next, s.stop = nil, nil
	_ = s.a.budget.Grow(-s.kept) // shrinking can't fail
	s.kept = 0
}
