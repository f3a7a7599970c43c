package plan

import (
	"slices"

	"github.com/segraph/segraph/store/sparql/algebra"
)

// stage is what there is to do and to know behind an operand of a join.
type stage struct {
	ready []algebra.Expr // the conditions of which the operand binds the last variable
	// before and after are as given.live, with what matters to the operands and
	// conditions that are still to come: with those of ready, and without.
	before, after *algebra.Set
}

// stages finds out when the conditions of a join can be tested, and what matters when.
// Conditions for which the operands do not bind all that they may are left in pending.
func (p *planner) stages(g *joinGroup, may algebra.Set, around given) ([]stage, *pending) {
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
	now := p.evaluating(p.needed(given{live: around.live}, g.behind), left...)
	for i := len(stages) - 1; i >= 0; i-- {
		stages[i].after = now.live
		now = p.evaluating(now, stages[i].ready...)
		stages[i].before = now.live
		now = p.mentioning(now, g.ops[i])
	}
	return stages, p.pending(left, around)
}

// mentioning adds what an operator needs.
func (p *planner) mentioning(g given, op algebra.Op) given {
	if g.live == nil {
		return g
	}
	return g.needing(p.vars.Mentioned(op))
}

// readyAt returns, for each condition, behind which operand it can be tested: one that
// certainly binds the last of its variables that any may bind. It is the number of the
// operands where there is none.
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

// pending are the conditions that the operands of a join do not bind all variables of.
type pending struct {
	conditions []algebra.Expr // nil for those that were met in another way
	// absent has the numbers of those that want a variable to be unbound, by it.
	absent   map[algebra.Slot][]int
	unbound  algebra.Set
	uses     map[algebra.Slot]int // how many there are by variable; kept where it matters
	needs    algebra.Set
	volatile bool
}

func (p *planner) pending(left []algebra.Expr, around given) *pending {
	w := &pending{conditions: left, absent: map[algebra.Slot][]int{}, uses: map[algebra.Slot]int{}}
	for i, c := range left {
		if slot, ok := unbound(c); ok {
			w.absent[slot] = append(w.absent[slot], i)
			w.unbound = w.unbound.Or(algebra.SetOf(slot))
		}
		if around.live == nil {
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

// meet takes the conditions away that want a variable to be unbound.
func (w *pending) meet(slot algebra.Slot) {
	for _, i := range w.absent[slot] {
		w.conditions[i] = nil
		if w.uses[slot]--; w.uses[slot] == 0 {
			w.needs = w.needs.Without(algebra.SetOf(slot))
		}
	}
	delete(w.absent, slot)
}

// left returns the conditions that are still to be met.
func (w *pending) left() []algebra.Expr {
	return slices.DeleteFunc(w.conditions, func(c algebra.Expr) bool { return c == nil })
}

// behindJoin puts the OPTIONALs of a join behind it, which is out. now is what is given
// there.
func (p *planner) behindJoin(g *joinGroup, out algebra.Op, w *pending, now given) algebra.Op {
	// How many OPTIONALs that are still to come may bind a variable, for those that a
	// condition wants unbound.
	binding := map[algebra.Slot]int{}
	needed := make([]*algebra.Set, len(g.behind)) // as given.live, with what matters to those that come after
	live := given{live: now.live}
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
			if p.exists == 0 && len(w.absent[slot]) > 0 && binding[slot] == 0 && !now.before.Has(slot) {
				w.meet(slot)
				anti = true
			}
		}
		at := now
		if at.live = needed[i]; w.volatile {
			at.live = nil
		}
		at = at.needing(w.needs)
		if anti {
			out = p.semiJoin(out, x.Right, true, x.Conditions, at)
			continue
		}
		out = p.optional(out, x, at)
		right := p.behind(x.Right, now)
		now = p.beyond(now, x)
		now.rows = max(now.rows, right.rows)
	}
	return out
}
