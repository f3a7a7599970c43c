package plan

import "github.com/segraph/segraph/store/sparql/algebra"

// join gives the operands an order: first the smallest, and then always one that is
// connected with what is there, the smallest of those for the rows that come to it. Conditions stand
// behind the first operand that binds the last of their variables, and where variables are of no
// more use, a Reduce drops what is then the same.
func (p *planner) join(x *algebra.Join, conditions []algebra.Expr, around given) algebra.Op {
	g := &joinGroup{conditions: conditions}
	for i, op := range x.Ops {
		var others algebra.Set
		for j, other := range x.Ops {
			if j != i {
				others = others.Or(algebra.May(other))
			}
		}
		p.gather(g, op, others)
	}
	same := g.unify()
	g.bound()
	may := algebra.May(x)
	var done []algebra.Op
	now := around
	now.walk = nil
	pending := g.conditions
	var certain, reduced algebra.Set // reduced: of no more use, and known to be
	for len(g.ops) > 0 {
		i := p.cheapest(g.ops, now.bound)
		if first, ok := g.walked(around.walk); ok && len(done) == 0 {
			i = first
		}
		op := g.ops[i]
		g.ops = append(g.ops[:i:i], g.ops[i+1:]...)
		g.tested(op)
		inside := given{}
		if algebra.TakesBindings(op, now.before.Or(may)) {
			inside = g.after(now, pending).needing(now.before.Or(needed(same)))
		}
		done = append(done, p.op(op, nil, inside))
		now = now.behind(op)
		certain = certain.Or(algebra.Certain(op))
		var ready []algebra.Expr
		ready, pending = sift(pending, func(c algebra.Expr) bool { return algebra.MentionedBy(c).And(may).In(certain) })
		if len(ready) > 0 {
			done = []algebra.Op{filter(together(done), ready)}
		}
		live := g.after(now, pending).needing(around.before.Or(needed(same))).live
		if live == nil || len(g.ops)+len(g.behind) == 0 {
			continue
		}
		if dead := now.before.Without(*live); !dead.In(reduced) {
			unbound := may.Without(now.before)
			done = []algebra.Op{&algebra.Reduce{Op: together(done), Vars: live.Without(unbound).Slots()}}
			reduced = dead
		}
	}
	out := together(done)
	if len(same) > 0 {
		out = &algebra.Extend{Op: out, Bindings: same}
		now = now.behind(out)
	}
	for len(g.behind) > 0 {
		next := g.behind[len(g.behind)-1]
		g.behind = g.behind[:len(g.behind)-1]
		out = p.optional(out, next, g.after(now, pending))
		now = now.behind(next)
	}
	return filter(out, pending)
}

// needed gives what bindings need.
func needed(bindings []algebra.Binding) (s algebra.Set) {
	for _, b := range bindings {
		s = s.Or(algebra.MentionedBy(b.Expr))
	}
	return s
}

// after is what is given with what matters to the operands and conditions that are still to come.
func (g *joinGroup) after(now given, pending []algebra.Expr) given {
	for _, op := range g.ops {
		now = now.needing(algebra.Mentioned(op))
	}
	for _, x := range g.behind {
		now = now.evaluating(x.Conditions...).needing(algebra.Mentioned(x.Right).Or(algebra.SetOf(x.Slot)))
	}
	return now.evaluating(pending...)
}

func together(ops []algebra.Op) algebra.Op {
	switch len(ops) {
	case 0:
		return &algebra.Unit{}
	case 1:
		return ops[0]
	}
	return &algebra.Join{Ops: ops}
}

// joinGroup is what a join comes to.
type joinGroup struct {
	ops        []algebra.Op
	conditions []algebra.Expr
	// behind are LeftJoins, without their left sides, that can wait until the rest is joined; the
	// last of them comes first.
	behind []*algebra.LeftJoin
}

// gather takes an operand apart as far as that means the same. others is what the other
// operands may bind.
func (p *planner) gather(g *joinGroup, op algebra.Op, others algebra.Set) {
	if !algebra.TakesBindings(op, others) {
		g.ops = append(g.ops, op)
		return
	}
	switch x := op.(type) {
	case *algebra.Join:
		for _, operand := range x.Ops {
			p.gather(g, operand, others.Or(algebra.May(x)))
		}
	case *algebra.Filter:
		g.conditions = append(g.conditions[:len(g.conditions):len(g.conditions)], p.split(x.Conditions)...)
		p.gather(g, x.Op, others)
	case *algebra.LeftJoin:
		x = unifyOptional(&algebra.LeftJoin{Left: x.Left, Right: x.Right, Conditions: p.split(x.Conditions), Slot: x.Slot})
		g.behind = append(g.behind, x)
		p.gather(g, x.Left, others.Or(algebra.May(x.Right)))
	default:
		g.ops = append(g.ops, op)
	}
}

// cheapest chooses the next operand.
func (p *planner) cheapest(ops []algebra.Op, bound algebra.Set) int {
	best, bestCost, bestConnected := 0, 0.0, false
	for i, op := range ops {
		cost := p.estimate(op, bound)
		may := algebra.May(op)
		connected := may.Empty() || may.Meets(bound)
		if i == 0 || connected && !bestConnected || connected == bestConnected && cost < bestCost {
			best, bestCost, bestConnected = i, cost, connected
		}
	}
	return best
}
