package plan

import (
	"slices"

	"github.com/segraph/segraph/store/sparql/algebra"
	"github.com/segraph/segraph/store/sparql/syntax"
)

// filter adds conditions to an operator, if there are any.
func filter(op algebra.Op, conditions []algebra.Expr) algebra.Op {
	if len(conditions) == 0 {
		return op
	}
	if f, ok := op.(*algebra.Filter); ok {
		return &algebra.Filter{Op: f.Op, Conditions: append(slices.Clip(f.Conditions), conditions...)}
	}
	return &algebra.Filter{Op: op, Conditions: conditions}
}

// sift splits conditions into those for which may returns true and the rest. It copies
// nothing if one side is empty.
func sift(conditions []algebra.Expr, may func(algebra.Expr) bool) (inside, rest []algebra.Expr) {
	for i, c := range conditions {
		switch ok := may(c); {
		case ok && len(inside) == i: // as all before: share the list, without room to append
			inside = conditions[: i+1 : i+1]
		case ok:
			inside = append(inside, c)
		case len(rest) == i:
			rest = conditions[: i+1 : i+1]
		default:
			rest = append(rest, c)
		}
	}
	return inside, rest
}

// split splits conditions at &&. That is equivalent, because a FILTER accepts a
// solution if and only if both operands are true.
func (p *planner) split(conditions []algebra.Expr) (out []algebra.Expr) {
	for _, c := range conditions {
		if call, ok := c.(*algebra.Call); ok && call.Op == syntax.OpAnd {
			out = append(out, p.split(call.Args)...)
		} else {
			out = append(out, p.expr(c))
		}
	}
	return out
}

// expr plans the patterns of EXISTS in an expression. If they have been planned for
// another place, it plans the original patterns, because a plan drops rows that its place does not need.
func (p *planner) expr(e algebra.Expr) algebra.Expr {
	return algebra.Replace(e, func(e algebra.Expr) algebra.Expr {
		x, ok := e.(*algebra.Exists)
		if !ok {
			return nil
		}
		pattern, again := p.unplanned[x]
		if !again {
			pattern = x.Op
		}
		p.exists++
		row := algebra.SetOf(x.Slot)
		op := p.op(pattern, nil, planContext{live: &row})
		p.exists--
		planned := &algebra.Exists{Not: x.Not, Op: op, Slot: x.Slot}
		if p.exists == 0 { // others are planned again as part of the one around them
			p.unplanned[planned] = pattern
		}
		return planned
	})
}
