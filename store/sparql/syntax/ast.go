package syntax

import "github.com/segraph/segraph/store/rdf"

// Pos is a position in a text: line and column (in characters), both from 1. It is zero
// in a tree that was not parsed.
type Pos struct{ Line, Column int }

// Position returns p. Every node embeds a Pos, and so has this method.
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

// Query is a query or a subquery. A subquery is always a Select, and has no Prologue,
// dataset or Service.
type Query struct {
	Pos
	Form     Form
	Prologue Prologue

	Distinct, Reduced bool // SELECT DISTINCT and SELECT REDUCED
	Star              bool // SELECT * and DESCRIBE *
	Projection        []SelectItem
	// Template is the template of CONSTRUCT, without paths. A blank node in it stands
	// for a new one in every solution, even if its label also occurs in Where, as after
	// CONSTRUCT WHERE (section 16.2.4). Do not look its name up in a solution.
	Template []TriplePattern
	Describe []Node // variables and IRIs

	From, FromNamed []*Term // IRIs
	Where           *Group  // nil for DESCRIBE without a pattern
	GroupBy         []GroupKey
	Having          []Expr // all must be true
	OrderBy         []OrderKey
	Limit           int64       // NoLimit if absent
	Offset          int64       // 0 if absent
	Values          *InlineData // the VALUES after the query, joined with its solutions; or nil

	// ParseQuery sets the following fields. String does not print them.

	// Variables are the distinct column names of a SELECT, in order. For SELECT * and
	// DESCRIBE * they are all variables in scope (section 18.2.1), in order of first
	// appearance.
	Variables []string
	// Grouped is set for GROUP BY, and for aggregates without it (section 18.2.4.1).
	Grouped bool
	// Service is the first SERVICE of the whole text, including subqueries and EXISTS, or
	// nil. See RefuseService.
	Service *Service
}

// RefuseService returns a *ServiceError if the query has a SERVICE anywhere.
func (q *Query) RefuseService() error {
	if q.Service == nil {
		return nil
	}
	return &ServiceError{Line: q.Service.Line, Column: q.Service.Column}
}

// Prologue is the part before the query form (section 4.1.1).
type Prologue struct {
	// Base is the base IRI where the query form begins: the last BASE of the prologue,
	// or Options.Base, or "". IRI() resolves against it at run time (section 17.4.2.8).
	Base     string
	Prefixes []Prefix // each label once, with its last declaration
	Versions []string // all strings of VERSION "…" (SPARQL 1.2, section 4.1.4)
}

// Prefix is a prefix label, without its colon, and its namespace.
type Prefix struct{ Label, Namespace string }

// SelectItem is an item of SELECT: a variable, or an expression with AS and a variable.
type SelectItem struct {
	Expr Expr // nil for a plain variable
	Var  *Var
}

// GroupKey is a condition of GROUP BY.
type GroupKey struct {
	Expr Expr
	As   *Var // nil without AS
}

// OrderKey is a condition of ORDER BY.
type OrderKey struct {
	Expr       Expr
	Descending bool
}

// Node is the subject, predicate or object of a triple pattern: a *Var, a *Term or a
// *TripleTerm. The first two are also expressions.
type Node interface{ Position() Pos }

// Var is a variable. Name does not include "?" or "$".
type Var struct {
	Pos
	Name string
	// Blank is set for a blank node of a pattern. It matches like a variable, but only
	// within its basic graph pattern, and is never in scope (section 4.1.4). Name is
	// its label, or a generated one for [] and lists. A variable of the same name is a
	// different variable.
	Blank bool
}

// TripleTerm is a triple term in a pattern that contains a variable, or whose subject
// no triple can have: a literal or another triple term (SPARQL 1.2, section 4.2). Any
// other triple term in a pattern is a *Term. In an expression, a triple term is a *Call
// of TRIPLE.
type TripleTerm struct {
	Pos
	Subject, Predicate, Object Node
}

// Term is an IRI, a literal or a triple term. A literal has the lexical form, datatype,
// language tag and base direction of the text.
type Term struct {
	Pos
	rdf.Term
}
