package turtle

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/segraph/segraph/store/rdf"
)

// encoder writes terms as text to a buffer, and a full buffer to out. It keeps the first
// error and writes nothing after it.
type encoder struct {
	out   io.Writer
	buf   []byte
	short *shortener // nil if the format has neither prefixes nor bare literals
	err   error
}

// bufferSize is the size in bytes of the pieces written to out.
const bufferSize = 64 << 10

func (e *encoder) fail(err error) {
	if e.err == nil {
		e.err = err
	}
}

// drain writes the buffer to out if it is full.
func (e *encoder) drain() {
	if len(e.buf) >= bufferSize {
		e.flush()
	}
}

// flush writes the buffer out, and keeps the first error.
func (e *encoder) flush() {
	if e.err == nil && len(e.buf) > 0 {
		if _, err := e.out.Write(e.buf); err != nil {
			e.fail(fmt.Errorf("writing RDF: %w", err))
		}
	}
	if cap(e.buf) > 16*bufferSize {
		e.buf = nil // don't keep the memory of one long literal
	}
	e.buf = e.buf[:0]
}

func (e *encoder) text(s string) { e.buf = append(e.buf, s...) }

// declare writes the prefixes.
func (e *encoder) declare() {
	for _, p := range e.short.prefixes {
		e.text("@prefix ")
		e.text(p.Label)
		e.text(": <")
		e.text(p.Namespace)
		e.text("> .\n")
	}
	if len(e.short.prefixes) > 0 {
		e.text("\n")
	}
}

// node writes a subject or a graph name.
func (e *encoder) node(t rdf.Term) {
	switch t.Kind() {
	case rdf.KindIRI:
		e.iri(t.Value())
	case rdf.KindBlank:
		e.blank(t.Value())
	case rdf.KindNone:
		e.fail(errors.New("there is no subject"))
	default:
		e.fail(fmt.Errorf("%s can't be a subject or the name of a graph", t))
	}
}

// predicate writes a predicate, rdf:type as "a" if short forms are allowed.
func (e *encoder) predicate(t rdf.Term) {
	switch {
	case t.IsZero():
		e.fail(errors.New("there is no predicate"))
	case !t.IsIRI():
		e.fail(fmt.Errorf("%s can't be a predicate", t))
	case e.short != nil && t.Value() == rdf.RDFType:
		e.buf = append(e.buf, 'a')
	default:
		e.iri(t.Value())
	}
}

// object writes an object: a term of any kind.
func (e *encoder) object(t rdf.Term) {
	switch t.Kind() {
	case rdf.KindIRI:
		e.iri(t.Value())
	case rdf.KindBlank:
		e.blank(t.Value())
	case rdf.KindLiteral:
		e.literal(t)
	case rdf.KindTriple:
		e.triple(t.Triple())
	default:
		e.fail(errors.New("there is no object"))
	}
}

// triple writes a triple term.
func (e *encoder) triple(t rdf.Triple) {
	e.text("<<( ")
	e.node(t.S)
	e.text(" ")
	e.predicate(t.P)
	e.text(" ")
	e.object(t.O)
	e.text(" )>>")
}

// iri writes an IRI, with its prefix if possible.
func (e *encoder) iri(iri string) {
	if e.short != nil {
		var ok bool
		if e.buf, ok = e.short.append(e.buf, iri); ok {
			return
		}
	}
	var err error
	if e.buf, err = appendIRI(e.buf, iri); err != nil {
		e.fail(err)
	}
}

func (e *encoder) blank(label string) {
	e.buf = appendLabel(append(e.buf, "_:"...), label)
}

// mappedLabel begins every label that replaces one that can't be written.
const mappedLabel = "x--"

// appendLabel appends a BLANK_NODE_LABEL (RDF 1.1 Turtle, section 6.5), without "_:". For a
// label that is not one, or begins with mappedLabel, it appends mappedLabel and the label,
// with "-" and two hexadecimal digits for each byte other than an ASCII letter or digit. So
// different labels stay different.
func appendLabel(b []byte, label string) []byte {
	if isName(label, labelStart) && !strings.HasPrefix(label, mappedLabel) {
		return append(b, label...)
	}
	b = append(b, mappedLabel...)
	for i := range len(label) {
		c := label[i]
		if isLetter(c) || isDigit(c) {
			b = append(b, c)
		} else {
			b = append(b, '-', "0123456789ABCDEF"[c>>4], "0123456789ABCDEF"[c&15])
		}
	}
	return b
}
