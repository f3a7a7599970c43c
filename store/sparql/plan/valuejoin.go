package plan

import (
	"math"
	"slices"

	"github.com/segraph/segraph/store/sparql/algebra"
)

const (
	// fewPairs are not worth a table of one of two sides.
	fewPairs = 16
	// mostValueJoins is how many are made of a join, and mostComparisons of how many
	// conditions each is.
	mostValueJoins  = 8
	mostComparisons = 16
	// A join of at most mostCut operands is cut, at mostCutAt variables, for mostCutFor
	// of its conditions; if that is so many times cheaper.
	mostCut    = 16
	mostCutAt  = 8
	mostCutFor = 4
	cutWorth   = 2
)

// What part of all pairs is taken to pass an equality of computed values, or bounds on
// both sides.
const alike = 0.01

// valueJoins makes ValueJoins of those operands of a join that have no variable in
// common, and that conditions compare. Without, all that one gives would be paired with
// all that the other does. The conditions on either side alone go there with it.
func (p *planner) valueJoins(g *joinGroup, may algebra.Set, around given) {
	for range mostValueJoins {
		if p.exists > 0 || len(g.ops) < 2 || !p.joinValues(g, may, around) {
			return
		}
	}
}

// joinValues makes the first ValueJoin that is worth it, and reports whether there is one.
func (p *planner) joinValues(g *joinGroup, may algebra.Set, around given) bool {
	var parts *parts
	tried, cuts := map[[2]int]bool{}, 0
	for _, c := range g.conditions[:min(len(g.conditions), mostWeighed)] {
		call, ok := p.comparison(c)
		if !ok {
			continue
		}
		if parts == nil {
			parts = p.parts(g.ops, algebra.Set{})
		}
		a, b := parts.of(p.condition(call.Args[0]).needs), parts.of(p.condition(call.Args[1]).needs)
		if a >= 0 && a == b && cuts < mostCutFor {
			cuts++
			if p.cutPart(g, call, may, around) {
				return true
			}
		}
		if a < 0 || b < 0 || a == b || tried[[2]int{a, b}] {
			continue
		}
		tried[[2]int{a, b}], tried[[2]int{b, a}] = true, true
		if joined, _ := p.joinParts(g, parts, a, b, false, may, around); joined != nil {
			g.ops, g.conditions = joined.ops, joined.conditions
			return true
		}
	}
	return false
}

// comparison returns a condition that ValueJoin takes of any operands.
func (p *planner) comparison(c algebra.Expr) (*algebra.Call, bool) {
	call, ok := algebra.Comparison(c)
	return call, ok && !p.condition(c).volatile && len(algebra.ExistsIn(c)) == 0
}

// parts are the operands of a join by which of them are connected by variables.
type parts struct {
	number  []int                // by operand, the number of its part, which is that of one of its operands
	certain map[algebra.Slot]int // by variable, the part that certainly binds it
	may     map[algebra.Slot]int // by variable, the part that may
}

// parts finds the parts of operands, for which the variables in cut connect nothing.
func (p *planner) parts(ops []algebra.Op, cut algebra.Set) *parts {
	x := &parts{number: make([]int, len(ops)), certain: map[algebra.Slot]int{}, may: map[algebra.Slot]int{}}
	for i, op := range ops {
		x.number[i] = i
		p.tick(1)
		for _, slot := range p.vars.May(op).Without(cut).Slots() {
			if other, ok := x.may[slot]; ok {
				x.number[x.find(other)] = x.find(i)
			} else {
				x.may[slot] = i // the first such operand, for now
			}
		}
	}
	for i, op := range ops {
		x.number[i] = x.find(i)
		for _, slot := range p.vars.Certain(op).Without(cut).Slots() {
			x.certain[slot] = x.number[i]
		}
	}
	for slot, i := range x.may {
		x.may[slot] = x.number[i]
	}
	return x
}

// find returns the number of the part that an operand is in, and shortens the way to it.
func (x *parts) find(i int) int {
	for x.number[i] != i {
		x.number[i] = x.number[x.number[i]]
		i = x.number[i]
	}
	return i
}

