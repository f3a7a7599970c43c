package plan

import (
	"slices"

	"github.com/segraph/segraph/store/sparql/algebra"
)

// maxComputed limits the number of subexpressions that are substituted into one
// comparison.
const maxComputed = 64

// computed derives comparisons from conditions by replacing the variables that x binds
// with their expressions. The results can be tested before x, and so can join the
// operands below it by value. computed omits comparisons that do not compare two parts
// of ops. free holds the variables that only x binds.
func (p *planner) computed(conditions []algebra.Expr, x *algebra.Extend, free algebra.Set, ops []algebra.Op) (out []algebra.Expr) {
	made, bound := algebra.BoundBy(x), p.vars.Certain(x.Op)
	exprs := map[algebra.Slot]algebra.Expr{}
	for _, b := range x.Bindings {
		// Other operands may bind a variable that x.Op leaves unbound. Then b.Expr could have another value there.
		if c := p.condition(b.Expr); free.Has(b.Var) && !c.volatile && c.needs.In(bound) && len(algebra.ExistsIn(b.Expr)) == 0 {
			exprs[b.Var] = b.Expr
		}
	}
	var parts *parts
	for _, c := range conditions[:min(len(conditions), maxWeighed)] {
		call, ok := p.comparison(c)
		if !ok || len(exprs) == 0 || !p.condition(c).needs.Meets(made) {
			continue
		}
		size := 0
		replaced := algebra.Replace(call, func(e algebra.Expr) algebra.Expr {
			v, ok := e.(*algebra.Var)
			if !ok || exprs[v.Slot] == nil {
				return nil
			}
			algebra.Walk(exprs[v.Slot], func(algebra.Expr) { size++ })
			return exprs[v.Slot]
		}).(*algebra.Call)
		if size == 0 || size > maxComputed {
			continue
		}
		if parts == nil {
			parts = p.parts(ops, algebra.Set{})
		}
		a, b := parts.among(p.condition(replaced.Args[0]).needs), parts.among(p.condition(replaced.Args[1]).needs)
		if a >= 0 && b >= 0 && a != b {
			out = append(out, replaced)
		}
	}
	return out
}

// computedBelow returns comparisons for the join below x: what conditions say about variables that x binds, said with
// their expressions. It returns nil if there is no join, or in EXISTS. before holds the variables that earlier
// operands may bind.
func (p *planner) computedBelow(conditions []algebra.Expr, x *algebra.Extend, before algebra.Set) []algebra.Expr {
	op := x.Op
	for {
		switch below := op.(type) {
		case *algebra.Filter:
			op = below.Op
			continue
		case *algebra.Extend:
			op = below.Op
			continue
		case *algebra.Join:
			if p.exists == 0 {
				return p.computed(conditions, x, algebra.BoundBy(x).Without(before.Or(p.vars.May(x.Op))), below.Ops)
			}
		}
		return nil
	}
}

// computedInside adds to the conditions of a join what computed derives from them for
// each operand that is an Extend.
func (p *planner) computedInside(g *joinGroup, before algebra.Set) {
	if p.exists > 0 || len(g.conditions) == 0 || !slices.ContainsFunc(g.ops, func(op algebra.Op) bool { _, ok := op.(*algebra.Extend); return ok }) {
		return
	}
	_, several := p.shared(g.ops)
	for _, op := range g.ops {
		if x, ok := op.(*algebra.Extend); ok {
			g.conditions = append(g.conditions, p.computed(g.conditions, x, algebra.BoundBy(x).Without(several.Or(before)), g.ops)...)
		}
	}
}
