// Package strategies has ways to execute a query besides the planner's. Tests compare their
// answers, which must be the same.
package strategies

import (
	"reflect"

	"github.com/segraph/segraph/store/sparql/algebra"
	"github.com/segraph/segraph/store/sparql/budget"
	"github.com/segraph/segraph/store/sparql/plan"
)

// Strategy is a way to execute a query. Its method Plan is an Options.Plan of package sparql.
type Strategy uint8

const (
	Planned  Strategy = iota // as package plan decides
	InOrder                  // patterns in text order
	BottomUp                 // each pattern by itself, then joined: as the standard defines it, and slow
	InMemory                 // as planned, but with full scans of patterns if possible
)

// Plan returns the query as the strategy executes it.
func (s Strategy) Plan(q *algebra.Query, statistics plan.Statistics, b *budget.Budget) (*algebra.Query, error) {
	var rewrite func(algebra.Op) algebra.Op
	out := *q
	switch s {
	case Planned, InMemory:
		planned, err := plan.Query(q, statistics, b)
		if err != nil || s == Planned {
			return planned, err
		}
		out, rewrite = *planned, inMemory
	case BottomUp:
		rewrite = bottomUp
	default:
		return q, nil
	}
	out.Root = Rewrite(out.Root, rewrite)
	return &out, nil
}

// bottomUp materializes operands, so that they can't use the bindings of earlier ones.
func bottomUp(op algebra.Op) algebra.Op {
	switch x := op.(type) {
	case *algebra.Join:
		for i, operand := range x.Ops {
			if _, ok := operand.(*algebra.TripleTerm); !ok { // without bindings, that is all terms
				x.Ops[i] = &algebra.Materialize{Op: operand}
			}
		}
	case *algebra.LeftJoin:
		x.Right = &algebra.Materialize{Op: x.Right}
	}
	return op
}

// inMemory requests a full scan of every pattern of triples and triple terms.
func inMemory(op algebra.Op) algebra.Op {
	switch x := op.(type) {
	case *algebra.Triple:
		x.FullScan = true
	case *algebra.TripleTerm:
		x.Known, x.FullScan = max(1, x.Known), true
	}
	return op
}

// Rewrite returns a copy of a tree in which f's result replaces each operator, including
// those in EXISTS. It calls f with a copy of each operator, and with those of operands
// first.
func Rewrite(op algebra.Op, f func(algebra.Op) algebra.Op) algebra.Op {
	return rewrite(reflect.ValueOf(&op).Elem(), f).Interface().(algebra.Op)
}

// rewrite copies what package algebra defines, and what contains it.
func rewrite(v reflect.Value, f func(algebra.Op) algebra.Op) reflect.Value {
	out := reflect.New(v.Type()).Elem()
	out.Set(v)
	switch v.Kind() {
	case reflect.Interface:
		if v.IsNil() {
			break
		}
		out.Set(rewrite(v.Elem(), f))
		if op, ok := out.Interface().(algebra.Op); ok {
			out.Set(reflect.ValueOf(f(op)))
		}
	case reflect.Pointer:
		if !v.IsNil() && isAlgebra(v.Type().Elem()) {
			out.Set(reflect.New(v.Type().Elem()))
			out.Elem().Set(rewrite(v.Elem(), f))
		}
	case reflect.Slice:
		out.Set(reflect.MakeSlice(v.Type(), v.Len(), v.Len()))
		for i := range v.Len() {
			out.Index(i).Set(rewrite(v.Index(i), f))
		}
	case reflect.Struct:
		for i := 0; i < v.NumField() && isAlgebra(v.Type()); i++ {
			out.Field(i).Set(rewrite(v.Field(i), f))
		}
	}
	return out
}

func isAlgebra(t reflect.Type) bool { return t.PkgPath() == reflect.TypeFor[algebra.Query]().PkgPath() }
