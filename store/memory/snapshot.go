package memory

import (
	"cmp"
	"iter"
	"slices"

	"github.com/segraph/segraph/store/orders"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql/eval"
	"github.com/segraph/segraph/store/sparql/syntax"
	"github.com/segraph/segraph/store/sparql/value"
)

var _ eval.TripleIndex = (*snapshot)(nil)

// snapshot is an immutable state of the data, as the evaluator reads it.
type snapshot struct {
	terms      []rdf.Term // by id - 1; later ones may follow
	dictionary *dictionary
	graphs     []graph           // by name; no graph is empty
	triples    [orders.Count]set // parts of the triple terms
}

// graph is one graph of a snapshot.
type graph struct {
	name    eval.ID // 0 means the default graph
	indexes [orders.Count]set
}

// find returns the index of the graph with a name, or where it belongs.
func (s *snapshot) find(name eval.ID) (at int, ok bool) {
	return slices.BinarySearchFunc(s.graphs, name, func(g graph, name eval.ID) int { return cmp.Compare(g.name, name) })
}

func (s *snapshot) set(name eval.ID, o eval.Order) set {
	if at, ok := s.find(name); ok {
		return s.graphs[at].indexes[o]
	}
	return set{}
}

func (s *snapshot) Term(id eval.ID) (rdf.Term, error) { return s.terms[id-1], nil }
func (s *snapshot) Kind(id eval.ID) rdf.Kind          { return s.terms[id-1].Kind() }
func (s *snapshot) Value(id eval.ID) (value.Value, error) {
	return value.FromTerm(s.terms[id-1]), nil
}

func (s *snapshot) ID(t rdf.Term) (eval.ID, error) {
	if id, ok := s.dictionary.find(t); ok && int(id) <= len(s.terms) {
		return id, nil
	}
	return 0, nil
}

// TripleParts, TripleTerms and EachTripleTerm implement eval.TripleIndex.

func (s *snapshot) TripleParts(id eval.ID) (spo [3]eval.ID, ok bool, err error) {
	s.dictionary.mu.RLock()
	defer s.dictionary.mu.RUnlock()
	parts, ok := s.dictionary.parts[id]
	return [3]eval.ID{eval.ID(parts[0]), eval.ID(parts[1]), eval.ID(parts[2])}, ok, nil
}

func (s *snapshot) TripleTerms(sub, pred, obj eval.ID) iter.Seq2[eval.TripleTerm, error] {
	return func(yield func(eval.TripleTerm, error) bool) {
		o, lo, hi := eval.Range(sub, pred, obj)
		found := &scan{set: s.triples[o]}
		found.Seek(lo, hi)
		for tuples := found.Next(); tuples != nil; tuples = found.Next() {
			for _, t := range tuples {
				spo := o.Triple(t)
				s.dictionary.mu.RLock()
				id := s.dictionary.triples[spo]
				s.dictionary.mu.RUnlock()
				if !yield(eval.TripleTerm{ID: id, Parts: [3]eval.ID{eval.ID(spo[0]), eval.ID(spo[1]), eval.ID(spo[2])}}, nil) {
					return
				}
			}
		}
	}
}

func (s *snapshot) EachTripleTerm(sub, pred, obj eval.ID, f func(ids []eval.ID) error) error {
	for term := range s.TripleTerms(sub, pred, obj) {
		if err := f([]eval.ID{term.ID}); err != nil {
			return err
		}
	}
	return nil
}

func (s *snapshot) Graphs() (names []eval.ID) {
	for _, g := range s.graphs {
		if g.name != 0 {
			names = append(names, g.name)
		}
	}
	return names
}

func (s *snapshot) Count(g, sub, pred, obj eval.ID) (int64, error) {
	o, lo, hi := eval.Range(sub, pred, obj)
	return s.Estimate(g, o, lo, hi)
}

func (s *snapshot) Estimate(g eval.ID, o eval.Order, lo, hi [3]uint64) (int64, error) {
	return int64(s.set(g, o).count(lo, hi)), nil
}

func (s *snapshot) Scan(g eval.ID, o eval.Order) eval.Scan { return &scan{set: s.set(g, o)} }

func (s *snapshot) Backwards(g eval.ID, o eval.Order) eval.Scan {
	return &scan{set: s.set(g, o), backwards: true}
}

// Ranges and Ordered report false: ids are in order of insertion.
func (s *snapshot) Ranges(syntax.Op, value.Value) ([]eval.IDRange, bool) { return nil, false }
func (s *snapshot) Ordered() []eval.OrderedRange                         { return nil }

// Fork returns the snapshot, which is safe for concurrent use. See eval.Forkable.
func (s *snapshot) Fork() eval.Dataset { return s }

// Guard calls do.
func (s *snapshot) Guard(do func() error) error { return do() }
