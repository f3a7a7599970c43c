package eval

import (
	"slices"

	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql/syntax"
	"github.com/segraph/segraph/store/sparql/value"
)

// memory is a small dataset that counts what is asked of it. Terms are numbered as they come, the
// named graphs too.
type memory struct {
	terms []rdf.Term
	ids   map[rdf.Term]ID
	quads map[ID][][3]ID // by graph, as subject, predicate, object

	census              *Census
	seeks, read, looked int   // scans begun, tuples given, terms looked up
	fail                error // what every scan ends with
	ordered             []IDRange
}

func newMemory(quads ...rdf.Quad) *memory {
	m := &memory{ids: map[rdf.Term]ID{}, quads: map[ID][][3]ID{}}
	for _, q := range quads {
		g := m.add(q.G)
		m.quads[g] = append(m.quads[g], [3]ID{m.add(q.S), m.add(q.P), m.add(q.O)})
	}
	return m
}

func (m *memory) add(t rdf.Term) ID {
	if t.IsZero() {
		return 0
	}
	if _, ok := m.ids[t]; !ok {
		m.terms = append(m.terms, t)
		m.ids[t] = ID(len(m.terms))
	}
	return m.ids[t]
}

func (m *memory) Term(id ID) (rdf.Term, error) { m.looked++; return m.terms[id-1], nil }
func (m *memory) Kind(id ID) rdf.Kind          { return m.terms[id-1].Kind() }
func (m *memory) Value(id ID) (value.Value, error) {
	return value.FromTerm(m.terms[id-1]), nil
}

func (m *memory) IDs(t rdf.Term) (out []ID, err error) {
	for i, u := range m.terms {
		if u.EqualFold(t) {
			out = append(out, ID(i+1))
		}
	}
	return out, nil
}

func (m *memory) Graphs() (out []ID) {
	for g := range m.quads {
		if g != 0 {
			out = append(out, g)
		}
	}
	slices.Sort(out)
	return out
}

func (m *memory) Census() *Census { return m.census }

func (m *memory) Count(g, s, p, o ID) (n int64, err error) {
	for _, t := range m.quads[g] {
		if (s == 0 || s == t[0]) && (p == 0 || p == t[1]) && (o == 0 || o == t[2]) {
			n++
		}
	}
	return n, nil
}

func (m *memory) Estimate(g ID, o Order, lo, hi [3]uint64) (int64, error) {
	s := m.Scan(g, o).(*memoryScan)
	s.Seek(lo, hi)
	return int64(len(s.rest)), nil
}

// It knows nothing of values but what it is told.
func (m *memory) Ranges(syntax.Op, value.Value) ([]IDRange, bool) { return nil, false }
func (m *memory) Ordered() []IDRange                              { return m.ordered }

func (m *memory) Backwards(g ID, o Order) Scan {
	s := m.Scan(g, o).(*memoryScan)
	slices.Reverse(s.all)
	return s
}

func (m *memory) Scan(g ID, o Order) Scan {
	s := &memoryScan{m: m}
	for _, t := range m.quads[g] {
		var tuple [3]uint64
		for k, place := range o.Places() {
			tuple[k] = uint64(t[place])
		}
		s.all = append(s.all, tuple)
	}
	slices.SortFunc(s.all, func(a, b [3]uint64) int { return slices.Compare(a[:], b[:]) })
	s.all = slices.Compact(s.all)
	return s
}

// memoryScan gives two tuples at a time, so that there are ends of blocks.
type memoryScan struct {
	m    *memory
	all  [][3]uint64
	rest [][3]uint64
}

func (s *memoryScan) Seek(lo, hi [3]uint64) {
	s.m.seeks++
	s.rest = nil
	for _, t := range s.all {
		if !lessTuple(&t, &lo) && !lessTuple(&hi, &t) {
			s.rest = append(s.rest, t)
		}
	}
}

func (s *memoryScan) Next() [][3]uint64 {
	if s.m.fail != nil {
		return nil
	}
	n := min(2, len(s.rest))
	if n == 0 {
		return nil
	}
	out := s.rest[:n]
	s.rest = s.rest[n:]
	s.m.read += n
	return out
}

func (s *memoryScan) Err() error { return s.m.fail }
