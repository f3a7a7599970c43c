package plan

import "github.com/segraph/segraph/store/sparql/algebra"

const (
	// onceWorth is how many times cheaper it must look to evaluate an operand once than
	// again for each row.
	onceWorth = 2
	// mostKept is how many solutions of an operand a join keeps by choice. Rows that come
	// one by one are looked up instead.
	mostKept = 1 << 20
)

// onceCost returns what it costs to evaluate an operand of a join by itself, once, and to
// look rows up in its solutions. It is ok where that is worth it: cost and rows are what
// it takes and gives if it is evaluated for each row. A pattern decides by itself (see
// whole).
func (p *planner) onceCost(op algebra.Op, at *progress, cost, rows float64, few bool) (once float64, ok bool) {
	switch op.(type) {
	case *algebra.Extend, *algebra.Project, *algebra.Union, *algebra.LeftJoin, *algebra.Minus, *algebra.ValueJoin:
	default:
		return 0, false
	}
	if few || p.exists > 0 || at.rows < fewRows {
		return 0, false
	}
	once, kept := p.alone(op)
	once += kept*keepCost + at.rows*joinCost + rows*rowCost
	return once, kept <= mostKept && once*onceWorth < cost
}

// once wraps an operand of a join in a Materialize if onceCost says so.
func (p *planner) once(op algebra.Op, g given) algebra.Op {
	at := &progress{rows: g.in(), bound: g.bound}
	cost, rows := p.cost(op, at, g.few)
	if _, ok := p.onceCost(op, at, cost, rows, g.few); ok {
		return &algebra.Materialize{Op: op}
	}
	return op
}

// likely returns the variables that solutions of op most likely bind: also those whose
// expression or aggregate may be an error. It is for estimates alone.
func (p *planner) likely(op algebra.Op) algebra.Set {
	switch op.(type) {
	case *algebra.Join, *algebra.Filter, *algebra.Extend, *algebra.Materialize, *algebra.Reduce, *algebra.Group,
		*algebra.Project, *algebra.Distinct, *algebra.OrderBy, *algebra.Slice:
	default:
		return p.vars.Certain(op)
	}
	if known, ok := p.likelies[op]; ok {
		return known
	}
	var out algebra.Set
	switch x := op.(type) {
	case *algebra.Group:
		out = p.vars.May(op)
	case *algebra.Extend:
		out = p.likely(x.Op).Or(made(x.Bindings))
	case *algebra.Project:
		out = p.likely(x.Op).And(algebra.SetOf(x.Vars...))
	default:
		for _, child := range algebra.Children(op) {
			out = out.Or(p.likely(child))
		}
	}
	if p.likelies == nil {
		p.likelies = map[algebra.Op]algebra.Set{}
	}
	p.likelies[op] = out
	p.spend(out.Size())
	return out
}

// agreeing returns what part of the solutions below an operator remain where it computes
// a variable that is bound before.
func (p *planner) agreeing(op algebra.Op, bound algebra.Set) float64 {
	if x, ok := op.(*algebra.Extend); ok && made(x.Bindings).Meets(bound) {
		return alike
	}
	return 1
}
