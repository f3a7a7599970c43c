package plan

import (
	"math"

	"github.com/segraph/segraph/store/sparql/algebra"
	"github.com/segraph/segraph/store/sparql/budget"
)

// Estimate is an estimate of the number of rows of an operator.
type Estimate struct {
	Rows     float64 // rows returned, joined with the input
	Isolated float64 // rows of the operator evaluated by itself; 0 if it is not
}

// Estimates returns an estimate for each operator of a planned query, for Explain. It
// takes about as long as planning. The error is one of s or b.
func Estimates(q *algebra.Query, s Statistics, b *budget.Budget) (map[algebra.Op]Estimate, error) {
	e := &estimates{planner: newPlanner(s, b), of: map[algebra.Op]Estimate{}}
	e.op(q.Root, 1, planContext{})
	return e.of, e.err
}

type estimates struct {
	*planner
	of map[algebra.Op]Estimate
}

// op estimates the number of rows of op for in input rows.
func (e *estimates) op(op algebra.Op, in float64, g planContext) (rows float64) {
	if !e.tick(1) {
		return 1
	}
	var out Estimate
	if e.vars.TakesBindings(op, g.before) {
		out.Rows = e.inside(op, in, g)
	} else {
		out.Isolated = e.inside(op, 1, planContext{})
		out.Rows = out.Isolated
		if !g.before.Empty() {
			out.Rows = in * math.Min(out.Isolated, e.estimate(op, g.bound))
		}
	}
	for _, x := range algebra.ExistsIn(algebra.Expressions(op)...) {
		e.op(x.Op, out.Rows, planContext{bound: e.after(g, op).bound})
	}
	out.Rows, out.Isolated = min(out.Rows, maxRows), min(out.Isolated, maxRows)
	e.of[op] = out
	return out.Rows
}

// after is planner.after, but also includes the variables that are likely to be bound.
func (e *estimates) after(g planContext, op algebra.Op) planContext {
	g = e.planner.after(g, op)
	g.bound = g.bound.Or(e.likely(op))
	return g
}

// inside estimates the rows of op for in rows that it gets, and notes the estimates of all operators in it. g is the
// context before op.
func (e *estimates) inside(op algebra.Op, in float64, g planContext) float64 {
	switch x := op.(type) {
	case *algebra.Join:
		for _, operand := range x.Ops {
			in = e.op(operand, in, g)
			g = e.after(g, operand)
		}
		return in
	case *algebra.ValueJoin:
		left := e.op(x.Left, in, g)
		e.op(x.Right, 1, planContext{})
		return e.valueRows(x, left, g.bound)
	case *algebra.LeftJoin:
		left := e.op(x.Left, in, g)
		return math.Max(left, e.op(x.Right, left, e.after(g, x.Left)))
	case *algebra.Minus:
		e.op(x.Right, 1, planContext{})
		return e.op(x.Left, in, g)
	case *algebra.SemiJoin:
		left := e.op(x.Left, in, g)
		if _, ok := x.Right.(*algebra.Materialize); ok {
			e.op(x.Right, 1, planContext{})
		} else {
			e.op(x.Right, left, e.after(g, x.Left))
		}
		return passing * left
	case *algebra.Union:
		sum := 0.0
		for _, arm := range x.Ops {
			sum += e.op(arm, in, g)
		}
		return sum
	case *algebra.Filter:
		return passing * e.op(x.Op, in, g)
	case *algebra.Materialize:
		rows := e.op(x.Op, in, g)
		e.of[x.Op] = Estimate{Rows: rows, Isolated: rows}
		return rows
	}
	rows := in
	if children := algebra.Children(op); len(children) > 0 {
		for _, child := range children {
			rows = e.op(child, in, g)
		}
		return remaining(op, rows)
	}
	return in * e.estimate(op, g.bound)
}
