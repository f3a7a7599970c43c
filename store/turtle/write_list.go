package turtle

import "github.com/segraph/segraph/store/rdf"

// listCell takes a blank node's pairs and tells whether they are those of a cell of a list:
// one rdf:first, one rdf:rest, and nothing else.
type listCell struct {
	first, rest rdf.Term
	bad         bool
	yield       func(p, o rdf.Term) bool
}

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

// read returns what the cell b holds and what follows, and whether it is one.
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

// isList reports whether the blank node head, which is to be written inside of another,
// begins a list that can be written as ( … ): cells of nothing but an item and the next
// cell, every one but the head referred to by the one before it alone, up to rdf:nil.
// Such a chain can't come back to itself. If it is no list, neither is what follows head
// in the chain, as far as it was looked at, and that is noted: so no cell is looked at
// twice.
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
				break // the source failed; its Err tells
			}
		}
		return false
	}
}

// list writes a list that isList has found, cell by cell. Its items stand at that depth.
func (w *graphWriter) list(head rdf.Term, depth int) {
	w.text("(")
	for cell := head; cell.IsBlank() && w.err == nil; {
		first, rest, ok := w.read(cell)
		if !ok {
			return // the source failed; its Err tells
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
