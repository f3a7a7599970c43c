package plan

import "github.com/segraph/segraph/store/sparql/algebra"

const (
	// fewPairs are not worth a table of one of two sides.
	fewPairs = 16
	// mostValueJoins is how many are made of a join, and mostComparisons of how many conditions each is.
	mostValueJoins  = 8
	mostComparisons = 16
)

// What part of all pairs is taken to pass an equality of computed values, or bounds on both sides.
const alike = 0.01

// valueJoins makes ValueJoins of those operands of a join that have no variable in common, and that conditions compare.
// Without, all that one gives would be paired with all that the other does. The conditions on either side alone
// go there with it.
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
	tried := map[[2]int]bool{}
	for _, c := range g.conditions[:min(len(g.conditions), mostWeighed)] {
		call, ok := p.comparison(c)
		if !ok {
			continue
		}
		if parts == nil {
			parts = p.parts(g.ops)
		}
		a, b := parts.of(p.condition(call.Args[0]).needs), parts.of(p.condition(call.Args[1]).needs)
		if a < 0 || b < 0 || a == b || tried[[2]int{a, b}] {
			continue
		}
		tried[[2]int{a, b}], tried[[2]int{b, a}] = true, true
		if p.joinParts(g, parts, a, b, may, around) {
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
}

func (p *planner) parts(ops []algebra.Op) *parts {
	x := &parts{number: make([]int, len(ops)), certain: map[algebra.Slot]int{}}
	first := map[algebra.Slot]int{} // by variable, the first operand that may bind it
	for i, op := range ops {
		x.number[i] = i
		p.tick(1)
		for _, slot := range p.vars.May(op).Slots() {
			if other, ok := first[slot]; ok {
				x.number[x.find(other)] = x.find(i)
			} else {
				first[slot] = i
			}
		}
	}
	for i, op := range ops {
		x.number[i] = x.find(i)
		for _, slot := range p.vars.Certain(op).Slots() {
			x.certain[slot] = x.number[i]
		}
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
func (x *parts) of(needs algebra.Set) int {
	part := -1
	for _, slot := range needs.Slots() {
		n, ok := x.certain[slot]
		if !ok || part >= 0 && part != n {
			return -1
		}
		part = n
	}
	return part
}

// joinParts makes a ValueJoin of two parts if it is worth it.
func (p *planner) joinParts(g *joinGroup, x *parts, a, b int, may algebra.Set, around given) bool {
	var inA, inB, compared, others []algebra.Expr
	for _, c := range g.conditions {
		switch x.of(p.condition(c).needs.And(may)) {
		case a:
			inA = append(inA, c)
			continue
		case b:
			inB = append(inB, c)
			continue
		}
		if call, ok := p.between(x, c, a, b); ok && len(compared) < mostComparisons {
			compared = append(compared, call)
		} else {
			others = append(others, c)
		}
	}
	ops := map[int][]algebra.Op{}
	for i, op := range g.ops {
		part := x.number[i]
		if part != a && part != b {
			part = -1
		}
		ops[part] = append(ops[part], op)
	}
	joined := p.orient(filter(together(ops[a]), inA), filter(together(ops[b]), inB), compared, around)
	if joined == nil {
		return false
	}
	g.ops, g.conditions = append(ops[-1], joined), others
	return true
}

// between returns a condition that compares what one part binds with what another does, in this order.
func (p *planner) between(x *parts, c algebra.Expr, a, b int) (*algebra.Call, bool) {
	call, ok := p.comparison(c)
	if !ok {
		return nil, false
	}
	switch first, second := x.of(p.condition(call.Args[0]).needs), x.of(p.condition(call.Args[1]).needs); {
	case first == a && second == b:
		return call, true
	case first == b && second == a:
		return algebra.Mirrored(call), true
	}
	return nil, false
}

// orient makes a ValueJoin and decides which side is evaluated by itself: the one that bounds are for, if there are, or
// the smaller one. compared are comparisons of a's values with b's. It returns nil where pairing all is as good.
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

// passingValues is what part of all pairs a ValueJoin is taken to let through.
func passingValues(x *algebra.ValueJoin) float64 {
	if _, both := algebra.Band(x.Conditions); both {
		return alike
	}
	for _, e := range x.Conditions {
		if c, ok := algebra.Comparison(e); ok && algebra.IsEquality(c) {
			return alike
		}
	}
	return passing
}
