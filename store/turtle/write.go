package turtle

import (
	"errors"
	"fmt"
	"io"

	"github.com/segraph/segraph/store/rdf"
)

// Writer writes quads as they come, with bounded memory. In Turtle and TriG it combines
// consecutive quads with the same graph, subject and predicate, so quads in that order
// make the shortest text. WriteGraph writes a nicer one.
//
// A Writer must be used by one goroutine.
type Writer struct {
	encoder
	format Format
	last   rdf.Quad // what the open statement says last; its S is no term if none is open
	graph  rdf.Term // the graph of the open block
	begun  bool
	closed bool
}

// NewWriter returns a writer to w in the format f. In Turtle and TriG, prefixes are
// declared in the given order and used. Of two with the same label the last one counts.
// An invalid prefix is an error of the first Write.
func NewWriter(w io.Writer, f Format, prefixes []Prefix) *Writer {
	out := &Writer{encoder: encoder{out: w}, format: f}
	if f == Turtle || f == TriG {
		out.short, out.err = newShortener(prefixes)
	}
	return out
}

// Write writes a quad. It returns an error, and ends all writing, if a reader could not
// read q back: for terms in positions that RDF 1.1 does not allow, IRIs that are relative
// or contain spaces and the like, invalid UTF-8, and named graphs in Turtle and
// N-Triples. It wraps errors of the io.Writer.
func (w *Writer) Write(q rdf.Quad) error {
	if w.closed {
		w.fail(errors.New("writing RDF: the writer is closed"))
	}
	if w.err != nil {
		return w.err
	}
	start := len(w.buf)
	switch w.format {
	case NTriples, NQuads:
		w.line(q)
	default:
		w.statement(q)
	}
	if w.err != nil {
		w.buf = w.buf[:start] // not half a quad
		return w.err
	}
	w.drain()
	return w.err
}

// Close ends the open statement and writes buffered text. It does not close the
// io.Writer.
func (w *Writer) Close() error {
	if w.closed || w.err != nil {
		return w.err
	}
	w.begin()
	w.endBlock()
	w.flush()
	w.closed = true
	return w.err
}

func (w *Writer) line(q rdf.Quad) {
	w.node(q.S)
	w.buf = append(w.buf, ' ')
	w.predicate(q.P)
	w.buf = append(w.buf, ' ')
	w.object(q.O)
	w.buf = append(w.buf, ' ')
	if !q.G.IsZero() {
		w.checkGraph(q)
		w.node(q.G)
		w.buf = append(w.buf, ' ')
	}
	w.text(".\n")
}

func (w *Writer) checkGraph(q rdf.Quad) {
	if w.format == Turtle || w.format == NTriples {
		w.fail(fmt.Errorf("the format has no named graphs, such as %s", q.G))
	}
}

func (w *Writer) statement(q rdf.Quad) {
	w.begin()
	indent := ""
	if !w.graph.IsZero() {
		indent = "    "
	}
	switch {
	case w.last.S.IsZero() || q.G != w.graph:
		w.openBlock(q)
	case q.S != w.last.S:
		w.text(" .\n")
		w.text(indent)
		w.subject(q)
	case q.P != w.last.P:
		w.text(" ;\n    ")
		w.text(indent)
		w.predicate(q.P)
	default:
		w.text(" ,")
	}
	w.buf = append(w.buf, ' ')
	w.object(q.O)
	w.last = q
}

func (w *Writer) subject(q rdf.Quad) {
	w.node(q.S)
	w.buf = append(w.buf, ' ')
	w.predicate(q.P)
}

// begin writes the prefixes once.
func (w *Writer) begin() {
	if w.begun || w.short == nil {
		return
	}
	w.begun = true
	w.declare()
}

// openBlock ends the block of the graph before and begins that of q.
func (w *Writer) openBlock(q rdf.Quad) {
	w.endBlock()
	if !q.G.IsZero() {
		w.checkGraph(q)
		w.node(q.G)
		w.text(" {\n    ")
		w.graph = q.G
	}
	w.subject(q)
}

func (w *Writer) endBlock() {
	if !w.last.S.IsZero() {
		w.text(" .\n")
	}
	if !w.graph.IsZero() {
		w.text("}\n")
	}
	w.last, w.graph = rdf.Quad{}, rdf.Term{}
}
