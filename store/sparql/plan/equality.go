package plan

import (
	"github.com/segraph/segraph/store/sparql/algebra"
	"github.com/segraph/segraph/store/sparql/syntax"
)

// equality is a condition ?kept = ?gone between variables of which one is a node for certain, an
// IRI or a blank node. Then both must be the same term, and patterns may say so by one variable.
type equality struct{ kept, gone algebra.Slot }

// asEquality reads a condition as ?a = ?b or sameTerm(?a, ?b).
func asEquality(c algebra.Expr) (a, b algebra.Slot, ok bool) {
	call, ok := c.(*algebra.Call)
	if !ok || call.Op != syntax.OpEqual && call.Op != syntax.OpSameTerm {
		return 0, 0, false
	}
	x, ok := call.Args[0].(*algebra.Var)
	y, also := call.Args[1].(*algebra.Var)
	if !ok || !also || x.Slot == y.Slot {
		return 0, 0, false
	}
	return x.Slot, y.Slot, true
}

// nodes gives the variables that triple patterns among ops have as subject or predicate, which
// is no place for a literal.
func nodes(ops []algebra.Op) algebra.Set {
	var s algebra.Set
	for _, op := range ops {
		if t, ok := op.(*algebra.Triple); ok {
			s = s.Or(algebra.SetOf(t.S.Slot, t.P.Slot))
		}
	}
	return s
}

// inTriplesAlone tells whether a variable is certainly bound by ops, and stands in none of them but
// triple patterns.
func inTriplesAlone(ops []algebra.Op, slot algebra.Slot) bool {
	found := false
	for _, op := range ops {
		if _, ok := op.(*algebra.Triple); ok {
			found = found || algebra.May(op).Has(slot)
		} else if algebra.Mentioned(op).Has(slot) {
			return false
		}
	}
	return found
}

// unify applies the equalities among the conditions of a join: the patterns get one variable for
// two, and what it gives is to be bound once they are joined.
func (g *joinGroup) unify() (bindings []algebra.Binding) {
	isNode := nodes(g.ops)
	var certain algebra.Set
	for _, op := range g.ops {
		certain = certain.Or(algebra.Certain(op))
	}
	for i := 0; i < len(g.conditions); i++ {
		a, b, ok := asEquality(g.conditions[i])
		if !ok || !isNode.Has(a) && !isNode.Has(b) || !certain.Has(a) || !certain.Has(b) {
			continue
		}
		if !inTriplesAlone(g.ops, b) {
			a, b = b, a
		}
		if !inTriplesAlone(g.ops, b) {
			continue
		}
		rest := append(append([]algebra.Expr(nil), g.conditions[:i]...), g.conditions[i+1:]...)
		renamed, ok := renameAll(rest, b, a)
		if !ok {
			continue
		}
		g.ops, g.conditions = renameTriples(g.ops, b, a), renamed
		for j := range bindings { // one that went before may have been kept for another
			if v := bindings[j].Expr.(*algebra.Var); v.Slot == b {
				bindings[j].Expr = &algebra.Var{Slot: a}
			}
		}
		bindings = append(bindings, algebra.Binding{Var: b, Expr: &algebra.Var{Slot: a}})
		isNode = nodes(g.ops)
		i = -1
	}
	return bindings
}

// unifyOptional applies an equality between the two sides of an OPTIONAL among its conditions: the
// right side then has the left side's variable, by which its matches are looked up.
func unifyOptional(x *algebra.LeftJoin) *algebra.LeftJoin {
	ops := []algebra.Op{x.Right}
	if j, ok := x.Right.(*algebra.Join); ok {
		ops = j.Ops
	}
	left, right := algebra.Certain(x.Left), algebra.Mentioned(x.Right)
	isNode := nodes(ops)
	for i, c := range x.Conditions {
		a, b, ok := asEquality(c)
		if !ok {
			continue
		}
		if !left.Has(a) || right.Has(a) {
			a, b = b, a
		}
		if !left.Has(a) || right.Has(a) || algebra.May(x.Left).Has(b) || !isNode.Has(b) || !inTriplesAlone(ops, b) {
			continue
		}
		rest := append(append([]algebra.Expr(nil), x.Conditions[:i]...), x.Conditions[i+1:]...)
		return &algebra.LeftJoin{Left: x.Left, Slot: x.Slot, Conditions: rest, Right: &algebra.Extend{
			Op:       together(renameTriples(ops, b, a)),
			Bindings: []algebra.Binding{{Var: b, Expr: &algebra.Var{Slot: a}}},
		}}
	}
	return x
}

func renameTriples(ops []algebra.Op, from, to algebra.Slot) []algebra.Op {
	node := func(n algebra.Node) algebra.Node {
		if n.Slot == from {
			return algebra.Variable(to)
		}
		return n
	}
	out := make([]algebra.Op, len(ops))
	for i, op := range ops {
		out[i] = op
		if t, ok := op.(*algebra.Triple); ok && algebra.May(t).Has(from) {
			out[i] = &algebra.Triple{Graph: t.Graph, S: node(t.S), P: node(t.P), O: node(t.O), Within: t.Within}
		}
	}
	return out
}

// renameAll renames a variable in expressions; not ok if it is in an EXISTS.
func renameAll(exprs []algebra.Expr, from, to algebra.Slot) (out []algebra.Expr, ok bool) {
	for _, e := range exprs {
		renamed, ok := rename(e, from, to)
		if !ok {
			return nil, false
		}
		out = append(out, renamed)
	}
	return out, true
}

func rename(e algebra.Expr, from, to algebra.Slot) (algebra.Expr, bool) {
	switch x := e.(type) {
	case *algebra.Var:
		if x.Slot == from {
			return &algebra.Var{Slot: to}, true
		}
	case *algebra.Call:
		args, ok := renameAll(x.Args, from, to)
		return &algebra.Call{Op: x.Op, Function: x.Function, Args: args}, ok
	case *algebra.In:
		first, ok := rename(x.Expr, from, to)
		list, also := renameAll(x.List, from, to)
		return &algebra.In{Not: x.Not, Expr: first, List: list}, ok && also
	case *algebra.Exists:
		return e, !algebra.Mentioned(x.Op).Has(from)
	}
	return e, true
}
