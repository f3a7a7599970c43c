package plan

import "github.com/segraph/segraph/store/sparql/algebra"

const (
	// onceWorth is how many times cheaper it must seem to evaluate an operand once than
	// for each row.
	onceWorth = 2
	// maxKeptSolutions limits the solutions of an operand that a join chooses to keep.
	// If there would be more, the operand is evaluated for each row.
	maxKeptSolutions = 1 << 20
)

// onceCost returns the cost of evaluating an operand of a join once, by itself, and looking up rows in its solutions.
// cost and rows are the estimates for evaluating it for each row. ok reports whether once is better. It is false if
// few rows are wanted, and for triple patterns, about which fullScan decides.
func (p *planner) onceCost(op algebra.Op, at *progress, cost, rows float64, few bool) (once float64, ok bool) {
	switch op.(type) {
	case *algebra.Extend, *algebra.Project, *algebra.Union, *algebra.LeftJoin, *algebra.Minus, *algebra.ValueJoin: // may be evaluated once
	default:
		return 0, false
	}
	if few || p.exists > 0 || at.rows < fewRows {
		return 0, false
	}
	once, kept := p.isolatedCost(op)
	once += kept*keepCost + at.rows*joinCost + rows*rowCost
	return once, kept <= maxKeptSolutions && once*onceWorth < cost
}

// once wraps an operand of a join in a Materialize if onceCost recommends it.
func (p *planner) once(op algebra.Op, g planContext) algebra.Op {
	at := &progress{rows: g.in(), bound: g.bound}
	cost, rows := p.cost(op, at, g.few)
	if _, ok := p.onceCost(op, at, cost, rows, g.few); ok {
		return &algebra.Materialize{Op: op}
	}
	return op
}

// likely returns the variables that solutions of op are likely to bind, including those
// whose expression or aggregate may be an error. It is only for estimates.
func (p *planner) likely(op algebra.Op) algebra.Set {
	switch op.(type) {
	case *algebra.Join, *algebra.Filter, *algebra.Extend, *algebra.Materialize, *algebra.Reduce, *algebra.Group,
		*algebra.Project, *algebra.Distinct, *algebra.OrderBy, *algebra.Slice:
	default:
		return p.vars.Certain(op)
	}
	if known, ok := p.likelyVars[op]; ok {
		return known
	}
	var out algebra.Set
	switch x := op.(type) {
	case *algebra.Group:
		out = p.vars.May(op)
	case *algebra.Extend:
		out = p.likely(x.Op).Or(algebra.BoundBy(x))
	case *algebra.Project:
		out = p.likely(x.Op).And(algebra.SetOf(x.Vars...))
	default:
		for _, child := range algebra.Children(op) {
			out = out.Or(p.likely(child))
		}
	}
	p.likelyVars[op] = out
	p.spend(out.Size())
	return out
}

// agreeing returns the fraction of op's solutions that remain if it computes a variable
// in bound, which must then have the same value.
func (p *planner) agreeing(op algebra.Op, bound algebra.Set) float64 {
	if x, ok := op.(*algebra.Extend); ok && algebra.BoundBy(x).Meets(bound) {
		return equalShare
	}
	return 1
}
