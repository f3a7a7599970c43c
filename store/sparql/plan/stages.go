package plan

import (
	"slices"

	"github.com/segraph/segraph/store/sparql/algebra"
)

// stage holds the conditions and the context after an operand of a join.
type stage struct {
	ready []algebra.Expr // conditions that can be tested once the operand has bound its variables
	// before and after are planContext.live before and after testing ready.
	before, after *algebra.Set
}

// stages determines after which operand each condition of a join can be tested, and
// which variables are still needed there. Conditions with a variable that the operands
// may leave unbound go to pending. The stages are by operand.
func (p *planner) stages(g *joinGroup, may algebra.Set, around planContext) ([]stage, *pending) {
	readyAt := p.readyAt(g, may)
	stages := make([]stage, len(g.ops))
	var left []algebra.Expr
	for c, at := range readyAt {
		if at < len(stages) {
			stages[at].ready = append(stages[at].ready, g.conditions[c])
		} else {
			left = append(left, g.conditions[c])
		}
	}
	now := p.evaluating(p.needed(planContext{live: around.live}, g.behind), left...)
	for i := len(stages) - 1; i >= 0; i-- {
		stages[i].after = now.live
		now = p.evaluating(now, stages[i].ready...)
		stages[i].before = now.live
		if now.live != nil {
			now = now.needing(p.vars.Mentioned(g.ops[i]))
		}
	}
	return stages, p.pending(left, around)
}

// readyAt returns, for each condition, the index of the operand after which it can be
// tested: by then all its variables in may are certainly bound. Without such an operand,
// the index is the number of operands.
func (p *planner) readyAt(g *joinGroup, may algebra.Set) []int {
	at, missing := make([]int, len(g.conditions)), make([]int, len(g.conditions))
	waiting := map[algebra.Slot][]int{}
	for c, e := range g.conditions {
		for _, slot := range p.condition(e).needs.And(may).Slots() {
			waiting[slot] = append(waiting[slot], c)
			missing[c]++
		}
		if missing[c] > 0 {
			at[c] = len(g.ops)
		}
	}
	for i, op := range g.ops {
		if len(waiting) == 0 {
			break
		}
		for _, slot := range p.vars.Certain(op).Slots() {
			for _, c := range waiting[slot] {
				if missing[c]--; missing[c] == 0 {
					at[c] = i
				}
			}
			delete(waiting, slot)
		}
	}
	return at
}

// pending holds conditions with variables that the operands of a join may leave unbound.
type pending struct {
	conditions []algebra.Expr // nil where meet has dropped the condition
	// absent holds, by variable, the indexes of conditions that require it to be unbound.
	absent   map[algebra.Slot][]int
	unbound  algebra.Set
	uses     map[algebra.Slot]int // by variable, the number of conditions that use it; only if live is known
	needs    algebra.Set
	volatile bool
}

// pending indexes the conditions that are left after a join by the variables that they use.
func (p *planner) pending(left []algebra.Expr, around planContext) *pending {
	w := &pending{conditions: left, absent: map[algebra.Slot][]int{}, uses: map[algebra.Slot]int{}}
	for i, c := range left {
		if slot, ok := unbound(c); ok {
			w.absent[slot] = append(w.absent[slot], i)
			w.unbound = w.unbound.Or(algebra.SetOf(slot))
		}
		if around.live == nil { // repeated solutions matter: no variable is dropped
			continue
		}
		known := p.condition(c)
		w.volatile = w.volatile || known.volatile
		for _, slot := range known.needs.Slots() {
			w.uses[slot]++
		}
		w.needs = w.needs.Or(known.needs)
	}
	return w
}

// meet drops the conditions that require a variable to be unbound. An antijoin meets
// them.
func (w *pending) meet(slot algebra.Slot) {
	for _, i := range w.absent[slot] {
		w.conditions[i] = nil
		if w.uses[slot]--; w.uses[slot] == 0 {
			w.needs = w.needs.Without(algebra.SetOf(slot))
		}
	}
	delete(w.absent, slot)
}

// left returns the remaining conditions.
func (w *pending) left() []algebra.Expr {
	return slices.DeleteFunc(w.conditions, func(c algebra.Expr) bool { return c == nil })
}

// behindJoin adds the OPTIONALs of a join after out, the join of its other operands.
// now is the context after out.
func (p *planner) behindJoin(g *joinGroup, out algebra.Op, w *pending, now planContext) algebra.Op {
	// For each variable that a condition requires to be unbound, the number of
	// remaining OPTIONALs that may bind it.
	binding := map[algebra.Slot]int{}
	needed := make([]*algebra.Set, len(g.behind)) // as planContext.live, for the OPTIONALs after each
	live := planContext{live: now.live}
	for i, x := range g.behind {
		for _, slot := range p.vars.May(x.Right).And(w.unbound).Slots() {
			binding[slot]++
		}
		needed[i] = live.live
		live = p.needed(live, g.behind[i:i+1])
	}
	for i := len(g.behind) - 1; i >= 0 && p.tick(1); i-- {
		x := g.behind[i]
		absent := p.vars.Certain(x.Right).And(w.unbound).Slots()
		for _, slot := range p.vars.May(x.Right).And(w.unbound).Slots() {
			binding[slot]--
		}
		anti := false
		for _, slot := range absent {
			onlyHere := binding[slot] == 0 && !now.before.Has(slot) // no other operand may bind it
			if p.exists == 0 && len(w.absent[slot]) > 0 && onlyHere {
				w.meet(slot)
				anti = true
			}
		}
		at := now
		at.live = needed[i]
		if w.volatile { // it matters how often a condition is evaluated
			at.live = nil
		}
		at = at.needing(w.needs)
		if anti {
			out = p.semiJoin(out, x.Right, true, x.Conditions, at)
			continue
		}
		out = p.optional(out, x, at)
		right := p.afterRows(x.Right, now)
		now = p.after(now, x)
		now.rows = max(now.rows, right.rows)
	}
	return out
}
