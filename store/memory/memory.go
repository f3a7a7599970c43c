// Package memory holds RDF data in memory, for tests and for programs that read RDF to
// query it.
package memory

import (
	"iter"
	"maps"
	"slices"

	"github.com/segraph/segraph/store/orders"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql/source"
	"github.com/segraph/segraph/store/sparql/syntax"
	"github.com/segraph/segraph/store/sparql/value"
	"github.com/segraph/segraph/store/trigram"
)

// Store is a default graph and any number of named graphs, which never change. It is
// safe for concurrent use, but not a Scan of it.
type Store struct {
	terms  []rdf.Term // by id - 1
	ids    map[rdf.Term]source.ID
	graphs map[source.ID]*[orders.Count][]source.Tuple
}

var _ source.Reader = (*Store)(nil)

// New returns a Store of quads, in which a quad may occur more than once. Blank nodes
// with one label are one node: read each document with its own turtle.Options.Scope.
func New(quads []rdf.Quad) *Store {
	d := &Store{ids: map[rdf.Term]source.ID{}, graphs: map[source.ID]*[orders.Count][]source.Tuple{}}
	for _, q := range quads {
		g := d.number(q.G)
		if d.graphs[g] == nil {
			d.graphs[g] = &[orders.Count][]source.Tuple{}
		}
		d.graphs[g][source.SPO] = append(d.graphs[g][source.SPO], d.parts(q.Triple()))
	}
	for _, indexes := range d.graphs {
		slices.SortFunc(indexes[source.SPO], compare)
		indexes[source.SPO] = slices.Compact(indexes[source.SPO])
		for _, o := range orders.Others {
			for _, t := range indexes[source.SPO] {
				indexes[o] = append(indexes[o], o.Sorted(t))
			}
			slices.SortFunc(indexes[o], compare)
		}
	}
	return d
}

// number returns the id of a term, which it numbers if it is new, and 0 for the zero Term.
func (d *Store) number(t rdf.Term) source.ID {
	id, ok := d.ids[t.Fold()]
	if ok || t.IsZero() {
		return id
	}
	if t.IsTriple() {
		d.parts(t.Triple())
	}
	d.terms = append(d.terms, t)
	d.ids[t.Fold()] = source.ID(len(d.terms))
	return source.ID(len(d.terms))
}

func (d *Store) parts(t rdf.Triple) source.Tuple {
	return source.Tuple{uint64(d.number(t.S)), uint64(d.number(t.P)), uint64(d.number(t.O))}
}

// Term, Kind, Value and ID implement source.Reader. Term returns a literal as it was written
// first, if others differ from it only in the case of their language tags.
func (d *Store) Term(id source.ID) (rdf.Term, error)     { return d.terms[id-1], nil }
func (d *Store) Kind(id source.ID) rdf.Kind              { return d.terms[id-1].Kind() }
func (d *Store) Value(id source.ID) (value.Value, error) { return value.FromTerm(d.terms[id-1]), nil }
func (d *Store) ID(t rdf.Term) (source.ID, error)        { return d.ids[t.Fold()], nil }

// Ids are in order of occurrence, so they tell nothing about the values of their terms.
func (d *Store) Ranges(syntax.Op, value.Value) ([]source.IDRange, bool) { return nil, false }
func (d *Store) Ordered() []source.OrderedRange                         { return nil }
func (d *Store) Nodes() source.IDRange                                  { return source.IDRange{First: 1, Last: 0} }
func (d *Store) Cells([]source.ID, []value.Cell)                        {}
func (d *Store) TextRanges(*trigram.Query, bool) ([]source.IDRange, bool, error) {
	return nil, false, nil
}

// Terms implements source.Reader. It appends nothing to texts.
func (d *Store) Terms(ids []source.ID, terms []rdf.Term, texts []byte, limit int) (n int, all []byte, err error) {
	for size := 0; n < len(ids) && size <= limit; n++ {
		terms[n] = d.terms[ids[n]-1]
		size += len(terms[n].Value())
	}
	return n, texts, nil
}

