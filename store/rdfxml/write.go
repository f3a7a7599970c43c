package rdfxml

import (
	"bufio"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/turtle"
)

// Writer writes triples as they come, with bounded memory. It combines consecutive triples
// with the same subject.
//
// A Writer must be used by one goroutine.
type Writer struct {
	out      *bufio.Writer
	prefixes map[string]string // labels by namespace
	declared []turtle.Prefix
	subject  rdf.Term // of the open element, or zero
	begun    bool
	closed   bool
	err      error
	buf      []byte
}

// NewWriter returns a Writer that writes to w. The root element declares the prefixes. Of
// several with the same label the last counts; those that XML can't declare are left out.
func NewWriter(w io.Writer, prefixes []turtle.Prefix) *Writer {
	out := &Writer{out: bufio.NewWriter(w), prefixes: map[string]string{rdf.RDF: "rdf"}, declared: []turtle.Prefix{{Label: "rdf", Namespace: rdf.RDF}}}
	last := make(map[string]string)
	for _, p := range prefixes {
		last[p.Label] = p.Namespace
	}
	for _, p := range prefixes {
		reserved := p.Label == "rdf" || len(p.Label) >= 3 && strings.EqualFold(p.Label[:3], "xml") ||
			p.Namespace == xmlNS || p.Namespace == xmlnsNS || p.Namespace == ""
		if _, ok := out.prefixes[p.Namespace]; ok || reserved || !isNCName(p.Label) || last[p.Label] != p.Namespace {
			continue
		}
		out.prefixes[p.Namespace] = p.Label
		out.declared = append(out.declared, p)
	}
	return out
}

// Write writes a triple. It returns an error, and ends all writing, if a reader could not
// read it back: for a term in a position that RDF 1.1 does not allow, an invalid IRI, a
// predicate that does not end in an XML name, or a character that XML can't hold. It wraps
// errors of the io.Writer.
func (w *Writer) Write(t rdf.Triple) error {
	if w.closed && w.err == nil {
		w.err = errors.New("writing RDF/XML: the writer is closed")
	}
	if w.err == nil {
		w.err = w.write(t)
	}
	return w.err
}

// Close ends the document and writes buffered text. It does not close the io.Writer.
func (w *Writer) Close() error {
	if w.closed || w.err != nil {
		return w.err
	}
	w.closed = true
	w.buf = w.begin(w.buf[:0])
	w.buf = append(w.endNode(w.buf), "</rdf:RDF>\n"...)
	if _, w.err = w.out.Write(w.buf); w.err == nil {
		w.err = w.out.Flush()
	}
	return w.err
}

func (w *Writer) write(t rdf.Triple) (err error) {
	b := w.begin(w.buf[:0])
	if t.S != w.subject {
		b = append(w.endNode(b), "  <rdf:Description"...)
		if b, err = resource(b, "rdf:about", t.S); err != nil {
			return fmt.Errorf("writing a subject in RDF/XML: %w", err)
		}
		b = append(b, ">\n"...)
	}
	if b, err = w.property(b, t.P, t.O); err != nil {
		return fmt.Errorf("writing RDF/XML: %w", err)
	}
	w.subject, w.begun, w.buf = t.S, true, b
	_, err = w.out.Write(b)
	return err
}

// begin appends the root element's start tag once.
func (w *Writer) begin(b []byte) []byte {
	if w.begun {
		return b
	}
	b = append(b, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<rdf:RDF"...)
	for i, p := range w.declared {
		if i > 0 {
			b = append(b, "\n        "...)
		}
		b = attributeTo(b, "xmlns:"+p.Label, p.Namespace)
	}
	return append(b, ">\n"...)
}

func (w *Writer) endNode(b []byte) []byte {
	if w.subject.IsZero() {
		return b
	}
	return append(b, "  </rdf:Description>\n"...)
}

// property appends a property element.
func (w *Writer) property(b []byte, predicate, object rdf.Term) ([]byte, error) {
	namespace, local := splitIRI(predicate.Value())
	if !predicate.IsIRI() || local == "" || turtle.CheckIRI(predicate.Value()) != nil {
		return b, fmt.Errorf("the predicate %s does not end in an XML name: use another format", predicate)
	}
	if namespace == rdf.RDF && (forbidden(local) || local == "li" || local == "Description") || namespace == xmlNS || namespace == xmlnsNS {
		return b, fmt.Errorf("the predicate %s has another meaning in RDF/XML: use another format", predicate)
	}
	label, ok := w.prefixes[namespace]
	if !ok {
		label = "ns"
	}
	name := label + ":" + local
	b = append(append(b, "    <"...), name...)
	if !ok {
		b = attributeTo(b, "xmlns:"+label, namespace)
	}
	var err error
	if !object.IsLiteral() {
		b, err = resource(b, "rdf:resource", object)
		return append(b, "/>\n"...), err
	}
	for _, c := range object.Value() {
		if !isChar(c) || c == utf8.RuneError && !utf8.ValidString(object.Value()) {
			return b, fmt.Errorf("a literal contains U+%04X, which XML can't hold: use another format", c)
		}
	}
	switch language, datatype := object.Tag(), object.Datatype(); {
	case object.Direction() != "":
		return b, fmt.Errorf("RDF/XML is written without the base directions of RDF 1.2, as of %s: use another format", object)
	case language != "":
		if !turtle.IsLanguage(language) {
			return b, fmt.Errorf("%q is not a language tag of RDF 1.1", language)
		}
		b = attributeTo(b, "xml:lang", language)
	case datatype == rdf.RDFLangString:
		return b, errors.New("a literal of datatype rdf:langString has no language tag")
	case datatype != rdf.XSDString:
		if err := turtle.CheckIRI(datatype); err != nil {
			return b, err
		}
		b = attributeTo(b, "rdf:datatype", datatype)
	}
	b = escape(append(b, '>'), object.Value(), false)
	return append(append(append(b, "</"...), name...), ">\n"...), nil
}

// resource appends an attribute for an IRI, or rdf:nodeID for a blank node.
func resource(b []byte, name string, t rdf.Term) ([]byte, error) {
	switch {
	case t.IsIRI():
		return attributeTo(b, name, t.Value()), turtle.CheckIRI(t.Value())
	case t.IsBlank():
		return attributeTo(b, "rdf:nodeID", nodeName(t.Value())), nil
	}
	if t.IsTriple() {
		return b, fmt.Errorf("RDF/XML is written without the triple terms of RDF 1.2, such as %s: use another format", t)
	}
	return b, fmt.Errorf("%s is neither an IRI nor a blank node", t)
}

// nodeName returns a different XML name for each label of a blank node.
func nodeName(label string) string {
	const encoded = "_x"
	if isNCName(label) && !strings.HasPrefix(label, encoded) {
		return label
	}
	return encoded + hex.EncodeToString([]byte(label))
}

// splitIRI splits an IRI before the longest XML name at its end. local is "" if there is
// none.
func splitIRI(iri string) (namespace, local string) {
	at, end := len(iri), len(iri)
	for end > 0 {
		c, size := utf8.DecodeLastRuneInString(iri[:end])
		if !isNameChar(c) {
			break
		}
		end -= size
		if isNameStart(c) {
			at = end
		}
	}
	if at == 0 {
		return iri, ""
	}
	return iri[:at], iri[at:]
}
