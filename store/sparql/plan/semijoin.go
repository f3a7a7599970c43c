package plan

import (
	"slices"

	"github.com/segraph/segraph/store/sparql/algebra"
	"github.com/segraph/segraph/store/sparql/syntax"
)

// Costs of the right side of a semijoin, in the unit of lookupCost. keepCost is for
// keeping a solution as a row of a table. memberCost is for keeping or finding a
// solution in a set of ids, which is enough if only one variable is shared.
const (
	keepCost   = 5.0
	memberCost = 0.5
)

// unbound returns the variable of a condition !BOUND(?v).
func unbound(c algebra.Expr) (slot algebra.Slot, ok bool) {
	not, ok := c.(*algebra.Call)
	if !ok || not.Op != syntax.OpNot {
		return 0, false
	}
	bound, ok := not.Args[0].(*algebra.Call)
	if !ok || bound.Op != syntax.OpBound {
		return 0, false
	}
	v, ok := bound.Args[0].(*algebra.Var)
	if !ok {
		return 0, false
	}
	return v.Slot, true
}

// semiJoin returns the semijoin of left and right, or the antijoin if not is set. It
// decides whether to look up right for each row of left, or to evaluate it once, by itself.
// The latter is not possible with conditions that contain an EXISTS. g is the context after
// left.
func (p *planner) semiJoin(left, right algebra.Op, not bool, conditions []algebra.Expr, g planContext) algebra.Op {
	inside, rest := p.rightOnly(right, conditions, g.before)
	out := &algebra.SemiJoin{Not: not, Left: left, Conditions: rest}
	lookups, exists := p.vars.TakesBindings(right, g.before), len(algebra.ExistsIn(rest...)) > 0
	if lookups && (exists || p.bothWays < maxBothWays) {
		p.bothWays++
		defer func() { p.bothWays-- }()
		behind := g
		behind.live, behind.walk = nil, nil
		out.Right = p.op(right, inside, behind)
		if exists {
			return out
		}
	}
	isolated := p.op(right, inside, planContext{})
	switch {
	case exists:
		out.Right = isolated
	case out.Right == nil || p.isolatedCheaper(out, isolated, g):
		out.Right = &algebra.Materialize{Op: isolated}
	}
	return out
}

// isolatedCheaper reports whether it is cheaper to evaluate the right side of a
// semijoin by itself, as isolated, than to look it up for each row. g is the context
// after the left side.
func (p *planner) isolatedCheaper(x *algebra.SemiJoin, isolated algebra.Op, g planContext) bool {
	rows := g.in()
	if g.few {
		rows = min(rows, fewRows)
	}
	lookups, _ := p.cost(x.Right, &progress{rows: rows, bound: g.bound}, g.few)
	alone, kept := p.isolatedCost(isolated)
	asSet := len(x.Conditions) == 0 && len(p.vars.May(isolated).And(g.before).Slots()) == 1
	if asSet {
		return alone+(kept+rows)*memberCost < lookups
	}
	return alone+kept*keepCost+rows*joinCost < lookups
}

// rightOnly splits the conditions of an OPTIONAL or a semijoin into those on the right
// side alone and the rest. before holds the variables that the left side and earlier
// operands may bind.
func (p *planner) rightOnly(right algebra.Op, conditions []algebra.Expr, before algebra.Set) (inside, rest []algebra.Expr) {
	if len(conditions) == 0 {
		return nil, nil
	}
	certain, seen := p.vars.Certain(right), before.Or(p.vars.May(right))
	return sift(conditions, func(c algebra.Expr) bool { return p.condition(c).needs.And(seen).In(certain) })
}

// minus turns a MINUS into an antijoin if its sides always share the same variables,
// and at least one. It keeps a MINUS in EXISTS, where a variable with a substituted
// value does not count as shared.
func (p *planner) minus(x *algebra.Minus, left algebra.Op, g planContext) algebra.Op {
	shared := p.vars.May(x.Left).And(p.vars.May(x.Right))
	if p.exists > 0 || shared.Empty() || !shared.In(p.vars.Certain(x.Left).And(p.vars.Certain(x.Right))) {
		return &algebra.Minus{Left: left, Right: p.op(x.Right, nil, planContext{})}
	}
	return p.semiJoin(left, x.Right, true, nil, p.afterRows(left, g))
}

// filter adds conditions to a planned operator. It turns an EXISTS among them into a
// semijoin if evaluating its pattern once is cheaper than substituting the values of
// every row. g is the context before op.
func (p *planner) filter(op algebra.Op, conditions []algebra.Expr, g planContext) algebra.Op {
	if p.exists > 0 {
		return filter(op, conditions)
	}
	var rest []algebra.Expr
	var joins []*algebra.SemiJoin
	for _, c := range conditions {
		x, ok := c.(*algebra.Exists)
		if ok && p.joinable(op, x, g) {
			joins = append(joins, &algebra.SemiJoin{Not: x.Not, Right: &algebra.Materialize{Op: x.Op}})
			continue
		}
		if ok {
			if j := p.semiOnValues(op, x, g); j != nil {
				joins = append(joins, j)
				continue
			}
			c = p.lookedUp(op, x, g)
		}
		rest = append(rest, c)
	}
	op = filter(op, rest)
	for _, j := range joins {
		j.Left = op
		op = j
	}
	return op
}

