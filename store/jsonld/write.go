package jsonld

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/turtle"
)

// Writer writes quads as JSON-LD 1.1 in expanded form (JSON-LD 1.1, section 3.6), without a
// context: an array of node objects. A node object ends at the next quad with another
// subject or graph, so a node may occur more than once, as JSON-LD allows. Order quads by
// graph and subject to avoid that.
//
// A Writer must be used by one goroutine.
type Writer struct {
	w       io.Writer
	buf     []byte
	begun   bool // an object of the outer array has been written
	inGraph bool // the @graph of a named graph is open
	inside  bool // a node of that @graph has been written
	graph   rdf.Term
	subject rdf.Term
	node    node
	values  int    // number of values of the node
	checked []byte // the last term in another format, to check it
	err     error  // the first error
}

// NewWriter returns a Writer that writes to w.
func NewWriter(w io.Writer) *Writer { return &Writer{w: w} }

// node is a node object.
type node struct {
	id         string
	properties []property // in order of arrival
}

type property struct {
	name   string
	values []any // strings for @type, else *value
}

// value is a value object or a reference to a node. Members are in output order.
type value struct {
	ID        string  `json:"@id,omitempty"`
	Value     *string `json:"@value,omitempty"`
	Type      string  `json:"@type,omitempty"`
	Language  string  `json:"@language,omitempty"`
	Direction string  `json:"@direction,omitempty"`
}

func (n *node) add(name string, v any) {
	for i := range n.properties {
		if n.properties[i].name == name {
			n.properties[i].values = append(n.properties[i].values, v)
			return
		}
	}
	n.properties = append(n.properties, property{name, []any{v}})
}

// writeSize is the size in bytes of one write to the io.Writer.
const writeSize = 64 << 10

// maxNodeValues is the largest number of values that are kept in memory. A node with
// more is written in parts.
const maxNodeValues = 1000

// ErrTripleTerms reports that a graph has triple terms, which JSON-LD 1.1 can't
// represent.
var ErrTripleTerms = errors.New("JSON-LD 1.1 can't represent the triple terms of RDF 1.2; request Turtle, TriG, RDF/XML, N-Triples or N-Quads")

// Write writes a quad. For a triple term it returns ErrTripleTerms, and another error if a reader could not read q back, as
// for an invalid IRI. It returns errors of the io.Writer. After an error, every call returns that error.
func (w *Writer) Write(q rdf.Quad) error {
	if w.err == nil {
		w.err = w.write(q)
	}
	return w.err
}

// write adds a quad to the current node, or begins the next one. A node with very many values is
// written as several.
func (w *Writer) write(q rdf.Quad) error {
	if q.S.IsTriple() || q.O.IsTriple() {
		return ErrTripleTerms
	}
	if q.S.IsLiteral() || !q.P.IsIRI() || q.G.IsLiteral() {
		return fmt.Errorf("writing JSON-LD: %v has a term in a position that RDF does not allow", q)
	}
	for i, t := range [...]rdf.Term{q.S, q.P, q.O, q.G} {
		var err error
		w.checked, err = turtle.AppendTerm(w.checked[:0], t)
		if isDefaultGraph := i == 3 && t.IsZero(); err != nil && !isDefaultGraph {
			return fmt.Errorf("writing JSON-LD: %w", err)
		}
	}
	if q.S != w.subject || q.G != w.graph || w.values >= maxNodeValues {
		if err := w.endNode(); err != nil {
			return err
		}
		if q.G != w.graph {
			w.endGraph()
		}
		w.subject, w.graph = q.S, q.G
		w.node.id = nodeID(q.S)
	}
	if q.P.Value() == rdf.RDFType && !q.O.IsLiteral() {
		w.node.add("@type", nodeID(q.O))
	} else {
		w.node.add(q.P.Value(), valueOf(q.O))
	}
	w.values++
	return nil
}

// valueOf converts a term (JSON-LD 1.1 API, section 8.5.2).
func valueOf(t rdf.Term) *value {
	if !t.IsLiteral() {
		return &value{ID: nodeID(t)}
	}
	text := t.Value()
	v := &value{Value: &text}
	switch datatype := t.Datatype(); {
	case t.Tag() != "":
		v.Language, v.Direction = t.Language(), t.Direction()
	case datatype != rdf.XSDString:
		v.Type = datatype
	}
	return v
}

// nodeID returns the @id of an IRI or blank node.
func nodeID(t rdf.Term) string {
	if t.IsBlank() {
		return "_:" + t.Value()
	}
	return t.Value()
}

// endNode writes the current node.
func (w *Writer) endNode() error {
	if len(w.node.properties) == 0 {
		return nil
	}
	if !w.graph.IsZero() && !w.inGraph {
		w.separate(&w.begun)
		w.buf = append(appendMember(append(w.buf, '{'), "@id", nodeID(w.graph)), `,"@graph":`...)
		w.inGraph, w.inside = true, false
	}
	array := &w.begun
	if w.inGraph {
		array = &w.inside
	}
	w.separate(array)
	w.buf = w.node.append(w.buf)
	w.node.properties, w.values = w.node.properties[:0], 0
	if len(w.buf) < writeSize {
		return nil
	}
	return w.flush()
}

// separate writes the text before the next item of an array: a bracket, or a comma if
// begun. It sets begun.
func (w *Writer) separate(begun *bool) {
	separator := ",\n"
	if !*begun {
		separator, *begun = "[", true
	}
	w.buf = append(w.buf, separator...)
}

func (w *Writer) endGraph() {
	if w.inGraph {
		w.buf = append(w.buf, "]}"...)
		w.inGraph = false
	}
}

func (n *node) append(b []byte) []byte {
	b = appendMember(append(b, '{'), "@id", n.id)
	for _, p := range n.properties {
		b = appendMember(append(b, ','), p.name, p.values)
	}
	return append(b, '}')
}

// appendMember appends a member of an object, its name and its value, as JSON.
func appendMember(b []byte, name string, v any) []byte {
	for i, part := range []any{name, v} {
		text, err := json.Marshal(part)
		if err != nil { // impossible: the types above always encode
			panic(fmt.Errorf("write JSON-LD: %w", err))
		}
		if i > 0 {
			b = append(b, ':')
		}
		b = append(b, text...)
	}
	return b
}

func (w *Writer) flush() error {
	_, err := w.w.Write(w.buf)
	w.buf = w.buf[:0]
	return err
}

// Close ends the array. It does not close the io.Writer.
func (w *Writer) Close() error {
	if w.err == errClosed {
		return nil
	}
	if w.err == nil {
		if w.err = w.finish(); w.err == nil {
			w.err = errClosed
			return nil
		}
	}
	return w.err
}

// errClosed is the error of a Writer that was closed.
var errClosed = errors.New("writing JSON-LD: the writer is closed")

// finish ends the text. Without quads it is an empty array.
func (w *Writer) finish() error {
	if err := w.endNode(); err != nil {
		return err
	}
	w.endGraph()
	if !w.begun {
		w.buf = append(w.buf, '[')
	}
	w.buf = append(w.buf, "]\n"...)
	return w.flush()
}
