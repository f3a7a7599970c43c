package persist

import (
	"bytes"
	"context"
	"fmt"
	"sync"

	"github.com/segraph/segraph/resolver"
	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/engine"
	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/store/rdf"
)

var contextsGraph = rdf.NewIRI(store.ContextsGraph)

// Contexts stores the resolver's records in the store's file, with their mirror in the
// graph urn:segraph:contexts. Only the resolver uses it. It reads everything that was
// submitted, on the disk or not.
type Contexts struct {
	store *engine.Store
	mu    sync.Mutex
	last  *engine.Ticket // ticket of the last submission, on which the next may build
	delta engine.Delta   // memory for Submit
}

var _ resolver.Store = (*Contexts)(nil)

// Contexts returns the resolver's part of the store.
func (s *Store) Contexts() *Contexts { return &Contexts{store: s.Store} }

// Get implements resolver.Store.
func (c *Contexts) Get(key []byte) (value []byte, err error) {
	err = c.store.Submitted(func(r engine.Records) error {
		value, err = r.Get(key)
		value = bytes.Clone(value)
		return err
	})
	return value, named(err)
}

// Scan implements resolver.Store.
func (c *Contexts) Scan(from, to []byte, yield func(key, value []byte) bool) error {
	return named(c.store.Submitted(func(r engine.Records) error { return r.Scan(from, to, yield) }))
}

func named(err error) error {
	if err != nil {
		return fmt.Errorf("reading the resolver's records: %w", err)
	}
	return nil
}

// manyChanges is how many quads and records a change must have for its memory not to be
// reused.
const manyChanges = 1000

// Submit implements resolver.Store. Documents added at the same time share the sync.
func (c *Contexts) Submit(ctx context.Context, change resolver.Change) (wait func() error, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	later := change.Also != nil // a line: the next are about to follow
	t, err := c.store.SubmitAfter(ctx, c.last, later, func(tx *engine.Tx) error { return applyIn(tx, &change, &c.delta) })
	if len(c.delta.Add.Quads)+len(c.delta.Records) > manyChanges {
		c.delta = engine.Delta{}
	}
	if err != nil {
		return nil, stored(err)
	}
	c.last = t
	return func() error { return stored(t.Wait()) }, nil
}

// Reset implements resolver.Store.
func (c *Contexts) Reset() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.last = nil
}

func stored(err error) error {
	if err != nil {
		return fmt.Errorf("storing the resolver's decisions: %w", err)
	}
	return nil
}

// Apply submits changes, and returns once they are on the disk.
func (c *Contexts) Apply(ctx context.Context, changes []resolver.Change) error {
	for _, change := range changes {
		wait, err := c.Submit(ctx, change)
		if err == nil {
			err = wait()
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Clear clears the published graph and applies the resolver's change, in one transaction
// with e as the journal's entry. It returns the number of removed published triples.
func (c *Contexts) Clear(ctx context.Context, change resolver.Change, e journal.Entry) (removed int64, err error) {
	err = c.store.ClearWith(ctx, change.Clear, func(tx *engine.Tx, n int64) error {
		removed, e.Removed = n, n
		if err := e.Retry.Keep(store.Cleared{Triples: n, Contexts: change.Contexts}); err != nil {
			return err
		}
		if err := tx.Journal(e); err != nil {
			return err
		}
		return apply(tx, &change)
	})
	return removed, err
}

// Clear implements store.Graph for a store without a resolver. With a resolver, use
// ResolvedGraph.
func (s *Store) Clear(ctx context.Context, contexts bool, e journal.Entry) (out store.Cleared, err error) {
	change := resolver.Change{Clear: true}
	if !contexts {
		if change, err = resolver.Unpublished(s.Contexts()); err != nil {
			return out, err
		}
	}
	out.Triples, err = s.Contexts().Clear(ctx, change, e)
	return out, err
}

// clearContexts removes the records and the graph that mirrors them.
func clearContexts(tx *engine.Tx) error {
	if err := tx.DropRecords(); err != nil {
		return fmt.Errorf("removing the resolver's records: %w", err)
	}
	if err := tx.RemoveGraph(contextsGraph); err != nil {
		return fmt.Errorf("removing the graph of contexts: %w", err)
	}
	if err := tx.KV().Remove(withdrawnName); err != nil {
		return err
	}
	return journal.EraseOthers(tx.KV())
}

func apply(tx *engine.Tx, c *resolver.Change) error { return applyIn(tx, c, &engine.Delta{}) }

// applyIn applies a change, reusing the memory of d.
func applyIn(tx *engine.Tx, c *resolver.Change, d *engine.Delta) error {
	if c.Clear {
		if err := clearContexts(tx); err != nil {
			return err
		}
	}
	setDelta(d, c)
	err := tx.Apply(d)
	if also, ok := c.Also.(func(*engine.Tx) error); ok && err == nil {
		err = also(tx)
	}
	return err
}

// setDelta converts a change to a delta of the engine. A quad that the change both
// removes and adds is added.
func setDelta(d *engine.Delta, c *resolver.Change) {
	d.Entry = c.Entry
	d.Add.Reset()
	d.Remove.Reset()
	d.Records = d.Records[:0]
	for _, r := range c.Records {
		d.Records = append(d.Records, engine.Record(r))
	}
	removed := make(map[rdf.Quad]struct{}, len(c.Remove)) // most changes remove nothing
	for _, q := range c.Remove {
		removed[q] = struct{}{}
	}
	d.Add.Grow(len(c.Add))
	for _, q := range c.Add {
		d.Add.Add(q)
		delete(removed, q)
	}
	for _, q := range c.Remove {
		if _, ok := removed[q]; ok {
			d.Remove.Add(q)
		}
	}
}

// records are the resolver's records in a snapshot.
type records struct{ engine.Records }

var _ resolver.Store = records{}

// Reset implements resolver.Store.
func (records) Reset() {}

// Submit returns an error.
func (records) Submit(context.Context, resolver.Change) (func() error, error) {
	return nil, engine.ErrReadOnly
}
