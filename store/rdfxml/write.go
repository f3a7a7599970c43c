package rdfxml

import (
	"bufio"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/turtle"
)

// Writer writes triples as they arrive, in bounded memory. It combines consecutive
// triples with the same subject.
//
// A Writer must be used by one goroutine.
type Writer struct {
	out      *bufio.Writer
	prefixes map[string]string // labels by namespace
	other    string            // the label for a namespace that has none
	its      string            // the label for the namespace of base directions, if it has none
	declared []turtle.Prefix
	subject  rdf.Term // of the open element, or zero
	begun    bool
	closed   bool
	err      error
	buf      []byte
}

// maxDeclared is the longest namespace in bytes that the root element declares. A Reader might refuse the document if all of
// its predicates stood for longer ones (turtle.Excess).
const maxDeclared = 200

// NewWriter returns a Writer that writes to w. The root element declares the prefixes.
// If a label is repeated, its last namespace counts. Prefixes that XML can't declare, or
// that are too long, are left out.
func NewWriter(w io.Writer, prefixes []turtle.Prefix) *Writer {
	out := &Writer{out: bufio.NewWriter(w), prefixes: map[string]string{rdf.RDF: "rdf"}, declared: []turtle.Prefix{{Label: "rdf", Namespace: rdf.RDF}}}
	last := make(map[string]string)
	for _, p := range prefixes {
		last[p.Label] = p.Namespace
	}
	for _, p := range prefixes {
		unusable := p.Label == "rdf" || len(p.Label) >= 3 && strings.EqualFold(p.Label[:3], "xml") ||
			p.Namespace == xmlNS || p.Namespace == xmlnsNS || p.Namespace == "" ||
			len(p.Namespace) > maxDeclared || checkChars("a namespace", p.Namespace) != nil
		if _, ok := out.prefixes[p.Namespace]; ok || unusable || !isNCName(p.Label) || last[p.Label] != p.Namespace {
			continue
		}
		out.prefixes[p.Namespace] = p.Label
		out.declared = append(out.declared, p)
	}
	out.other, out.its = out.free("ns"), out.free("its")
	return out
}

// free returns a label that no prefix has.
func (w *Writer) free(label string) string {
	for slices.ContainsFunc(w.declared, func(p turtle.Prefix) bool { return p.Label == label }) {
		label += "_"
	}
	return label
}

// Write writes a triple. It returns an error for one that a reader could not read back:
// with a term in a position that RDF 1.2 does not allow, an invalid IRI, a predicate that
// does not end in an XML name, or a character that XML can't represent. It wraps errors of
// the io.Writer. After an error, every call returns that error. Only elements that RDF 1.1
// lacks have rdf:version="1.2", so a document without it is RDF 1.1.
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

