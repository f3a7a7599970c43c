package syntax

import "github.com/segraph/segraph/store/rdf"

// Pattern is a part of a group: *Group (a group within it), *BGP, *Optional, *Union,
// *Minus,
// *Graph, *Service, *Bind, *InlineData or *SubSelect (SPARQL 1.1, section 19.8, rules 53 to 68).
type Pattern interface {
	Position() Pos
	pattern()
}

// Group is a group graph pattern. Its filters hold for the whole group wherever they
// stood in it (section 5.2.2), and are not among its patterns.
type Group struct {
	Pos
	Patterns []Pattern // in the order of the text
	Filters  []Expr
}

// BGP is a basic graph pattern as section 5.1 counts it, property paths included: the
// triple patterns that follow one another with at most filters in between.
type BGP struct {
	Pos
	Triples []TriplePattern // one at least
}

// TriplePattern is a triple pattern, or a property path pattern. Lists and [ … ] have been
// written out as the triples that they stand for.
type TriplePattern struct {
	Subject   Node
	Predicate Node // nil where Path is not; a path that is one IRI is a Predicate
	Path      Path
	Object    Node
}

// Position is where the subject stands.
func (t TriplePattern) Position() Pos { return t.Subject.Position() }

// Optional is OPTIONAL { … }: the left side is all that is before it in its group.
type Optional struct {
	Pos
	Group *Group
}

// Union is { … } UNION { … }, with two groups or more.
type Union struct {
	Pos
	Groups []*Group
}

// Minus is MINUS { … }: the left side is all that is before it in its group.
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

// SubSelect is a subquery (section 12). It is alone in its group.
type SubSelect struct {
	Pos
	Query *Query
}

func (*Group) pattern()      {}
func (*BGP) pattern()        {}
func (*Optional) pattern()   {}
func (*Union) pattern()      {}
func (*Minus) pattern()      {}
func (*Graph) pattern()      {}
func (*Service) pattern()    {}
func (*Bind) pattern()       {}
func (*InlineData) pattern() {}
func (*SubSelect) pattern()  {}