// lookedUp plans the pattern of an EXISTS again, now that the variables that rows of
// left bind are known. They may change the best order of its patterns.
func (p *planner) lookedUp(left algebra.Op, x *algebra.Exists, g planContext) *algebra.Exists {
	pattern, ok := p.unplanned[x]
	if !ok || p.bothWays >= maxBothWays {
		return x
	}
	p.bothWays++
	p.exists++
	defer func() { p.bothWays--; p.exists-- }()
	return &algebra.Exists{Not: x.Not, Op: p.op(pattern, nil, planContext{bound: p.after(g, left).bound}), Slot: x.Slot}
}

// joinable reports whether an EXISTS is equivalent to a semijoin that is cheaper.
func (p *planner) joinable(left algebra.Op, x *algebra.Exists, g planContext) bool {
	outside := g.before.Or(p.vars.May(left))
	shared := p.vars.Mentioned(x.Op).And(outside)
	if shared.Empty() || !shared.In(p.vars.Certain(left).And(p.vars.Certain(x.Op))) || !p.joinsValues(x.Op, outside) {
		return false
	}
	return p.isolatedCheaper(&algebra.SemiJoin{Right: x.Op}, x.Op, p.afterRows(left, g))
}

// joinsValues reports whether op has the same solutions if values are substituted for the
// variables outside, as EXISTS does, and if it is joined with those values. They differ,
// for example, for a path of no steps, which leads from any term to itself. For an
// operator with an EXISTS of its own, joinsValues returns false without looking further.
func (p *planner) joinsValues(op algebra.Op, outside algebra.Set) bool {
	switch x := op.(type) {
	case *algebra.Unit, *algebra.Triple, *algebra.TripleTerm:
		return true
	case *algebra.Filter:
		return p.vars.TakesBindings(x, outside) && len(algebra.ExistsIn(x.Conditions...)) == 0 && p.joinsValues(x.Op, outside)
	case *algebra.Extend:
		for _, b := range x.Bindings {
			if outside.Has(b.Var) {
				return false
			}
		}
		return p.vars.TakesBindings(x, outside) && len(algebra.ExistsIn(algebra.Expressions(x)...)) == 0 && p.joinsValues(x.Op, outside)
	case *algebra.Join:
		outside = outside.Or(p.vars.May(x))
		return !slices.ContainsFunc(x.Ops, func(op algebra.Op) bool { return !p.joinsValues(op, outside) })
	case *algebra.Union:
		return !slices.ContainsFunc(x.Ops, func(op algebra.Op) bool { return !p.joinsValues(op, outside) })
	}
	return false
}

// semiOnValues turns an EXISTS into a semijoin if its pattern is a group with a FILTER
// that compares values of the row with values of the pattern, and if that is cheaper.
// Otherwise it returns nil.
func (p *planner) semiOnValues(left algebra.Op, x *algebra.Exists, g planContext) *algebra.SemiJoin {
	f, ok := p.unplanned[x].(*algebra.Filter)
	if !ok || len(algebra.ExistsIn(f.Conditions...)) > 0 {
		return nil
	}
	outside, may, certain := g.before.Or(p.vars.May(left)), p.vars.May(f.Op), p.vars.Certain(f.Op)
	shared := p.vars.Mentioned(f.Op).And(outside)
	if !shared.In(p.vars.Certain(left).And(certain)) || !p.joinsValues(f.Op, outside) {
		return nil
	}
	compares := false
	inside, across := sift(p.split(f.Conditions), func(c algebra.Expr) bool { return p.condition(c).needs.And(outside.Or(may)).In(certain) })
	for _, c := range across {
		if p.condition(c).volatile {
			return nil
		}
		_, ok := p.between(c, p.vars.Certain(left), certain.Without(shared))
		compares = compares || ok
	}
	if !compares {
		return nil
	}
	out := &algebra.SemiJoin{Not: x.Not, Left: left, Right: &algebra.Materialize{Op: p.op(f.Op, inside, planContext{})}, Conditions: across}
	rows := p.afterRows(left, g).rows
	lookups, _ := p.cost(x.Op, &progress{rows: rows, bound: g.bound.Or(p.vars.Certain(left))}, g.few)
	isolated, kept := p.isolatedCost(filter(f.Op, inside))
	if isolated+kept*keepCost+rows*joinCost >= lookups {
		return nil
	}
	return out
}
