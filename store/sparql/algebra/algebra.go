// Package algebra defines the meaning of a query: a tree of the operators of SPARQL 1.1
// Query, section 18, translated from the syntax (section 18.2). Variables are numbers.
//
// A tree is immutable data, independent of any store: package plan returns a rewritten,
// equivalent tree, and package eval evaluates it. A variable of the query is a Slot.
// Variables with the same name in different scopes, such as in a subquery, have
// different slots, so no operator needs to hide a variable from another.
package algebra

import (
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql/syntax"
	"github.com/segraph/segraph/store/trigram"
)

// Slot is the number of a variable, from 0, and its index in a row.
type Slot int

// NoSlot means the absence of a variable.
const NoSlot Slot = -1

// Node is a variable or a term in a pattern.
type Node struct {
	Term rdf.Term // zero for a variable
	Slot Slot     // of a variable
}

// Variable returns the Node of a variable.
func Variable(s Slot) Node { return Node{Slot: s} }

// Constant returns the Node of a term.
func Constant(t rdf.Term) Node { return Node{Term: t, Slot: NoSlot} }

// DefaultGraph is the graph of patterns outside GRAPH.
var DefaultGraph = Node{Slot: NoSlot}

// IsVariable reports whether n is a variable.
func (n Node) IsVariable() bool { return n.Slot != NoSlot }

// Op is an operator: *Unit, *Triple, *TripleTerm, *Ordered, *Path, *Join, *ValueJoin,
// *LeftJoin, *Union, *Minus, *SemiJoin, *Filter, *Extend, *Graph, *Values,
// *Materialize, *Reduce, *Group, *Project, *Distinct, *OrderBy or *Slice.
type Op interface{ op() }

// Unit is the empty pattern. It has one solution, which binds nothing.
type Unit struct{}

// Triple is a triple pattern in a graph. The graph is a variable only inside a Graph,
// which sets its value (see Graph.Active).
type Triple struct {
	Graph, S, P, O Node
	// Within lists conditions on the object, which is then a variable. They come from a
	// FILTER, and evaluators may look them up in an index.
	Within []Bound
	// FullScan asks evaluators to read all triples of the pattern once, instead of
	// looking up each row. The planner sets it if it expects so many rows that this is
	// less work. It has an effect only if all rows bind the subject or the object.
	// Evaluators may also decide this themselves.
	FullScan bool
}

// Repeats reports whether a variable occurs more than once in a pattern.
func (t *Triple) Repeats() bool {
	return t.S.IsVariable() && (t.S.Slot == t.P.Slot || t.S.Slot == t.O.Slot) || t.P.IsVariable() && t.P.Slot == t.O.Slot
}

// Bound is a condition on a value. Without Text, it compares the value (left) with
// Term by Op: one of =, <, <=, > and >=, or != for an IRI. With Text, it requires
// trigrams of the value's text. Text may accept values that the FILTER rejects, so
// the FILTER is kept. With Or, which is the same time as Term with or without a time zone,
// a comparison with either suffices.
type Bound struct {
	Op       syntax.Op
	Term, Or rdf.Term
	Text     *Text
}

// Text is a condition on the trigrams of a term's text.
type Text struct {
	Query   *trigram.Query
	Strings bool // only strings match; otherwise all terms that STR accepts
}

// Ordered is a Triple whose object is the first key of the OrderBy around it. Its
// solutions may come in the order of that key, so evaluation can stop as soon as it
// has found enough.
type Ordered struct {
	Triple
	Descending bool
	// Most is the number of triples to walk before falling back to OrderBy.Op.
	Most int64
}

// Path is a property path pattern that triple patterns can't express. See Step.
type Path struct {
	Graph, S, O Node
	Path        Step
	// Parts is how many paths with common variables the planner made this one of; 0
	// means 1.
	Parts int
}

// Join returns the compatible combinations of its operands' solutions. The operands are
// evaluated in order.
type Join struct{ Ops []Op }

