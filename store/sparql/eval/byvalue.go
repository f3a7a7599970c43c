package eval

import "github.com/segraph/segraph/store/sparql/algebra"

// byValue reports whether the query uses an aggregate's result only as an argument that
// functions and operators take by value. Then equal results may have different ids.
func (r *Run) byValue(outcome algebra.Slot) bool {
	// Variables without a name occur only in expressions.
	return r.query.Names[outcome] == "" && usesValue(r.query.Root, outcome)
}

func usesValue(op algebra.Op, slot algebra.Slot) bool {
	exprs := algebra.Expressions(op)
	for _, e := range exprs {
		if !takesValue(e, slot) {
			return false
		}
	}
	for _, child := range algebra.Children(op) {
		if !usesValue(child, slot) {
			return false
		}
	}
	for _, x := range algebra.ExistsIn(exprs...) {
		if !usesValue(x.Op, slot) {
			return false
		}
	}
	return true
}

// takesValue reports whether a variable occurs in an expression only as an argument that
// is taken by value.
func takesValue(e algebra.Expr, slot algebra.Slot) bool {
	switch x := e.(type) {
	case *algebra.Var:
		return x.Slot != slot
	case *algebra.In:
		for _, member := range x.List {
			if !takesValue(member, slot) {
				return false
			}
		}
		return takesValue(x.Expr, slot)
	case *algebra.Call:
		_, isFunction := functionOf(x)
		byValue := !isTest(x.Op) && (isFunction || binaries[x.Op] != nil || unaries[x.Op] != nil)
		for _, arg := range x.Args {
			if _, isVar := arg.(*algebra.Var); (!isVar || !byValue) && !takesValue(arg, slot) {
				return false
			}
		}
	}
	return true
}
