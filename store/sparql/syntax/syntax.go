// Package syntax reads SPARQL text: SPARQL 1.1 Query, and the parts of SPARQL 1.2 that
// need no triple terms. It returns a Query, checked against the grammar and the
// standard's rules of scope. A printed Query parses to an equal one.
//
// Its rules: it does no I/O and evaluates nothing. Every node knows its place. Nesting is
// limited, so neither this package nor one that walks the tree needs a deep stack.
// Updates are recognised to be refused by name, never parsed. SERVICE is parsed, for a
// caller to refuse.
//
// Where SPARQL 1.1 and 1.2 differ on a text that both know, 1.2 holds: \u and \U escapes
// stand in IRIs and strings alone (1.1, section 19.2, has them anywhere), and what GROUP
// BY leaves behind can be named again by SELECT.
package syntax

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql/budget"
)

// DefaultMaxDepth is how deep a query may nest if Options does not say.
const DefaultMaxDepth = 500

// Options says how a text is read. The zero Options is good for texts without relative
// IRIs.
type Options struct {
	// Base is the absolute IRI that relative ones are resolved against until the text has a
	// BASE (SPARQL 1.1, section 4.1.1). Without either, a relative IRI is an error.
	Base string
	// MaxDepth is how deep groups, expressions, paths, lists and subqueries may nest in one
	// another; 0 is DefaultMaxDepth. Each operator in a chain such as 1+2+3 counts as one,
	// for so the tree grows; && and || and commas are free.
	MaxDepth int
	// Budget is of the query, of which reading is a part; nil for no limits.
	Budget *budget.Budget
}

// Error says where a text is not a query, and why.
type Error struct {
	Line   int    // from 1
	Column int    // from 1, in characters (Unicode code points), not bytes
	Msg    string // what was expected, and what was found
	// Undeclared is the label of the prefix of which the declaration is missing, if that
	// is what is wrong.
	Undeclared *string
}

func (e *Error) Error() string {
	return fmt.Sprintf("line %d, column %d: %s", e.Line, e.Column, e.Msg)
}

// UpdateError refuses a SPARQL Update request: a text whose prologue is followed by the
// word that begins an update, whether or not what comes after it would be a right one.
type UpdateError struct {
	Line, Column int    // of the word, as in Error
	Word         string // INSERT, DELETE, LOAD, CLEAR, CREATE, DROP, COPY, MOVE, ADD or WITH
}

func (e *UpdateError) Error() string {
	return fmt.Sprintf("line %d, column %d: %s is an update, and only reading is allowed: SELECT, CONSTRUCT, ASK or DESCRIBE", e.Line, e.Column, e.Word)
}

// ServiceError refuses a query that asks another server. ParseQuery does not give it,
// because such a query is right by the grammar; Query.RefuseService does.
type ServiceError struct {
	Line, Column int // of the word SERVICE, as in Error
}

func (e *ServiceError) Error() string {
	return fmt.Sprintf("line %d, column %d: SERVICE would ask another server, which is not allowed here", e.Line, e.Column)
}

// ParseQuery reads a SPARQL query (SPARQL 1.1 Query Language, section 19). The error is an
// *Error, or an *UpdateError for a text that begins as an update, unless it is o that is wrong, or
// its Budget that is spent.
func ParseQuery(text string, o Options) (*Query, error) {
	p := &parser{budget: o.Budget, maxDepth: o.MaxDepth, prefixes: map[string]string{}, labels: map[string]bool{}}
	if p.maxDepth <= 0 {
		p.maxDepth = DefaultMaxDepth
	}
	if o.Base != "" {
		var err error
		if p.base, err = parseBase(o.Base); err != nil {
			return nil, err
		}
	}
	p.lex = newLexer(text)
	if bad := invalidUTF8(text); bad < len(text) {
		return nil, p.lex.errorf(bad-p.lex.off, "the text is not UTF-8: a byte that is part of no character")
	}
	p.next()
	q := p.queryUnit()
	if p.err != nil {
		return nil, p.err
	}
	if err := checkScope(q); err != nil {
		return nil, err
	}
	p.nameBlanks()
	return q, nil
}

// parseBase takes a base IRI that comes from outside of the text.
func parseBase(iri string) (rdf.BaseIRI, error) {
	if strings.ContainsFunc(iri, func(r rune) bool { return !isIRIChar(r) }) || !utf8.ValidString(iri) {
		return rdf.BaseIRI{}, fmt.Errorf("the base IRI %.60q holds a character that no IRI may hold", iri)
	}
	return rdf.ParseBaseIRI(iri)
}

// invalidUTF8 is where the first byte stands that is not UTF-8, and len(text) for none.
func invalidUTF8(text string) int {
	for i, r := range text {
		if r == utf8.RuneError && !strings.HasPrefix(text[i:], "\uFFFD") {
			return i
		}
	}
	return len(text)
}
