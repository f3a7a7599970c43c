package eval

import "github.com/segraph/segraph/store/sparql/algebra"

// byValue reports whether all that a query asks of an aggregate's outcome is its value, as
// an argument of functions and operators. Then the term needs no id that equal terms share.
func (r *Run) byValue(outcome algebra.Slot) bool {
	// Variables that the query does not name are used in expressions alone.
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

// takesValue reports whether an expression has a variable nowhere but in arguments that
// are taken by value.
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
