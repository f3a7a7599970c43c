package algebra

import "github.com/segraph/segraph/store/sparql/syntax"

// May gives the variables that a solution of op may bind. A Graph's Active is none of them.
func May(op Op) Set {
	switch x := op.(type) {
	case *Triple:
		return SetOf(x.S.Slot, x.P.Slot, x.O.Slot)
	case *Ordered:
		return May(&x.Triple)
	case *Path:
		return SetOf(x.S.Slot, x.O.Slot)
	case *Join:
		return all(x.Ops, May)
	case *LeftJoin:
		return May(x.Left).Or(May(x.Right))
	case *Union:
		return all(x.Ops, May)
	case *Minus:
		return May(x.Left)
	case *SemiJoin:
		return May(x.Left)
	case *Filter:
		return May(x.Op)
	case *Extend:
		s := May(x.Op)
		for _, b := range x.Bindings {
			s = s.Or(SetOf(b.Var))
		}
		return s
	case *Graph:
		return May(x.Op).Or(SetOf(x.Name.Slot))
	case *Values:
		return SetOf(x.Vars...)
	case *Materialize:
		return May(x.Op)
	case *Reduce:
		return May(x.Op)
	case *Group:
		s := SetOf(x.Keys...)
		for _, a := range x.Aggregates {
			s = s.Or(SetOf(a.Into))
		}
		return s
	case *Project:
		return May(x.Op).And(SetOf(x.Vars...))
	case *Distinct:
		return May(x.Op)
	case *OrderBy:
		return May(x.Op)
	case *Slice:
		return May(x.Op)
	}
	return Set{}
}

// Certain gives the variables that every solution of op binds.
func Certain(op Op) Set {
	switch x := op.(type) {
	case *Triple, *Ordered, *Path:
		return May(op)
	case *Join:
		return all(x.Ops, Certain)
	case *LeftJoin:
		return Certain(x.Left)
	case *Union:
		s := Certain(x.Ops[0])
		for _, arm := range x.Ops[1:] {
			s = s.And(Certain(arm))
		}
		return s
	case *Minus:
		return Certain(x.Left)
	case *SemiJoin:
		return Certain(x.Left)
	case *Filter:
		return Certain(x.Op)
	case *Extend:
		s := Certain(x.Op)
		for _, b := range x.Bindings {
			switch e := b.Expr.(type) {
			case *Const:
				s = s.Or(SetOf(b.Var))
			case *Var:
				if s.Has(e.Slot) {
					s = s.Or(SetOf(b.Var))
				}
			}
		}
		return s
	case *Graph:
		return Certain(x.Op).Or(SetOf(x.Name.Slot))
	case *Values:
		return certainValues(x)
	case *Materialize:
		return Certain(x.Op)
	case *Reduce:
		return Certain(x.Op)
	case *Group:
		s := Certain(x.Op).And(SetOf(x.Keys...))
		for _, a := range x.Aggregates {
			if a.Op == syntax.OpCount {
				s = s.Or(SetOf(a.Into))
			}
		}
		return s
	case *Project:
		return Certain(x.Op).And(SetOf(x.Vars...))
	case *Distinct:
		return Certain(x.Op)
	case *OrderBy:
		return Certain(x.Op)
	case *Slice:
		return Certain(x.Op)
	}
	return Set{}
}

func certainValues(v *Values) Set {
	var s Set
	for i, slot := range v.Vars {
		bound := true
		for _, row := range v.Rows {
			bound = bound && !row[i].IsZero()
		}
		if bound {
			s = s.Or(SetOf(slot))
		}
	}
	return s
}

// Mentioned gives all variables that occur anywhere in op, in its expressions too.
func Mentioned(op Op) Set {
	var s Set
	children := Children(op)
	switch x := op.(type) {
	case *Extend:
		for _, b := range x.Bindings {
			s = s.Or(SetOf(b.Var))
		}
	case *Graph:
		s = SetOf(x.Name.Slot)
	case *Group:
		s = May(op)
	default:
		if len(children) == 0 {
			s = May(op)
		}
	}
	for _, child := range children { // of which others have all that they may bind
		s = s.Or(Mentioned(child))
	}
	return s.Or(MentionedBy(Expressions(op)...))
}

// MentionedBy gives all variables that occur anywhere in expressions, in the patterns of EXISTS too.
func MentionedBy(exprs ...Expr) Set {
	var s Set
	for _, e := range exprs {
		Walk(e, func(e Expr) {
			switch x := e.(type) {
			case *Var:
				s = s.Or(SetOf(x.Slot))
			case *Exists:
				s = s.Or(Mentioned(x.Op))
			}
		})
	}
	return s
}

// Children gives the operands of op.
func Children(op Op) []Op {
	switch x := op.(type) {
	case *Join:
		return x.Ops
	case *LeftJoin:
		return []Op{x.Left, x.Right}
	case *Union:
		return x.Ops
	case *Minus:
		return []Op{x.Left, x.Right}
	case *SemiJoin:
		return []Op{x.Left, x.Right}
	case *Filter:
		return []Op{x.Op}
	case *Extend:
		return []Op{x.Op}
	case *Graph:
		return []Op{x.Op}
	case *Materialize:
		return []Op{x.Op}
	case *Reduce:
		return []Op{x.Op}
	case *Group:
		return []Op{x.Op}
	case *Project:
		return []Op{x.Op}
	case *Distinct:
		return []Op{x.Op}
	case *OrderBy:
		if x.Ahead != nil {
			return []Op{x.Ahead, x.Op}
		}
		return []Op{x.Op}
	case *Slice:
		return []Op{x.Op}
	}
	return nil
}

// Expressions gives the expressions that op itself has.
func Expressions(op Op) (out []Expr) {
	switch x := op.(type) {
	case *LeftJoin:
		return x.Conditions
	case *SemiJoin:
		return x.Conditions
	case *Filter:
		return x.Conditions
	case *Extend:
		for _, b := range x.Bindings {
			out = append(out, b.Expr)
		}
	case *Group:
		for _, a := range x.Aggregates {
			if a.Arg != nil {
				out = append(out, a.Arg)
			}
		}
	case *OrderBy:
		for _, k := range x.Keys {
			out = append(out, k.Expr)
		}
	}
	return out
}

func all(ops []Op, f func(Op) Set) Set {
	var s Set
	for _, op := range ops {
		s = s.Or(f(op))
	}
	return s
}

// ActiveGraph gives the variable that is the graph of patterns in op and gets its value outside of
// op, from a Graph around it; NoSlot if there is none. There are never two.
func ActiveGraph(op Op) Slot {
	switch x := op.(type) {
	case *Triple:
		return x.Graph.Slot
	case *Ordered:
		return x.Graph.Slot
	case *Path:
		return x.Graph.Slot
	case *Graph:
		return NoSlot // what is inside has that of its own, or a term
	}
	for _, child := range Children(op) {
		if slot := ActiveGraph(child); slot != NoSlot {
			return slot
		}
	}
	for _, exists := range ExistsIn(Expressions(op)...) {
		if slot := ActiveGraph(exists.Op); slot != NoSlot {
			return slot
		}
	}
	return NoSlot
}
