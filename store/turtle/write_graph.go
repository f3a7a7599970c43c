package turtle

import (
	"io"
	"iter"

	"github.com/segraph/segraph/store/rdf"
)

// maxNesting limits the nesting of blank nodes and lists in the text. Deeper ones get a
// label, because readers limit nesting too, and some of them recurse.
const maxNesting = 50

// WriteGraph writes a graph as readable Turtle: every subject once, blank nodes that are
// an object exactly once as [ … ], well-formed lists as ( … ), reifiers of triples that
// the graph has as annotations, and labels for the other blank nodes. The prefixes are as
// in NewWriter.
//
// It streams: memory grows only with the number of nested blank nodes, by one bit each if
// their labels are b<number>. The errors are those of Writer.Write, g.Err, and w,
// wrapped.
func WriteGraph(w io.Writer, g Source, prefixes []Prefix) error {
	return WriteGraphs(w, []NamedSource{{Source: g}}, prefixes)
}

// NamedSource is a graph with its name, which is zero for the default graph.
type NamedSource struct {
	Name rdf.Term
	Source
}

// WriteGraphs writes graphs as TriG, each as WriteGraph does. A blank node in several of
// them must have References in all, so that it gets a label.
func WriteGraphs(w io.Writer, graphs []NamedSource, prefixes []Prefix) error {
	out := &graphWriter{encoder: encoder{out: w}}
	out.short = newShortener(prefixes)
	out.declare()
	for _, g := range graphs {
		if err := out.graph(g); err != nil {
			return err
		}
	}
	out.flush()
	return out.err
}

// graph writes one graph. It returns an error of its source.
func (w *graphWriter) graph(g NamedSource) error {
	w.source, w.annotated, w.name = g.Source, g.Annotated(), g.Name
	w.written, w.noList, w.waiting, w.inBlock = nodeSet{}, nodeSet{}, 0, false
	w.write()
	if w.inBlock {
		w.text("}\n")
	}
	return g.Err()
}

type graphWriter struct {
	encoder
	source    Source
	annotated bool     // by source
	name      rdf.Term // of the graph, or zero
	inBlock   bool     // its "{" was written
	levels    []*level // by depth
	cell      *listCell
	begun     bool // a statement was written

	subject rdf.Term // of the statement
	named   bool     // the statement's subject has a label if it is a blank node

	// A blank node that is an object once is nested in the subject that refers to it,
	// except in a cycle. The nodes of cycles are left until the end.
	waiting int     // number of nodes to be nested that were skipped and not written yet
	written nodeSet // nodes that were written nested, or at the end
	noList  nodeSet // blank nodes for which isList is known to be false
}

// level writes the pairs of one subject. It is reused, with its closure yield, so that a
// node does not allocate one.
type level struct {
	depth     int
	in        container
	predicate rdf.Term // the last one written; the zero Term before the first pair
	yield     func(p, o rdf.Term) bool
}

// container is what holds the pairs of a level.
type container uint8

const (
	inStatement container = iota
	inBrackets
	inAnnotation
)

// write writes the subjects of a graph. A blank node that one triple refers to is written there in brackets; those
// left over refer to each other in a circle, and follow.
func (w *graphWriter) write() {
	for s, pairs := range w.source.Nodes() {
		if w.stop() {
			return
		}
		references := 2 // an IRI is not nested
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
	w.subject, w.named = s, named
	if w.pairs(pairs, 0, inStatement) {
		w.text(" .\n")
	}
}

// open writes what stands before the first pair of a statement: its subject, and before
// the first statement of a named graph the name.
func (w *graphWriter) open() {
	if w.begun {
		w.text("\n")
	}
	w.begun = true
	if !w.name.IsZero() {
		if !w.inBlock {
			w.inBlock = true
			w.node(w.name)
			w.text(" {\n")
		}
		w.text(tab)
	}
	if w.named {
		w.node(w.subject)
	} else {
		w.text("[]")
	}
	w.text(" ")
}

func (w *graphWriter) stop() bool {
	w.drain()
	return w.err != nil || w.source.Err() != nil
}

// pairs writes the pairs of a subject at a depth, which is 0 for a statement. It
// omits pairs that are written as annotations. It reports whether it wrote any.
func (w *graphWriter) pairs(pairs func(func(p, o rdf.Term) bool), depth int, in container) bool {
	for len(w.levels) <= depth { // a list also counts as depth, but uses no level
		f := &level{depth: len(w.levels)}
		f.yield = func(p, o rdf.Term) bool { return w.pair(f, p, o) }
		w.levels = append(w.levels, f)
	}
	f := w.levels[depth]
	f.in, f.predicate = in, rdf.Term{}
	pairs(f.yield)
	return !f.predicate.IsZero()
}

// pair writes a predicate and object of a subject, and the annotations of their triple. It reports whether to go on.
func (w *graphWriter) pair(f *level, p, o rdf.Term) bool {
	var reifiers iter.Seq[rdf.Term]
	if w.annotated {
		if w.source.Annotates(p, o) {
			return w.err == nil
		}
		if f.in == inStatement { // other subjects are in no triple term: see References
			reifiers = w.source.Reifiers(w.subject, p, o)
		}
	}
	switch {
	case f.predicate == p:
		w.text(" , ")
	case f.predicate.IsZero() && f.in == inStatement:
		w.open()
		w.predicate(p)
		w.text(" ")
	default:
		switch {
		case !f.predicate.IsZero():
			w.text(" ;")
		case f.in == inAnnotation:
			w.text(" {|")
		}
		w.line(f.depth + 1)
		w.predicate(p)
		w.text(" ")
	}
	f.predicate = p
	w.value(o, f.depth+1)
	if reifiers != nil {
		w.annotations(reifiers)
	}
	w.drain()
	return w.err == nil
}

// annotations writes the reifiers of a triple, just after the triple's object. A
// blank node that needs no label becomes {| … |}. These come first: after "~
// reifier" the braces would be about that reifier.
func (w *graphWriter) annotations(reifiers iter.Seq[rdf.Term]) {
	bare := 0
	for r := range reifiers {
		if !r.IsBlank() || !w.inside(r) {
			continue
		}
		w.written.add(r)
		w.waiting--
		if w.pairs(w.source.Node(r), 1, inAnnotation) {
			w.line(1)
			w.text("|}")
		} else {
			bare++
		}
	}
	for range bare {
		w.text(" ~") // not every reader accepts "~ []"
	}
	for r := range reifiers {
		if !r.IsBlank() || !w.written.has(r) {
			w.text(" ~ ")
			w.node(r)
			w.drain()
		}
	}
}

// line begins a new line, indented by depth.
func (w *graphWriter) line(depth int) {
	w.text("\n")
	if w.inBlock {
		depth++
	}
	for range depth {
		w.text(tab)
	}
}

const tab = "    "

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
	if w.pairs(w.source.Node(o), depth, inBrackets) {
		w.waiting--
		w.line(depth)
	}
	w.text("]")
}

// inside reports whether to nest the blank node o in the subject that refers to it, or in
// the triple that it annotates.
func (w *graphWriter) inside(o rdf.Term) bool {
	return w.source.References(o) == 1 && !w.written.has(o)
}
