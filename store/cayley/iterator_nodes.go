package cayley

import (
	"context"

	"github.com/cayleygraph/cayley/graph"

	"github.com/segraph/segraph/store/engine"
	"github.com/segraph/segraph/store/engine/dict"
)

// nodeSet is the set of all nodes: the terms that quads use.
type nodeSet struct{}

var _ resultSet[nodeRef] = nodeSet{}

func (nodeSet) String() string      { return "segraph nodes" }
func (nodeSet) walk() walk[nodeRef] { return &nodeWalk{} }

func (nodeSet) contains(s *engine.Snapshot, r nodeRef) (bool, error) { return s.Uses(dict.ID(r)) }

// size estimates the number of nodes as that of quads.
func (nodeSet) size(s *engine.Snapshot) (graph.Size, error) {
	size, err := allQuads.size(s)
	size.Exact = false
	return size, err
}

// countNodes returns the number of nodes. It reads them all.
func countNodes(ctx context.Context, s *engine.Snapshot) (graph.Size, error) {
	out := graph.Size{Exact: true}
	var batch []nodeRef
	for w := (&nodeWalk{}); ; {
		if err := contextErr(ctx); err != nil {
			return graph.Size{}, err
		}
		var err error
		if batch, err = w.next(s, batch[:0]); err != nil {
			return graph.Size{}, err
		}
		if len(batch) == 0 {
			return out, nil
		}
		out.Size += int64(len(batch))
	}
}

// nodeWalk reads nodes in ascending order of ids.
type nodeWalk struct {
	from dict.ID // the next id to read
	ids  []dict.ID
	end  bool
}

// next appends the next nodes to out: none at the end.
func (w *nodeWalk) next(s *engine.Snapshot, out []nodeRef) ([]nodeRef, error) {
	if w.end {
		return out, nil
	}
	var err error
	if w.ids, w.end, err = s.Nodes(w.from, batchSize, w.ids[:0]); err != nil {
		return out, err
	}
	for _, id := range w.ids {
		out = append(out, nodeRef(id))
		w.from = id + 1
	}
	return out, nil
}
