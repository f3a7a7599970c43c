package cayley

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/cayleygraph/cayley/graph"
	"github.com/cayleygraph/quad"

	"github.com/segraph/segraph/store/engine"
	"github.com/segraph/segraph/store/engine/dict"
	"github.com/segraph/segraph/store/engine/index"
	"github.com/segraph/segraph/store/orders"
)

// quadSet is the set of quads that have one of some nodes in every fixed direction. It
// uses one index, whose tuples begin with fixed directions, so each combination of fixed
// nodes is a range of the index. Make one by calling with on allQuads.
type quadSet struct {
	fixed   [3][]dict.ID // subjects, predicates and objects, sorted; empty matches any
	inGraph bool
	graphs  []dict.ID // if inGraph, sorted; 0 is the default graph

	order engine.Order
	at    [3][]dict.ID // fixed, in the order of the index's tuples
	lead  int          // number of positions that bound a range
	// Ranges also contain tuples that are not in the set.
	checks bool
	skips  bool // such a tuple allows seeking the next one of the set
}

var (
	_ resultSet[quadRef] = quadSet{}

	allQuads quadSet
)

// fewIDs is the largest number of ids in one direction that may multiply the ranges of
// another.
const fewIDs = 4

// with returns the quads of the set that have one of the nodes in direction d. nodes must
// not be empty. ok is false if d is no direction of quads.
func (q quadSet) with(d quad.Direction, nodes []dict.ID) (out quadSet, ok bool) {
	slices.Sort(nodes)
	var list *[]dict.ID
	switch d {
	case quad.Subject, quad.Predicate, quad.Object:
		if nodes[0] == 0 {
			nodes = nodes[1:] // drop the default graph, which only a label can be
		}
		list = &q.fixed[d-quad.Subject]
	case quad.Label:
		list = &q.graphs
	default:
		return q, false
	}
	if len(*list) > 0 || list == &q.graphs && q.inGraph {
		nodes = slices.DeleteFunc(nodes, func(id dict.ID) bool { return !has(*list, id) })
	}
	*list = nodes
	none := len(nodes) == 0 // then no quad fits, but an empty list in fixed matches any: leave no graph
	if none {
		q.graphs = nil
	}
	q.inGraph = q.inGraph || d == quad.Label || none
	q.plan()
	return q, true
}

func has(list []dict.ID, id dict.ID) bool {
	_, ok := slices.BinarySearch(list, id)
	return ok
}

// plan chooses the index for the set: the index whose tuples begin with the most ids for
// which the set has only a few choices.
func (q *quadSet) plan() {
	bounding := q.fixed
	if len(q.fixed[1]) > fewIDs && len(q.fixed[0])+len(q.fixed[2]) > 0 {
		bounding[1] = nil // with more predicates, reading all quads of a node beats looking up each
	}
	q.lead = -1
	for _, o := range orders.All {
		places := o.Tuple(0, 1, 2)
		lead, many := 0, 0
		for _, place := range places {
			n := len(bounding[place])
			if n > fewIDs {
				many++
			}
			if n == 0 || many > 1 {
				break
			}
			lead++
		}
		if lead > q.lead {
			q.order, q.lead = o, lead
			for i, place := range places {
				q.at[i] = q.fixed[place]
			}
		}
	}
	q.checks, q.skips = false, false
	for i, list := range q.at[q.lead:] {
		if len(list) > 0 {
			q.checks = true
			q.skips = i == 0
			break
		}
	}
}

// String names the fixed nodes, for people: a single one by its id, and several by their number.
func (q quadSet) String() string {
	out := "segraph quads"
	var parts []string
	for i, list := range append(q.fixed[:], q.graphs) {
		switch name := quad.Directions[i].String(); len(list) {
		case 0:
		case 1:
			parts = append(parts, fmt.Sprintf("%s %#x", name, uint64(list[0])))
		default:
			parts = append(parts, fmt.Sprintf("%s of %d", name, len(list)))
		}
	}
	if len(parts) > 0 {
		out += "(" + strings.Join(parts, ", ") + ")"
	}
	return out
}

// in returns the graphs to read.
func (q quadSet) in(s *engine.Snapshot) []dict.ID {
	if q.inGraph {
		return q.graphs
	}
	return s.Graphs()
}

// contains reports whether a quad is in the set and stored.
func (q quadSet) contains(s *engine.Snapshot, r quadRef) (bool, error) {
	if q.inGraph && !has(q.graphs, r.G) {
		return false, nil
	}
	for i, id := range [3]dict.ID{r.S, r.P, r.O} {
		if len(q.fixed[i]) > 0 && !has(q.fixed[i], id) {
			return false, nil
		}
	}
	return s.Has(engine.QuadID(r))
}

// fits reports whether a tuple of a range is in the set.
func (q *quadSet) fits(t index.Tuple) bool {
	for i := q.lead; i < len(t); i++ {
		if len(q.at[i]) > 0 && !has(q.at[i], dict.ID(t[i])) {
			return false
		}
	}
	return true
}

