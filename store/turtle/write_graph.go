package turtle

import (
	"io"

	"github.com/segraph/segraph/store/rdf"
)

// maxNesting is how deep blank nodes and lists are nested in the text. Deeper ones get a
// label. Readers limit nesting too, and some recurse.
const maxNesting = 50

// WriteGraph writes a graph as Turtle for people to read: every subject once, blank nodes
// that are an object exactly once as [ … ], well-formed lists as ( … ), and labels for
// the other blank nodes. The prefixes are those of NewWriter.
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

	// A blank node that is an object once is written inside of the subject that refers to
	// it, unless that is itself, or further inside of itself: cycles are found by what is
	// left in the end.
	waiting int     // how many such subjects were passed over and not written yet
	written nodeSet // such nodes that were written
	noList  nodeSet // blank nodes of which isList is known to say no
}

// level writes the pairs of one subject. Its yield is made once, because a new closure for
// every node would be garbage for every node.
type level struct {
	depth     int
	predicate rdf.Term // the last one written; no term before the first pair
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

// statement writes a subject that stands by itself. named says that something else may
// refer to it, if it is a blank node.
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

// stop reports whether there is no use in going on.
func (w *graphWriter) stop() bool {
	w.drain()
	return w.err != nil || w.source.Err() != nil
}

// pairs writes the pairs of a subject that stands at that depth, 0 being a statement of its
// own, and gives whether there were any.
func (w *graphWriter) pairs(pairs func(func(p, o rdf.Term) bool), depth int) bool {
	for len(w.levels) <= depth { // lists take a depth too, but no level
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

// line begins a new line at that depth.
func (w *graphWriter) line(depth int) {
	w.text("\n")
	for range depth {
		w.text("    ")
	}
}

// value writes an object that would, if it is a blank node, stand at that depth.
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

// inside reports whether the blank node o is to be written where it is referred to.
func (w *graphWriter) inside(o rdf.Term) bool {
	return w.source.References(o) == 1 && !w.written.has(o)
}
