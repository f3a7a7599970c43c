package turtle

import (
	"io"
	"maps"
	"slices"
	"unsafe"

	"github.com/segraph/segraph/store/rdf"
)

// maxHeld is how many bytes of quads an AnnotatingWriter holds, roughly.
const maxHeld = 1 << 20

// AnnotatingWriter writes quads in Turtle or TriG like a Writer, and restores annotations
// from quads in any order: it holds up to 1 MiB of quads, and writes a reifier with its
// triple if it holds both at a time. If the quads are of one graph, have annotations and
// never exceed 1 MiB, they are written as by WriteGraph.
//
// Errors of a quad may be returned by a later Write, or by Close. An AnnotatingWriter must
// be used by one goroutine.
type AnnotatingWriter struct {
	out      *Writer
	to       io.Writer
	prefixes []Prefix
	held     []rdf.Quad
	size     int  // of held, in bytes
	triples  bool // some quads have triple terms as objects
}

// NewAnnotatingWriter returns an AnnotatingWriter that writes to w in format f. The
// prefixes are as in NewWriter.
func NewAnnotatingWriter(w io.Writer, f Format, prefixes []Prefix) *AnnotatingWriter {
	return &AnnotatingWriter{out: NewWriter(w, f, prefixes), to: w, prefixes: prefixes}
}

// Write writes a quad. It returns the errors of Writer.Write.
func (w *AnnotatingWriter) Write(q rdf.Quad) error {
	if w.out.closed || w.out.err != nil {
		return w.out.Write(q)
	}
	w.held = append(w.held, q)
	w.triples = w.triples || q.O.IsTriple()
	if w.size += heldSize(q); w.size > maxHeld {
		w.release(w.annotated(), maxHeld/2)
	}
	return w.out.err
}

// Close writes the quads that are held, ends the text and writes buffered text. It does
// not close the io.Writer.
func (w *AnnotatingWriter) Close() error {
	if w.out.closed || w.out.err != nil {
		return w.out.Close()
	}
	annotated := w.annotated()
	holdsAll := !w.out.begun
	if len(annotated) > 0 && holdsAll && w.isGraph() {
		w.out.closed = true // writeGraph writes the whole text, with a writer of its own
		w.out.fail(w.writeGraph())
		return w.out.err
	}
	w.release(annotated, 0)
	return w.out.Close()
}

// statement collects the held reifiers of a quad. isHeld is set if the quad itself is
// held.
type statement struct {
	reifiers []rdf.Quad
	isHeld   bool
}

// reified returns the triple that q's subject reifies, in the graph of q. ok is false if there is none, or if it is not
// Annotatable.
func reified(q rdf.Quad) (of rdf.Quad, ok bool) {
	if q.P.Value() != rdf.RDFReifies || !q.O.IsTriple() {
		return rdf.Quad{}, false
	}
	t := q.O.Triple()
	return t.In(q.G), Annotatable(t.S, t.P)
}

// annotated returns the statements that are held with reifiers.
func (w *AnnotatingWriter) annotated() map[rdf.Quad]*statement {
	if !w.triples {
		return nil
	}
	all := make(map[rdf.Quad]*statement)
	for _, q := range w.held {
		if of, ok := reified(q); ok {
			if all[of] == nil {
				all[of] = &statement{}
			}
			all[of].reifiers = append(all[of].reifiers, q)
		}
	}
	for _, q := range w.held {
		if s := all[q]; s != nil {
			s.isHeld = true
		}
	}
	maps.DeleteFunc(all, func(_ rdf.Quad, s *statement) bool { return !s.isHeld })
	return all
}

// release writes the oldest quads until at most limit bytes are held. A reifier of a
// statement in annotated moves behind the statement.
func (w *AnnotatingWriter) release(annotated map[rdf.Quad]*statement, limit int) {
	if len(annotated) > 0 {
		w.held = inOrder(w.held, annotated)
	}
	n := 0
	for ; n < len(w.held) && w.size > limit; n++ {
		w.size -= heldSize(w.held[n])
		_ = w.out.Write(w.held[n]) // which keeps the error
	}
	w.held = slices.Delete(w.held, 0, n)
}

// inOrder returns quads with the reifiers of each statement behind it.
func inOrder(quads []rdf.Quad, annotated map[rdf.Quad]*statement) []rdf.Quad {
	out := make([]rdf.Quad, 0, len(quads))
	for _, q := range quads {
		if of, ok := reified(q); ok && annotated[of] != nil {
			continue
		}
		out = append(out, q)
		if s := annotated[q]; s != nil {
			out = append(out, s.reifiers...)
			s.reifiers = nil // not again if q is repeated
		}
	}
	return out
}

// isGraph reports whether all held quads are in one graph, and the format can write
// that graph.
func (w *AnnotatingWriter) isGraph() bool {
	g := w.held[0].G
	return (g.IsZero() || w.out.format == TriG) && !slices.ContainsFunc(w.held, func(q rdf.Quad) bool { return q.G != g })
}

// writeGraph writes the quads that are held, which are of one graph.
func (w *AnnotatingWriter) writeGraph() error {
	triples := make([]rdf.Triple, len(w.held))
	for i, q := range w.held {
		triples[i] = q.Triple()
	}
	return WriteGraphs(w.to, []NamedSource{{Name: w.held[0].G, Source: NewMemorySource(triples)}}, w.prefixes)
}

// heldSize returns roughly how many bytes it takes to hold a quad.
func heldSize(q rdf.Quad) int {
	return int(unsafe.Sizeof(q)) + len(q.S.Value()) + len(q.P.Value()) + len(q.O.Value()) + len(q.O.Tag())
}
