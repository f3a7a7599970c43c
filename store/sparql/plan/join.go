package plan

import "github.com/segraph/segraph/store/sparql/algebra"

// join gives the operands the order that is likely to cost least (see search). Conditions stand
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
	rows := p.order(g, may, needed(same), around)
	pending := g.conditions
	var certain, reduced algebra.Set // reduced: of no more use, and known to be
	for len(g.ops) > 0 {
		op := g.ops[0]
		g.ops = g.ops[1:]
		g.tested(op)
		inside := given{}
		if algebra.TakesBindings(op, now.before.Or(may)) {
			inside = g.after(now, pending).needing(now.before.Or(needed(same)))
		}
		done = append(done, p.op(op, nil, inside))
		now = now.behind(op)
		now.rows, rows = rows[0], rows[1:]
		certain = certain.Or(algebra.Certain(op))
		var ready []algebra.Expr
		ready, pending = sift(pending, func(c algebra.Expr) bool { return algebra.MentionedBy(c).And(may).In(certain) })
		if len(ready) > 0 {
			done = []algebra.Op{p.filter(together(done), ready, around)}
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
		others := now.before
		for _, x := range g.behind {
			others = others.Or(algebra.May(x.Right))
		}
		if rest, ok := p.asAntiJoin(next, pending, others); ok {
			pending = rest
			out = p.semiJoin(out, next.Right, true, next.Conditions, g.after(now, pending))
			continue
		}
		out = p.optional(out, next, g.after(now, pending))
		right := p.behind(next.Right, now)
		now = now.behind(next)
		now.rows = max(now.rows, right.rows)
	}
	return p.filter(out, pending, around)
}

// order puts the operands into the order of their evaluation, and gives how many rows there are behind
// each. may is what they bind, and need what is needed of that behind the join.
func (p *planner) order(g *joinGroup, may, need algebra.Set, around given) []float64 {
	first := -1
	if i, ok := g.walked(around.walk); ok {
		first = i
	}
	p.list(g.ops)
	s := search{p: p, ops: g.ops, few: around.few, joined: make([]bool, len(g.ops))}
	for i, op := range g.ops {
		s.joined[i] = !algebra.TakesBindings(op, around.before.Or(may))
	}
	for _, c := range g.conditions {
		s.conditions = append(s.conditions, algebra.MentionedBy(c).And(may))
	}
	behind := joinGroup{behind: g.behind}
	if behind.after(around, g.conditions).live != nil { // there is nothing that it matters to
		s.live = behind.after(around, nil).needing(around.before.Or(need)).live
	}
	order, rows := s.best(first, &progress{rows: around.in(), bound: around.bound})
	ops := make([]algebra.Op, len(order))
	for k, i := range order {
		ops[k] = g.ops[i]
	}
	g.ops = ops
	return rows[1:]
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
