package syntax

import "github.com/segraph/segraph/store/rdf"

// Pos is a place in a text, by line and column (in characters), both from 1. In a tree that
// was not parsed it is zero.
type Pos struct{ Line, Column int }

// Position returns the place; every node embeds a Pos, and has this from it.
func (p Pos) Position() Pos { return p }

// Form is one of the four forms of a query (SPARQL 1.1, section 16).
type Form uint8

const (
	Select Form = iota
	Construct
	Ask
	Describe
)

// String returns the form's keyword in lower case.
func (f Form) String() string { return [...]string{"select", "construct", "ask", "describe"}[f] }

// NoLimit is the Limit of a query without LIMIT.
const NoLimit = -1

// Query is a query, or a subquery, which is always a Select without a Prologue, dataset and
// Service of its own.
type Query struct {
	Pos
	Form     Form
	Prologue Prologue

	Distinct, Reduced bool // SELECT DISTINCT and SELECT REDUCED
	Star              bool // SELECT * and DESCRIBE *
	Projection        []SelectItem
	// Template is what CONSTRUCT makes of every solution; its predicates are never paths. A
	// blank node in it stands for a new one in every solution, also where its label occurs
	// in Where too, as it does after CONSTRUCT WHERE (section 16.2.4): its name must not be
	// looked up in a solution.
	Template []TriplePattern
	Describe []Node // variables and IRIs

	From, FromNamed []*Term // IRIs
	Where           *Group  // nil for DESCRIBE without a pattern
	GroupBy         []GroupKey
	Having          []Expr // all must hold
	OrderBy         []OrderKey
	Limit           int64       // NoLimit for none
	Offset          int64       // 0 for none
	Values          *InlineData // the VALUES behind the query, joined with its solutions; or nil

	// What follows was found out by ParseQuery, and is not printed.

	// Variables are the names of the columns of a SELECT, in their order, each once. For
	// SELECT * and DESCRIBE * they are all in scope (section 18.2.1), as they first appear.
	Variables []string
	// Grouped tells of GROUP BY, or an aggregate without it (section 18.2.4.1).
	Grouped bool
	// Service is the first SERVICE of the whole text, subqueries and EXISTS included; nil
	// for none. See RefuseService.
	Service *Service
}

// RefuseService returns a *ServiceError if the query has a SERVICE anywhere, and nil if
// not.
func (q *Query) RefuseService() error {
	if q.Service == nil {
		return nil
	}
	return &ServiceError{Line: q.Service.Line, Column: q.Service.Column}
}

// Prologue is what stands before a query (section 4.1.1).
type Prologue struct {
	// Base is the base IRI where the query begins, from the text or else from Options;
	// empty for none. IRI() resolves against it when the query runs (section 17.4.2.8).
	Base     string
	Prefixes []Prefix // each label once, with its last meaning
	Versions []string // VERSION "…" (SPARQL 1.2, section 4.1.4), all of them
}

// Prefix is a label, without its colon, and the namespace that it stands for.
type Prefix struct{ Label, Namespace string }

// SelectItem is a variable of SELECT, or an expression AS one.
type SelectItem struct {
	Expr Expr // nil for a variable alone
	Var  *Var
}

// GroupKey is a condition of GROUP BY.
type GroupKey struct {
	Expr Expr
	As   *Var // nil for none
}

// OrderKey is a condition of ORDER BY.
type OrderKey struct {
	Expr       Expr
	Descending bool
}

// Node is what a triple pattern has at its ends: a *Var or a *Term. Each is an expression
// too.
type Node interface {
	Expr
	node()
}

// Var is a variable, by its name without "?" or "$".
type Var struct {
	Pos
	Name string
	// Blank tells of a blank node of a pattern, which matches as a variable does but
	// belongs to its basic graph pattern and is in no one's scope (section 4.1.4). Name
	// is then its label, or one made up for [] and the like; it may be the name of a
	// variable too, which is another one.
	Blank bool
}

// Term is an IRI or a literal. A literal has the lexical form, datatype and language tag of
// the text (a base direction stays in the tag: "en--ltr").
type Term struct {
	Pos
	rdf.Term
}

func (*Var) node()  {}
func (*Term) node() {}