// ceil returns the first tuple with ids of the set that is not less than t, or false if
// it does not exist.
func (q *quadSet) ceil(t index.Tuple) (first index.Tuple, ok bool) {
	for i := 0; i < len(t); {
		list := q.at[i]
		k, found := slices.BinarySearch(list, dict.ID(t[i]))
		switch {
		case found || len(list) == 0: // an empty list has all ids
			i++
		case k < len(list):
			t[i] = uint64(list[k])
			clear(t[i+1:])
			i++
		default: // t is after all tuples with its first i ids
			for i--; i >= 0 && t[i] == math.MaxUint64; i-- {
			}
			if i < 0 {
				return t, false
			}
			t[i]++
			clear(t[i+1:])
		}
	}
	return t, true
}

// end returns the last tuple of the range that contains t.
func (q *quadSet) end(t index.Tuple) index.Tuple {
	for i := q.lead; i < len(t); i++ {
		t[i] = math.MaxUint64
	}
	return t
}

// manyRanges is the number of ranges that are counted. Further ones are assumed to be
// similar.
const manyRanges = 16

// size returns the number of quads in the set: estimated from the first ranges if there are many.
func (q quadSet) size(s *engine.Snapshot) (graph.Size, error) {
	ranges := int64(1)
	for _, list := range q.at[:q.lead] {
		ranges *= int64(len(list))
	}
	out := graph.Size{Exact: !q.checks && ranges <= manyRanges}
	for _, g := range q.in(s) {
		var counted, sum int64
		for t, ok := q.ceil(index.Tuple{}); ok && counted < manyRanges; counted++ {
			ids := t
			clear(ids[q.lead:])
			sub, pred, obj := q.order.Triple(ids)
			n, err := s.Count(sub, pred, obj, g)
			if err != nil {
				return graph.Size{}, err
			}
			sum += n
			if q.lead == 0 {
				break
			}
			t, ok = q.ceil(successor(q.end(t)))
		}
		if ranges > manyRanges {
			sum = sum * ranges / manyRanges
		}
		out.Size += sum
	}
	return out, nil
}

func (q quadSet) walk() walk[quadRef] { return &quadWalk{set: q} }

// quadWalk reads one graph after the other, in ascending order of ids, and each graph in
// index order. It keeps its position as ids, which mean the same in every snapshot.
type quadWalk struct {
	set   quadSet
	graph dict.ID     // the current graph
	from  index.Tuple // the position in that graph
	end   bool
}

// ranges reads ranges of an index, one after the other.
type ranges interface {
	Seek(lo, hi index.Tuple)
	Next() []index.Tuple
	Err() error
}

// next appends the next quads to out, graph by graph: none at the end. w.graph and w.from are where
// it goes on.
func (w *quadWalk) next(s *engine.Snapshot, out []quadRef) ([]quadRef, error) {
	if w.end {
		return out, nil
	}
	for _, g := range w.set.in(s) {
		if g < w.graph {
			continue
		}
		if g > w.graph {
			w.graph, w.from = g, index.Tuple{}
		}
		scan := w.set.open(s, g)
		for more := true; more; {
			out, more = w.read(scan, out)
			if scan.Err() != nil {
				return out, fmt.Errorf("reading quads: %w", scan.Err())
			}
			if len(out) >= batchSize {
				return out, nil
			}
		}
	}
	w.end = true
	return out, nil
}

// open returns the fastest reader of an index: a finder for several ranges, a scan for
// one.
func (q *quadSet) open(s *engine.Snapshot, g dict.ID) ranges {
	for _, list := range q.at {
		if len(list) > 1 {
			return s.Finder(g, q.order)
		}
	}
	lo, hi := index.Prefix()
	return s.Range(g, q.order, lo, hi)
}

// read appends quads of the first range at or after w.from. It stops when out is full, or when it is better to seek
// the next tuple of the set. more reports whether this graph may have more.
func (w *quadWalk) read(scan ranges, out []quadRef) (all []quadRef, more bool) {
	q := &w.set
	from, ok := q.ceil(w.from)
	if !ok {
		return out, false
	}
	end := q.end(from)
	scan.Seek(from, end)
	for batch := scan.Next(); batch != nil; batch = scan.Next() {
		for _, t := range batch {
			if !q.checks || q.fits(t) {
				r := quadRef{G: w.graph}
				r.S, r.P, r.O = q.order.Triple(t)
				out = append(out, r)
			}
		}
		w.from = successor(batch[len(batch)-1])
		if q.skips || len(out) >= batchSize {
			return out, true
		}
	}
	if q.lead == 0 {
		return out, false
	}
	w.from = successor(end)
	return out, true
}

// successor returns the least tuple greater than t, which must not be the greatest one.
func successor(t index.Tuple) index.Tuple {
	for i := len(t) - 1; i >= 0; i-- {
		t[i]++
		if t[i] != 0 {
			break
		}
	}
	return t
}
