package turtle

import (
	"iter"
	"slices"
	"sort"

	"github.com/segraph/segraph/store/rdf"
)

// Source is a graph for WriteGraph, which writes it in the order of its sequences. It
// must not change meanwhile. One sequence may be read while another is.
type Source interface {
	// Nodes yields every subject once, each with its pairs of predicate and object. Pairs
	// with the same predicate are consecutive.
	Nodes() iter.Seq2[rdf.Term, iter.Seq2[rdf.Term, rdf.Term]]
	// Node yields the pairs of a blank node in the same way, or none if it is not a
	// subject.
	Node(b rdf.Term) iter.Seq2[rdf.Term, rdf.Term]
	// References returns the number of triples with the blank node b as object, and of
	// triples that b annotates: 0, 1, or 2 for more. It returns 2 if a triple term has b,
	// because b then needs a label.
	References(b rdf.Term) int
	// Annotated reports whether triples of the graph may have annotations. If not,
	// Reifiers and Annotates are not called.
	Annotated() bool
	// Reifiers yields the reifiers of the triple s p o, each once: subjects of rdf:reifies
	// with the triple term that states it. It returns nil if there are none, or if the
	// triple is not Annotatable.
	Reifiers(s, p, o rdf.Term) iter.Seq[rdf.Term]
	// Annotates reports whether the pair p o makes its subject a reifier of a triple
	// that the graph has, so that Reifiers yields the subject for that triple. It
	// reports false if that triple is not Annotatable.
	Annotates(p, o rdf.Term) bool
	// Err returns the error that ended a sequence early, or nil.
	Err() error
}

// memorySource holds sorted triples.
type memorySource struct {
	triples    []rdf.Triple
	references map[rdf.Term]uint8
	reifiers   map[rdf.Term][]rdf.Term // by triple term, of triples that the graph has
}

// NewMemorySource returns the graph of the triples, sorted by rdf.CompareTriples, so that
// the text does not depend on their order or repetition. It keeps a copy.
func NewMemorySource(triples []rdf.Triple) Source {
	m := &memorySource{slices.Clone(triples), make(map[rdf.Term]uint8), nil}
	slices.SortFunc(m.triples, rdf.CompareTriples)
	m.triples = slices.Compact(m.triples)
	for _, t := range m.triples {
		if t.O.IsBlank() {
			m.references[t.O] = min(2, m.references[t.O]+1)
		}
		for o := t.O; o.IsTriple(); {
			inner := o.Triple()
			for _, part := range [...]rdf.Term{inner.S, inner.O} {
				if part.IsBlank() {
					m.references[part] = 2
				}
			}
			o = inner.O
		}
		if m.annotates(t) {
			if m.reifiers == nil {
				m.reifiers = make(map[rdf.Term][]rdf.Term)
			}
			m.reifiers[t.O] = append(m.reifiers[t.O], t.S)
			if t.S.IsBlank() {
				m.references[t.S] = min(2, m.references[t.S]+1)
			}
		}
	}
	return m
}

// annotates reports whether t makes its subject a reifier of a triple of the graph.
func (m *memorySource) annotates(t rdf.Triple) bool {
	if t.P.Value() != rdf.RDFReifies || !t.O.IsTriple() {
		return false
	}
	stated := t.O.Triple()
	_, has := slices.BinarySearchFunc(m.triples, stated, rdf.CompareTriples)
	return has && Annotatable(stated.S, stated.P)
}

func (m *memorySource) Annotated() bool { return m.reifiers != nil }

func (m *memorySource) Reifiers(s, p, o rdf.Term) iter.Seq[rdf.Term] {
	if found := m.reifiers[rdf.NewTripleTerm(rdf.Triple{S: s, P: p, O: o})]; found != nil {
		return slices.Values(found)
	}
	return nil
}

func (m *memorySource) Annotates(p, o rdf.Term) bool {
	return p.Value() == rdf.RDFReifies && m.reifiers[o] != nil
}

// Nodes implements Source. The triples are sorted.
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

// end returns the end of the triples with the same subject as that at from.
func (m *memorySource) end(from int) int {
	to := from + 1
	for to < len(m.triples) && m.triples[to].S == m.triples[from].S {
		to++
	}
	return to
}

// pairs yields the predicates and objects of triples.
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
