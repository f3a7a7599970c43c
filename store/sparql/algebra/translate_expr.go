package algebra

import (
	"fmt"

	"github.com/segraph/segraph/store/sparql/syntax"
)

func (t *translator) exprs(list []syntax.Expr, s *scope) (out []Expr) {
	for _, e := range list {
		out = append(out, t.expr(e, s))
	}
	return out
}

// expr translates an expression. It replaces an aggregate by the variable that the
// Group binds.
func (t *translator) expr(e syntax.Expr, s *scope) Expr {
	switch x := e.(type) {
	case *syntax.Var:
		return &Var{t.slot(s, x.Name)}
	case *syntax.Term:
		return &Const{x.Term}
	case *syntax.Call:
		if x.Distinct {
			t.fail(&syntax.Error{Line: x.Line, Column: x.Column,
				Msg: fmt.Sprintf("there is no aggregate <%s>: only aggregates take DISTINCT", x.Function)})
		}
		call := &Call{Op: x.Op, Function: x.Function, Args: t.exprs(x.Args, s)}
		if list := t.aggregates; x.Op == syntax.OpStrLen && list != nil {
			if _, ok := x.Args[0].(*syntax.Aggregate); ok {
				(*list)[len(*list)-1].Measured = true
			}
		}
		return call
	case *syntax.In:
		return &In{Not: x.Not, Expr: t.expr(x.Expr, s), List: t.exprs(x.List, s)}
	case *syntax.Exists:
		// A pattern can contain aggregates only in a subquery, which collects its own.
		aggregates, exists := t.aggregates, t.exists
		t.aggregates, t.exists = nil, true
		defer func() { t.aggregates, t.exists = aggregates, exists }()
		return &Exists{Not: x.Not, Op: t.group(x.Group, s), Slot: t.hidden()}
	case *syntax.Aggregate:
		return t.aggregate(x)
	}
	t.fail(fmt.Errorf("unknown kind of expression: %T", e))
	return noExpr()
}

// noExpr stands for an expression that failed, because callers expect one that is not nil.
func noExpr() Expr { return &Call{Op: syntax.OpCoalesce} }

// aggregate adds an aggregate to the group around it, and returns the variable that gets its value.
func (t *translator) aggregate(x *syntax.Aggregate) Expr {
	if t.aggregates == nil {
		t.fail(&syntax.Error{Line: x.Line, Column: x.Column, Msg: string(x.Op) + " is not allowed here: there is no group to aggregate"})
		return noExpr()
	}
	list := t.aggregates
	a := Aggregate{Op: x.Op, Distinct: x.Distinct, Separator: x.Separator}
	if x.Arg != nil {
		t.aggregates = nil // an aggregate contains no other
		a.Arg = t.expr(x.Arg, t.inner)
		t.aggregates = list
	}
	a.Into = t.hidden()
	*list = append(*list, a)
	return &Var{a.Into}
}
