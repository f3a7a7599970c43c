package store

import (
	"bytes"
	"slices"

	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/turtle"
)

// Document is what one piece of RDF text says: its distinct terms and its quads as
// indexes into them. It is made by one goroutine and read-only once it is handed to
// a Graph. Its blank nodes are its own: a store gives each of them a new identity.
type Document struct {
	Terms    []rdf.Term
	Quads    [][4]uint32     // subject, predicate, object, graph: indexes into Terms
	Prefixes []turtle.Prefix // as declared, in order; a later one of the same label counts

	index map[rdf.Term]uint32 // by their Fold
	size  int                 // bytes of the texts of terms
	last  [3]recent           // subject, predicate and graph of the quad before, which are often the next one's
}

// recent is a term and its index, if there is one.
type recent struct {
	term  rdf.Term
	index uint32
}

// Grow makes room for n more quads, of which most have a term of their own.
func (d *Document) Grow(n int) {
	d.Quads, d.Terms = slices.Grow(d.Quads, n), slices.Grow(d.Terms, n)
	if d.index == nil {
		d.index = make(map[rdf.Term]uint32, n)
	}
}

// NoGraph is the graph index of a quad in the default graph.
const NoGraph = ^uint32(0)

// Add appends a quad.
func (d *Document) Add(q rdf.Quad) {
	g := NoGraph
	if !q.G.IsZero() {
		g = d.again(2, q.G)
	}
	d.Quads = append(d.Quads, [4]uint32{d.again(0, q.S), d.again(1, q.P), d.term(q.O), g})
}

func (d *Document) again(place int, t rdf.Term) uint32 {
	l := &d.last[place]
	if l.term != t {
		l.term, l.index = t, d.term(t)
	}
	return l.index
}

func (d *Document) term(t rdf.Term) uint32 {
	key := t.Fold()
	if i, ok := d.index[key]; ok {
		return i
	}
	if d.index == nil {
		d.index = make(map[rdf.Term]uint32)
	}
	i := uint32(len(d.Terms))
	d.Terms = append(d.Terms, t)
	d.size += len(t.Value()) + len(t.Datatype()) + len(t.Language())
	d.index[key] = i
	return i
}

// Size returns how many bytes the texts of the terms have.
func (d *Document) Size() int { return d.size }

// Distinct drops repeated quads and returns how many are left. The order of what is
// left is not that of the text.
func (d *Document) Distinct() int {
	slices.SortFunc(d.Quads, func(a, b [4]uint32) int { return slices.Compare(a[:], b[:]) })
	d.Quads = slices.Compact(d.Quads)
	return len(d.Quads)
}

// Quad returns the i-th quad as terms.
func (d *Document) Quad(i int) rdf.Quad {
	q := d.Quads[i]
	out := rdf.Quad{S: d.Terms[q[0]], P: d.Terms[q[1]], O: d.Terms[q[2]]}
	if q[3] != NoGraph {
		out.G = d.Terms[q[3]]
	}
	return out
}

// Reset empties the document for the next part of a long text, keeping its memory.
func (d *Document) Reset() {
	clear(d.Terms) // let go of the texts
	d.Terms, d.Quads, d.Prefixes = d.Terms[:0], d.Quads[:0], nil
	clear(d.index)
	d.size = 0
	d.last = [3]recent{}
}

// Text is a document that is too large to be held as a Document. Whoever stores it reads
// it as often as they want.
type Text struct {
	Content []byte
	Format  turtle.Format // of triples
	Options turtle.Options
	// Refuse, which may be nil, says why a term can't be stored, "" if it can.
	Refuse func(rdf.Term) string
}

// Reader returns a new reader of the text.
func (t *Text) Reader() *turtle.Reader {
	return turtle.NewReader(bytes.NewReader(t.Content), t.Format, t.Options)
}
