package cayley

import (
	"context"

	"github.com/cayleygraph/cayley/graph"

	"github.com/segraph/segraph/store/engine"
)

// batchSize is about how many results an iterator reads from one snapshot: enough that
// beginning to read is cheap beside it, few enough to be done in a fraction of a
// millisecond.
const batchSize = 1024

// Relative costs for Cayley's optimizer. A look-up begins a snapshot, of which a scan
// needs one a batch, and costs some 80 times a scan's step. Cayley multiplies what it is
// told by 60 for every step of a path, so that the truth keeps it from look-ups where
// they are far better: with 64, two queries of graphtest's take seconds and not
// milliseconds.
const (
	nextCost     = 1
	containsCost = 8
)

// resultSet is what an iterator gives: nodes or quads.
type resultSet[R graph.Ref] interface {
	String() string
	walk() walk[R]
	contains(s *engine.Snapshot, r R) (bool, error)
	size(s *engine.Snapshot) (graph.Size, error)
}

// walk goes over a result set from its beginning.
type walk[R graph.Ref] interface {
	// next appends results that follow those given before; nothing at the end.
	next(s *engine.Snapshot, out []R) ([]R, error)
}

// reader runs a function on a snapshot: a new one each time, or always the same.
type reader func(func(*engine.Snapshot) error) error

// newIterator returns a result set as Cayley wants it.
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

// contextErr is ctx.Err. Cayley's schema package hands a nil context on.
func contextErr(ctx context.Context) error {
	if ctx == nil {
		return nil
	}
	return ctx.Err()
}

// resultShape is a result set that nobody reads yet.
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

// position is what a scanner and a look-up have in common: a result, or none, or an error.
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

// scanner gives the results one after the other.
type scanner[R graph.Ref] struct {
	position[R]
	read  reader
	walk  walk[R]
	batch []R // read from one snapshot and not given yet
	buf   []R // what batch is part of
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

// lookup says which results are in the set.
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