// write writes a triple: as a property of the current element, or as the first one of a new
// element.
func (w *Writer) write(t rdf.Triple) (err error) {
	b := w.begin(w.buf[:0])
	if t.S != w.subject {
		b = append(w.endNode(b), "  <rdf:Description"...)
		if b, err = resource(b, "rdf:about", t.S); err != nil {
			return fmt.Errorf("writing a subject in RDF/XML: %w", err)
		}
		b = append(b, ">\n"...)
	}
	if t.O.TripleDepth() > rdf.MaxTripleDepth {
		return fmt.Errorf("writing RDF/XML: triple terms are nested deeper than %d", rdf.MaxTripleDepth)
	}
	if b, err = w.property(b, t.P, t.O, 2); err != nil {
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

// property appends a property element. depth is the number of elements around it.
func (w *Writer) property(b []byte, predicate, object rdf.Term, depth int) ([]byte, error) {
	namespace, local := splitIRI(predicate.Value())
	if !predicate.IsIRI() || local == "" || turtle.CheckIRI(predicate.Value()) != nil {
		return b, unwritable("the predicate %s does not end in an XML name: use another format", predicate)
	}
	if err := checkChars("an IRI", namespace); err != nil {
		return b, err
	}
	if len(namespace) > maxNamespace {
		return b, unwritable("a predicate begins with a namespace of more than %d bytes: use another format", maxNamespace)
	}
	special := forbidden(local) || local == "li" || local == "Description"
	if namespace == rdf.RDF && special || namespace == xmlNS || namespace == xmlnsNS {
		return b, unwritable("the predicate %s has another meaning in RDF/XML: use another format", predicate)
	}
	label, ok := w.prefixes[namespace]
	if !ok {
		label = w.other
	}
	name := label + ":" + local
	b = append(append(indent(b, depth), '<'), name...)
	if !ok {
		b = attributeTo(b, "xmlns:"+label, namespace)
	}
	var err error
	switch {
	case object.IsTriple():
		if depth == 2 { // elements inside it inherit the version
			b = attributeTo(b, "rdf:version", "1.2")
		}
		b = append(attributeTo(b, "rdf:parseType", "Triple"), ">\n"...)
		if b, err = w.triple(b, object.Triple(), depth+1); err != nil {
			return b, err
		}
		b = indent(b, depth)
	case object.IsLiteral():
		if b, err = w.literal(b, object); err != nil {
			return b, err
		}
	default:
		b, err = resource(b, "rdf:resource", object)
		return append(b, "/>\n"...), err
	}
	return append(append(append(b, "</"...), name...), ">\n"...), nil
}

// triple appends the node element of a triple term.
func (w *Writer) triple(b []byte, t rdf.Triple, depth int) (_ []byte, err error) {
	b = append(indent(b, depth), "<rdf:Description"...)
	if b, err = resource(b, "rdf:about", t.S); err != nil {
		return b, err
	}
	if b, err = w.property(append(b, ">\n"...), t.P, t.O, depth+1); err != nil {
		return b, err
	}
	return append(indent(b, depth), "</rdf:Description>\n"...), nil
}

// indent appends the space before an element that depth others contain.
func indent(b []byte, depth int) []byte {
	for range depth {
		b = append(b, "  "...)
	}
	return b
}

// UnwritableError reports a triple that RDF/XML can't represent, but other formats can.
type UnwritableError struct{ Msg string }

func (e *UnwritableError) Error() string { return e.Msg }

func unwritable(format string, args ...any) error {
	return &UnwritableError{Msg: fmt.Sprintf(format, args...)}
}

// checkIRI returns an error if an attribute can't represent an IRI.
func checkIRI(iri string) error {
	if err := turtle.CheckIRI(iri); err != nil {
		return err
	}
	return checkChars("an IRI", iri)
}

// checkChars returns an error if XML can't hold a text. Apart from control characters, that
// is U+FFFE and U+FFFF, which IRIs may have, too.
func checkChars(what, text string) error {
	for _, c := range text {
		if !isChar(c) || c == utf8.RuneError && !utf8.ValidString(text) {
			return unwritable("%s contains U+%04X, which XML can't represent: use another format", what, c)
		}
	}
	return nil
}

// literal appends the rest of the start tag of a property element, and its text.
func (w *Writer) literal(b []byte, object rdf.Term) ([]byte, error) {
	if err := checkChars("a literal", object.Value()); err != nil {
		return b, err
	}
	switch language, datatype := object.Language(), object.Datatype(); {
	case object.Tag() != "":
		if !rdf.IsLanguageTag(language) {
			return b, fmt.Errorf("%q is not a language tag", language)
		}
		b = attributeTo(b, "xml:lang", language)
		switch direction := object.Direction(); direction {
		case "": // the literal has none
		case "ltr", "rtl":
			b = w.direction(b, direction)
		default:
			return b, fmt.Errorf("%q is not a base direction", direction)
		}
	case datatype == rdf.RDFLangString || datatype == rdf.RDFDirLangString:
		return b, fmt.Errorf("a literal of datatype %s has no language tag", datatype)
	case datatype != rdf.XSDString:
		if err := checkIRI(datatype); err != nil {
			return b, err
		}
		b = attributeTo(b, "rdf:datatype", datatype)
	}
	return escape(append(b, '>'), object.Value(), false), nil
}

// direction appends the attributes of a base direction.
func (w *Writer) direction(b []byte, direction string) []byte {
	its, ok := w.prefixes[itsNS]
	if !ok {
		its = w.its
		b = attributeTo(b, "xmlns:"+its, itsNS)
	}
	b = attributeTo(b, "rdf:version", "1.2")
	b = attributeTo(b, its+":version", "2.0")
	return attributeTo(b, its+":dir", direction)
}

// resource appends an attribute for an IRI, or rdf:nodeID for a blank node.
func resource(b []byte, name string, t rdf.Term) ([]byte, error) {
	switch {
	case t.IsIRI():
		return attributeTo(b, name, t.Value()), checkIRI(t.Value())
	case t.IsBlank():
		return attributeTo(b, "rdf:nodeID", nodeName(t.Value())), nil
	}
	return b, fmt.Errorf("%s is neither an IRI nor a blank node", t)
}

// nodeName returns an XML name for the label of a blank node. Different labels have
// different names.
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