// of returns the part that certainly binds all variables of a set, -1 for none.
func (x *parts) of(needs algebra.Set) int { return onePart(needs, x.certain) }

// among returns the part that may bind all variables of a set, -1 for none.
func (x *parts) among(needs algebra.Set) int { return onePart(needs, x.may) }

func onePart(needs algebra.Set, of map[algebra.Slot]int) int {
	part := -1
	for _, slot := range needs.Slots() {
		n, ok := of[slot]
		if !ok || part >= 0 && part != n {
			return -1
		}
		part = n
	}
	return part
}

// cutPart makes a ValueJoin of what is connected by one or two variables alone beside
// what a condition compares, such as the events of one robot within a minute. All pairs
// that agree in those variables may be far more than both sides together.
func (p *planner) cutPart(g *joinGroup, c *algebra.Call, may algebra.Set, around given) bool {
	if around.few || !around.before.Empty() || len(g.ops) > mostCut {
		return false
	}
	_, several := p.shared(g.ops)
	slots := several.Without(p.condition(c).needs).Slots()
	slots = slots[:min(len(slots), mostCutAt)]
	var cuts []algebra.Set
	for i := range slots {
		cuts = append(cuts, algebra.SetOf(slots[i]))
	}
	for i := range slots {
		for j := range i {
			cuts = append(cuts, algebra.SetOf(slots[i], slots[j]))
		}
	}
	var best *joinGroup
	least := math.Inf(1)
	for _, cut := range cuts {
		x := p.parts(g.ops, cut)
		a, b := x.of(p.condition(c.Args[0]).needs), x.of(p.condition(c.Args[1]).needs)
		if a < 0 || b < 0 || a == b {
			continue
		}
		if joined, cost := p.joinParts(g, x, a, b, true, may, around); joined != nil && cost < least {
			best, least = joined, cost
		}
	}
	if best != nil {
		g.ops, g.conditions = best.ops, best.conditions
	}
	return best != nil
}

// joinParts makes a ValueJoin of two parts if it is worth it, and returns what the join
// is then. If they were cut at variables that they have in common, cost is what the join
// costs.
func (p *planner) joinParts(g *joinGroup, x *parts, a, b int, cut bool, may algebra.Set, around given) (joined *joinGroup, cost float64) {
	var inA, inB, rest []algebra.Op
	for i, op := range g.ops {
		switch x.number[i] {
		case a:
			inA = append(inA, op)
		case b:
			inB = append(inB, op)
		default:
			rest = append(rest, op)
		}
	}
	certainA, certainB := p.certain(inA), p.certain(inB)
	var aboutA, aboutB, compared, others []algebra.Expr
	for _, c := range g.conditions {
		needs := p.condition(c).needs.And(may)
		call, ok := p.between(c, certainA, certainB)
		switch {
		case !needs.Empty() && needs.In(certainA):
			aboutA = append(aboutA, c)
		case !needs.Empty() && needs.In(certainB):
			aboutB = append(aboutB, c)
		case ok && len(compared) < mostComparisons:
			compared = append(compared, call)
		default:
			others = append(others, c)
		}
	}
	left, right := filter(together(inA), aboutA), filter(together(inB), aboutB)
	join := p.orient(left, right, compared, around)
	if join == nil {
		return nil, 0
	}
	joined = &joinGroup{ops: append(rest, join), conditions: others}
	if cut {
		paired, _ := p.alone(filter(together(g.ops), g.conditions))
		if cost, _ = p.alone(filter(together(joined.ops), others)); !found(join.Conditions) || cost*cutWorth > paired {
			return nil, 0
		}
	}
	return joined, cost
}

// between returns a condition that compares what one side binds with what another does,
// in this order.
func (p *planner) between(c algebra.Expr, a, b algebra.Set) (*algebra.Call, bool) {
	call, ok := p.comparison(c)
	if !ok {
		return nil, false
	}
	first, second := p.condition(call.Args[0]).needs, p.condition(call.Args[1]).needs
	switch {
	case first.Empty() || second.Empty():
		return nil, false
	case first.In(a) && second.In(b):
		return call, true
	case first.In(b) && second.In(a):
		return algebra.Mirrored(call), true
	}
	return nil, false
}

