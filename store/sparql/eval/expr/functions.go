package expr

import (
	"github.com/segraph/segraph/store/sparql/algebra"
	"github.com/segraph/segraph/store/sparql/syntax"
	"github.com/segraph/segraph/store/sparql/value"
)

// foldable reports whether a call has the same value for every row: it depends only on constants.
func foldable(x *algebra.Call) bool {
	if volatile(x) {
		return false
	}
	for _, arg := range x.Args {
		switch a := arg.(type) {
		case *algebra.Const:
		case *algebra.Call:
			if !foldable(a) {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// volatile reports whether e calls a function whose results differ from call to call.
func volatile(e algebra.Expr) bool {
	x, ok := e.(*algebra.Call)
	if !ok {
		return false
	}
	f, ok := value.Lookup(string(x.Op))
	return ok && f.Volatile
}

// isTest reports whether an operator returns a boolean and is compiled to a test.
func isTest(op syntax.Op) bool {
	switch op {
	case syntax.OpAnd, syntax.OpOr, syntax.OpNot, syntax.OpEqual, syntax.OpNotEqual, syntax.OpLess, syntax.OpGreater,
		syntax.OpLessEqual, syntax.OpGreaterEqual, syntax.OpBound, syntax.OpSameTerm,
		syntax.OpIsIRI, syntax.OpIsBlank, syntax.OpIsLiteral, syntax.OpIsTriple:
		return true
	}
	return false
}

// isOfID reports whether a call can be evaluated from the id of a variable, without its
// term.
func isOfID(x *algebra.Call) bool {
	if len(x.Args) == 0 {
		return false
	}
	if _, ok := x.Args[0].(*algebra.Var); !ok {
		return false
	}
	switch x.Op {
	case syntax.OpIsIRI, syntax.OpIsBlank, syntax.OpIsLiteral, syntax.OpIsTriple, syntax.OpBound:
		return true
	case syntax.OpEqual, syntax.OpNotEqual:
		c, ok := x.Args[1].(*algebra.Const)
		return ok && c.Term.IsIRI()
	}
	return false
}

// lexicalForm reports whether a function depends on the lexical form of its arguments.
// Strings always keep theirs.
func lexicalForm(x *algebra.Call) bool {
	switch x.Op {
	case syntax.OpAbs, syntax.OpRound, syntax.OpCeil, syntax.OpFloor, syntax.OpIsNumeric, syntax.OpDatatype,
		syntax.OpYear, syntax.OpMonth, syntax.OpDay, syntax.OpHours, syntax.OpMinutes, syntax.OpSeconds:
		return false
	}
	return true
}

// functionOf returns the function of a call if it exists and accepts that number of
// arguments.
func functionOf(x *algebra.Call) (f *value.Function, ok bool) {
	if x.Op == syntax.OpFunction {
		f, ok = value.LookupCast(x.Function)
	} else {
		f, ok = value.Lookup(string(x.Op))
	}
	return f, ok && f.Accepts(len(x.Args))
}

// MaxStringLength is the largest size in bytes of a string made by a function.
const MaxStringLength = 16 << 20

const (
	// expressionWork is the work per row of evaluating an expression of a few parts,
	// where 1 is the work of reading a tuple. It is high because some functions, such
	// as REGEX, take long.
	expressionWork = 64
	// partOfText is how many bytes of a function's arguments count as one step of work.
	partOfText = 16
	// partWork is the number of parts of expressions (operators, members of IN) that add
	// another expressionWork.
	partWork = 64
)

// Work returns the work of evaluating expressions for one row.
func Work(exprs ...algebra.Expr) int {
	parts := 0
	for _, e := range exprs {
		algebra.Walk(e, func(algebra.Expr) { parts++ })
	}
	return expressionWork * (1 + parts/partWork)
}
