// Package syntax parses queries of SPARQL 1.2. The result is a Query, checked against
// the grammar and the standard's rules on scope. Printing a Query and parsing the text
// yields an equal Query.
//
// The package does no I/O and evaluates nothing. Every node has a position. Nesting is
// limited, so neither this package nor one that walks the tree needs a deep stack. An
// update is recognised by its first word and refused, but not parsed. SERVICE is parsed,
// for callers to refuse.
//
// Where SPARQL 1.1 and 1.2 disagree about a text, 1.2 applies: \u and \U escapes are only
// allowed in IRIs and strings (1.1, section 19.2, allows them anywhere), and SELECT may
// reuse the name of a variable that is not in scope after GROUP BY.
package syntax

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql/budget"
)

// DefaultMaxDepth is the limit on nesting if Options has none.
const DefaultMaxDepth = 500

// Options configure parsing. The zero Options suit texts without relative IRIs.
type Options struct {
	// Base is the absolute IRI against which relative ones are resolved, until the text
	// declares a BASE (SPARQL 1.1, section 4.1.1). Without either, a relative IRI is an
	// error.
	Base string
	// MaxDepth limits the nesting of groups, expressions, paths, lists and subqueries; 0
	// means DefaultMaxDepth. Each operator in a chain such as 1+2+3 counts as one level,
	// because the tree nests accordingly. Chains of && and ||, and of commas, do not.
	MaxDepth int
	// Budget is charged for parsing; nil means no limits.
	Budget *budget.Budget
}

// Error reports that a text is not a valid query, where, and why.
type Error struct {
	Line   int    // from 1
	Column int    // from 1, in characters (Unicode code points), not bytes
	Msg    string // what was expected, and what was found
	// Undeclared is the label of an undeclared prefix if that is the error, or nil.
	Undeclared *string
}

func (e *Error) Error() string {
	return fmt.Sprintf("line %d, column %d: %s", e.Line, e.Column, e.Msg)
}

// UpdateError reports a SPARQL Update request: a text whose prologue is followed by the
// first word of an update, whether or not the rest is valid.
type UpdateError struct {
	Line, Column int    // of the word, as in Error
	Word         string // INSERT, DELETE, LOAD, CLEAR, CREATE, DROP, COPY, MOVE, ADD or WITH
}

func (e *UpdateError) Error() string {
	return fmt.Sprintf("line %d, column %d: %s is an update; only SELECT, CONSTRUCT, ASK and DESCRIBE are allowed", e.Line, e.Column, e.Word)
}

// ServiceError reports a query that uses SERVICE. ParseQuery does not return it, because
// such a query is valid. Query.RefuseService does.
type ServiceError struct {
	Line, Column int // of the word SERVICE, as in Error
}

func (e *ServiceError) Error() string {
	return fmt.Sprintf("line %d, column %d: SERVICE would query another server, which is not allowed here", e.Line, e.Column)
}

// ParseQuery parses a SPARQL query (SPARQL 1.1 Query Language, section 19). The error
// is an *Error for an invalid query, an *UpdateError for an update, and the error of
// o.Budget if a limit is exceeded. If o.Base is invalid, it has another type.
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
		// errorf counts from lex.off, which is after a byte order mark.
		return nil, p.lex.errorf(bad-p.lex.off, "the text is not UTF-8: this byte is not part of a character")
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

func parseBase(iri string) (rdf.BaseIRI, error) {
	if strings.ContainsFunc(iri, func(r rune) bool { return !isIRIChar(r) }) || !utf8.ValidString(iri) {
		return rdf.BaseIRI{}, fmt.Errorf("the base IRI %.60q contains a character that is not allowed in an IRI", iri)
	}
	return rdf.ParseBaseIRI(iri)
}

// invalidUTF8 returns the offset of the first byte that is not UTF-8, or len(text).
func invalidUTF8(text string) int {
	for i, r := range text {
		if r == utf8.RuneError && !strings.HasPrefix(text[i:], "\uFFFD") {
			return i
		}
	}
	return len(text)
}
