package eval

import (
	"reflect"
	"slices"

	"github.com/segraph/segraph/store/sparql/algebra"
	"github.com/segraph/segraph/store/sparql/eval/expr"
)

// hoist returns op with another BIND for each of exprs that another goroutine may evaluate with op. It
// replaces these expressions by variables. Each has few values, since the query keeps them all as terms.
func (r *Run) hoist(op algebra.Op, e env, exprs ...*algebra.Expr) algebra.Op {
	if below, above, _ := r.divide(op, e, true); below == nil || len(above) > 0 {
		return op
	}
	x := &algebra.Extend{Op: op}
	for _, argument := range exprs {
		if !expr.Costly(*argument) || !expr.FewValues(*argument) || !expr.Movable(algebra.Set{}, *argument) {
			continue
		}
		k := slices.IndexFunc(x.Bindings, func(b algebra.Binding) bool { return reflect.DeepEqual(b.Expr, *argument) })
		if k < 0 {
			k, x.Bindings = len(x.Bindings), append(x.Bindings, algebra.Binding{Var: r.addSlot(), Expr: *argument})
		}
		*argument = &algebra.Var{Slot: x.Bindings[k].Var}
	}
	if len(x.Bindings) == 0 {
		return op
	}
	return x
}
