package eval

import (
	"errors"

	"github.com/segraph/segraph/store/sparql/algebra"
	"github.com/segraph/segraph/store/sparql/value"
)

// ahead tries to find the first rows of an order without evaluating all. A walk reads
// triples whose objects are the first key, in the order of their values, and the rest of
// the pattern follows it. The walk ends once the order has all the rows it wants and all
// further rows would have greater keys. If few of the triples match the rest, that takes
// long; then all rows are evaluated the usual way instead.
//
// The order sorts the rows in either case, so the walk affects only when evaluation ends.
type ahead struct {
	order *order
	head  sink  // begins with the walk
	exit  *exit // between the walk and the order
	sort  sink  // the usual way
	last  sink  // in front of the order
	given bool  // the usual way was taken
	rows  batch
}

// errFar reports that a walk has gone far enough. It never leaves the package.
var errFar = errors.New("the walk does not get anywhere")

// exit passes on rows, but not their end.
type exit struct {
	next   sink
	closed bool
}

func (x *exit) push(b *batch) error {
	if x.closed {
		return nil
	}
	return x.next.push(b)
}

func (x *exit) end() error { return nil }

func (r *Run) buildAhead(x *algebra.OrderBy, e env, o *order, next sink) (sink, error) {
	a := &ahead{order: o, exit: &exit{next: next}, last: next}
	var err error
	walking := e
	walking.ahead = a
	if a.head, err = r.buildWanting(true, x.Ahead, walking, a.exit); err != nil {
		return nil, err
	}
	a.sort, err = r.buildWanting(false, x.Op, e, next)
	return a, err
}

func (a *ahead) push(b *batch) error {
	a.rows.copyOf(b)
	a.exit.closed, a.given = false, false
	err := feed(a.head, &a.rows)
	if err != errFar {
		return err
	}
	a.exit.closed, a.given = true, true
	if err := a.head.end(); err != nil && err != errDone {
		return err
	}
	if err := a.order.clear(); err != nil {
		return err
	}
	return a.sort.push(b)
}

func (a *ahead) end() error {
	if a.given {
		return a.sort.end()
	}
	return a.last.end()
}

// walk is an Ordered under an order that it may end early.
type walk struct {
	*ordered
	order      *order
	descending bool
}

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

// push receives the row that a run begins with, which may have an active graph.
func (w *walk) push(b *batch) error {
	w.walked = 0
	for i := range b.n {
		if err := w.unsorted(b.row(i)); err != nil {
			return err
		}
		if err := w.sorted(b.row(i), w.descending, func() func(value.Value) (bool, error) { return w.order.past }); err != nil {
			return err
		}
	}
	return nil
}
