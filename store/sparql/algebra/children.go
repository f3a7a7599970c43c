package algebra

// Children returns the operands of op.
func Children(op Op) []Op {
	switch x := op.(type) {
	case *Join:
		return x.Ops
	case *ValueJoin:
		return []Op{x.Left, x.Right}
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

// Expressions returns the expressions of op itself, not those of its operands.
func Expressions(op Op) (out []Expr) {
	switch x := op.(type) {
	case *ValueJoin:
		return x.Conditions
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

// ActiveGraph returns the variable that is the graph of patterns in op and that a Graph
// around op sets, or NoSlot. There is at most one.
func ActiveGraph(op Op) Slot {
	switch x := op.(type) {
	case *Triple:
		return x.Graph.Slot
	case *Ordered:
		return x.Graph.Slot
	case *Path:
		return x.Graph.Slot
	case *Graph:
		return NoSlot // patterns inside have this Graph's own Active, or a term
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
