package sparql_test

import (
	"testing"

	"github.com/segraph/segraph/internal/suite/strategies"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql"
	"github.com/segraph/segraph/store/sparql/algebra"
	"github.com/segraph/segraph/store/sparql/budget"
	"github.com/segraph/segraph/store/sparql/eval/expr"
	"github.com/segraph/segraph/store/sparql/syntax"
	"github.com/segraph/segraph/store/sparql/value"
)

// naive evaluates an expression for one solution, an operator after another, as section 17
// of SPARQL 1.1 says. It knows neither EXISTS nor functions that differ from call to call.
type naive struct {
	t    *testing.T
	of   map[algebra.Slot]rdf.Term // the solution
	rest *value.Context
}

func (n *naive) value(e algebra.Expr) value.Value {
	switch x := e.(type) {
	case *algebra.Var:
		if t := n.of[x.Slot]; !t.IsZero() {
			return value.FromTerm(t)
		}
		return value.Value{}
	case *algebra.Const:
		return value.FromTerm(x.Term)
	case *algebra.In:
		truth := value.False
		for _, member := range x.List {
			truth = value.Or(truth, value.Equal(n.value(x.Expr), n.value(member)))
		}
		if x.Not {
			truth = value.Not(truth)
		}
		return ofTruth(truth)
	case *algebra.Call:
		return n.call(x)
	}
	n.t.Fatalf("%T is not known", e)
	return value.Error()
}

func (n *naive) call(x *algebra.Call) value.Value {
	switch x.Op {
	case syntax.OpIf:
		switch n.value(x.Args[0]).Truth() {
		case value.True:
			return n.value(x.Args[1])
		case value.False:
			return n.value(x.Args[2])
		}
		return value.Error()
	case syntax.OpCoalesce:
		for _, arg := range x.Args {
			if v := n.value(arg); !v.IsError() {
				return v
			}
		}
		return value.Error()
	}
	var args []value.Value
	failed := false
	for _, arg := range x.Args {
		args = append(args, n.value(arg))
		failed = failed || args[len(args)-1].IsError()
	}
	is := func(kind rdf.Kind) value.Value {
		if failed {
			return value.Error()
		}
		return value.Boolean(args[0].Term().Kind() == kind)
	}
	all := func(f func(s, t value.Truth) value.Truth) value.Value {
		truth := args[0].Truth()
		for _, arg := range args[1:] {
			truth = f(truth, arg.Truth())
		}
		return ofTruth(truth)
	}
	switch x.Op {
	case syntax.OpAnd:
		return all(value.And)
	case syntax.OpOr:
		return all(value.Or)
	case syntax.OpNot:
		return ofTruth(value.Not(args[0].Truth()))
	case syntax.OpEqual, syntax.OpNotEqual, syntax.OpLess, syntax.OpLessEqual, syntax.OpGreater, syntax.OpGreaterEqual:
		return ofTruth(value.Relations[x.Op].Of(args[0], args[1]))
	case syntax.OpAdd:
		return value.Addition.Of(args[0], args[1])
	case syntax.OpSubtract:
		return value.Subtraction.Of(args[0], args[1])
	case syntax.OpMultiply:
		return value.Multiplication.Of(args[0], args[1])
	case syntax.OpDivide:
		return value.Division.Of(args[0], args[1])
	case syntax.OpUnaryPlus:
		return value.Plus(args[0])
	case syntax.OpUnaryMinus:
		return value.Negation.Of(args[0])
	case syntax.OpBound:
		return value.Boolean(!failed)
	case syntax.OpIsIRI:
		return is(rdf.KindIRI)
	case syntax.OpIsBlank:
		return is(rdf.KindBlank)
	case syntax.OpIsLiteral:
		return is(rdf.KindLiteral)
	case syntax.OpSameTerm:
		if failed {
			return value.Error()
		}
		return value.Boolean(args[0].Term().EqualFold(args[1].Term()))
	}
	f, ok := value.Lookup(string(x.Op))
	if x.Op == syntax.OpFunction {
		f, ok = value.LookupCast(x.Function)
	}
	if !ok || !f.Accepts(len(args)) {
		return value.Error()
	}
	v, err := f.Call(n.rest, args)
	if err != nil {
		n.t.Fatal(err)
	}
	return v
}

// naively returns the values of the expression of a query's last column, for the rows of
// an answer that begin with the values of variables.
func naively(t *testing.T, ds sparql.Dataset, text string, variables []string, rows [][]rdf.Term) (out []value.Value) {
	t.Helper()
	q, err := sparql.Prepare(t.Context(), scriptPrefixes+text, sparql.Options{Plan: strategies.InOrder.Plan})
	if err != nil {
		t.Fatal(err)
	}
	planned, err := q.Plan(t.Context(), ds, budget.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	var e algebra.Expr
	strategies.Rewrite(planned.Root, func(op algebra.Op) algebra.Op {
		if x, ok := op.(*algebra.Extend); ok {
			e = x.Bindings[len(x.Bindings)-1].Expr
		}
		return op
	})
	slots := map[string]algebra.Slot{}
	for slot, name := range planned.Names {
		slots[name] = algebra.Slot(slot)
	}
	for _, row := range rows {
		n := &naive{t, map[algebra.Slot]rdf.Term{}, &value.Context{MaxLength: expr.MaxStringLength}}
		for i, name := range variables {
			if slot, ok := slots[name]; ok {
				n.of[slot] = row[i]
			}
		}
		out = append(out, n.value(e))
	}
	return out
}

// ofTruth returns a truth value as an xsd:boolean or an error.
func ofTruth(t value.Truth) value.Value {
	if t == value.TypeError {
		return value.Error()
	}
	return value.Boolean(t == value.True)
}
