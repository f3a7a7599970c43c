package turtle

import (
	"errors"
	"fmt"
	"io"

	"github.com/segraph/segraph/store/rdf"
)

// Writer writes quads as they come, with bounded memory. In Turtle and TriG it combines
// consecutive quads with the same graph, subject and predicate, so quads sorted by these
// make the shortest text. A quad that reifies the triple just written becomes its
// annotation, as in "~ ex:reifier"; other reifiers remain triples of rdf:reifies.
// WriteGraph restores all annotations, and writes more readable text.
//
// A Writer must be used by one goroutine.
type Writer struct {
	encoder
	format Format
	last   rdf.Quad // the last quad of the open statement; its S is the zero Term if none is open
	graph  rdf.Term // the graph of the open block
	begun  bool
	closed bool
}

// NewWriter returns a Writer that writes to w in format f. In Turtle and TriG, prefixes
// are declared in the given order and used, but for those that can't be. If a label is
// repeated, its last prefix counts.
func NewWriter(w io.Writer, f Format, prefixes []Prefix) *Writer {
	out := &Writer{encoder: encoder{out: w, err: f.known()}, format: f}
	if f == Turtle || f == TriG {
		out.short = newShortener(prefixes)
	}
	return out
}

// Write writes a quad. It returns an error, and ends all writing, if a reader could not
// read q back: for a term in a position that RDF 1.2 does not allow, an IRI that is
// relative or contains a space or the like, invalid UTF-8, or a named graph in Turtle or
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
		w.buf = w.buf[:start] // drop an incomplete quad
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

// line writes a quad on a line of its own.
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

// statement writes a quad, or an annotation of the last one. It leaves out the subject and predicate that are as before.
func (w *Writer) statement(q rdf.Quad) {
	if w.annotates(q) {
		w.text(" ~ ")
		w.node(q.S)
		return
	}
	w.begin()
	indent := ""
	if !w.graph.IsZero() {
		indent = tab
	}
	switch {
	case w.last.S.IsZero() || q.G != w.graph:
		w.openBlock(q)
	case q.S != w.last.S:
		w.text(" .\n")
		w.text(indent)
		w.subject(q)
	case q.P != w.last.P:
		w.text(" ;\n" + tab)
		w.text(indent)
		w.predicate(q.P)
	default:
		w.text(" ,")
	}
	w.buf = append(w.buf, ' ')
	w.object(q.O)
	w.last = q
}

// annotates reports whether q makes its subject a reifier of the triple just written.
func (w *Writer) annotates(q rdf.Quad) bool {
	return q.P.Value() == rdf.RDFReifies && q.O.IsTriple() && !w.last.S.IsZero() && q.G == w.last.G && q.O.Triple() == w.last.Triple() &&
		Annotatable(w.last.S, w.last.P)
}

func (w *Writer) subject(q rdf.Quad) {
	w.node(q.S)
	w.buf = append(w.buf, ' ')
	w.predicate(q.P)
}

// begin writes the prefixes, unless it already has.
func (w *Writer) begin() {
	if w.begun || w.short == nil {
		return
	}
	w.begun = true
	w.declare()
}

// openBlock ends the block of the previous graph and begins the block of q's graph.
func (w *Writer) openBlock(q rdf.Quad) {
	w.endBlock()
	if !q.G.IsZero() {
		w.checkGraph(q)
		w.node(q.G)
		w.text(" {\n" + tab)
		w.graph = q.G
	}
	w.subject(q)
}

// endBlock ends the current subject and the current graph.
func (w *Writer) endBlock() {
	if !w.last.S.IsZero() {
		w.text(" .\n")
	}
	if !w.graph.IsZero() {
		w.text("}\n")
	}
	w.last, w.graph = rdf.Quad{}, rdf.Term{}
}
