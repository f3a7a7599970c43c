package cayley

import (
	"fmt"

	"github.com/cayleygraph/cayley/graph"
	"github.com/cayleygraph/quad"

	"github.com/segraph/segraph/store/engine"
	"github.com/segraph/segraph/store/engine/dict"
	"github.com/segraph/segraph/store/engine/index"
)

// quadSet is the quads whose tuples in an index begin with an id, or all where that is none; of all
// graphs, or of one.
type quadSet struct {
	order   engine.Order
	id      dict.ID
	inGraph bool
	graph   dict.ID
}

var _ resultSet[quadRef] = quadSet{}

// quadsWith gives the quads that have a term in that direction.
func quadsWith(d quad.Direction, id dict.ID) (quadSet, bool) {
	switch d {
	case quad.Subject:
		return quadSet{order: engine.SPO, id: id}, true
	case quad.Predicate:
		return quadSet{order: engine.POS, id: id}, true
	case quad.Object:
		return quadSet{order: engine.OSP, id: id}, true
	case quad.Label:
		return quadSet{inGraph: true, graph: id}, true
	}
	return quadSet{}, false
}

func (q quadSet) String() string {
	switch {
	case q.inGraph:
		return fmt.Sprintf("segraph quads(label %#x)", uint64(q.graph))
	case q.id != 0:
		return fmt.Sprintf("segraph quads(%c %#x)", q.order.String()[0], uint64(q.id))
	}
	return "segraph quads"
}

func (q quadSet) graphs(s *engine.Snapshot) []dict.ID {
	if q.inGraph {
		return []dict.ID{q.graph}
	}
	return s.Graphs()
}

func (q quadSet) bounds() (lo, hi index.Tuple) {
	if q.id == 0 {
		return index.Prefix()
	}
	return index.Prefix(uint64(q.id))
}

func (q quadSet) contains(s *engine.Snapshot, r quadRef) (bool, error) {
	if q.inGraph && r.G != q.graph || q.id != 0 && q.order.Tuple(r.S, r.P, r.O)[0] != uint64(q.id) {
		return false, nil
	}
	return s.Has(engine.QuadID(r))
}

func (q quadSet) size(s *engine.Snapshot) (graph.Size, error) {
	out := graph.Size{Exact: true}
	sub, pred, obj := q.order.Triple(index.Tuple{uint64(q.id)})
	for _, g := range q.graphs(s) {
		n, err := s.Count(sub, pred, obj, g)
		if err != nil {
			return graph.Size{}, err
		}
		out.Size += n
	}
	return out, nil
}

func (q quadSet) walk() walk[quadRef] {
	w := &quadWalk{set: q}
	w.from, _ = q.bounds()
	return w
}

// quadWalk goes graph by graph, in the order of their ids, and through each in the order of the
// index. It remembers where it is as ids, which mean the same in every snapshot.
type quadWalk struct {
	set   quadSet
	graph dict.ID     // the graph that it is in
	from  index.Tuple // where in that graph it goes on
	end   bool
}

func (w *quadWalk) next(s *engine.Snapshot, out []quadRef) ([]quadRef, error) {
	if w.end {
		return out, nil
	}
	lo, hi := w.set.bounds()
	for _, g := range w.set.graphs(s) {
		from := lo
		switch {
		case g < w.graph:
			continue
		case g == w.graph:
			from = w.from
		}
		scan := s.Range(g, w.set.order, from, hi)
		for batch := scan.Next(); batch != nil; batch = scan.Next() {
			for _, t := range batch {
				r := quadRef{G: g}
				r.S, r.P, r.O = w.set.order.Triple(t)
				out = append(out, r)
			}
			if len(out) >= batchSize {
				w.graph, w.from = g, successor(batch[len(batch)-1])
				return out, nil
			}
		}
		if scan.Err() != nil {
			return out, fmt.Errorf("reading quads: %w", scan.Err())
		}
	}
	w.end = true
	return out, nil
}

// successor gives the least tuple that is greater than t, which is not the greatest there is.
func successor(t index.Tuple) index.Tuple {
	for i := len(t) - 1; i >= 0; i-- {
		t[i]++
		if t[i] != 0 {
			break
		}
	}
	return t
}
