package eval

import (
	"math"

	stored "github.com/segraph/segraph/store/memory"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql/source"
	"github.com/segraph/segraph/store/sparql/statistics"
)

// memory is a small dataset that counts how often it is read.
type memory struct {
	source.Reader
	quads []rdf.Quad

	census              *statistics.Census
	seeks, read, looked int   // scans begun, tuples returned, terms looked up
	fail                error // the error at the end of every scan
	ordered             []source.OrderedRange
}

func newMemory(quads ...rdf.Quad) *memory {
	return &memory{Reader: stored.New(quads), quads: quads}
}

func (m *memory) add(quads ...rdf.Quad) {
	m.quads = append(m.quads, quads...)
	m.Reader = stored.New(m.quads)
}

// id returns the id of a term, 0 for none.
func (m *memory) id(t rdf.Term) source.ID {
	id, err := m.ID(t)
	if err != nil {
		panic(err)
	}
	return id
}

// last returns the greatest id in a triple.
func (m *memory) last() (id source.ID) {
	for _, t := range m.triples() {
		id = max(id, source.ID(t[0]), source.ID(t[1]), source.ID(t[2]))
	}
	return id
}

// triples returns the triples of the default graph, as subject, predicate and object.
func (m *memory) triples() (out []source.Tuple) {
	s := m.Reader.Scan(0, source.SPO)
	s.Seek(source.Tuple{}, source.Tuple{math.MaxUint64, math.MaxUint64, math.MaxUint64})
	for tuples := s.Next(); tuples != nil; tuples = s.Next() {
		out = append(out, tuples...)
	}
	return out
}

func (m *memory) Term(id source.ID) (rdf.Term, error) { m.looked++; return m.Reader.Term(id) }
func (m *memory) Census() *statistics.Census          { return m.census }
func (m *memory) Ordered() []source.OrderedRange      { return m.ordered }

func (m *memory) Scan(g source.ID, o source.Order) source.Scan {
	return &memoryScan{Scan: m.Reader.Scan(g, o), m: m}
}
func (m *memory) Backwards(g source.ID, o source.Order) source.Scan {
	return &memoryScan{Scan: m.Reader.Backwards(g, o), m: m}
}

// memoryScan returns two tuples at a time, so that tests cross the ends of blocks.
type memoryScan struct {
	source.Scan
	m    *memory
	rest []source.Tuple
}

func (s *memoryScan) Seek(lo, hi source.Tuple) {
	s.m.seeks++
	s.rest = nil
	s.Scan.Seek(lo, hi)
}

func (s *memoryScan) Next() []source.Tuple {
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
