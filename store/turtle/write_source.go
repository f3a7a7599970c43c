package turtle

import (
	"iter"
	"slices"
	"sort"

	"github.com/segraph/segraph/store/rdf"
)

// Source is a graph as WriteGraph reads it. The order given is the order written. It stays
// the same while it is read, and may be read while another of its sequences is.
type Source interface {
	// Nodes gives every subject once, each with its pairs of predicate and object, those of
	// one predicate together.
	Nodes() iter.Seq2[rdf.Term, iter.Seq2[rdf.Term, rdf.Term]]
	// Node gives the pairs of a blank node likewise, and none if it is no subject.
	Node(b rdf.Term) iter.Seq2[rdf.Term, rdf.Term]
	// References tells of how many triples the blank node b is the object: 0, 1, or 2 for
	// more.
	References(b rdf.Term) int
	// Err gives what ended a sequence before its time, if anything did.
	Err() error
}

// memorySource holds the triples in order.
type memorySource struct {
	triples    []rdf.Triple
	references map[rdf.Term]uint8
}

// NewMemorySource returns the graph of the triples, sorted by rdf.CompareTriples, so that
// the same triples in any order and number give the same text. It keeps a copy.
func NewMemorySource(triples []rdf.Triple) Source {
	m := &memorySource{slices.Clone(triples), make(map[rdf.Term]uint8)}
	slices.SortFunc(m.triples, rdf.CompareTriples)
	m.triples = slices.Compact(m.triples)
	for _, t := range m.triples {
		if t.O.IsBlank() {
			m.references[t.O] = min(2, m.references[t.O]+1)
		}
	}
	return m
}

func (m *memorySource) Nodes() iter.Seq2[rdf.Term, iter.Seq2[rdf.Term, rdf.Term]] {
	return func(yield func(rdf.Term, iter.Seq2[rdf.Term, rdf.Term]) bool) {
		for from := 0; from < len(m.triples); {
			to := m.end(from)
			if !yield(m.triples[from].S, pairs(m.triples[from:to])) {
				return
			}
			from = to
		}
	}
}

func (m *memorySource) Node(b rdf.Term) iter.Seq2[rdf.Term, rdf.Term] {
	from := sort.Search(len(m.triples), func(i int) bool { return rdf.Compare(m.triples[i].S, b) >= 0 })
	if from == len(m.triples) || m.triples[from].S != b {
		return pairs(nil)
	}
	return pairs(m.triples[from:m.end(from)])
}

// end is where the triples of the subject at from end.
func (m *memorySource) end(from int) int {
	to := from + 1
	for to < len(m.triples) && m.triples[to].S == m.triples[from].S {
		to++
	}
	return to
}

func pairs(triples []rdf.Triple) iter.Seq2[rdf.Term, rdf.Term] {
	return func(yield func(p, o rdf.Term) bool) {
		for i := range triples {
			if !yield(triples[i].P, triples[i].O) {
				return
			}
		}
	}
}

func (m *memorySource) References(b rdf.Term) int { return int(m.references[b]) }

func (m *memorySource) Err() error { return nil }
