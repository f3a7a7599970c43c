// Package rdf implements the RDF 1.1 data model: terms, triples and quads, as values that
// can be compared with == and used as map keys. It imports no other package of the
// project, does no I/O, and keeps every literal exactly as written.
package rdf

// Kind is the kind of a Term. The order is that of SPARQL's ORDER BY.
type Kind uint8

const (
	KindNone    Kind = iota // the zero Term: absent or, as a graph name, the default graph
	KindBlank               // a blank node
	KindIRI                 // an IRI
	KindLiteral             // a literal
)

// Term is an RDF 1.1 term (RDF 1.1 Concepts, section 3). Two terms are equal by == if and
// only if their lexical form, datatype and language tag are identical as written. Stores
// and queries treat terms whose language tags differ only in case as one: see Fold. The
// zero Term stands for an absent term.
//
// The constructors do not check their arguments: a reader of external input must.
type Term struct {
	kind  Kind
	value string // IRI, blank node label, or lexical form
	// tag is a literal's datatype IRI, or '@' and its language tag. "" means xsd:string,
	// so that the usual literal needs one string.
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

// Value returns the IRI, the blank node's label without "_:", or the literal's lexical
// form.
func (t Term) Value() string { return t.value }

// Datatype returns a literal's datatype IRI (never empty), and "" for other terms.
func (t Term) Datatype() string {
	switch {
	case t.kind != KindLiteral:
		return ""
	case t.tag == "":
		return XSDString
	case t.tag[0] == '@':
		return RDFLangString
	}
	return t.tag
}

// Language returns a literal's language tag as written, or "".
func (t Term) Language() string {
	if t.tag != "" && t.tag[0] == '@' {
		return t.tag[1:]
	}
	return ""
}

// Triple is an RDF triple.
type Triple struct{ S, P, O Term }

// Quad is a triple and the name of its graph. A zero G means the default graph.
type Quad struct{ S, P, O, G Term }

// Triple returns the quad without its graph name.
func (q Quad) Triple() Triple { return Triple{q.S, q.P, q.O} }

// In returns the triple in the graph g.
func (t Triple) In(g Term) Quad { return Quad{t.S, t.P, t.O, g} }
