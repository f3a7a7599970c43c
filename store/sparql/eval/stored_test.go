package eval

import (
	"iter"
	"maps"
	"slices"

	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql/source"
	"github.com/segraph/segraph/store/sparql/syntax"
	"github.com/segraph/segraph/store/sparql/value"
)

// stored is a dataset in memory. It sorts an index when that is first scanned.
type stored struct {
	terms  []rdf.Term // by id - 1
	ids    map[rdf.Term]source.ID
	graphs map[source.ID]map[source.Tuple]bool
	sorted map[source.ID]*[3][]source.Tuple // the indexes of each graph, or nil
}

var _ source.TripleIndex = (*stored)(nil)

func (d *stored) add(quads []rdf.Quad) {
	for _, q := range quads {
		g := d.number(q.G)
		if d.graphs[g] == nil {
			d.graphs[g] = map[source.Tuple]bool{}
		}
		d.graphs[g][d.parts(q.Triple())] = true
	}
	d.sorted = map[source.ID]*[3][]source.Tuple{}
}

// number returns the id of a term, and 0 for the zero Term.
func (d *stored) number(t rdf.Term) source.ID {
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

func (d *stored) parts(t rdf.Triple) source.Tuple {
	return source.Tuple{uint64(d.number(t.S)), uint64(d.number(t.P)), uint64(d.number(t.O))}
}

func (d *stored) Term(id source.ID) (rdf.Term, error)     { return d.terms[id-1], nil }
func (d *stored) Kind(id source.ID) rdf.Kind              { return d.terms[id-1].Kind() }
func (d *stored) Value(id source.ID) (value.Value, error) { return value.FromTerm(d.terms[id-1]), nil }
func (d *stored) ID(t rdf.Term) (source.ID, error)        { return d.ids[t.Fold()], nil }
func (d *stored) Ordered() []source.OrderedRange          { return nil }
func (d *stored) Scan(g source.ID, o source.Order) source.Scan {
	return &storedScan{all: d.index(g, o)}
}
func (d *stored) Ranges(syntax.Op, value.Value) ([]source.IDRange, bool) { return nil, false }

func (d *stored) Backwards(g source.ID, o source.Order) source.Scan {
	return &storedScan{all: d.index(g, o), backwards: true}
}

func (d *stored) Graphs() []source.ID {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(d.graphs)), func(g source.ID) bool { return g == 0 })
}

func (d *stored) Count(g, s, p, o source.ID) (int64, error) {
	order, lo, hi := source.Range(s, p, o)
	return d.Estimate(g, order, lo, hi)
}

func (d *stored) Estimate(g source.ID, o source.Order, lo, hi source.Tuple) (int64, error) {
	return int64(len(between(d.index(g, o), lo, hi))), nil
}

func (d *stored) index(g source.ID, o source.Order) []source.Tuple {
	if d.sorted[g] == nil {
		indexes := &[3][]source.Tuple{}
		for o := source.SPO; o <= source.OSP; o++ {
			for t := range d.graphs[g] {
				indexes[o] = append(indexes[o], o.Sorted(t))
			}
			slices.SortFunc(indexes[o], byIDs)
		}
		d.sorted[g] = indexes
	}
	return d.sorted[g][o]
}

func byIDs(a, b source.Tuple) int { return slices.Compare(a[:], b[:]) }

// between returns the tuples from lo to hi.
func between(all []source.Tuple, lo, hi source.Tuple) []source.Tuple {
	from, _ := slices.BinarySearchFunc(all, lo, byIDs)
	to, found := slices.BinarySearchFunc(all, hi, byIDs)
	if found {
		to++
	}
	return all[from:max(from, to)]
}

func (d *stored) TripleParts(id source.ID) (spo [3]source.ID, ok bool, err error) {
	t := d.terms[id-1]
	if !t.IsTriple() {
		return spo, false, nil
	}
	for i, part := range d.parts(t.Triple()) {
		spo[i] = source.ID(part)
	}
	return spo, true, nil
}

func (d *stored) TripleTerms(s, p, o source.ID) iter.Seq2[source.TripleTerm, error] {
	return func(yield func(source.TripleTerm, error) bool) {
		for i := range d.terms {
			id := source.ID(i + 1)
			spo, ok, _ := d.TripleParts(id)
			if ok && (s == 0 || s == spo[0]) && (p == 0 || p == spo[1]) && (o == 0 || o == spo[2]) && !yield(source.TripleTerm{ID: id, Parts: spo}, nil) {
				return
			}
		}
	}
}

func (d *stored) EachTripleTerm(s, p, o source.ID, f func(ids []source.ID) error) error {
	for t := range d.TripleTerms(s, p, o) {
		if err := f([]source.ID{t.ID}); err != nil {
			return err
		}
	}
	return nil
}

// storedScan returns all tuples of its range at once.
type storedScan struct {
	all, rest []source.Tuple
	backwards bool
}

func (s *storedScan) Seek(lo, hi source.Tuple) {
	if s.rest = between(s.all, lo, hi); s.backwards {
		s.rest = slices.Clone(s.rest)
		slices.Reverse(s.rest)
	}
}

func (s *storedScan) Next() (out []source.Tuple) {
	out, s.rest = s.rest, nil
	if len(out) == 0 {
		return nil
	}
	return out
}

func (s *storedScan) Err() error { return nil }
