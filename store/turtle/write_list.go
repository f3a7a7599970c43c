package turtle

import "github.com/segraph/segraph/store/rdf"

// listCell collects the pairs of a blank node if it is a cell of a list: one rdf:first,
// one rdf:rest, and nothing else.
type listCell struct {
	first, rest rdf.Term
	bad         bool
	yield       func(p, o rdf.Term) bool
}

// pair collects one pair, and reports whether the node can still be a cell.
func (c *listCell) pair(p, o rdf.Term) bool {
	switch {
	case p.Value() == rdf.RDFFirst && c.first.IsZero():
		c.first = o
	case p.Value() == rdf.RDFRest && c.rest.IsZero():
		c.rest = o
	default:
		c.bad = true
	}
	return !c.bad
}

// read returns the item and the next cell of the cell b. ok is false if b is not a cell.
func (w *graphWriter) read(b rdf.Term) (first, rest rdf.Term, ok bool) {
	if w.cell == nil {
		w.cell = &listCell{}
		w.cell.yield = w.cell.pair
	}
	c := w.cell
	c.first, c.rest, c.bad = rdf.Term{}, rdf.Term{}, false
	w.source.Node(b)(c.yield)
	return c.first, c.rest, !c.bad && !c.first.IsZero() && !c.rest.IsZero()
}

// isList reports whether the nested blank node head begins a list that can be written in
// round brackets: each cell has only an item and the next cell, only the cell before it
// refers to it, and the last one ends in rdf:nil. Such a chain has no cycle. If head begins
// no list, neither do the cells after it that were read: noList records them, so that no
// cell is read twice.
func (w *graphWriter) isList(head rdf.Term) bool {
	if w.noList.has(head) {
		return false
	}
	for cell := head; ; {
		_, rest, ok := w.read(cell)
		switch {
		case ok && rest.Value() == rdf.RDFNil && rest.IsIRI():
			return true
		case ok && rest.IsBlank() && w.inside(rest):
			cell = rest
			continue
		}
		for last := cell; head != last; w.noList.add(head) {
			_, head, ok = w.read(head)
			if !ok {
				break // the source failed; its Err returns the error
			}
		}
		return false
	}
}

// list writes a list found by isList, cell by cell. Its items are at depth+1.
func (w *graphWriter) list(head rdf.Term, depth int) {
	w.text("(")
	for cell := head; cell.IsBlank() && w.err == nil; {
		first, rest, ok := w.read(cell)
		if !ok {
			return // the source failed; its Err returns the error
		}
		w.written.add(cell)
		w.waiting--
		w.text(" ")
		w.value(first, depth+1)
		w.drain()
		cell = rest
	}
	w.text(" )")
}
