package plan

import (
	"math"
	"slices"

	"github.com/segraph/segraph/store/sparql/algebra"
)

const (
	// fewPairs is the number of pairs of rows below which a ValueJoin is not worth
	// making a table.
	fewPairs = 16
	// maxValueJoins limits the ValueJoins made from one join, and maxComparisons the
	// conditions of each.
	maxValueJoins  = 8
	maxComparisons = 16
	// Limits of cutPart: the operands of a join, the variables to cut at, and the
	// conditions to try. A cut must make the join at least cutWorth times cheaper.
	maxCutOperands   = 16
	maxCutVariables  = 8
	maxCutConditions = 4
	cutWorth         = 2
)

// equalShare is the assumed fraction of pairs that meet an equality of computed values, or
// bounds on both sides.
const equalShare = 0.01

// valueJoins makes ValueJoins of operands of a join that share no variable but that
// conditions compare. Without them, all solutions of one would be paired with all of
// the other. Conditions on one side alone move into that side.
func (p *planner) valueJoins(g *joinGroup, may algebra.Set, around planContext) {
	for range maxValueJoins {
		if p.exists > 0 || len(g.ops) < 2 || !p.joinValues(g, may, around) {
			return
		}
	}
}

// joinValues makes the first ValueJoin that is worth it, and reports whether it made one.
func (p *planner) joinValues(g *joinGroup, may algebra.Set, around planContext) bool {
	var parts *parts
	tried, cuts := map[[2]int]bool{}, 0
	for _, c := range g.conditions[:min(len(g.conditions), maxWeighed)] {
		call, ok := p.comparison(c)
		if !ok {
			continue
		}
		if parts == nil {
			parts = p.parts(g.ops, algebra.Set{})
		}
		a, b := parts.of(p.condition(call.Args[0]).needs), parts.of(p.condition(call.Args[1]).needs)
		if a >= 0 && a == b && cuts < maxCutConditions {
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

// comparison returns c as a call if a ValueJoin accepts it as a condition.
func (p *planner) comparison(c algebra.Expr) (call *algebra.Call, ok bool) {
	call, ok = algebra.Comparison(c)
	return call, ok && !p.condition(c).volatile && len(algebra.ExistsIn(c)) == 0
}

// parts divides the operands of a join into parts that share no variables.
type parts struct {
	number  []int                // by operand, its part, named by one of its operands
	certain map[algebra.Slot]int // by variable, the part that certainly binds it
	may     map[algebra.Slot]int // by variable, the part that may bind it
}

// parts divides operands into parts. Operands that share only variables in cut are not
// connected.
func (p *planner) parts(ops []algebra.Op, cut algebra.Set) *parts {
	x := &parts{number: make([]int, len(ops)), certain: map[algebra.Slot]int{}, may: map[algebra.Slot]int{}}
	for i, op := range ops {
		x.number[i] = i
		p.tick(1)
		for _, slot := range p.vars.May(op).Without(cut).Slots() {
			if other, ok := x.may[slot]; ok {
				x.number[x.find(other)] = x.find(i)
			} else {
				x.may[slot] = i // the first such operand, until the parts are known
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

// find returns the part of an operand, and shortens the path to it.
func (x *parts) find(i int) int {
	for x.number[i] != i {
		x.number[i] = x.number[x.number[i]]
		i = x.number[i]
	}
	return i
}

// of returns the part that certainly binds all variables of needs, or -1.
func (x *parts) of(needs algebra.Set) int { return onePart(needs, x.certain) }

// among returns the part that may bind all variables of needs, or -1.
func (x *parts) among(needs algebra.Set) int { return onePart(needs, x.may) }

// onePart returns the part to which all variables of needs belong, or -1 if there is none.
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

// cutPart makes a ValueJoin of operands that one or two variables connect in addition
// to the compared values, such as pairs of events of one robot within a minute. Many
// more pairs may agree in those variables than either side has rows.
func (p *planner) cutPart(g *joinGroup, c *algebra.Call, may algebra.Set, around planContext) (made bool) {
	if around.few || !around.before.Empty() || len(g.ops) > maxCutOperands {
		return false
	}
	_, several := p.shared(g.ops)
	slots := several.Without(p.condition(c).needs).Slots()
	slots = slots[:min(len(slots), maxCutVariables)]
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

// joinParts makes a ValueJoin of the parts a and b if it is worth it, and returns the
// new join, or nil. If cut is set, the parts share variables, and cost is the cost of the
// join. Otherwise cost is 0.
func (p *planner) joinParts(g *joinGroup, x *parts, a, b int, cut bool, may algebra.Set, around planContext) (joined *joinGroup, cost float64) {
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
		case ok && len(compared) < maxComparisons:
			compared = append(compared, call)
		default:
			others = append(others, c)
		}
	}
	left, right := filter(joinOf(inA), aboutA), filter(joinOf(inB), aboutB)
	join := p.orient(left, right, compared, around)
	if join == nil {
		return nil, 0
	}
	joined = &joinGroup{ops: append(rest, join), conditions: others}
	if cut {
		paired, _ := p.isolatedCost(filter(joinOf(g.ops), g.conditions))
		cost, _ = p.isolatedCost(filter(joinOf(joined.ops), others))
		if !selective(join.Conditions) || cost*cutWorth > paired {
			return nil, 0
		}
	}
	return joined, cost
}

// between returns c as a call if it compares an expression over a's variables with one
// over b's, mirrored into this order if needed.
func (p *planner) between(c algebra.Expr, a, b algebra.Set) (call *algebra.Call, ok bool) {
	call, ok = p.comparison(c)
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

// orient makes a ValueJoin and chooses its right side, which is evaluated by itself: a side
// that input rows bind is the left one; then the conditions decide, and last the sizes.
// compared holds comparisons of a's values with b's. orient returns nil if pairing all rows
// is as good, or if input rows bind both sides.
func (p *planner) orient(a, b algebra.Op, compared []algebra.Expr, around planContext) *algebra.ValueJoin {
	mirrored, equal := make([]algebra.Expr, len(compared)), false
	for i, c := range compared {
		call := c.(*algebra.Call)
		mirrored[i] = algebra.Mirrored(call)
		equal = equal || algebra.IsEquality(call)
	}
	forB, bothB := algebra.Band(compared)
	forA, bothA := algebra.Band(mirrored)
	if around.few && !equal && !bothA && !bothB {
		return nil // the first pairs may suffice
	}
	_, rowsA := p.isolatedCost(a)
	_, rowsB := p.isolatedCost(b)
	if rowsA*rowsB < fewPairs {
		return nil
	}
	// A side whose variables the input rows bind is looked up by them.
	boundA, boundB := p.vars.Mentioned(a).Meets(around.before), p.vars.Mentioned(b).Meets(around.before)
	swap := rowsA < rowsB // make a the right side, which is evaluated by itself
	switch {
	case boundA && boundB:
		return nil
	case boundA || boundB:
		swap = boundB
	case bothA != bothB: // sort the side that has lower and upper bounds
		swap = bothA
	case !equal && len(forA) != len(forB): // sort the side that has more bounds
		swap = len(forA) > len(forB)
	}
	if swap {
		return &algebra.ValueJoin{Left: b, Right: a, Conditions: mirrored}
	}
	return &algebra.ValueJoin{Left: a, Right: b, Conditions: compared}
}

// valueJoin plans the sides of a ValueJoin, and applies conditions to its solutions.
func (p *planner) valueJoin(x *algebra.ValueJoin, conditions []algebra.Expr, g planContext) algebra.Op {
	left := p.evaluating(p.evaluating(g, conditions...), x.Conditions...).needing(p.vars.Mentioned(x.Right))
	return p.filter(&algebra.ValueJoin{Left: p.op(x.Left, nil, left), Right: p.op(x.Right, nil, planContext{}), Conditions: x.Conditions}, conditions, g)
}

// optionalOnValues reports whether to evaluate the right side of an OPTIONAL once, and
// to find its solutions by the values that conditions compare. The right side must
// share no variable with earlier operands.
func (p *planner) optionalOnValues(right algebra.Op, conditions []algebra.Expr, g planContext) bool {
	if p.exists > 0 || g.few || len(conditions) == 0 || len(algebra.ExistsIn(conditions...)) > 0 || p.vars.Mentioned(right).Meets(g.before) {
		return false
	}
	var compared []algebra.Expr
	certain := p.vars.Certain(right)
	for _, c := range conditions[:min(len(conditions), maxComparisons)] {
		if call, ok := p.between(c, g.bound, certain); ok {
			compared = append(compared, call)
		}
	}
	if !selective(compared) {
		return false
	}
	_, rows := p.isolatedCost(right)
	return g.in()*rows >= fewPairs
}

// selective reports whether conditions of a ValueJoin select few of all pairs: one is
// an equality, or two are bounds on both sides.
func selective(conditions []algebra.Expr) bool {
	_, both := algebra.Band(conditions)
	return both || slices.ContainsFunc(conditions, func(e algebra.Expr) bool {
		c, ok := algebra.Comparison(e)
		return ok && algebra.IsEquality(c)
	})
}

// valueRows returns the estimated number of rows of a ValueJoin for left rows of its left
// side. bound holds other variables that they bind.
func (p *planner) valueRows(x *algebra.ValueJoin, left float64, bound algebra.Set) float64 {
	_, pairs := p.cost(x.Right, &progress{rows: left, bound: bound.Or(p.vars.Certain(x.Left))}, false)
	if selective(x.Conditions) {
		return pairs * equalShare
	}
	return pairs * passing
}
