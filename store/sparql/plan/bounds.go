package plan

import (
	"slices"

	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql/algebra"
	"github.com/segraph/segraph/store/sparql/syntax"
	"github.com/segraph/segraph/store/sparql/value"
)

// mirrored are the comparisons with their operands exchanged.
var mirrored = map[syntax.Op]syntax.Op{
	syntax.OpEqual: syntax.OpEqual, syntax.OpLess: syntax.OpGreater, syntax.OpGreater: syntax.OpLess,
	syntax.OpLessEqual: syntax.OpGreaterEqual, syntax.OpGreaterEqual: syntax.OpLessEqual,
}

// asBound reads a condition as a bound of a variable, of the kinds that ids may tell.
func asBound(c algebra.Expr) (slot algebra.Slot, b algebra.Bound, ok bool) {
	call, ok := c.(*algebra.Call)
	if !ok || mirrored[call.Op] == "" {
		return 0, b, false
	}
	op, x, y := call.Op, call.Args[0], call.Args[1]
	if _, isConst := x.(*algebra.Const); isConst {
		op, x, y = mirrored[op], y, x
	}
	v, isVar := x.(*algebra.Var)
	constant, isConst := y.(*algebra.Const)
	if !isVar || !isConst || !comparable(op, constant.Term) {
		return 0, b, false
	}
	return v.Slot, algebra.Bound{Op: op, Term: constant.Term}, true
}

func comparable(op syntax.Op, t rdf.Term) bool {
	switch v := value.FromTerm(t); v.Kind() {
	case value.KindIRI, value.KindString, value.KindLangString:
		return op == syntax.OpEqual
	default:
		return v.IsNumeric() || v.IsTemporal()
	}
}

// bounded puts conditions on the object of a pattern into it, as far as they are of that kind.
func bounded(t *algebra.Triple, conditions []algebra.Expr) (_ *algebra.Triple, rest []algebra.Expr) {
	out := *t
	if !t.O.IsVariable() {
		return &out, conditions
	}
	for _, c := range conditions {
		if slot, b, ok := asBound(c); ok && slot == t.O.Slot {
			out.Within = append(out.Within[:len(out.Within):len(out.Within)], b)
		} else {
			rest = append(rest, c)
		}
	}
	return &out, rest
}

// bound has the patterns of a join look for bounds of their objects. It is a copy of the conditions
// that each gets, of which one pattern alone keeps any: see tested.
func (g *joinGroup) bound() {
	var taken algebra.Set
	ops := slices.Clone(g.ops)
	for i, op := range ops {
		if t, ok := op.(*algebra.Triple); ok {
			if t, rest := bounded(t, g.conditions); len(rest) < len(g.conditions) {
				ops[i] = t
				taken = taken.Or(algebra.SetOf(t.O.Slot))
			}
		}
	}
	_, g.conditions = sift(g.conditions, func(c algebra.Expr) bool {
		slot, _, ok := asBound(c)
		return ok && taken.Has(slot)
	})
	g.ops = ops
}

// tested takes the bounds of a variable from the patterns that are still to come, behind one that has
// them.
func (g *joinGroup) tested(op algebra.Op) {
	t, ok := op.(*algebra.Triple)
	if o, isOrdered := op.(*algebra.Ordered); isOrdered {
		t, ok = &o.Triple, true
	}
	if !ok || len(t.Within) == 0 {
		return
	}
	for i, other := range g.ops {
		if u, ok := other.(*algebra.Triple); ok && u.O.Slot == t.O.Slot {
			free := *u
			free.Within = nil
			g.ops[i] = &free
		}
	}
}
