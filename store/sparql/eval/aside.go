package eval

import (
	"fmt"
	"runtime/debug"
	"slices"

	"github.com/segraph/segraph/store/sparql/algebra"
	"github.com/segraph/segraph/store/sparql/eval/expr"
	"github.com/segraph/segraph/store/sparql/eval/table"
	"github.com/segraph/segraph/store/sparql/source"
	"github.com/segraph/segraph/store/sparql/statistics"
)

// aside is in front of an operator that needs all rows of op. If there are many rows and a
// processor is free, another goroutine evaluates op meanwhile (pipe). The batches, and so
// the rows and their order, are the same as on the query's own goroutine.
type aside struct {
	r     *Run
	op    algebra.Op
	env   env
	width int            // of rows before op was built
	head  sink           // first operator of op, for the query's own goroutine
	next  sink           // operators above op that the query's own goroutine evaluates
	piped bool           // another goroutine evaluates op, and head received nothing
	bound []algebra.Slot // variables to which op binds values
}

// buildAside builds op for an operator that needs all of its rows. If a part of op may run on another goroutine, it puts
// an aside in front, which decides that when the evaluation begins.
func (r *Run) buildAside(op algebra.Op, e env, next sink) (sink, error) {
	below, above, bound := r.divide(op, e, !passesOn(next))
	if _, cheap := next.(*collector); cheap || below == nil {
		return r.build(op, e, next)
	}
	x := &aside{r: r, op: below, env: e, width: r.width, bound: bound.Slots()}
	var err error
	for _, extend := range above {
		if next, err = r.buildExtend(extend, r.after(e, extend.Op), next); err != nil {
			return nil, err
		}
	}
	x.next = next
	x.head, err = r.build(below, e, next)
	return x, err
}

// divide returns the part of op that another goroutine may evaluate, nil if there is none; the
// operators above that part, from the top; and the variables to which that part binds
// values. A BIND belongs to that part only if rows are kept, as kept says, and if its values are
// numbers, dates and the like, or few texts: each goroutine keeps a copy of each value that passes
// between them until the query ends.
func (r *Run) divide(op algebra.Op, e env, kept bool) (below algebra.Op, above []*algebra.Extend, bound algebra.Set) {
	runsOnce := e.unit != nil && e.around == nil && e.ahead == nil
	if !runsOnce || r.isFork || r.profile != nil {
		return nil, nil, bound
	}
	for below = op; !readsOnly(below); {
		switch x := below.(type) {
		case *algebra.Project:
			below = x.Op
		case *algebra.Extend:
			above, below = append(above, x), x.Op
		default:
			return nil, nil, bound
		}
	}
	for n := len(above) - 1; kept && n >= 0 && expr.Movable(bound, algebra.Expressions(above[n])...); n-- {
		bound = bound.Or(algebra.BoundBy(above[n]))
		below, above = above[n], above[:n]
	}
	return below, above, bound
}

// readsOnly reports whether the terms in the solutions of op are all the dataset's.
func readsOnly(op algebra.Op) bool {
	switch op.(type) {
	case *algebra.Triple, *algebra.Ordered, *algebra.Join, *algebra.LeftJoin, *algebra.ValueJoin, *algebra.SemiJoin, *algebra.Minus,
		*algebra.Union, *algebra.Filter, *algebra.Graph, *algebra.Project, *algebra.Materialize:
		return !slices.ContainsFunc(algebra.Children(op), func(child algebra.Op) bool { return !readsOnly(child) })
	}
	return false
}

// triples returns how many triples match the patterns that the evaluation of op begins with.
func (x *aside) triples(c *statistics.Counts, op algebra.Op) (sum int64, err error) {
	switch op := op.(type) {
	case *algebra.Ordered:
		return x.triples(c, &op.Triple)
	case *algebra.Triple:
		if len(op.Within) > 0 && !op.P.IsVariable() {
			return c.Within(op.Graph, op.P.Term, op.Within)
		}
		return c.Count(op.Graph, op.S.Term, op.P.Term, op.O.Term)
	}
	operands := algebra.Children(op)
	if _, all := op.(*algebra.Union); !all {
		operands = operands[:min(1, len(operands))]
	}
	for i := 0; i < len(operands) && sum < x.r.many && err == nil; i++ {
		var n int64
		n, err = x.triples(c, operands[i])
		sum += n
	}
	return sum, err
}

// push receives the row that a run begins with.
func (x *aside) push(b *table.Batch) error {
	f, err := x.fork(b)
	if err != nil {
		return err
	}
	if x.piped = f != nil; x.piped {
		return x.run(f, b)
	}
	return x.head.push(b)
}

// fork borrows a processor and returns a Run over the same data for another goroutine. It
// returns nil if the query's own goroutine must do the work.
func (x *aside) fork(b *table.Batch) (*Run, error) {
	r, isLocal := x.r, func(id source.ID) bool { return id >= source.LocalFirst }
	isWide := len(r.query.Names) > wideRow
	hasLocal := b.N != 1 || slices.ContainsFunc(b.Row(0), isLocal) || slices.ContainsFunc(r.graphs, isLocal) // which a fork does not know
	if isWide || hasLocal || !r.budget.Room(int64(4*pipeBatches*r.largest*r.width)*table.IdSize) {
		return nil, nil
	}
	c, err := statistics.Of(r.ds, nil, nil)
	if err != nil {
		return nil, err
	}
	if n, err := x.triples(c, x.op); n < r.many || err != nil {
		return nil, err
	}
	ds := r.ds.Fork()
	if ds == nil || !r.budget.Borrow() {
		return nil, nil
	}
	f := *r
	f.isFork, f.budget, f.ds = true, r.budget.Fork(), ds
	f.exprs = r.exprs.Fork(f.budget, ds)
	f.terms = f.exprs.Terms
	f.vars = algebra.Variables{Spend: f.spend}
	f.columns, f.pairs, f.eager, f.width = nil, table.Pairs{}, false, x.width
	f.pipe = &pipe{r: r, b: f.budget, forked: f.terms, owns: true, bound: x.bound}
	f.pipe.cond.L = &f.pipe.mu
	return &f, nil
}

// run evaluates op on another goroutine and passes on its rows.
func (x *aside) run(f *Run, b *table.Batch) error {
	p := f.pipe
	defer p.close()
	head, err := f.build(x.op, x.env, p)
	if err != nil {
		p.finish(err, nil)
		return err
	}
	f.width = x.r.width                          // rows have the slots of all operators of the query
	f.budget.OnCheck(func() { _ = p.wait(nil) }) // the caller notices if no more rows are wanted
	p.running.Go(func() {
		err := errPanicked
		defer func() {
			var panicked error
			if r := recover(); r != nil {
				panicked = fmt.Errorf("%v, on a borrowed processor:\n%s", r, debug.Stack())
			}
			p.finish(err, panicked)
		}()
		if err = x.r.ds.Guard(func() error { return feed(head, b) }); err == nil {
			err = f.budget.Failed()
		}
	})
	return p.drain(x.next)
}

// end does not end head after a pipe: an aggregate in it without GROUP BY would return
// another row, for no solutions.
func (x *aside) end() error {
	if x.piped {
		x.piped = false
		return x.next.end()
	}
	return x.head.end()
}
