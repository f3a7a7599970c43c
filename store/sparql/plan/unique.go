package plan

import (
	"slices"

	"github.com/segraph/segraph/store/sparql/algebra"
	"github.com/segraph/segraph/store/sparql/syntax"
)

// withoutDistinct returns the aggregates of x without each DISTINCT that changes
// nothing: in MIN and MAX, and in aggregates of variables whose values differ between
// any two solutions of a group.
func (p *planner) withoutDistinct(x *algebra.Group) []algebra.Aggregate {
	out := slices.Clone(x.Aggregates)
	var vars algebra.Set
	unique, asked := false, false
	for i := range out {
		a := &out[i]
		if a.Op == syntax.OpMin || a.Op == syntax.OpMax {
			a.Distinct = false
		}
		if !a.Distinct {
			continue
		}
		v, isVar := a.Arg.(*algebra.Var)
		if !isVar && a.Arg != nil {
			continue
		}
		if !asked {
			vars, unique = p.determine(x.Op)
			asked = true
		}
		compared := a.All
		if isVar {
			compared = []algebra.Slot{v.Slot}
		}
		if unique && vars.In(algebra.SetOf(x.Keys...).Or(algebra.SetOf(compared...))) {
			a.Distinct, a.All = false, nil
		}
	}
	return out
}

// determine returns a key of op: variables that every solution binds, and in which no
// two solutions agree. ok is false if it finds none.
func (p *planner) determine(op algebra.Op) (vars algebra.Set, ok bool) {
	if !p.tick(1) {
		return vars, false
	}
	switch x := op.(type) {
	case *algebra.Unit:
		return vars, true
	case *algebra.Triple: // a graph has no duplicates
		return p.vars.May(x), true
	case *algebra.Join:
		for _, operand := range x.Ops {
			more, ok := p.determine(operand)
			if !ok {
				return vars, false
			}
			vars = vars.Or(more)
		}
		return vars, true
	case *algebra.Filter:
		return p.determine(x.Op)
	case *algebra.Extend:
		return p.determine(x.Op)
	case *algebra.Minus:
		return p.determine(x.Left)
	case *algebra.Graph:
		vars, ok = p.determine(x.Op)
		return vars.Or(algebra.SetOf(x.Name.Slot)), ok
	}
	return vars, false
}
