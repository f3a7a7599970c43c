// Package format reads and writes every text format of RDF that segraph knows. It chooses
// between the packages turtle, which has four of them, rdfxml and jsonld.
package format

import (
	"errors"
	"io"
	"strings"

	"github.com/segraph/segraph/store/jsonld"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/rdfxml"
	"github.com/segraph/segraph/store/turtle"
)

// ErrTripleTerms reports that a format can't represent the triple terms of a graph.
var ErrTripleTerms = jsonld.ErrTripleTerms

// UnwritableError reports that RDF/XML can't represent a triple.
type UnwritableError = rdfxml.UnwritableError

// Reader reads the quads of a text. See turtle.Reader. A quad that Read returns with an error means nothing.
type Reader interface {
	Read() (rdf.Quad, error)
	Place() (line, column int)
	Prefixes() []turtle.Prefix
	Warnings() (first []turtle.Warning, total int)
}

// Writer writes quads as text. See turtle.Writer.
type Writer interface {
	Write(rdf.Quad) error
	Close() error
}

// NewReader returns a Reader of the text in r, in format f. The Reader reads JSON-LD twice if r can seek (see
// jsonld.Reader), and refuses JSON-LD that loses data by the rules of the standard, or whose contexts are neither
// inline nor returned by o.Context. It refuses a text whose prefixes, bases or inherited languages make its terms
// far longer than the text.
func NewReader(r io.Reader, f turtle.Format, o turtle.Options) Reader {
	switch f {
	case turtle.JSONLD:
		return NewJSONReader(r, o, nil)
	case turtle.RDFXML:
		in := &countingReader{Reader: r}
		return &boundedReader{read: in, Reader: &xmlReader{
			Reader:  rdfxml.NewReader(in, rdfxml.Options{Base: o.Base, MaxDepth: o.MaxDepth, MaxToken: o.MaxToken, Scope: o.Scope, Version: o.Version}),
			checker: turtle.NewChecker(o),
		}}
	}
	in := &countingReader{Reader: r}
	return &boundedReader{read: in, Reader: turtle.NewReader(in, f, o)}
}

// NewWriter returns a Writer that writes to w in format f. RDF/XML omits prefixes that
// XML can't declare; JSON-LD omits all prefixes.
func NewWriter(w io.Writer, f turtle.Format, prefixes []turtle.Prefix) Writer {
	switch f {
	case turtle.RDFXML:
		return xmlWriter{rdfxml.NewWriter(w, prefixes)}
	case turtle.JSONLD:
		return jsonld.NewWriter(w)
	}
	return turtle.NewWriter(w, f, prefixes)
}

// Of returns the format of a file by its extension, ignoring case: .ttl, .nt, .trig, .nq,
// .rdf or .jsonld.
func Of(filename string) (f turtle.Format, ok bool) {
	for f, extension := range map[turtle.Format]string{
		turtle.Turtle: ".ttl", turtle.NTriples: ".nt", turtle.TriG: ".trig", turtle.NQuads: ".nq", turtle.RDFXML: ".rdf", turtle.JSONLD: ".jsonld",
	} {
		if n := len(filename) - len(extension); n >= 0 && strings.EqualFold(filename[n:], extension) {
			return f, true
		}
	}
	return 0, false
}

// xmlReader reads the triples of RDF/XML as quads of the default graph.
type xmlReader struct {
	*rdfxml.Reader
	checker *turtle.Checker
}

func (r *xmlReader) Read() (rdf.Quad, error) {
	t, err := r.Reader.Read()
	if err != nil {
		return rdf.Quad{}, err
	}
	q := t.In(rdf.Term{})
	line, column := r.Place()
	return q, r.checker.Check(q, line, column)
}

func (r *xmlReader) Warnings() ([]turtle.Warning, int) { return r.checker.Warnings() }

// xmlWriter writes quads of the default graph as RDF/XML.
type xmlWriter struct{ *rdfxml.Writer }

func (w xmlWriter) Write(q rdf.Quad) error {
	if !q.G.IsZero() {
		return errors.New("writing RDF/XML: it can't represent named graphs; use TriG or N-Quads")
	}
	return w.Writer.Write(q.Triple())
}
