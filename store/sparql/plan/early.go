package plan

import "github.com/segraph/segraph/store/sparql/algebra"

// testEarly has an EXISTS among the conditions of a join tested on fewer rows, if it needs
// variables of some operands only, and the others multiply the rows. It replaces the
// operands up to the last one needed by two: the join of the needed operands, where the
// EXISTS is tested, and the join of the others, which is evaluated once, by itself. It
// does so for one EXISTS, if that is cheaper, and never inside an EXISTS, after earlier
// operands, for a walk, or if a few rows suffice. rows and the result hold the estimated
// number of rows after each operand. may holds the variables that g may bind.
func (p *planner) testEarly(g *joinGroup, rows []float64, may algebra.Set, around planContext) []float64 {
	if p.exists > 0 || around.few || around.walk != nil || !around.before.Empty() {
		return rows
	}
	for i, last := range p.readyAt(g, may) {
		x, ok := g.conditions[i].(*algebra.Exists)
		untestable := last == len(g.ops)
		if !ok || p.unplanned[x] == nil || untestable {
			continue
		}
		needed, others := p.binders(g.ops[:last+1], p.condition(x).needs.And(may))
		if len(others) == 0 {
			continue
		}
		tested := p.estimate(joinOf(needed), algebra.Set{})
		alone, kept := p.isolatedCost(joinOf(others))
		early := alone + kept*keepCost + 2*tested*joinCost // each row is tested and then joined
		if kept > maxKeptSolutions || early*onceWorth > rows[last]*joinCost {
			continue
		}
		first := p.withConditions(g, needed, may)
		second := &algebra.Materialize{Op: p.withConditions(g, others, may)}
		g.ops = append([]algebra.Op{first, second}, g.ops[last+1:]...)
		return append([]float64{tested * passing}, rows[last:]...)
	}
	return rows
}

// binders splits operands into those that bind variables first and the rest.
func (p *planner) binders(ops []algebra.Op, variables algebra.Set) (binders, rest []algebra.Op) {
	for _, op := range ops {
		if certain := p.vars.Certain(op); certain.Meets(variables) {
			binders, variables = append(binders, op), variables.Without(certain)
		} else {
			rest = append(rest, op)
		}
	}
	return binders, rest
}

// withConditions joins some operands of g, and moves there the conditions that need no
// other variables of may, those that g may bind. A condition that contains an EXISTS
// among other things stays.
func (p *planner) withConditions(g *joinGroup, ops []algebra.Op, may algebra.Set) algebra.Op {
	op := joinOf(ops)
	certain := p.vars.Certain(op)
	var inside, rest []algebra.Expr
	for _, c := range g.conditions {
		x, _ := c.(*algebra.Exists)
		if !p.condition(c).needs.And(may).In(certain) || p.unplanned[x] == nil && len(algebra.ExistsIn(c)) > 0 {
			rest = append(rest, c)
		} else {
			inside = append(inside, c)
		}
	}
	g.conditions = rest
	return filter(op, inside)
}