// ValueJoin returns the compatible combinations of Left's and Right's solutions for
// which the conditions hold. Each condition is a Comparison. Its first operand is an
// expression over variables that every solution of Left binds, and its second is one
// over variables that every solution of Right binds. So evaluators can find the
// matching solutions of Right by value.
type ValueJoin struct {
	Left, Right Op
	Conditions  []Expr
}

// LeftJoin is OPTIONAL. It extends each solution of Left by the compatible solutions of
// Right for which the conditions hold, or returns it unchanged if there are none.
type LeftJoin struct {
	Left, Right Op
	Conditions  []Expr
	Slot        Slot // hidden; evaluators number Left's solutions in it
}

// Union returns all solutions of all operands.
type Union struct{ Ops []Op }

// Minus returns the solutions of Left, without those for which some solution of Right
// is compatible and binds a variable in common.
type Minus struct{ Left, Right Op }

// SemiJoin returns each solution of Left for which some solution of Right is compatible
// and meets the conditions together with it. If Not is set, it returns the solutions of
// Left for which none does.
type SemiJoin struct {
	Not         bool
	Left, Right Op
	Conditions  []Expr
}

// Filter returns the solutions for which all conditions hold.
type Filter struct {
	Op         Op
	Conditions []Expr
}

// Extend binds variables to the values of expressions, in order. If an expression is an
// error, its variable stays unbound. BNODE with the same label returns the same blank
// node in all expressions of an Extend.
type Extend struct {
	Op       Op
	Bindings []Binding
}

// Binding is a variable and the expression of its value.
type Binding struct {
	Var  Slot
	Expr Expr
}

// Graph is GRAPH. The operators in it read the graph Name. If Name is a variable, Graph
// returns the solutions for each named graph, with Name bound to that graph. The
// patterns in it then have Variable(Active) as their graph.
type Graph struct {
	Name   Node
	Active Slot // NoSlot if Name is a term
	Op     Op
}

// Values is inline data.
type Values struct {
	Vars []Slot
	Rows [][]rdf.Term // each as long as Vars; the zero Term is unbound
}

// Materialize evaluates Op by itself, without the solutions before it in a join, and
// keeps its solutions to be joined.
type Materialize struct{ Op Op }

// Reduce may drop a solution that agrees with another one in Vars. The planner adds it
// where neither the number of equal solutions nor any other variable matters to the
// operators above. Vars includes the variables that matter and that solutions from
// outside bind.
type Reduce struct {
	Op   Op
	Vars []Slot
	Sure bool // many solutions are expected to agree, if not the first ones
}

// Group returns one solution for each group of solutions that agree in Keys, or a single
// solution if there are no keys. It binds only the keys and the aggregates' values.
type Group struct {
	Op         Op
	Keys       []Slot
	Aggregates []Aggregate
}

// Project hides all variables but Vars from the operators above.
type Project struct {
	Op   Op
	Vars []Slot
}

// Distinct is DISTINCT, which drops repeated solutions. If Reduced is set, it is
// REDUCED, which may drop them.
type Distinct struct {
	Op      Op
	Vars    []Slot // all variables that the solutions bind
	Reduced bool
}

// OrderBy sorts solutions. The sort is stable.
type OrderBy struct {
	Op   Op
	Keys []OrderKey
	// Top is how many of the first solutions are needed, or NoLimit.
	Top int64
	// Skip is how many of the first of those will be skipped, so that their order does
	// not matter.
	Skip int64
	// Ahead is an alternative to Op that begins with an Ordered. Evaluators try it
	// first. It may be nil.
	Ahead Op
}

// OrderKey is a condition of ORDER BY.
type OrderKey struct {
	Expr       Expr
	Descending bool
}

// NoLimit is the Limit of a Slice that has no limit.
const NoLimit = syntax.NoLimit

// Slice drops the first Offset solutions and returns at most Limit of the rest.
type Slice struct {
	Op            Op
	Offset, Limit int64
}

func (*Unit) op()        {}
func (*Triple) op()      {}
func (*TripleTerm) op()  {}
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
