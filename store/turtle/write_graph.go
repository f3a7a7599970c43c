package turtle

import (
	"io"

	"github.com/segraph/segraph/store/rdf"
)

// maxNesting limits the nesting of blank nodes and lists in the text. Deeper ones get a
// label, because readers limit nesting too, and some of them recurse.
const maxNesting = 50

// WriteGraph writes a graph as readable Turtle: every subject once, blank nodes that are
// an object exactly once as [ … ], well-formed lists as ( … ), and labels for the other
// blank nodes. The prefixes are as in NewWriter.
//
// It streams: memory grows only with the number of nested blank nodes, by one bit each if
// their labels are b<number>. The errors are those of Writer.Write, g.Err, and w,
// wrapped.
func WriteGraph(w io.Writer, g Source, prefixes []Prefix) error {
	out := &graphWriter{encoder: encoder{out: w}, source: g}
	out.short, out.err = newShortener(prefixes)
	if out.err != nil {
		return out.err
	}
	out.declare()
	out.write()
	if err := g.Err(); err != nil {
		return err
	}
	out.flush()
	return out.err
}

type graphWriter struct {
	encoder
	source Source
	levels []*level // by depth
	cell   *listCell
	begun  bool // a statement was written

	// A blank node that is an object once is nested in the subject that refers to it,
	// unless that is the node itself or nested in it. Such cycles are what is left at the
	// end.
	waiting int     // number of nodes to be nested that were skipped and not written yet
	written nodeSet // nodes that were written nested, or at the end
	noList  nodeSet // blank nodes for which isList is known to be false
}

// level writes the pairs of one subject. It is reused, with its closure yield, so that a
// node does not allocate one.
type level struct {
	depth     int
	predicate rdf.Term // the last one written; the zero Term before the first pair
	yield     func(p, o rdf.Term) bool
}

func (w *graphWriter) write() {
	for s, pairs := range w.source.Nodes() {
		if w.stop() {
			return
		}
		references := 2
		if s.IsBlank() {
			references = w.source.References(s)
		}
		if references == 1 {
			w.waiting++
			continue
		}
		w.statement(s, pairs, references > 0)
	}
	if w.waiting == 0 {
		return
	}
	for s, pairs := range w.source.Nodes() {
		if w.stop() {
			return
		}
		if !s.IsBlank() || w.source.References(s) != 1 || w.written.has(s) {
			continue
		}
		w.written.add(s)
		w.statement(s, pairs, true)
		if w.waiting--; w.waiting == 0 {
			return
		}
	}
}

// statement writes a subject that is not nested. named is set if it must have a label
// because something may refer to it.
func (w *graphWriter) statement(s rdf.Term, pairs func(func(p, o rdf.Term) bool), named bool) {
	if w.begun {
		w.text("\n")
	}
	w.begun = true
	if named {
		w.node(s)
	} else {
		w.text("[]")
	}
	w.pairs(pairs, 0)
	w.text(" .\n")
}

// stop reports whether to stop writing.
func (w *graphWriter) stop() bool {
	w.drain()
	return w.err != nil || w.source.Err() != nil
}

// pairs writes the pairs of a subject at a depth, which is 0 for a statement. It reports
// whether there were any.
func (w *graphWriter) pairs(pairs func(func(p, o rdf.Term) bool), depth int) bool {
	for len(w.levels) <= depth { // a list also counts as depth, but uses no level
		f := &level{depth: len(w.levels)}
		f.yield = func(p, o rdf.Term) bool { return w.pair(f, p, o) }
		w.levels = append(w.levels, f)
	}
	f := w.levels[depth]
	f.predicate = rdf.Term{}
	pairs(f.yield)
	return !f.predicate.IsZero()
}

func (w *graphWriter) pair(f *level, p, o rdf.Term) bool {
	switch {
	case f.predicate == p:
		w.text(" , ")
	case f.predicate.IsZero() && f.depth == 0:
		w.text(" ")
		w.predicate(p)
		w.text(" ")
	default:
		if !f.predicate.IsZero() {
			w.text(" ;")
		}
		w.line(f.depth + 1)
		w.predicate(p)
		w.text(" ")
	}
	f.predicate = p
	w.value(o, f.depth+1)
	w.drain()
	return w.err == nil
}

// line begins a new line, indented by depth.
func (w *graphWriter) line(depth int) {
	w.text("\n")
	for range depth {
		w.text("    ")
	}
}

// value writes an object. If it is a nested blank node, it is at depth.
func (w *graphWriter) value(o rdf.Term, depth int) {
	if !o.IsBlank() {
		if o.Value() == rdf.RDFNil && o.IsIRI() {
			w.text("()")
		} else {
			w.object(o)
		}
		return
	}
	if !w.inside(o) || depth > maxNesting {
		w.node(o)
		return
	}
	if w.isList(o) {
		w.list(o, depth)
		return
	}
	w.written.add(o)
	w.text("[")
	if w.pairs(w.source.Node(o), depth) {
		w.waiting--
		w.line(depth)
	}
	w.text("]")
}

// inside reports whether to nest the blank node o in the subject that refers to it.
func (w *graphWriter) inside(o rdf.Term) bool {
	return w.source.References(o) == 1 && !w.written.has(o)
}
