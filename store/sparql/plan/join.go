package plan

import "github.com/segraph/segraph/store/sparql/algebra"

// join puts the operands into the order that is likely to cost least (see search). It
// tests each condition after the operand that binds the last of its variables. Where
// variables are no longer needed, it adds a Reduce, which drops rows that are equal
// without them.
func (p *planner) join(x *algebra.Join, conditions []algebra.Expr, around planContext) algebra.Op {
	g := p.gathered(x, conditions)
	same := p.unify(g)
	may := p.vars.May(x)
	p.computedInside(g, around.before)
	p.valueJoins(g, may, around)
	p.bindBounds(g)
	outside := around.before.Or(may)
	var need algebra.Set
	for _, b := range same {
		need = need.Or(p.condition(b.Expr).needs)
	}
	if live := p.liveAfter(g, around); live != nil {
		g.ops = p.joinPaths(g.ops, live.Or(around.before).Or(need))
	}
	rows := p.testEarly(g, p.order(g, outside, may, need, around), may, around)
	stages, pending := p.stages(g, may, around)
	done, now := []algebra.Op(nil), around
	if len(g.ops) > 1 {
		now.walk = nil
	}
	var reduced algebra.Set // variables that an earlier Reduce dropped
	for i, op := range g.ops {
		_, made := p.cost(op, &progress{rows: now.in(), bound: now.bound}, now.few)
		op = g.tested(op)
		stage := stages[i]
		inside := planContext{}
		if p.vars.TakesBindings(op, outside) {
			op = p.once(op, now)
		}
		if p.vars.TakesBindings(op, outside) { // once may have changed that
			inside = now
			inside.live = stage.before
			inside = inside.needing(now.before.Or(need))
		}
		done = append(done, p.op(op, nil, inside))
		now = p.after(now, op)
		now.rows = rows[i]
		if len(stage.ready) > 0 {
			done = []algebra.Op{p.filter(joinOf(done), stage.ready, around)}
		}
		live := planContext{live: stage.after}.needing(around.before.Or(need)).live
		if live == nil || i == len(g.ops)-1 && len(g.behind) == 0 {
			continue
		}
		if dead := now.before.Without(*live); !dead.In(reduced) {
			unbound := may.Without(now.before)
			vars := live.Without(unbound).Slots()
			p.spend(int64(len(vars)) * slotSize)
			done = []algebra.Op{&algebra.Reduce{Op: joinOf(done), Vars: vars, Sure: made > reduceSure*rows[i]}}
			reduced = dead
		}
	}
	out := joinOf(done)
	if len(same) > 0 {
		out = &algebra.Extend{Op: out, Bindings: same}
		now = p.after(now, out)
	}
	return p.filter(p.behindJoin(g, out, pending, now), pending.left(), around)
}

// reduceSure is how many rows a Reduce must be expected to make one of, to go on even if
// it finds few at first.
const reduceSure = 8

// slotSize is the size in bytes of a slot in a slice.
const slotSize = 8

// order sorts the operands into their order of evaluation and returns the estimated
// number of rows after each. may holds the variables that the operands may bind.
// outside holds these and those that earlier operands may bind. need holds the
// variables of outside that are needed after the join.
func (p *planner) order(g *joinGroup, outside, may, need algebra.Set, around planContext) []float64 {
	first := -1
	if i, ok := g.walked(around.walk); ok {
		first = i
	}
	p.list(g.ops)
	s := search{p: p, ops: g.ops, few: around.few, joined: make([]bool, len(g.ops))}
	for i, op := range g.ops {
		s.joined[i] = !p.vars.TakesBindings(op, outside)
	}
	for _, c := range g.conditions[:min(len(g.conditions), maxWeighed)] {
		s.conditions = append(s.conditions, p.condition(c).needs.And(may))
	}
	if p.liveAfter(g, around) != nil { // repeated solutions do not matter
		s.live = p.needed(around, g.behind).needing(around.before.Or(need)).live
	}
	order, rows := s.best(first, &progress{rows: around.in(), bound: around.bound})
	ops := make([]algebra.Op, len(order))
	for k, i := range order {
		ops[k] = g.ops[i]
	}
	g.ops = ops
	return rows[1:]
}

// liveAfter returns the variables that matter after the operands of g, including those
// of its conditions, or nil if repeated solutions matter.
func (p *planner) liveAfter(g *joinGroup, around planContext) *algebra.Set {
	return p.evaluating(p.needed(around, g.behind), g.conditions...).live
}

// needed adds to g the variables that later OPTIONALs need.
func (p *planner) needed(g planContext, behind []*algebra.LeftJoin) planContext {
	for _, x := range behind {
		if g.live == nil {
			return g
		}
		g = p.evaluating(g, x.Conditions...).needing(p.vars.Mentioned(x.Right).Or(algebra.SetOf(x.Slot)))
	}
	return g
}

// joinOf returns a join, or its operand if that is the only one.
func joinOf(ops []algebra.Op) algebra.Op {
	switch len(ops) {
	case 0:
		return &algebra.Unit{}
	case 1:
		return ops[0]
	}
	return &algebra.Join{Ops: ops}
}

// joinGroup is a join, split into its operands and conditions.
type joinGroup struct {
	ops        []algebra.Op
	conditions []algebra.Expr
	// behind holds the LeftJoins that follow the join of ops, without their left sides.
	// The last one is evaluated first.
	behind []*algebra.LeftJoin
	within algebra.Set // objects whose bounds an earlier operand has tested
}

// gathered splits a join into operands, conditions and OPTIONALs.
func (p *planner) gathered(x *algebra.Join, conditions []algebra.Expr) *joinGroup {
	g := &joinGroup{conditions: append([]algebra.Expr(nil), conditions...)}
	all, several := p.shared(x.Ops)
	for _, op := range x.Ops {
		switch op.(type) {
		case *algebra.Join, *algebra.Filter, *algebra.LeftJoin:
			p.gather(g, op, all.Without(p.vars.May(op).Without(several)))
		default:
			g.ops = append(g.ops, op)
		}
	}
	return g
}

// shared returns the variables that ops may bind, and those that more than one of ops
// may bind.
func (p *planner) shared(ops []algebra.Op) (all, several algebra.Set) {
	for _, op := range ops {
		may := p.vars.May(op)
		several = several.Or(all.And(may))
		all = all.Or(may)
	}
	return all, several
}

// gather adds an operand to g. It splits the operand as far as that does not change the
// result. others holds the variables that the other operands may bind.
func (p *planner) gather(g *joinGroup, op algebra.Op, others algebra.Set) {
	if !p.tick(1) || !p.vars.TakesBindings(op, others) {
		g.ops = append(g.ops, op)
		return
	}
	switch x := op.(type) {
	case *algebra.Join:
		others = others.Or(p.vars.May(x))
		for _, operand := range x.Ops {
			p.gather(g, operand, others)
		}
	case *algebra.Filter:
		g.conditions = append(g.conditions, p.split(x.Conditions)...)
		p.gather(g, x.Op, others)
	case *algebra.LeftJoin:
		x = p.unifyOptional(&algebra.LeftJoin{Left: x.Left, Right: x.Right, Conditions: p.split(x.Conditions), Slot: x.Slot})
		g.behind = append(g.behind, x)
		p.gather(g, x.Left, others.Or(p.vars.May(x.Right)))
	default:
		g.ops = append(g.ops, op)
	}
}
