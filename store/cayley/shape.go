package cayley

import (
	"github.com/cayleygraph/cayley/graph"
	"github.com/cayleygraph/cayley/graph/shape"
	"github.com/cayleygraph/quad"

	"github.com/segraph/segraph/store/engine/dict"
)

var _ shape.Optimizer = (*quadStore)(nil)

// OptimizeShape implements shape.Optimizer. Cayley calls it for every part of a query. It
// turns quads with fixed nodes in several directions into ranges of one index. Cayley
// itself would intersect one iterator for each direction.
func (qs *quadStore) OptimizeShape(s shape.Shape) (out shape.Shape, changed bool) {
	switch s := s.(type) {
	case shape.Quads:
		return qs.optimizeQuads(s)
	case shape.QuadsAction:
		set := allQuads
		for d, ref := range s.Filter {
			ids, ok := qs.ids(shape.Fixed{ref})
			if !ok {
				return s, false
			}
			if set, ok = set.with(d, ids); !ok {
				return s, false
			}
		}
		if len(s.Save) == 0 {
			return nodesOf(qs, set, s.Result), true
		}
		return s.SimplifyFrom(setShape[quadRef]{set, qs.read}), true
	case shape.NodesFrom:
		if quads, ok := s.Quads.(setShape[quadRef]); ok {
			return nodesOf(qs, quads.set.(quadSet), s.Dir), true
		}
	}
	return s, false
}

// optimizeQuads replaces the filters of fixed nodes by a quadSet, intersected with the
// other filters. changed is false if there is no such filter.
func (qs *quadStore) optimizeQuads(filters shape.Quads) (out shape.Shape, changed bool) {
	set := allQuads
	var rest shape.Quads
	for _, f := range filters {
		fixed, ok := f.Values.(shape.Fixed)
		if ok {
			var ids []dict.ID
			if ids, ok = qs.ids(fixed); ok {
				set, ok = set.with(f.Dir, ids)
			}
		}
		if !ok {
			rest = append(rest, f)
		}
	}
	switch {
	case len(rest) == len(filters):
		return filters, false
	case len(rest) == 0:
		return setShape[quadRef]{set, qs.read}, true
	}
	return shape.Intersect{setShape[quadRef]{set, qs.read}, rest}, true
}

// ids returns the ids of fixed nodes. It returns false if one of them is repeated, which
// would repeat its results, or is not a stored node.
func (qs *quadStore) ids(fixed shape.Fixed) (ids []dict.ID, ok bool) {
	out := make([]dict.ID, 0, len(fixed))
	seen := make(map[dict.ID]bool, len(fixed))
	for _, ref := range fixed {
		if v, ok := ref.(graph.PreFetchedValue); ok {
			ref = qs.ValueOf(v.NameOf())
		}
		node, ok := ref.(nodeRef)
		if id := dict.ID(node); !ok || seen[id] {
			return nil, false
		} else {
			seen[id] = true
			out = append(out, id)
		}
	}
	return out, len(out) > 0
}

// nodesOf returns the nodes that quads have in one direction. It uses Cayley's own shape
// for labels, which not all quads have.
func nodesOf(qs *quadStore, quads quadSet, d quad.Direction) shape.Shape {
	if d == quad.Label {
		return shape.NodesFrom{Dir: d, Quads: setShape[quadRef]{quads, qs.read}}
	}
	return setShape[nodeRef]{nodesFrom{quads, d}, qs.read}
}

// setShape is a result set as a part of a query.
type setShape[R graph.Ref] struct {
	set  resultSet[R]
	read reader
}

// BuildIterator implements shape.Shape.
func (s setShape[R]) BuildIterator(graph.QuadStore) graph.Iterator { return newIterator(s.read, s.set) }

// Optimize implements shape.Shape.
func (s setShape[R]) Optimize(shape.Optimizer) (shape.Shape, bool) { return s, false }
