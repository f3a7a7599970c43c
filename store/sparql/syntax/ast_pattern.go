package syntax

import "github.com/segraph/segraph/store/rdf"

// Pattern is an element of a group: *Group (a nested group), *BGP, *Optional, *Union,
// *Minus, *Graph, *Service, *Bind, *InlineData or *SubSelect (SPARQL 1.1, section 19.8,
// rules 53 to 68).
type Pattern interface{ Position() Pos }

// Group is a group graph pattern. Its filters apply to the whole group, wherever they are
// written in it (section 5.2.2), and are not among its patterns.
type Group struct {
	Pos
	Patterns []Pattern // in text order
	Filters  []Expr
}

// BGP is a basic graph pattern (section 5.1): consecutive triple patterns, including
// property paths. Filters between them do not end it.
type BGP struct {
	Pos
	Triples []TriplePattern // at least one
}

// TriplePattern is a triple pattern or a property path pattern. Lists, [ … ], reified
// triples and annotations are already expanded to triples.
type TriplePattern struct {
	Subject   Node
	Predicate Node // nil if Path is set; a path of a single IRI is a Predicate
	Path      Path
	Object    Node
}

// Position returns the position of the subject.
func (t TriplePattern) Position() Pos { return t.Subject.Position() }

// Optional is OPTIONAL { … }. Its left side is everything before it in its group.
type Optional struct {
	Pos
	Group *Group
}

// Union is { … } UNION { … }, with two groups or more.
type Union struct {
	Pos
	Groups []*Group
}

// Minus is MINUS { … }. Its left side is everything before it in its group.
type Minus struct {
	Pos
	Group *Group
}

// Graph is GRAPH name { … }.
type Graph struct {
	Pos
	Name  Node // a variable or an IRI
	Group *Group
}

// Service is SERVICE name { … } (SPARQL 1.1 Federated Query, section 2).
type Service struct {
	Pos
	Silent bool
	Name   Node // a variable or an IRI
	Group  *Group
}

// Bind is BIND (Expr AS Var).
type Bind struct {
	Pos
	Expr Expr
	Var  *Var
}

// InlineData is VALUES (section 10).
type InlineData struct {
	Pos
	Vars []*Var
	Rows [][]rdf.Term // each as long as Vars; the zero Term is UNDEF
}

// SubSelect is a subquery (section 12). It is the only pattern of its group.
type SubSelect struct {
	Pos
	Query *Query
}
