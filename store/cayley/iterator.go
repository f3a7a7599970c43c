package cayley

import (
	"context"

	"github.com/cayleygraph/cayley/graph"

	"github.com/segraph/segraph/store/engine"
)

// batchSize is the approximate number of results that an iterator reads from one
// snapshot. It makes the cost of beginning a snapshot negligible, and is read in a
// fraction of a millisecond.
const batchSize = 1024

// Relative costs for Cayley's optimizer. A lookup begins a snapshot, while a scan begins
// one per batch, so a lookup costs about 80 times as much as a step of a scan. But Cayley
// multiplies the cost by 60 for every step of a path. With the true cost it would avoid
// lookups even where they are far better: with 64, two queries of graphtest take seconds
// instead of milliseconds.
const (
	nextCost     = 1
	containsCost = 8
)

// resultSet is a set of nodes or quads to iterate over.
type resultSet[R graph.Ref] interface {
	String() string
	walk() walk[R]
	contains(s *engine.Snapshot, r R) (bool, error)
	size(s *engine.Snapshot) (graph.Size, error)
}

// walk iterates over a result set from its beginning.
type walk[R graph.Ref] interface {
	// next appends the results that follow the earlier ones, or nothing at the end.
	next(s *engine.Snapshot, out []R) ([]R, error)
}

// reader runs a function on a snapshot: a new one for each call, or always the same one.
type reader func(func(*engine.Snapshot) error) error

// newIterator returns a Cayley iterator over a result set.
func newIterator[R graph.Ref](read reader, set resultSet[R]) graph.Iterator {
	return graph.AsLegacy(&resultShape[R]{read, set})
}

func sizeOf[R graph.Ref](ctx context.Context, read reader, set resultSet[R]) (size graph.Size, err error) {
	if err := contextErr(ctx); err != nil {
		return graph.Size{}, err
	}
	err = read(func(snap *engine.Snapshot) error {
		size, err = set.size(snap)
		return err
	})
	return size, err
}

// contextErr returns ctx.Err(), or nil for a nil context, which Cayley's schema package
// passes.
func contextErr(ctx context.Context) error {
	if ctx == nil {
		return nil
	}
	return ctx.Err()
}

// resultShape is a result set as a graph.IteratorShape.
type resultShape[R graph.Ref] struct {
	read reader
	set  resultSet[R]
}

func (h *resultShape[R]) String() string                      { return h.set.String() }
func (h *resultShape[R]) SubIterators() []graph.IteratorShape { return nil }

func (h *resultShape[R]) Optimize(context.Context) (graph.IteratorShape, bool) { return h, false }

func (h *resultShape[R]) Stats(ctx context.Context) (graph.IteratorCosts, error) {
	size, err := sizeOf(ctx, h.read, h.set)
	return graph.IteratorCosts{NextCost: nextCost, ContainsCost: containsCost, Size: size}, err
}

func (h *resultShape[R]) Iterate() graph.Scanner {
	return &scanner[R]{position: position[R]{name: h.String()}, read: h.read, walk: h.set.walk()}
}

func (h *resultShape[R]) Lookup() graph.Index {
	if set, ok := any(h.set).(nodesFrom); ok {
		return &nodesFromLookup{position: position[nodeRef]{name: h.String()}, read: h.read, set: set}
	}
	return &lookup[R]{position: position[R]{name: h.String()}, read: h.read, set: h.set}
}

// position is the common part of a scanner and a lookup: the current result, if any, and
// the error.
type position[R graph.Ref] struct {
	name   string
	result R
	found  bool
	closed bool
	err    error
}

func (p *position[R]) String() string                  { return p.name }
func (p *position[R]) TagResults(map[string]graph.Ref) {}
func (p *position[R]) NextPath(context.Context) bool   { return false }
func (p *position[R]) Err() error                      { return p.err }

func (p *position[R]) Result() graph.Ref {
	if !p.found {
		return nil
	}
	return p.result
}

func (p *position[R]) Close() error {
	p.closed, p.found = true, false
	return nil
}

// scanner returns results one after the other.
type scanner[R graph.Ref] struct {
	position[R]
	read  reader
	walk  walk[R]
	batch []R // read from one snapshot, but not returned yet
	buf   []R // holds batch
	end   bool
}

// Next implements graph.Scanner.
func (c *scanner[R]) Next(ctx context.Context) bool {
	c.found = false
	if c.closed || c.err != nil || c.end {
		return false
	}
	if c.err = contextErr(ctx); c.err != nil {
		return false
	}
	if len(c.batch) == 0 {
		if c.err = c.fill(); c.err != nil {
			return false
		}
		if len(c.batch) == 0 {
			c.end = true
			return false
		}
	}
	c.result, c.batch, c.found = c.batch[0], c.batch[1:], true
	return true
}

func (c *scanner[R]) fill() error {
	return c.read(func(snap *engine.Snapshot) (err error) {
		c.buf, err = c.walk.next(snap, c.buf[:0])
		c.batch = c.buf
		return err
	})
}

// lookup tests whether results are in the set.
type lookup[R graph.Ref] struct {
	position[R]
	read reader
	set  resultSet[R]
}

// Contains implements graph.Index.
func (c *lookup[R]) Contains(ctx context.Context, ref graph.Ref) bool {
	c.found = false
	r, ok := ref.(R)
	if !ok || c.closed || c.err != nil {
		return false
	}
	if c.err = contextErr(ctx); c.err != nil {
		return false
	}
	c.err = c.read(func(snap *engine.Snapshot) (err error) {
		c.found, err = c.set.contains(snap, r)
		return err
	})
	c.found = c.found && c.err == nil
	c.result = r
	return c.found
}
