package cayley

import (
	"context"

	"github.com/cayleygraph/cayley/graph"
	"github.com/cayleygraph/quad"

	"github.com/segraph/segraph/store/engine"
	"github.com/segraph/segraph/store/engine/dict"
)

// nodesFrom is the multiset of nodes that quads have in one direction, one for each quad.
type nodesFrom struct {
	quads quadSet
	dir   quad.Direction
}

var _ resultSet[nodeRef] = nodesFrom{}

func (n nodesFrom) String() string { return n.dir.String() + "s of " + n.quads.String() }

func (n nodesFrom) walk() walk[nodeRef] {
	return &nodesFromWalk{quads: quadWalk{set: n.quads}, dir: n.dir}
}

func (n nodesFrom) size(s *engine.Snapshot) (graph.Size, error) { return n.quads.size(s) }

// contains implements resultSet. It is not called, because nodesFrom uses a
// nodesFromLookup, which also counts quads.
func (n nodesFrom) contains(s *engine.Snapshot, r nodeRef) (bool, error) {
	found, err := n.of(r).walk().next(s, nil)
	return len(found) > 0, err
}

// of returns the quads of the set that have the node r in the direction.
func (n nodesFrom) of(r nodeRef) quadSet {
	quads, _ := n.quads.with(n.dir, []dict.ID{dict.ID(r)})
	return quads
}

type nodesFromWalk struct {
	quads quadWalk
	dir   quad.Direction
	batch []quadRef
}

func (w *nodesFromWalk) next(s *engine.Snapshot, out []nodeRef) (_ []nodeRef, err error) {
	w.batch, err = w.quads.next(s, w.batch[:0])
	for _, q := range w.batch {
		out = append(out, nodeRef(q.get(w.dir)))
	}
	return out, err
}

// nodesFromLookup looks up nodes. A node is a result once for every quad that has it.
type nodesFromLookup struct {
	position[nodeRef]
	read  reader
	set   nodesFrom
	quads *scanner[quadRef] // of the last node found
}

// Contains implements graph.Index.
func (c *nodesFromLookup) Contains(ctx context.Context, ref graph.Ref) bool {
	c.found, c.quads = false, nil
	r, ok := ref.(nodeRef)
	if !ok || c.closed || c.err != nil {
		return false
	}
	c.quads = &scanner[quadRef]{read: c.read, walk: c.set.of(r).walk()}
	c.result, c.found = r, c.NextPath(ctx)
	return c.found
}

// NextPath implements graph.Index.
func (c *nodesFromLookup) NextPath(ctx context.Context) bool {
	if c.quads == nil {
		return false
	}
	more := c.quads.Next(ctx)
	c.err = c.quads.Err()
	return more
}
