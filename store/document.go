package store

import (
	"bytes"
	"slices"

	"github.com/segraph/segraph/store/format"
	"github.com/segraph/segraph/store/orders"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/turtle"
)

// Document is a parsed RDF text: its distinct terms, and its quads as indexes into them.
// One goroutine builds it. It is read-only once it is passed to a Graph. Blank nodes are
// local to a document: a store assigns each of them a new identity.
type Document struct {
	Terms []rdf.Term
	Quads [][4]uint32 // subject, predicate, object, graph: indexes into Terms
	// Triples has the parts of each triple term in Terms, by its index: indexes into Terms,
	// less than its own. It is nil if there are none.
	Triples  map[uint32][3]uint32
	Prefixes []turtle.Prefix // as declared, in order; a later one replaces an earlier one with the same label

	index map[rdf.Term]uint32 // index of each term, by its Fold
	size  int                 // bytes of the terms' texts
	last  [3]recent           // subject, predicate and graph of the previous quad, which often repeat
}

// recent caches a term and its index.
type recent struct {
	term  rdf.Term
	index uint32
}

// Grow makes room for n more quads, most with a new term each.
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

// again returns the index of a term as term does, but first tries the last one at that place, which
// often repeats: 0 for subjects, 1 for predicates, 2 for graphs.
func (d *Document) again(place int, t rdf.Term) uint32 {
	l := &d.last[place]
	if l.term != t || t.IsZero() {
		l.term, l.index = t, d.term(t)
	}
	return l.index
}

// term returns the index of a term, which it adds to Terms if needed.
func (d *Document) term(t rdf.Term) uint32 {
	key := t.Fold()
	if i, ok := d.index[key]; ok {
		return i
	}
	if d.index == nil {
		d.index = make(map[rdf.Term]uint32)
	}
	var parts [3]uint32
	if t.IsTriple() {
		of := t.Triple()
		parts = [3]uint32{d.term(of.S), d.term(of.P), d.term(of.O)}
	}
	i := uint32(len(d.Terms))
	d.Terms = append(d.Terms, t)
	if t.IsTriple() {
		if d.Triples == nil {
			d.Triples = map[uint32][3]uint32{}
		}
		d.Triples[i] = parts
	}
	d.size += len(t.Value()) + len(t.Datatype()) + len(t.Tag())
	d.index[key] = i
	return i
}

// Size returns the number of bytes of the terms' texts.
func (d *Document) Size() int { return d.size }

// Distinct removes repeated quads and returns how many are left. It changes their order.
func (d *Document) Distinct() int {
	quads := make([]packed, len(d.Quads))
	for i, q := range d.Quads {
		quads[i] = pack(q)
	}
	orders.Sort(quads, 2)
	quads = slices.Compact(quads)
	d.Quads = d.Quads[:len(quads)]
	for i, p := range quads {
		d.Quads[i] = p.unpack()
	}
	return len(d.Quads)
}

// packed is a quad of indexes in the order in which quads are sorted: by subject, predicate
// and object, those in the default graph first.
type packed [2]uint64

func pack(q [4]uint32) packed {
	return packed{uint64(q[0])<<32 | uint64(q[1]), uint64(q[2])<<32 | uint64(q[3]-NoGraph)}
}

