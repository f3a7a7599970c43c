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
		op = &LeftJoin{Rewrite(x.Left, f), Rewrite(x.Right, f), rewriteExprs(x.Conditions, f), x.Slot}
	case *Union:
		op = &Union{rewriteAll(x.Ops, f)}
	case *Minus:
		op = &Minus{Rewrite(x.Left, f), Rewrite(x.Right, f)}
	case *SemiJoin:
		op = &SemiJoin{x.Not, Rewrite(x.Left, f), Rewrite(x.Right, f), rewriteExprs(x.Conditions, f)}
	case *Filter:
		op = &Filter{Rewrite(x.Op, f), rewriteExprs(x.Conditions, f)}
	case *Extend:
		out := &Extend{Op: Rewrite(x.Op, f)}
		for _, b := range x.Bindings {
			out.Bindings = append(out.Bindings, Binding{b.Var, rewriteExpr(b.Expr, f)})
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
				out.Aggregates[i].Arg = rewriteExpr(out.Aggregates[i].Arg, f)
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
			out.Keys = append(out.Keys, OrderKey{rewriteExpr(k.Expr, f), k.Descending})
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

func rewriteExprs(list []Expr, f func(Op) Op) (out []Expr) {
	for _, e := range list {
		out = append(out, rewriteExpr(e, f))
	}
	return out
}

// rewriteExpr rewrites the patterns of EXISTS in an expression.
func rewriteExpr(e Expr, f func(Op) Op) Expr {
	return Replace(e, func(e Expr) Expr {
		if x, ok := e.(*Exists); ok {
			return &Exists{x.Not, Rewrite(x.Op, f), x.Slot}
		}
		return nil
	})
}
