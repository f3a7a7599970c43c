package eval

import (
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"sync"

	"github.com/segraph/segraph/store/sparql/algebra"
	"github.com/segraph/segraph/store/sparql/budget"
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
	width int  // of rows before op was built
	head  sink // first operator of op, for the query's own goroutine
	next  sink // operators above op that compute terms, and those that need all rows
	piped bool // another goroutine evaluates op, and head received nothing
}

// buildAside builds an operator of which all rows are wanted. If it only reads, it may run on another goroutine: see
// aside.
func (r *Run) buildAside(op algebra.Op, e env, next sink) (sink, error) {
	_, cheap := next.(*collector)
	runsOnce := e.unit != nil && e.around == nil && e.ahead == nil
	if cheap || !runsOnce || r.isFork || r.profile != nil {
		return r.build(op, e, next)
	}
	// Expressions on top, which compute terms, stay on the query's own goroutine.
	rest, above := op, []*algebra.Extend(nil)
	for !readsOnly(rest) {
		switch x := rest.(type) {
		case *algebra.Project:
			rest = x.Op
		case *algebra.Extend:
			above, rest = append(above, x), x.Op
		default:
			return r.build(op, e, next)
		}
	}
	var err error
	for _, x := range above {
		if next, err = r.buildExtend(x, r.after(e, x.Op), next); err != nil {
			return nil, err
		}
	}
	x := &aside{r: r, op: rest, env: e, width: r.width, next: next}
	x.head, err = r.build(rest, e, next)
	return x, err
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

// leading returns the triple patterns that the evaluation of op begins with.
func leading(op algebra.Op) (out []*algebra.Triple) {
	switch x := op.(type) {
	case *algebra.Triple:
		return []*algebra.Triple{x}
	case *algebra.Ordered:
		return []*algebra.Triple{&x.Triple}
	}
	operands := algebra.Children(op)
	if _, all := op.(*algebra.Union); !all {
		operands = operands[:min(1, len(operands))]
	}
	for _, operand := range operands {
		out = append(out, leading(operand)...)
	}
	return out
}

// isLarge reports whether the leading patterns match enough triples to use another
// processor.
func (x *aside) isLarge() (bool, error) {
	c, err := statistics.Of(x.r.ds, nil, nil)
	if err != nil {
		return false, err
	}
	var sum int64
	for _, t := range leading(x.op) {
		var n int64
		if len(t.Within) > 0 && !t.P.IsVariable() {
			n, err = c.Within(t.Graph, t.P.Term, t.Within)
		} else {
			n, err = c.Count(t.Graph, t.S.Term, t.P.Term, t.O.Term)
		}
		if sum += n; err != nil || sum >= x.r.many {
			return err == nil, err
		}
	}
	return false, nil
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
	if isWide || hasLocal || !r.budget.Room(int64(pipeBatches*r.largest*r.width)*table.IdSize) {
		return nil, nil
	}
	if large, err := x.isLarge(); !large || err != nil {
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
	return &f, nil
}

// run evaluates op on another goroutine and passes on its rows.
func (x *aside) run(f *Run, b *table.Batch) error {
	p := &pipe{b: f.budget, owns: true}
	p.cond.L = &p.mu
	defer p.close()
	head, err := f.build(x.op, x.env, p)
	if err != nil {
		p.finish(err)
		return err
	}
	f.width = x.r.width // rows have the slots of all operators of the query
	f.budget.OnCheck(func() { p.wait(pipeBatches) })
	p.running.Go(func() {
		err := errPanicked
		defer func() {
			if r := recover(); r != nil {
				p.panicked = fmt.Errorf("%v, on a borrowed processor:\n%s", r, debug.Stack())
			}
			p.finish(err)
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

// pipe passes batches from another goroutine to the query's own, in order. While the other
// one has no processor of its own, it works only when the query's goroutine has nothing to
// do.
type pipe struct {
	b       *budget.Budget // of the other goroutine
	mu      sync.Mutex
	cond    sync.Cond
	full    []table.Batch
	free    []table.Batch
	busy    bool // the query's goroutine works
	owns    bool // a borrowed processor
	ended   bool // all rows were made
	stopped bool // no more rows are wanted
	err     error
	running sync.WaitGroup

	panicked error // of the other goroutine
}

// pipeBatches is the number of batches that may wait.
const pipeBatches = 4

// errPanicked is the error of a goroutine that panicked.
var errPanicked = errors.New("a goroutine of the query panicked")

// push keeps the rows of b, which gets an empty batch instead.
func (p *pipe) push(b *table.Batch) error {
	if !p.wait(pipeBatches - 1) {
		return errDone
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	var empty table.Batch
	if n := len(p.free); n > 0 {
		empty, p.free = p.free[n-1], p.free[:n-1]
	}
	p.full = append(p.full, *b)
	*b = table.Batch{Width: b.Width, IDs: empty.IDs[:0]}
	p.busy = true
	p.cond.Broadcast()
	return nil
}

func (p *pipe) end() error { return nil }

// wait waits until at most n batches wait and there is a processor. It gives back the
// borrowed one if other work needs it. It reports whether more rows are wanted.
func (p *pipe) wait(n int) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.owns && p.b.Wanted() {
		p.owns = false
		p.b.GiveBack()
	}
	for !p.stopped {
		p.owns = p.owns || p.b.Borrow()
		if len(p.full) <= n && (p.owns || !p.busy) {
			break
		}
		p.cond.Wait()
	}
	return !p.stopped
}

// finish ends the other goroutine.
func (p *pipe) finish(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ended, p.err = true, err; p.owns {
		p.b.GiveBack()
	}
	p.cond.Broadcast()
}

// drain passes all batches to next.
func (p *pipe) drain(next sink) error {
	for {
		b, err := p.take()
		if b.N == 0 || err != nil {
			return err
		}
		if err := next.push(&b); err != nil {
			return err
		}
		b.Reset()
		p.mu.Lock()
		p.free = append(p.free, b)
		p.mu.Unlock()
	}
}

// take waits for the next batch. It returns an empty one at the end.
func (p *pipe) take() (b table.Batch, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for len(p.full) == 0 && !p.ended {
		p.busy = false
		p.cond.Broadcast()
		p.cond.Wait()
	}
	if p.panicked != nil || len(p.full) == 0 {
		return b, p.err // close panics
	}
	p.busy = true
	b, p.full = p.full[0], p.full[1:]
	p.cond.Broadcast()
	return b, nil
}

// close stops the other goroutine, waits for it and releases its memory. If it panicked,
// close panics.
func (p *pipe) close() {
	p.mu.Lock()
	p.stopped = true
	p.cond.Broadcast()
	p.mu.Unlock()
	p.b.Halt()
	p.running.Wait()
	p.b.Release()
	if p.panicked != nil {
		panic(p.panicked)
	}
}