// orient makes a ValueJoin and decides which side is evaluated by itself: the one that
// bounds are for, if there are, or the smaller one. compared are comparisons of a's
// values with b's. It returns nil where pairing all is as good.
func (p *planner) orient(a, b algebra.Op, compared []algebra.Expr, around given) *algebra.ValueJoin {
	mirrored, equal := make([]algebra.Expr, len(compared)), false
	for i, c := range compared {
		call := c.(*algebra.Call)
		mirrored[i] = algebra.Mirrored(call)
		equal = equal || algebra.IsEquality(call)
	}
	forB, bothB := algebra.Band(compared)
	forA, bothA := algebra.Band(mirrored)
	if around.few && !equal && !bothA && !bothB {
		return nil // the first pairs may do
	}
	_, rowsA := p.alone(a)
	_, rowsB := p.alone(b)
	if rowsA*rowsB < fewPairs {
		return nil
	}
	// What is before the join binds variables of a side, by which it is looked up.
	boundA, boundB := p.vars.Mentioned(a).Meets(around.before), p.vars.Mentioned(b).Meets(around.before)
	swap := rowsA < rowsB
	switch {
	case boundA && boundB:
		return nil
	case boundA || boundB:
		swap = boundB
	case bothA != bothB:
		swap = bothA
	case !equal && len(forA) != len(forB):
		swap = len(forA) > len(forB)
	}
	if swap {
		return &algebra.ValueJoin{Left: b, Right: a, Conditions: mirrored}
	}
	return &algebra.ValueJoin{Left: a, Right: b, Conditions: compared}
}

// valueJoin plans the sides of a ValueJoin, with conditions that hold for its solutions.
func (p *planner) valueJoin(x *algebra.ValueJoin, conditions []algebra.Expr, g given) algebra.Op {
	left := p.evaluating(p.evaluating(g, conditions...), x.Conditions...).needing(p.vars.Mentioned(x.Right))
	return p.filter(&algebra.ValueJoin{Left: p.op(x.Left, nil, left), Right: p.op(x.Right, nil, given{}), Conditions: x.Conditions}, conditions, g)
}

// optionalOnValues reports whether the right side of an OPTIONAL, which no variable
// connects with what is before it, is better evaluated once: conditions compare values by
// which its solutions are found.
func (p *planner) optionalOnValues(right algebra.Op, conditions []algebra.Expr, g given) bool {
	if p.exists > 0 || g.few || len(conditions) == 0 || len(algebra.ExistsIn(conditions...)) > 0 || p.vars.Mentioned(right).Meets(g.before) {
		return false
	}
	var compared []algebra.Expr
	certain := p.vars.Certain(right)
	for _, c := range conditions[:min(len(conditions), mostComparisons)] {
		if call, ok := p.between(c, g.bound, certain); ok {
			compared = append(compared, call)
		}
	}
	if !found(compared) {
		return false
	}
	_, rows := p.alone(right)
	return g.in()*rows >= fewPairs
}

// found reports whether few of all pairs may pass the conditions of a ValueJoin: one is
// an equality, or two are bounds on both sides.
func found(conditions []algebra.Expr) bool {
	_, both := algebra.Band(conditions)
	return both || slices.ContainsFunc(conditions, func(e algebra.Expr) bool {
		c, ok := algebra.Comparison(e)
		return ok && algebra.IsEquality(c)
	})
}

// valueRows is about how many rows a ValueJoin gives for so many of its left side, which
// bind some variables beside its own.
func (p *planner) valueRows(x *algebra.ValueJoin, left float64, bound algebra.Set) float64 {
	_, pairs := p.cost(x.Right, &progress{rows: left, bound: bound.Or(p.vars.Certain(x.Left))}, false)
	if found(x.Conditions) {
		return pairs * alike
	}
	return pairs * passing
}