// Like implements source.Reader. Each term is like no other.
func (d *Store) Like(ids []source.ID, like []uint64) error {
	for i, id := range ids {
		like[i] = uint64(id)
	}
	return nil
}

// Fork returns d, which any number of goroutines may read.
func (d *Store) Fork() source.Reader         { return d }
func (d *Store) Guard(do func() error) error { return do() }

// Graphs returns the named graphs.
func (d *Store) Graphs() []source.ID {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(d.graphs)), func(g source.ID) bool { return g == 0 })
}

// Count implements source.Reader.
func (d *Store) Count(g, s, p, o source.ID) (int64, error) {
	order, lo, hi := source.Range(s, p, o)
	return d.Estimate(g, order, lo, hi)
}

// Estimate implements source.Reader. Its results are exact.
func (d *Store) Estimate(g source.ID, o source.Order, lo, hi source.Tuple) (int64, error) {
	return int64(len(between(d.index(g, o), lo, hi))), nil
}

// index returns the sorted triples of a graph, which need not exist.
func (d *Store) index(g source.ID, o source.Order) []source.Tuple {
	if indexes, ok := d.graphs[g]; ok {
		return indexes[o]
	}
	return nil
}

func compare(a, b source.Tuple) int { return slices.Compare(a[:], b[:]) }

// between returns the tuples from lo to hi.
func between(all []source.Tuple, lo, hi source.Tuple) []source.Tuple {
	from, _ := slices.BinarySearchFunc(all, lo, compare)
	to, found := slices.BinarySearchFunc(all, hi, compare)
	if found {
		to++
	}
	return all[from:max(from, to)]
}

// TripleParts implements source.Reader.
func (d *Store) TripleParts(id source.ID) (spo [3]source.ID, ok bool, err error) {
	t := d.terms[id-1]
	if !t.IsTriple() {
		return spo, false, nil
	}
	for i, part := range d.parts(t.Triple()) { // which are numbered already
		spo[i] = source.ID(part)
	}
	return spo, true, nil
}

// TripleTerms implements source.Reader. It looks at all terms.
func (d *Store) TripleTerms(s, p, o source.ID) iter.Seq2[source.TripleTerm, error] {
	return func(yield func(source.TripleTerm, error) bool) {
		for i := range d.terms {
			id := source.ID(i + 1)
			spo, ok, _ := d.TripleParts(id)
			wanted := ok && (s == 0 || s == spo[0]) && (p == 0 || p == spo[1]) && (o == 0 || o == spo[2])
			if wanted && !yield(source.TripleTerm{ID: id, Parts: spo}, nil) {
				return
			}
		}
	}
}

// EachTripleTerm implements source.Reader.
func (d *Store) EachTripleTerm(s, p, o source.ID, f func(ids []source.ID) error) error {
	for t := range d.TripleTerms(s, p, o) {
		if err := f([]source.ID{t.ID}); err != nil {
			return err
		}
	}
	return nil
}

// Scan implements source.Reader.
func (d *Store) Scan(g source.ID, o source.Order) source.Scan { return &scan{all: d.index(g, o)} }

// Backwards implements source.Reader.
func (d *Store) Backwards(g source.ID, o source.Order) source.Scan {
	return &scan{all: d.index(g, o), backwards: true}
}

// scan returns the tuples of a range, some at a time.
type scan struct {
	all, rest []source.Tuple
	backwards bool
}

func (s *scan) Seek(lo, hi source.Tuple) {
	s.rest = between(s.all, lo, hi)
	if s.backwards {
		s.rest = slices.Clone(s.rest)
		slices.Reverse(s.rest)
	}
}

// batch is the most tuples that Next returns at a time.
const batch = 512

func (s *scan) Next() (out []source.Tuple) {
	if len(s.rest) == 0 {
		return nil
	}
	n := min(batch, len(s.rest))
	out, s.rest = s.rest[:n], s.rest[n:]
	return out
}

func (s *scan) Err() error { return nil }
