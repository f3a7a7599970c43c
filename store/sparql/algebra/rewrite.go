package algebra

// Rewrite returns a copy of the tree in which f's result replaces each operator,
// including those in EXISTS. It calls f for operands first.
func Rewrite(op Op, f func(Op) Op) Op {
	switch x := op.(type) {
	case *Join:
		op = &Join{rewriteAll(x.Ops, f)}
	case *ValueJoin:
		op = &ValueJoin{Rewrite(x.Left, f), Rewrite(x.Right, f), x.Conditions}
	case *LeftJoin:
		op = &LeftJoin{Rewrite(x.Left, f), Rewrite(x.Right, f), ReplaceAll(x.Conditions, inExists(f)), x.Slot}
	case *Union:
		op = &Union{rewriteAll(x.Ops, f)}
	case *Minus:
		op = &Minus{Rewrite(x.Left, f), Rewrite(x.Right, f)}
	case *SemiJoin:
		op = &SemiJoin{x.Not, Rewrite(x.Left, f), Rewrite(x.Right, f), ReplaceAll(x.Conditions, inExists(f))}
	case *Filter:
		op = &Filter{Rewrite(x.Op, f), ReplaceAll(x.Conditions, inExists(f))}
	case *Extend:
		out := &Extend{Op: Rewrite(x.Op, f)}
		for _, b := range x.Bindings {
			out.Bindings = append(out.Bindings, Binding{b.Var, Replace(b.Expr, inExists(f))})
		}
		op = out
	case *Graph:
		op = &Graph{x.Name, x.Active, Rewrite(x.Op, f)}
	case *Materialize:
		op = &Materialize{Rewrite(x.Op, f)}
	case *Reduce:
		op = &Reduce{Rewrite(x.Op, f), x.Vars, x.Sure}
	case *Group:
		out := &Group{Op: Rewrite(x.Op, f), Keys: x.Keys, Aggregates: append([]Aggregate(nil), x.Aggregates...)}
		for i := range out.Aggregates {
			if out.Aggregates[i].Arg != nil {
				out.Aggregates[i].Arg = Replace(out.Aggregates[i].Arg, inExists(f))
			}
		}
		op = out
	case *Project:
		op = &Project{Rewrite(x.Op, f), x.Vars}
	case *Distinct:
		op = &Distinct{Rewrite(x.Op, f), x.Vars, x.Reduced}
	case *OrderBy:
		out := &OrderBy{Op: Rewrite(x.Op, f), Top: x.Top, Skip: x.Skip}
		if x.Ahead != nil {
			out.Ahead = Rewrite(x.Ahead, f)
		}
		for _, k := range x.Keys {
			out.Keys = append(out.Keys, OrderKey{Replace(k.Expr, inExists(f)), k.Descending})
		}
		op = out
	case *Slice:
		op = &Slice{Rewrite(x.Op, f), x.Offset, x.Limit}
	}
	return f(op)
}

func rewriteAll(ops []Op, f func(Op) Op) (out []Op) {
	for _, op := range ops {
		out = append(out, Rewrite(op, f))
	}
	return out
}

// inExists returns a function for Replace that rewrites the patterns of EXISTS.
func inExists(f func(Op) Op) func(Expr) Expr {
	return func(e Expr) Expr {
		if x, ok := e.(*Exists); ok {
			return &Exists{x.Not, Rewrite(x.Op, f), x.Slot}
		}
		return nil
	}
}
