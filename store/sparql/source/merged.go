package source

import (
	"slices"

	"github.com/segraph/segraph/store/rdf"
)

// Restrict returns the dataset that FROM and FROM NAMED describe (SPARQL 1.1, section
// 13.2). With either clause, the default graph is the merge of the graphs of FROM, which
// may be none, and the named graphs are those of FROM NAMED. A graph that ds lacks is
// empty.
func Restrict(ds Reader, from, named []rdf.Term) (Reader, error) {
	if len(from) == 0 && len(named) == 0 {
		return ds, nil
	}
	m := &merged{Reader: ds}
	seen := map[ID]bool{}
	for i, list := range [][]rdf.Term{from, named} {
		clear(seen)
		for _, t := range list {
			id, err := ds.ID(t)
			if err != nil {
				return nil, err
			}
			if id == 0 || seen[id] {
				continue
			}
			seen[id] = true
			if i == 0 {
				m.from = append(m.from, id)
			} else {
				m.named = append(m.named, id)
			}
		}
	}
	return m, nil
}

// merged is a dataset whose default graph is the merge of several graphs.
type merged struct {
	Reader
	from, named []ID
}

func (m *merged) Graphs() []ID { return m.named }

// Count is too high for the default graph if its graphs share triples.
func (m *merged) Count(g, s, p, o ID) (int64, error) {
	return m.sum(g, func(g ID) (int64, error) { return m.Reader.Count(g, s, p, o) })
}

// Estimate is too high for the default graph if its graphs share triples.
func (m *merged) Estimate(g ID, o Order, lo, hi Tuple) (int64, error) {
	return m.sum(g, func(g ID) (int64, error) { return m.Reader.Estimate(g, o, lo, hi) })
}

// sum adds the numbers of the graphs that g stands for.
func (m *merged) sum(g ID, of func(g ID) (int64, error)) (sum int64, err error) {
	if g != 0 {
		return of(g)
	}
	for _, g := range m.from {
		n, err := of(g)
		if err != nil {
			return 0, err
		}
		sum += n
	}
	return sum, nil
}

func (m *merged) Scan(g ID, o Order) Scan {
	return m.scan(g, func(g ID) Scan { return m.Reader.Scan(g, o) }, lessTuple)
}

func (m *merged) Backwards(g ID, o Order) Scan {
	return m.scan(g, func(g ID) Scan { return m.Reader.Backwards(g, o) }, func(a, b *Tuple) bool { return lessTuple(b, a) })
}

// scan returns the scan of a graph, from one, or for the default graph the merge of the scans of
// all m.from, in the order of before.
func (m *merged) scan(g ID, one func(g ID) Scan, before func(a, b *Tuple) bool) Scan {
	if g != 0 {
		return one(g)
	}
	if len(m.from) == 1 {
		return one(m.from[0])
	}
	s := &mergedScan{before: before}
	for _, g := range m.from {
		s.scans = append(s.scans, one(g))
	}
	s.heads = make([][]Tuple, len(s.scans))
	return s
}

// mergedScan walks several indexes in order and skips duplicate tuples.
type mergedScan struct {
	before func(a, b *Tuple) bool // the order
	scans  []Scan
	heads  [][]Tuple // by scan, tuples that it returned and that are not used yet
	out    []Tuple
	err    error
}

func (s *mergedScan) Seek(lo, hi Tuple) {
	for i, scan := range s.scans {
		scan.Seek(lo, hi)
		s.heads[i] = nil
		s.fill(i)
	}
}

// fill reads more tuples of scan i if all it returned are used.
func (s *mergedScan) fill(i int) {
	if len(s.heads[i]) == 0 {
		s.heads[i] = s.scans[i].Next()
		if err := s.scans[i].Err(); err != nil && s.err == nil {
			s.err = err
		}
	}
}

// mergedBlock is the number of tuples that Next returns at a time.
const mergedBlock = 256

// Next implements Scan. Equal tuples of several graphs are one.
func (s *mergedScan) Next() []Tuple {
	s.out = s.out[:0]
	for len(s.out) < mergedBlock && s.err == nil {
		least := -1
		for i, head := range s.heads {
			if len(head) > 0 && (least < 0 || s.before(&head[0], &s.heads[least][0])) {
				least = i
			}
		}
		if least < 0 {
			break
		}
		tuple := s.heads[least][0]
		s.out = append(s.out, tuple)
		for i, head := range s.heads {
			if len(head) > 0 && head[0] == tuple {
				s.heads[i] = head[1:]
				s.fill(i)
			}
		}
	}
	if len(s.out) == 0 {
		return nil
	}
	return s.out
}

func (s *mergedScan) Err() error { return s.err }

// lessTuple reports whether a comes before b.
func lessTuple(a, b *Tuple) bool { return slices.Compare(a[:], b[:]) < 0 }

func (m *merged) Fork() Reader {
	if f := m.Reader.Fork(); f != nil {
		return &merged{f, m.from, m.named}
	}
	return nil
}

// CountsTriples reports whether ds.Count returns the exact number of the default graph's
// triples, or that of a named graph.
func CountsTriples(ds Reader, defaultGraph bool) bool {
	m, isMerged := ds.(*merged)
	return !isMerged || !defaultGraph || len(m.from) == 1
}
