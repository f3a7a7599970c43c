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
	s := sequence{p: p, joinGroup: g, around: around, may: may, outside: around.before.Or(may), now: around}
	for _, b := range same {
		s.need = s.need.Or(p.condition(b.Expr).needs)
	}
	if live := p.liveAfter(g, around); live != nil && p.exists == 0 { // in EXISTS, the row around it may bind any variable
		g.ops = p.joinPaths(g.ops, live.Or(around.before).Or(s.need))
	}
	rows := p.testEarly(g, s.order(), may, around)
	stages, pending := p.stages(g, may, around)
	if len(g.ops) > 1 { // order has chosen the pattern to walk, if there is one
		s.now.walk = nil
	}
	for i, op := range g.ops {
		made := s.add(op, stages[i].before)
		s.now.rows = rows[i]
		if ready := stages[i].ready; len(ready) > 0 {
			s.done = []algebra.Op{p.filter(joinOf(s.done), ready, around)}
		}
		if i < len(g.ops)-1 || len(g.behind) > 0 {
			s.reduce(stages[i].after, made)
		}
	}
	out := joinOf(s.done)
	if len(same) > 0 {
		out = &algebra.Extend{Op: out, Bindings: same}
		s.now = p.after(s.now, out)
	}
	return p.filter(p.behindJoin(g, out, pending, s.now), pending.left(), around)
}

// sequence plans the operands of a join, one after the other.
type sequence struct {
	*joinGroup
	p       *planner
	around  planContext  // of the join
	may     algebra.Set  // variables that the operands may bind
	outside algebra.Set  // may, and variables that earlier operands may bind
	need    algebra.Set  // variables of outside that are needed after the join
	done    []algebra.Op // what was planned so far, to be joined
	now     planContext  // after done
	reduced algebra.Set  // variables that the last Reduce dropped
}

// add plans the next operand, where live is planContext.live after it. It returns the
// estimated number of rows, before conditions are tested.
func (s *sequence) add(op algebra.Op, live *algebra.Set) (made float64) {
	_, made = s.p.cost(op, &progress{rows: s.now.in(), bound: s.now.bound}, s.now.few)
	op = s.tested(op)
	if s.p.vars.TakesBindings(op, s.outside) {
		op = s.p.once(op, s.now)
	}
	inside := planContext{}
	if s.p.vars.TakesBindings(op, s.outside) { // once may have changed that
		inside = s.now
		inside.live = live
		inside = inside.needing(s.now.before.Or(s.need))
	}
	s.done = append(s.done, s.p.op(op, nil, inside))
	s.now = s.p.after(s.now, op)
	return made
}

// reduce adds a Reduce if repeated solutions do not matter and a variable is no longer
// needed that the last Reduce did not drop. live is planContext.live at this point. made is
// the result of add for the last operand.
func (s *sequence) reduce(live *algebra.Set, made float64) {
	live = planContext{live: live}.needing(s.around.before.Or(s.need)).live
	if live == nil {
		return
	}
	if dead := s.now.before.Without(*live); !dead.In(s.reduced) {
		unbound := s.may.Without(s.now.before)
		vars := live.Without(unbound).Slots()
		s.p.spend(int64(len(vars)) * slotSize)
		s.done = []algebra.Op{&algebra.Reduce{Op: joinOf(s.done), Vars: vars, Sure: made > reduceSure*s.now.rows}}
		s.reduced = dead
	}
}

// reduceSure is how many rows a Reduce must be expected to make one of, to go on even if
// it finds few at first.
const reduceSure = 8

// slotSize is the size in bytes of a slot in a slice.
const slotSize = 8

// order sorts the operands into their order of evaluation and returns the estimated
// number of rows after each.
func (s *sequence) order() []float64 {
	first := -1
	if i, ok := s.walked(s.around.walk); ok {
		first = i
	}
	s.p.list(s.ops)
	sought := search{p: s.p, ops: s.ops, few: s.around.few, joined: make([]bool, len(s.ops))}
	for i, op := range s.ops {
		sought.joined[i] = !s.p.vars.TakesBindings(op, s.outside)
	}
	for _, c := range s.conditions[:min(len(s.conditions), maxWeighed)] {
		sought.conditions = append(sought.conditions, s.p.condition(c).needs.And(s.may))
	}
	if s.p.liveAfter(s.joinGroup, s.around) != nil { // repeated solutions do not matter
		sought.live = s.p.needed(s.around, s.behind).needing(s.around.before.Or(s.need)).live
	}
	order, rows := sought.best(first, &progress{rows: s.around.in(), bound: s.around.bound})
	ops := make([]algebra.Op, len(order))
	for k, i := range order {
		ops[k] = s.ops[i]
	}
	s.ops = ops
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
			onlyHere := p.vars.May(op).Without(several)
			p.gather(g, op, all.Without(onlyHere))
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
