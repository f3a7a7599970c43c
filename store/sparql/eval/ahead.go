package eval

import (
	"errors"

	"github.com/segraph/segraph/store/sparql/algebra"
	"github.com/segraph/segraph/store/sparql/eval/table"
	"github.com/segraph/segraph/store/sparql/value"
)

// ahead evaluates an ORDER BY with a LIMIT, if possible without reading all rows. A
// walk reads the triples whose objects are the first sort key, in the order of these
// objects, and the rest of the pattern is joined to them. The walk ends once the order
// has enough rows and every further row would have a later key. If few of the triples
// match the rest of the pattern, the walk takes too long and is given up. Then all rows
// are evaluated and sorted.
//
// The order sorts the rows in either case. The walk only decides how many it receives.
type ahead struct {
	order  *order
	head   sink  // begins with the walk
	exit   *exit // between the walk and the order
	sort   sink  // evaluates all rows
	last   sink  // in front of the order
	gaveUp bool  // the walk was given up, and sort used instead
	rows   table.Batch
}

// errWalkLimit ends a walk that has read too many triples. It never leaves the package.
var errWalkLimit = errors.New("the walk has read too many triples")

// exit passes on rows until it is closed. It does not end the next sink.
type exit struct {
	next   sink
	closed bool
}

func (x *exit) push(b *table.Batch) error {
	if x.closed {
		return nil
	}
	return x.next.push(b)
}

func (x *exit) end() error { return nil }

// buildAhead builds an OrderBy that first walks in its order, and sorts if the walk reaches its
// limit.
func (r *Run) buildAhead(x *algebra.OrderBy, e env, o *order, next sink) (sink, error) {
	a := &ahead{order: o, exit: &exit{next: next}, last: next}
	var err error
	walking := e
	walking.ahead = a
	if a.head, err = r.buildWanting(fewRows, x.Ahead, walking, a.exit); err != nil {
		return nil, err
	}
	a.sort, err = r.buildWanting(allRows, x.Op, e, next)
	return a, err
}

// push walks for the rows of b. If the walk gives up, what it passed on counts as nothing, and push
// sorts.
func (a *ahead) push(b *table.Batch) error {
	a.rows.CopyOf(b)
	a.exit.closed, a.gaveUp = false, false
	err := feed(a.head, &a.rows)
	if err != errWalkLimit {
		return err
	}
	a.exit.closed, a.gaveUp = true, true
	if err := a.head.end(); err != nil && err != errDone {
		return err
	}
	if err := a.order.clear(); err != nil {
		return err
	}
	return a.sort.push(b)
}

func (a *ahead) end() error {
	if a.gaveUp {
		return a.sort.end()
	}
	return a.last.end()
}

// walk is an algebra.Ordered that stops once its order wants no more rows.
type walk struct {
	*ordered
	order      *order
	descending bool
}

// buildOrdered builds the pattern that a walk begins with. Outside of a walk it is a scan as any
// other.
func (r *Run) buildOrdered(x *algebra.Ordered, e env, next sink) (sink, error) {
	if e.ahead == nil || e.unit == nil {
		return r.buildScan(&x.Triple, e, next)
	}
	w, err := r.newOrdered(&x.Triple, next)
	if err != nil {
		return nil, err
	}
	w.most = x.Most
	return &walk{w, e.ahead.order, x.Descending}, nil
}

// push receives the row that a run begins with, which may have an active graph. It reads the
// triples that are not in order first, so that the walk along the others can end early.
func (w *walk) push(b *table.Batch) error {
	w.walked = 0
	for i := range b.N {
		if err := w.unsorted(b.Row(i)); err != nil {
			return err
		}
		if err := w.sorted(b.Row(i), w.descending, func() func(value.Value) (bool, error) { return w.order.past }); err != nil {
			return err
		}
	}
	return nil
}
