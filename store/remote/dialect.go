package remote

import (
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql/syntax"
)

// Dialect is what a product does otherwise than the standards. The zero value is for a
// server that keeps every term to the letter and does what SPARQL 1.1 says.
type Dialect struct {
	// Blank gives the IRI under which a blank node is kept, by its number in the file,
	// and IsBlank reads it back. Nil is an IRI of segraph's own, which the server takes
	// for an IRI.
	Blank   func(number string) string
	IsBlank func(value string) (number string, ok bool)

	// BlankIsIRI tells that ISIRI is true of blank nodes.
	BlankIsIRI bool
	// Alien tells the literals that the server would change into others. They are kept as
	// literals of a datatype of segraph's own.
	Alien func(t rdf.Term) bool
	// Shown gives what a literal of an answer stands for, where the server writes it in
	// its own way.
	Shown func(t rdf.Term) rdf.Term
	// ShortFloats tells that answers show xsd:double and xsd:float with a few digits
	// alone, and all that matter by STR.
	ShortFloats bool
	// NothingStored is the status of a document that was taken and not stored; 0 for none.
	NothingStored int
	// Refuse says why the server can't keep a term in any form, "" where it can.
	Refuse func(t rdf.Term) string

	// Introduce gives the query that, asked with the password, makes languages and
	// datatypes known to a server that may lose those that it hears of first amid an
	// update that it undoes. Each is a literal under it. Nil is for a server that loses
	// none.
	Introduce func(words []rdf.Term) string
	// Passing tells from the beginning of what the server says that what it refuses now
	// it may well do when asked again.
	Passing func(said string) bool

	// Distrust says why a query is not the server's to answer, "" where it is.
	Distrust func(q *syntax.Query) string
	// Ask sets parameters of a query that may run for so long.
	Ask func(form url.Values, limit time.Duration)
	// Complete says what of an answer is missing, by its header: the error is a
	// *eval.LimitError or any other.
	Complete func(h http.Header) error

	// LoginAdvice says what to do about a password that the server refuses, in sentences
	// without the last period; "" where the product has nothing special.
	LoginAdvice func(password string) string
	// Older are the graphs that users of the product are likely to have from before
	// segraph.
	Older []string
	// Clear gives the update that empties a graph, whether it is there or not.
	Clear func(graph string) string
	// MaxInsert is how many triples an update may hold, and MaxInsertBytes how long its
	// text may be. What is larger is told by the Graph Store Protocol, or in parts.
	MaxInsert, MaxInsertBytes int
	// GraphParameter names the parameter of the Graph Store Protocol; "graph" by the
	// standard.
	GraphParameter string
	// TurtleHead is put before documents.
	TurtleHead string
}

// Names of segraph's own.
const (
	blankSpace = "urn:segraph:blank:" // blank nodes
	keptSpace  = "urn:segraph:kept:"  // datatypes of literals that are kept as they are: the datatype itself is behind it
	noGraph    = "urn:segraph:none"   // a graph that is never there
)

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

// refuse says why a term can't be told to the server in any form, "" where it can.
func (d *Dialect) refuse(t rdf.Term) string {
	if ours(t) {
		return "the names that begin with " + blankSpace + " and " + keptSpace + " are segraph's own"
	}
	return d.Refuse(t)
}

// ours returns the namespace of datatypes whose literals may not come in, because they
// would come back as others.
func ours(t rdf.Term) bool {
	return strings.HasPrefix(t.Datatype(), keptSpace) || t.IsIRI() && strings.HasPrefix(t.Value(), blankSpace)
}

// out returns the term that the server is told in the place of one of the file.
func (d *Dialect) out(t rdf.Term) rdf.Term {
	switch {
	case t.IsBlank():
		return rdf.NewIRI(d.Blank(strings.TrimPrefix(t.Value(), "b")))
	case t.IsLiteral() && t.Language() == "" && d.Alien(t):
		return rdf.NewLiteral(t.Value(), keptSpace+t.Datatype())
	}
	return t
}

// in returns the term of the file in the place of one that the server gives. A blank node
// that the server made, as BNODE() does, keeps its label.
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
	case t.IsLiteral() && t.Language() == "":
		if datatype, ok := strings.CutPrefix(t.Datatype(), keptSpace); ok {
			return rdf.NewLiteral(t.Value(), datatype)
		}
		return d.Shown(t)
	}
	return t
}

// label makes a blank node's label of any text: letters and digits stay.
func label(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
			return r
		}
		return '_'
	}, s)
}
