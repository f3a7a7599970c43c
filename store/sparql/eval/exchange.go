package eval

import (
	"slices"

	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql/algebra"
)

// exchange is in front of operators that need all rows of op. If there are many rows
// and a processor is free, it evaluates op on several goroutines (pipeline), otherwise
// on the query's own.
type exchange struct {
	r     *Run
	op    algebra.Op   // evaluated by the producer
	above []algebra.Op // evaluated on morsels, the last one first
	env   env
	width int  // of rows before op was built
	head  sink // first operator of op and above for the query's own goroutine
	next  sink
	piped bool // a pipeline evaluates op, and head received nothing
}

// buildMany is build for an operator if all of its rows are wanted.
func (r *Run) buildMany(op algebra.Op, e env, next sink) (sink, error) {
	if r.isFork || r.profile != nil || e.unit == nil || e.around != nil || e.ahead != nil {
		return r.build(op, e, next)
	}
	x := &exchange{r: r, env: e, width: r.width, next: next}
	x.op, x.above = split(op)
	outer := r.exchanged
	r.exchanged = false
	head, err := r.build(op, e, next)
	inner := r.exchanged
	r.exchanged = outer
	if err != nil || inner || len(leading(x.op)) == 0 {
		return head, err
	}
	x.head = head
	return x, nil
}

// buildFirst is build for the first operand of a join. If that has a filter that computes
// something, it gets an exchange of its own, because few rows may remain to be joined.
func (r *Run) buildFirst(op algebra.Op, e env, next sink) (sink, error) {
	_, above := split(op)
	if r.eager || !slices.ContainsFunc(above, computes) {
		return r.build(op, e, next)
	}
	s, err := r.buildMany(op, e, next)
	if _, ok := s.(*exchange); ok {
		r.exchanged = true
	}
	return s, err
}

// computes reports whether op is a filter that computes something.
func computes(op algebra.Op) bool {
	f, ok := op.(*algebra.Filter)
	return ok && computing(f.Conditions) != nil
}

// split splits op into the operators above, which handle each row by itself, the last
// one first, and rest, which makes the rows for them.
func split(op algebra.Op) (rest algebra.Op, above []algebra.Op) {
	for len(algebra.ExistsIn(algebra.Expressions(op)...)) == 0 {
		switch x := op.(type) {
		case *algebra.Project:
			op = x.Op
		case *algebra.Filter:
			above, op = append(above, op), x.Op
		case *algebra.Extend:
			above, op = append(above, op), x.Op
		default:
			return op, above
		}
	}
	return op, above
}

// leading returns the triple patterns that the evaluation of op begins with, or none if
// it begins with something else.
func leading(op algebra.Op) []*algebra.Triple {
	switch x := op.(type) {
	case *algebra.Triple:
		return []*algebra.Triple{x}
	case *algebra.Ordered:
		return []*algebra.Triple{&x.Triple}
	case *algebra.Join:
		if len(x.Ops) > 0 {
			return leading(x.Ops[0])
		}
	case *algebra.Union:
		var all []*algebra.Triple
		for _, arm := range x.Ops {
			all = append(all, leading(arm)...)
		}
		return all
	case *algebra.LeftJoin:
		return leading(x.Left)
	case *algebra.ValueJoin:
		return leading(x.Left)
	case *algebra.SemiJoin:
		return leading(x.Left)
	case *algebra.Minus:
		return leading(x.Left)
	case *algebra.Filter:
		return leading(x.Op)
	case *algebra.Extend:
		return leading(x.Op)
	case *algebra.Project:
		return leading(x.Op)
	case *algebra.Reduce:
		return leading(x.Op)
	case *algebra.Graph:
		return leading(x.Op)
	}
	return nil
}

// isLarge reports whether the leading patterns match enough triples to use several
// processors.
func (x *exchange) isLarge() (bool, error) {
	c := &Counts{ds: x.r.ds, graphs: x.r.graphs, ids: map[rdf.Term]ID{}, counts: map[countKey]int64{}, census: censusOf(x.r.ds)}
	var sum int64
	for _, t := range leading(x.op) {
		var n int64
		var err error
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
func (x *exchange) push(b *batch) error {
	p, err := x.pipeline(b)
	if err != nil {
		return err
	}
	if x.piped = p != nil; x.piped {
		return p.run(b)
	}
	return x.head.push(b)
}

// pipeline returns a pipeline, or nil if the query's own goroutine must do the work.
func (x *exchange) pipeline(b *batch) (*pipeline, error) {
	isLocal := func(id ID) bool { return id >= LocalFirst }
	if !x.r.budget.Free() || b.n != 1 || slices.ContainsFunc(b.row(0), isLocal) || !x.r.mayFork() {
		return nil, nil
	}
	if large, err := x.isLarge(); !large || err != nil {
		return nil, err
	}
	rows := chunkRows
	if g, ok := x.next.(*group); len(x.above) == 0 && ok && len(g.exprs) == 0 {
		rows = x.r.largest // nothing is evaluated in columns
	}
	p, err := x.r.newPipeline(x.next, x.width, rows, x.buildAbove)
	if p == nil || err != nil {
		return nil, err
	}
	if err := x.addProducer(p); err != nil {
		p.close()
		return nil, err
	}
	return p, nil
}

// addProducer builds the producer of a pipeline.
func (x *exchange) addProducer(p *pipeline) error {
	p.producer = x.r.fork(forkOf(x.r.ds))
	p.producer.width = x.width
	p.producer.budget.OnCheck(p.yield)
	var err error
	p.head, err = p.producer.build(x.op, x.env, filler{p})
	p.producer.width = x.r.width
	return err
}

// buildAbove builds the operators of a morsel.
func (x *exchange) buildAbove(r *Run, next sink) (head sink, err error) {
	for _, op := range x.above {
		switch o := op.(type) {
		case *algebra.Filter:
			next, err = r.buildFilter(o.Conditions, r.after(x.env, o.Op), next)
		case *algebra.Extend:
			next, err = r.buildExtend(o, r.after(x.env, o.Op), next)
		}
		if err != nil {
			return nil, err
		}
	}
	return next, nil
}

// end does not end head after a pipeline: an aggregate in it without GROUP BY would return
// another row, for no solutions.
func (x *exchange) end() error {
	if x.piped {
		x.piped = false
		return x.next.end()
	}
	return x.head.end()
}
