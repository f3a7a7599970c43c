package algebra

import (
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql/syntax"
)

// Expr is an expression: *Var, *Const, *Call, *In or *Exists.
type Expr interface{ expr() }

// Var is the value of a variable.
type Var struct{ Slot Slot }

// Const is a term.
type Const struct{ Term rdf.Term }

// Call is an operator or a function with its arguments.
type Call struct {
	Op       syntax.Op
	Function string // an IRI, if Op is OpFunction
	Args     []Expr
}

// In is Expr IN (List), or NOT IN.
type In struct {
	Not  bool
	Expr Expr
	List []Expr
}

// Exists reports whether the pattern has a solution after the current solution's values
// are substituted for its variables (SPARQL 1.1, section 18.6).
type Exists struct {
	Not  bool
	Op   Op
	Slot Slot // hidden; evaluators store the result in it
}

// Aggregate is an aggregate of a Group, which binds Into.
type Aggregate struct {
	Op        syntax.Op
	Distinct  bool
	Arg       Expr   // nil for COUNT(*)
	All       []Slot // for COUNT(DISTINCT *): the variables to compare
	Separator string // of GROUP_CONCAT
	Into      Slot
	Measured  bool // only STRLEN uses the result
}

// Walk calls visit for e and the expressions in it, except those in the patterns of
// EXISTS.
func Walk(e Expr, visit func(Expr)) {
	if e == nil {
		return
	}
	visit(e)
	switch x := e.(type) {
	case *Call:
		for _, a := range x.Args {
			Walk(a, visit)
		}
	case *In:
		Walk(x.Expr, visit)
		for _, a := range x.List {
			Walk(a, visit)
		}
	}
}

// Replace returns a copy of e in which each expression x, e itself or one in it, is replaced
// by by(x), unless that is nil. It does not enter the patterns of EXISTS.
func Replace(e Expr, by func(Expr) Expr) Expr {
	if replaced := by(e); replaced != nil {
		return replaced
	}
	switch x := e.(type) {
	case *Call:
		return &Call{x.Op, x.Function, ReplaceAll(x.Args, by)}
	case *In:
		return &In{x.Not, Replace(x.Expr, by), ReplaceAll(x.List, by)}
	}
	return e
}

// ReplaceAll returns a list with the results of Replace.
func ReplaceAll(list []Expr, by func(Expr) Expr) (out []Expr) {
	for _, e := range list {
		out = append(out, Replace(e, by))
	}
	return out
}

// ExistsIn returns the EXISTS in expressions, without those nested in another EXISTS.
func ExistsIn(exprs ...Expr) (out []*Exists) {
	for _, e := range exprs {
		Walk(e, func(e Expr) {
			if x, ok := e.(*Exists); ok {
				out = append(out, x)
			}
		})
	}
	return out
}

func (*Var) expr()    {}
func (*Const) expr()  {}
func (*Call) expr()   {}
func (*In) expr()     {}
func (*Exists) expr() {}
