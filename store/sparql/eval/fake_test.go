package eval

import (
	"math"

	"github.com/segraph/segraph/store/rdf"
)

// memory is a small dataset that counts how often it is read.
type memory struct {
	Dataset // a *stored

	census              *Census
	seeks, read, looked int   // scans begun, tuples returned, terms looked up
	fail                error // the error at the end of every scan
	ordered             []OrderedRange
}

func newMemory(quads ...rdf.Quad) *memory {
	m := &memory{Dataset: &stored{ids: map[rdf.Term]ID{}, graphs: map[ID]map[Tuple]bool{}}}
	m.add(quads...)
	return m
}

func (m *memory) add(quads ...rdf.Quad) { m.Dataset.(*stored).add(quads) }

// id returns the id of a term, 0 for none.
func (m *memory) id(t rdf.Term) ID {
	id, err := m.ID(t)
	if err != nil {
		panic(err)
	}
	return id
}

// last returns the greatest id in a triple.
func (m *memory) last() (id ID) {
	for _, t := range m.triples() {
		id = max(id, ID(t[0]), ID(t[1]), ID(t[2]))
	}
	return id
}

// triples returns the triples of the default graph, as subject, predicate and object.
func (m *memory) triples() (out []Tuple) {
	s := m.Dataset.Scan(0, SPO)
	s.Seek(Tuple{}, Tuple{math.MaxUint64, math.MaxUint64, math.MaxUint64})
	for tuples := s.Next(); tuples != nil; tuples = s.Next() {
		out = append(out, tuples...)
	}
	return out
}

func (m *memory) Term(id ID) (rdf.Term, error) { m.looked++; return m.Dataset.Term(id) }
func (m *memory) Census() *Census              { return m.census }
func (m *memory) Ordered() []OrderedRange      { return m.ordered }

func (m *memory) Scan(g ID, o Order) Scan { return &memoryScan{Scan: m.Dataset.Scan(g, o), m: m} }
func (m *memory) Backwards(g ID, o Order) Scan {
	return &memoryScan{Scan: m.Dataset.Backwards(g, o), m: m}
}

// memoryScan returns two tuples at a time, so that tests cross the ends of blocks.
type memoryScan struct {
	Scan
	m    *memory
	rest []Tuple
}

func (s *memoryScan) Seek(lo, hi Tuple) {
	s.m.seeks++
	s.rest = nil
	s.Scan.Seek(lo, hi)
}

func (s *memoryScan) Next() []Tuple {
	if s.m.fail != nil {
		return nil
	}
	if len(s.rest) == 0 {
		s.rest = s.Scan.Next()
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
