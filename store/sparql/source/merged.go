package source

import (
	"github.com/segraph/segraph/store/ids"
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
	return m.scan(g, func(g ID) Scan { return m.Reader.Scan(g, o) }, false)
}

func (m *merged) Backwards(g ID, o Order) Scan {
	return m.scan(g, func(g ID) Scan { return m.Reader.Backwards(g, o) }, true)
}

// scan returns the scan of a graph, from one, or for the default graph the merge of the scans of
// all m.from.
func (m *merged) scan(g ID, one func(g ID) Scan, backwards bool) Scan {
	if g != 0 {
		return one(g)
	}
	if len(m.from) == 1 {
		return one(m.from[0])
	}
	s := &mergedScan{}
	for _, g := range m.from {
		s.scans = append(s.scans, one(g))
	}
	s.Union = ids.NewUnion(s.scans, backwards)
	return s
}

// mergedScan walks several indexes in order. Equal tuples of several graphs are one.
type mergedScan struct {
	*ids.Union
	scans []Scan
}

func (s *mergedScan) Seek(lo, hi Tuple) {
	for _, scan := range s.scans {
		scan.Seek(lo, hi)
	}
	s.Restart()
}

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
