package plan

import (
	"github.com/segraph/segraph/store/sparql/algebra"
	"github.com/segraph/segraph/store/sparql/syntax"
)

// What keeping a solution of the right side costs, and finding one for a row, as in cost:
// as a row of a table, or in a set of ids where one variable tells.
const (
	keepCost   = 5.0
	memberCost = 0.5
)

// unbound returns the slot of a condition !BOUND(?v).
func unbound(c algebra.Expr) (algebra.Slot, bool) {
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

// asAntiJoin reports whether conditions want of an OPTIONAL only what has no match: that
// a variable is unbound which any match binds, and nothing among others does. It gives
// the conditions that are left. Inside of EXISTS a value may be put in for the variable.
func (p *planner) asAntiJoin(x *algebra.LeftJoin, conditions []algebra.Expr, others algebra.Set) (rest []algebra.Expr, ok bool) {
	made := p.vars.Certain(x.Right).Without(others)
	wanted, rest := sift(conditions, func(c algebra.Expr) bool {
		slot, ok := unbound(c)
		return ok && made.Has(slot)
	})
	return rest, len(wanted) > 0 && p.exists == 0
}

// semiJoin puts a semijoin, or an antijoin, with right behind left. It decides whether
// right is looked up for what left gives or evaluated by itself. g is what is given
// behind left.
func (p *planner) semiJoin(left, right algebra.Op, not bool, conditions []algebra.Expr, g given) algebra.Op {
	inside, rest := p.rightOnly(right, conditions, g.before)
	out := &algebra.SemiJoin{Not: not, Left: left, Conditions: rest}
	lookups, exists := p.vars.TakesBindings(right, g.before), len(algebra.ExistsIn(rest...)) > 0
	if lookups && (exists || p.twice < mostTwice) {
		p.twice++
		defer func() { p.twice-- }()
		behind := g
		behind.live, behind.walk = nil, nil
		if out.Right = p.op(right, inside, behind); exists {
			return out
		}
	}
	alone := p.op(right, inside, given{})
	switch {
	case exists:
		out.Right = alone
	case out.Right == nil || p.cheaperAlone(out, alone, g):
		out.Right = &algebra.Materialize{Op: alone}
	}
	return out
}

// cheaperAlone reports whether the right side of a semijoin is cheaper to evaluate by
// itself, as alone, than to be looked up for each row; g is what is given behind the left
// side.
func (p *planner) cheaperAlone(x *algebra.SemiJoin, alone algebra.Op, g given) bool {
	rows := g.in()
	if g.few {
		rows = min(rows, fewRows)
	}
	lookupCost, _ := p.cost(x.Right, &progress{rows: rows, bound: g.bound}, g.few)
	aloneCost, kept := p.alone(alone)
	if len(x.Conditions) == 0 && len(p.vars.May(alone).And(g.before).Slots()) == 1 {
		return aloneCost+(kept+rows)*memberCost < lookupCost
	}
	return aloneCost+kept*keepCost+rows*joinCost < lookupCost
}

// rightOnly parts the conditions of an OPTIONAL, or of a semijoin, into those about the
// right side alone and others. before is what the left side and what is before it may
// bind.
func (p *planner) rightOnly(right algebra.Op, conditions []algebra.Expr, before algebra.Set) (inside, rest []algebra.Expr) {
	if len(conditions) == 0 {
		return nil, nil
	}
	certain, seen := p.vars.Certain(right), before.Or(p.vars.May(right))
	return sift(conditions, func(c algebra.Expr) bool { return p.condition(c).needs.And(seen).In(certain) })
}

// minus makes an antijoin of a MINUS whose sides always share the same variables, and so
// always one. Inside of EXISTS a value that is put in for one would not count.
func (p *planner) minus(x *algebra.Minus, left algebra.Op, g given) algebra.Op {
	shared := p.vars.May(x.Left).And(p.vars.May(x.Right))
	if p.exists > 0 || shared.Empty() || !shared.In(p.vars.Certain(x.Left).And(p.vars.Certain(x.Right))) {
		return &algebra.Minus{Left: left, Right: p.op(x.Right, nil, given{})}
	}
	return p.semiJoin(left, x.Right, true, nil, p.behind(left, g))
}

// filter puts conditions on a planned operator, and makes semijoins of EXISTS among them
// where evaluating its pattern once is cheaper than putting in the values of every row. g
// is what is given before op.
func (p *planner) filter(op algebra.Op, conditions []algebra.Expr, g given) algebra.Op {
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

// lookedUp plans the pattern of EXISTS again, for the values that rows of left put into it.
// Without them another order of its patterns may be the best one.
func (p *planner) lookedUp(left algebra.Op, x *algebra.Exists, g given) *algebra.Exists {
	pattern, ok := p.unplanned[x]
	if !ok || p.twice >= mostTwice {
		return x
	}
	p.twice++
	p.exists++
	defer func() { p.twice--; p.exists-- }()
	return &algebra.Exists{Not: x.Not, Op: p.op(pattern, nil, given{bound: p.beyond(g, left).bound}), Slot: x.Slot}
}

// joinable reports whether EXISTS is the same as a semijoin, and cheaper so.
func (p *planner) joinable(left algebra.Op, x *algebra.Exists, g given) bool {
	outside := g.before.Or(p.vars.May(left))
	shared := p.vars.Mentioned(x.Op).And(outside)
	if shared.Empty() || !shared.In(p.vars.Certain(left).And(p.vars.Certain(x.Op))) || !p.joinsValues(x.Op, outside) {
		return false
	}
	return p.cheaperAlone(&algebra.SemiJoin{Right: x.Op}, x.Op, p.behind(left, g))
}

// joinsValues reports whether putting in values for variables, as EXISTS does, gives what
// joining with them would. A path of no steps is one case in which it does not: it leads
// from any term to itself.
func (p *planner) joinsValues(op algebra.Op, outside algebra.Set) bool {
	switch x := op.(type) {
	case *algebra.Unit, *algebra.Triple:
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
		return p.allJoinValues(x.Ops, outside.Or(p.vars.May(x)))
	case *algebra.Union:
		return p.allJoinValues(x.Ops, outside)
	}
	return false
}

func (p *planner) allJoinValues(ops []algebra.Op, outside algebra.Set) bool {
	for _, op := range ops {
		if !p.joinsValues(op, outside) {
			return false
		}
	}
	return true
}

// semiOnValues makes a semijoin of an EXISTS whose pattern is a group with a FILTER that
// compares values outside with those inside, if that is cheaper. It returns nil where it
// is not, or is not the same.
func (p *planner) semiOnValues(left algebra.Op, x *algebra.Exists, g given) *algebra.SemiJoin {
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
	out := &algebra.SemiJoin{Not: x.Not, Left: left, Right: &algebra.Materialize{Op: p.op(f.Op, inside, given{})}, Conditions: across}
	rows := p.behind(left, g).rows
	lookups, _ := p.cost(x.Op, &progress{rows: rows, bound: g.bound.Or(p.vars.Certain(left))}, g.few)
	alone, kept := p.alone(filter(f.Op, inside))
	if alone+kept*keepCost+rows*joinCost >= lookups {
		return nil
	}
	return out
}
