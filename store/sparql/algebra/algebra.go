// Package algebra defines the meaning of a query: the operators of SPARQL 1.1 Query,
// section 18, as a tree made from the syntax (section 18.2), with variables as numbers.
//
// A tree is pure data: it knows no store and evaluates nothing. It is immutable: package
// plan rewrites it by making an equivalent new one. A variable of the query is a Slot.
// Variables with the same name in different scopes, as inside a subquery, are different
// slots, so no operator needs to hide any.
package algebra

import (
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql/syntax"
	"github.com/segraph/segraph/store/trigram"
)

// Slot numbers a variable of the query, from 0; it is where the variable stands in a row.
type Slot int

// NoSlot is no variable.
const NoSlot Slot = -1

// Node is a variable or a term in a pattern.
type Node struct {
	Term rdf.Term // zero for a variable
	Slot Slot     // of a variable
}

// Variable returns a variable as a node.
func Variable(s Slot) Node { return Node{Slot: s} }

// Constant returns a term as a node.
func Constant(t rdf.Term) Node { return Node{Term: t, Slot: NoSlot} }

// DefaultGraph is the graph of patterns outside of GRAPH.
var DefaultGraph = Node{Slot: NoSlot}

// IsVariable reports whether n is a variable.
func (n Node) IsVariable() bool { return n.Slot != NoSlot }

// Op is an operator: *Unit, *Triple, *Ordered, *Path, *Join, *ValueJoin, *LeftJoin,
// *Union, *Minus, *SemiJoin, *Filter, *Extend,
// *Graph, *Values, *Materialize, *Reduce, *Group, *Project, *Distinct, *OrderBy or *Slice.
type Op interface{ op() }

// Unit is the empty pattern, which has one solution that binds nothing.
type Unit struct{}

// Triple is a triple pattern in a graph. The graph is a variable inside of a Graph alone,
// which gives it its values (Graph.Active).
type Triple struct {
	Graph, S, P, O Node
	// Within are conditions on the object, which is a variable: a FILTER that evaluators
	// may look up in an index.
	Within []Bound
	// Whole says that there will be so many rows to look up that reading all the
	// pattern's triples once is less work, if all rows bind one end of it. Evaluators may
	// find that out by themselves.
	Whole bool
}

// Bound is the condition that a value is, by Op, one of =, <, <=, > and >=, where Term
// is; or, with a Text, the one that its text has some trigrams. A Text is true of more
// than the FILTER that it was made of, which stays.
type Bound struct {
	Op   syntax.Op
	Term rdf.Term
	Text *Text
}

// Text is a condition on the text of a term.
type Text struct {
	Query   *trigram.Query
	Strings bool // no other terms will do, and else all that STR has a text for
}

// Ordered is a Triple whose object is the first key of the OrderBy around it. Its
// solutions may come in the order of that key, and so it may end once no more are wanted.
type Ordered struct {
	Triple
	Descending bool
	// Most is how many triples may be walked before OrderBy.Op is the better way.
	Most int64
}

// Path is a property path pattern that is no triple patterns: see Step.
type Path struct {
	Graph, S, O Node
	Path        Step
}

// Join is the solutions that all operands have in common. Evaluators take them in order, so
// that is the order of evaluation.
type Join struct{ Ops []Op }

// ValueJoin is the solutions that Left and Right have in common for which the conditions
// hold. Each condition compares an expression of what Left certainly binds with one of
// what Right does, in this order (see Comparison), so that evaluators may find by value
// which of Right's solutions go with one of Left's.
type ValueJoin struct {
	Left, Right Op
	Conditions  []Expr
}

// LeftJoin is OPTIONAL: Left's solutions, extended by those of Right that are compatible
// and for which the conditions hold, where there are any.
type LeftJoin struct {
	Left, Right Op
	Conditions  []Expr
	Slot        Slot // hidden; for evaluators to number Left's solutions in
}

// Union is all solutions of all operands.
type Union struct{ Ops []Op }

// Minus is Left's solutions that are compatible with none of Right's that shares a
// variable.
type Minus struct{ Left, Right Op }

// SemiJoin is Left's solutions that are compatible with one of Right's, at least, for
// which together with it the conditions hold; or, if Not, those that are compatible with
// none such.
type SemiJoin struct {
	Not         bool
	Left, Right Op
	Conditions  []Expr
}

// Filter is the solutions for which all conditions hold.
type Filter struct {
	Op         Op
	Conditions []Expr
}

// Extend binds variables to the values of expressions, one after the other; one whose
// expression is an error stays unbound. BNODE with a label gives the same blank node for
// all of an Extend's expressions.
type Extend struct {
	Op       Op
	Bindings []Binding
}

// Binding is a variable and the expression of its value.
type Binding struct {
	Var  Slot
	Expr Expr
}

// Graph is GRAPH: what is below reads the graph Name. For a variable it is the solutions
// for each named graph, with Name bound to it, and patterns below have Variable(Active)
// as their graph.
type Graph struct {
	Name   Node
	Active Slot // NoSlot where Name is a term
	Op     Op
}

// Values is inline data.
type Values struct {
	Vars []Slot
	Rows [][]rdf.Term // each as long as Vars; the zero Term is unbound
}

// Materialize is Op, evaluated by itself and kept to be joined with, whatever comes
// before it.
type Materialize struct{ Op Op }

// Reduce may leave out solutions that agree with another one in Vars, where how often
// there is one does not matter to what is above, and no other variable does. Vars has all
// that does: also what solutions bind that come in from what is before it.
type Reduce struct {
	Op   Op
	Vars []Slot
}

// Group makes one solution of each group of solutions that agree in Keys, or without Keys
// one of all. It binds the keys and the aggregates' values alone.
type Group struct {
	Op         Op
	Keys       []Slot
	Aggregates []Aggregate
}

// Project shows only some variables to what is outside.
type Project struct {
	Op   Op
	Vars []Slot
}

// Distinct leaves out repeated solutions; if it may (REDUCED), it is free to leave them in.
type Distinct struct {
	Op      Op
	Vars    []Slot // all that the solutions bind
	Reduced bool
}

// OrderBy puts solutions in order; those that the keys leave undecided stay in the order in
// which they came.
type OrderBy struct {
	Op   Op
	Keys []OrderKey
	// Top is how many of the first solutions are of use; NoLimit for all.
	Top int64
	// Skip is how many of these are skipped, so that they may come in any order.
	Skip int64
	// Ahead is Op once more, but begins with an Ordered; nil for none. It is to be tried
	// first.
	Ahead Op
}

// OrderKey is a condition of ORDER BY.
type OrderKey struct {
	Expr       Expr
	Descending bool
}

// NoLimit is the Limit of a Slice without one.
const NoLimit = syntax.NoLimit

// Slice leaves out the first Offset solutions, and all after Limit more.
type Slice struct {
	Op            Op
	Offset, Limit int64
}

func (*Unit) op()        {}
func (*Triple) op()      {}
func (*Ordered) op()     {}
func (*Path) op()        {}
func (*Join) op()        {}
func (*ValueJoin) op()   {}
func (*LeftJoin) op()    {}
func (*Union) op()       {}
func (*Minus) op()       {}
func (*SemiJoin) op()    {}
func (*Filter) op()      {}
func (*Extend) op()      {}
func (*Graph) op()       {}
func (*Values) op()      {}
func (*Materialize) op() {}
func (*Reduce) op()      {}
func (*Group) op()       {}
func (*Project) op()     {}
func (*Distinct) op()    {}
func (*OrderBy) op()     {}
func (*Slice) op()       {}
