// Package rdfxml reads and writes RDF/XML (RDF 1.2 XML Syntax). Sections in comments are
// those of RDF 1.1 XML Syntax (W3C Recommendation, 2014). In a document without
// rdf:version="1.2", a triple term states nothing, and a base direction on rdf:RDF is
// ignored; rdf:annotation needs no version.
//
// The Reader streams. Its memory grows with the nesting of the document and the number
// of its rdf:ID attributes, not with its size. It has its own XML scanner, which lacks
// the dangerous parts of XML. The scanner loads nothing from outside the document, and
// limits the number of entities that a document may declare and the size to which they
// expand.
package rdfxml

import "github.com/segraph/segraph/store/rdf"

// Options configure a Reader. The zero Options suit most documents.
type Options struct {
	// Base is the base IRI, which xml:base may override. Without a base, a relative IRI
	// is an error.
	Base string
	// MaxDepth limits the nesting of elements; 0 means 1,000.
	MaxDepth int
	// MaxToken is the largest size in bytes of a text, an attribute or a literal; 0 means
	// 16 MiB.
	MaxToken int
	// Scope is prepended to every blank node label: see turtle.Options.
	Scope string
	// Version is the version of RDF that the text may use. RDF11 refuses triple terms,
	// annotations and base directions, RDF12Basic refuses the first two.
	Version rdf.Version
}

const (
	defaultDepth = 1000
	defaultToken = 16 << 20

	maxEntities  = 64       // entities that a document may declare
	maxExpansion = 64 << 10 // bytes by which all references to them may be shorter than what they stand for
)

const (
	xmlNS   = "http://www.w3.org/XML/1998/namespace"
	xmlnsNS = "http://www.w3.org/2000/xmlns/"
	itsNS   = "http://www.w3.org/2005/11/its" // Internationalization Tag Set 2.0
)

var (
	rdfType  = rdf.NewIRI(rdf.RDFType)
	rdfFirst = rdf.NewIRI(rdf.RDFFirst)
	rdfRest  = rdf.NewIRI(rdf.RDFRest)
	rdfNil   = rdf.NewIRI(rdf.RDFNil)
)
