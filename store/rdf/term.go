// Package rdf implements the data model of RDF 1.2: terms, triples and quads, as values that
// can be compared with == and used as map keys. It imports no other package of the
// project, does no I/O, and keeps every literal exactly as written.
package rdf

import "strings"

// Kind is the kind of a Term. The order is that of SPARQL's ORDER BY.
type Kind uint8

const (
	KindNone    Kind = iota // the zero Term: absent or, as a graph name, the default graph
	KindBlank               // a blank node
	KindIRI                 // an IRI
	KindLiteral             // a literal
	KindTriple              // a triple term of RDF 1.2
)

// Term is an RDF 1.2 term (RDF 1.2 Concepts, section 3). Two terms are equal by == if and
// only if their lexical form, datatype and language tag are identical as written. Stores
// and queries treat terms whose language tags differ only in case as one: see Fold. The
// zero Term stands for an absent term.
//
// The constructors do not check their arguments: a reader of external input must.
type Term struct {
	kind  Kind
	value string // IRI, blank node label, lexical form, or triple in canonical N-Triples
	// tag is a literal's datatype IRI, or '@' and its language tag, which "--ltr" or
	// "--rtl" may follow. "" means xsd:string, so that the usual literal needs one string.
	tag string
}

// NewIRI returns the IRI iri, which should be absolute.
func NewIRI(iri string) Term { return Term{kind: KindIRI, value: iri} }

// NewBlank returns the blank node with a label, without "_:". A label is local to one
// document.
func NewBlank(label string) Term { return Term{kind: KindBlank, value: label} }

// NewString returns a literal of datatype xsd:string.
func NewString(lexical string) Term { return Term{kind: KindLiteral, value: lexical} }

// NewLiteral returns a literal with a datatype IRI. "" means xsd:string. For
// rdf:langString use NewLang.
func NewLiteral(lexical, datatype string) Term {
	if datatype == XSDString {
		datatype = ""
	}
	return Term{kind: KindLiteral, value: lexical, tag: datatype}
}

// NewLang returns a language-tagged string. It keeps the tag as written.
func NewLang(lexical, language string) Term {
	return Term{kind: KindLiteral, value: lexical, tag: "@" + language}
}

// NewDirLang returns a language-tagged string with a base direction, "ltr" or "rtl".
func NewDirLang(lexical, language, direction string) Term {
	return Term{kind: KindLiteral, value: lexical, tag: "@" + language + "--" + direction}
}

// Kind returns the kind of the term.
func (t Term) Kind() Kind { return t.kind }

// IsZero reports whether t is the zero Term.
func (t Term) IsZero() bool { return t.kind == KindNone }

// IsIRI reports whether t is an IRI.
func (t Term) IsIRI() bool { return t.kind == KindIRI }

// IsBlank reports whether t is a blank node.
func (t Term) IsBlank() bool { return t.kind == KindBlank }

// IsLiteral reports whether t is a literal.
func (t Term) IsLiteral() bool { return t.kind == KindLiteral }

// Size returns how many bytes the texts of t have: its value, and its datatype or language tag.
func (t Term) Size() int { return len(t.value) + len(t.tag) }

// Value returns the IRI, the blank node's label without "_:", the literal's lexical form,
// or the triple term in canonical N-Triples.
func (t Term) Value() string { return t.value }

// Datatype returns a literal's datatype IRI (never empty), and "" for other terms.
func (t Term) Datatype() string {
	switch {
	case t.kind != KindLiteral:
		return ""
	case t.tag == "":
		return XSDString
	case t.tag[0] != '@':
		return t.tag
	case t.Direction() != "":
		return RDFDirLangString
	}
	return RDFLangString
}

// Tag returns a literal's language tag as written, with "--" and its base direction if it
// has one, as in Turtle after "@". It returns "" for other terms.
func (t Term) Tag() string {
	if t.tag == "" || t.tag[0] != '@' {
		return ""
	}
	return t.tag[1:]
}

// Language returns a literal's language tag as written, without its base direction, or "".
func (t Term) Language() string {
	language, _, _ := strings.Cut(t.Tag(), "--")
	return language
}

// Direction returns a literal's base direction, "ltr" or "rtl", or "".
func (t Term) Direction() string {
	_, direction, _ := strings.Cut(t.Tag(), "--")
	return direction
}

// Triple is an RDF triple.
type Triple struct{ S, P, O Term }

// Quad is a triple and the name of its graph. A zero G means the default graph.
type Quad struct{ S, P, O, G Term }

// Triple returns the quad without its graph name.
func (q Quad) Triple() Triple { return Triple{q.S, q.P, q.O} }

// In returns the triple in the graph g.
func (t Triple) In(g Term) Quad { return Quad{t.S, t.P, t.O, g} }
