package remote

import (
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql/syntax"
)

// Dialect describes how a product deviates from the standards. The zero Dialect is for a
// server that keeps every term unchanged and implements SPARQL 1.1.
type Dialect struct {
	// Blank returns the server's IRI for a blank node, given its number in the file, and
	// IsBlank reverses it. If Blank is nil, IRIs in segraph's own namespace are used,
	// which the server treats as IRIs.
	Blank   func(number string) string
	IsBlank func(value string) (number string, ok bool)

	// BlankIsIRI reports whether ISIRI is true for blank nodes.
	BlankIsIRI bool
	// Alien reports whether the server would change a literal. Such literals are stored
	// with a datatype in segraph's own namespace.
	Alien func(t rdf.Term) bool
	// Shown returns the original of a literal that the server formats in its own way.
	Shown func(t rdf.Term) rdf.Term
	// ShortFloats reports whether answers show xsd:double and xsd:float with few digits,
	// and all digits only with STR.
	ShortFloats bool
	// NothingStored is the status of a document that was accepted but not stored, or 0.
	NothingStored int
	// Refuse returns why the server can't store a term in any form, or "".
	Refuse func(t rdf.Term) string

	// Introduce returns a query that registers languages and datatypes. Each of words is
	// a literal with one. The query is sent with the password, to a server that may lose
	// a new language or datatype when it rolls back an update. Introduce is nil for other
	// servers.
	Introduce func(words []rdf.Term) string
	// Passing reports whether a refusal whose text begins with said is temporary.
	Passing func(said string) bool
	// Rejects reports whether an answer of status 500 whose text begins with said means that the
	// server can't accept the content, and not that it has failed.
	Rejects func(said string) bool

	// Distrust returns why a query must not be sent to the server, or "".
	Distrust func(q *syntax.Query) string
	// Ask sets the parameters of a query with a time limit.
	Ask func(form url.Values, limit time.Duration)
	// Complete returns an error if the header of an answer shows that the answer is
	// incomplete, usually a *PartError.
	Complete func(h http.Header) error

	// LoginAdvice returns advice about a refused password, in sentences without the last
	// period, or "".
	LoginAdvice func(password string) string
	// Older lists graphs that users of the product are likely to have from before
	// segraph.
	Older []string
	// Clear returns the update that clears a graph, whether the graph exists or not.
	Clear func(graph string) string
	// MaxInsert is the largest number of triples of an update, and MaxInsertBytes its
	// largest size. Larger documents are sent with the Graph Store Protocol or in parts.
	MaxInsert, MaxInsertBytes int
	// GraphParameter is the name of the parameter of the Graph Store Protocol; "" means
	// the standard's, "graph".
	GraphParameter string
	// TurtleHead is sent before the text of documents.
	TurtleHead string
}

// Names in segraph's own namespace.
const (
	blankSpace = "urn:segraph:blank:" // blank nodes
	keptSpace  = "urn:segraph:kept:"  // datatypes of literals that the server would change; the datatype itself follows
	noGraph    = "urn:segraph:none"   // a graph that never exists
)

// withDefaults fills in what a server that follows the standards needs.
func (d Dialect) withDefaults() Dialect {
	if d.Blank == nil {
		d.Blank = func(number string) string { return blankSpace + number }
		d.IsBlank = func(value string) (string, bool) { return strings.CutPrefix(value, blankSpace) }
	}
	if d.Alien == nil {
		d.Alien = func(rdf.Term) bool { return false }
	}
	if d.Shown == nil {
		d.Shown = func(t rdf.Term) rdf.Term { return t }
	}
	if d.Refuse == nil {
		d.Refuse = func(rdf.Term) string { return "" }
	}
	if d.Passing == nil {
		d.Passing = func(string) bool { return false }
	}
	if d.Rejects == nil {
		d.Rejects = func(string) bool { return false }
	}
	if d.Distrust == nil {
		d.Distrust = func(*syntax.Query) string { return "" }
	}
	if d.Ask == nil {
		d.Ask = func(url.Values, time.Duration) {}
	}
	if d.Complete == nil {
		d.Complete = func(http.Header) error { return nil }
	}
	if d.LoginAdvice == nil {
		d.LoginAdvice = func(string) string { return "" }
	}
	if d.Clear == nil {
		d.Clear = func(graph string) string { return "CLEAR SILENT GRAPH <" + graph + ">" }
	}
	if d.MaxInsert == 0 {
		d.MaxInsert, d.MaxInsertBytes = 10_000, 4<<20
	}
	if d.GraphParameter == "" {
		d.GraphParameter = "graph"
	}
	return d
}

// refuse returns why a term can't be sent to the server in any form, or "".
func (d *Dialect) refuse(t rdf.Term) string {
	if inOwnNamespace(t) {
		return "the names that begin with " + blankSpace + " and " + keptSpace + " are reserved for segraph"
	}
	switch {
	case t.IsTriple():
		return "it has a triple term of RDF 1.2, which the graph store does not keep; state it with rdf:subject, rdf:predicate and rdf:object, or use segraph without a graph store"
	case t.Direction() != "":
		return "it has a string with a base direction of RDF 1.2, which the graph store does not keep"
	}
	return d.Refuse(t)
}

// inOwnNamespace reports whether a term is in segraph's own namespace. Such terms are
// refused, because they would be other terms when read back.
func inOwnNamespace(t rdf.Term) bool {
	return strings.HasPrefix(t.Datatype(), keptSpace) || t.IsIRI() && (strings.HasPrefix(t.Value(), blankSpace) || strings.HasPrefix(t.Value(), keptSpace))
}

// out returns the server's term for a term of the file.
func (d *Dialect) out(t rdf.Term) rdf.Term {
	switch {
	case t.IsBlank():
		return rdf.NewIRI(d.Blank(strings.TrimPrefix(t.Value(), "b")))
	case t.IsLiteral() && t.Tag() == "" && d.Alien(t):
		return rdf.NewLiteral(t.Value(), keptSpace+t.Datatype())
	}
	return t
}

// in returns the file's term for a term from the server. A blank node that the server
// made, for example with BNODE(), keeps its label.
func (d *Dialect) in(t rdf.Term) rdf.Term {
	switch {
	case t.IsIRI() || t.IsBlank():
		if number, ok := d.IsBlank(t.Value()); ok {
			return rdf.NewBlank("b" + number)
		}
		if datatype, ok := strings.CutPrefix(t.Value(), keptSpace); ok && t.IsIRI() {
			return rdf.NewIRI(datatype)
		}
		if t.IsBlank() {
			return rdf.NewBlank("x" + label(t.Value()))
		}
	case t.IsLiteral() && t.Tag() == "":
		if datatype, ok := strings.CutPrefix(t.Datatype(), keptSpace); ok {
			return rdf.NewLiteral(t.Value(), datatype)
		}
		return d.Shown(t)
	}
	return t
}

// label makes a blank node label from any text. It keeps ASCII letters and digits.
func label(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
			return r
		}
		return '_'
	}, s)
}