func (p packed) unpack() [4]uint32 {
	return [4]uint32{uint32(p[0] >> 32), uint32(p[0]), uint32(p[1] >> 32), uint32(p[1]) + NoGraph}
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

// Sentences says which texts are erased with a person: those of nodes that name the person, of the activities from which
// these nodes come, and of the activities about an event that is about the person.
type Sentences struct {
	Texts []rdf.Term // predicates of texts
	From  []rdf.Term // predicates that lead from a node to its activity
	To    []rdf.Term // predicates that lead from an activity to its node
	About rdf.Term   // the predicate that leads from an activity to an event, and from that to the person
}

// Omitted finds which texts of a text or document are omitted together with people who were erased. It reads
// the quads twice: first all of them with Names, then all again with Links.
type Omitted struct {
	of    func(rdf.Term) rdf.Term
	texts Sentences
	names map[rdf.Term]bool // nodes that name a replaced term, and whether each is about one
	nodes map[rdf.Term]bool // these, and their activities
}

// NewOmitted returns an Omitted for the terms that of replaces. The nodes of naming name such terms elsewhere.
func NewOmitted(of func(rdf.Term) rdf.Term, texts Sentences, naming ...rdf.Term) *Omitted {
	o := &Omitted{of: of, texts: texts, names: map[rdf.Term]bool{}, nodes: map[rdf.Term]bool{}}
	for _, node := range naming {
		o.names[node], o.nodes[node] = true, true
	}
	return o
}

// Names reads a quad for the first time.
func (o *Omitted) Names(q rdf.Quad) {
	if o.of(q.O) != q.O {
		o.names[q.S], o.nodes[q.S] = o.names[q.S] || q.P == o.texts.About, true
	}
}

// Links reads a quad for the second time.
func (o *Omitted) Links(q rdf.Quad) {
	if _, is := o.names[q.S]; is && slices.Contains(o.texts.From, q.P) {
		o.nodes[q.O] = true
	}
	if about, is := o.names[q.O]; is && slices.Contains(o.texts.To, q.P) || about && q.P == o.texts.About {
		o.nodes[q.S] = true
	}
}

// Any reports whether Names found a node.
func (o *Omitted) Any() bool { return len(o.nodes) > 0 }

// Map returns the document with every term replaced by what of returns for it, and how many quads it lost.
// These have a term for which of returns the zero Term, or are texts about a replaced term, or about
// a node of naming, a node that names a replaced term, or an activity of such a node. It returns d
// itself if nothing changes. It removes prefixes whose namespace of replaces.
func (d *Document) Map(of func(rdf.Term) rdf.Term, texts Sentences, naming ...rdf.Term) (out *Document, lost int) {
	o := NewOmitted(of, texts, naming...)
	if !d.names(o) {
		return d, 0
	}
	for i := range d.Quads {
		o.Names(d.Quad(i))
	}
	for i := range d.Quads {
		o.Links(d.Quad(i))
	}
	return d.without(o)
}

// names reports whether o may omit anything of the document.
func (d *Document) names(o *Omitted) bool {
	replaced := func(t rdf.Term) bool { return o.of(t) != t }
	return o.Any() || slices.ContainsFunc(d.Terms, replaced) ||
		slices.ContainsFunc(d.Prefixes, func(p turtle.Prefix) bool { return replaced(rdf.NewIRI(p.Namespace)) })
}

// Without is like Map, with what o has found in the text that the document is a part of.
func (d *Document) Without(o *Omitted) (out *Document, lost int) {
	if !d.names(o) {
		return d, 0
	}
	return d.without(o)
}

// without does the work of Without, once names has reported that o may omit something of the document.
func (d *Document) without(o *Omitted) (out *Document, lost int) {
	became := make([]rdf.Term, len(d.Terms))
	for i, t := range d.Terms {
		became[i] = o.of(t)
	}
	out = &Document{Prefixes: slices.DeleteFunc(slices.Clone(d.Prefixes), func(p turtle.Prefix) bool { t := rdf.NewIRI(p.Namespace); return o.of(t) != t })}
	for i, at := range d.Quads {
		q := d.Quad(i)
		to := rdf.Quad{S: became[at[0]], P: became[at[1]], O: became[at[2]]}
		if at[3] != NoGraph {
			to.G = became[at[3]]
		}
		text := IsText(q.O) && (to != q || o.nodes[q.S] && slices.Contains(o.texts.Texts, q.P))
		gone := to.S.IsZero() || to.P.IsZero() || to.O.IsZero() || to.G.IsZero() != q.G.IsZero() // it loses a term
		if text || gone {
			lost++
			continue
		}
		out.Add(to)
	}
	return out, lost
}

// IsText reports whether a term is a text that people wrote or said.
func IsText(t rdf.Term) bool {
	return t.IsLiteral() && (t.Datatype() == rdf.XSDString || t.Tag() != "")
}

// Reset empties the document for the next part of a long text, keeping its memory.
func (d *Document) Reset() {
	clear(d.Terms) // release the texts
	d.Terms, d.Quads, d.Prefixes = d.Terms[:0], d.Quads[:0], nil
	clear(d.index)
	clear(d.Triples)
	d.size = 0
	d.last = [3]recent{}
}

// Text is a document that is too large for a Document. A store may read it any number of
// times.
type Text struct {
	Content []byte
	Format  turtle.Format // of triples only
	Options turtle.Options
	// Refuse returns why a term can't be stored, or "". It may be nil.
	Refuse func(rdf.Term) string
}

// Reader returns a new reader of the text.
func (t *Text) Reader() format.Reader {
	return format.NewReader(bytes.NewReader(t.Content), t.Format, t.Options)
}
