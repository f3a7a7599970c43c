package persist

import (
	"context"
	"fmt"
	"slices"

	"github.com/segraph/segraph/resolver"
	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/engine"
	"github.com/segraph/segraph/store/journal"
	"github.com/segraph/segraph/store/rdf"
)

var contextsGraph = rdf.NewIRI(store.ContextsGraph)

// Contexts is what the resolver remembers, in the store's file: its records, and their mirror in the
// graph urn:segraph:contexts. It is the resolver's alone.
type Contexts struct{ store *engine.Store }

var _ resolver.Store = (*Contexts)(nil)

// Contexts returns the resolver's part of the store. Of one that was opened as it is, what is deferred is not there.
func (s *Store) Contexts() *Contexts { return &Contexts{s.Store} }

// Get implements resolver.Store.
func (c *Contexts) Get(key []byte) ([]byte, error) {
	value, err := c.store.GetRecord(key)
	return value, named(err)
}

// Scan implements resolver.Store, on one snapshot of the file.
func (c *Contexts) Scan(from, to []byte, yield func(key, value []byte) bool) error {
	return named(c.store.ScanRecords(from, to, yield))
}

func named(err error) error {
	if err != nil {
		return fmt.Errorf("reading the resolver's records: %w", err)
	}
	return nil
}

// Apply implements resolver.Store. Documents that are being added meanwhile share the transaction.
func (c *Contexts) Apply(ctx context.Context, changes []resolver.Change) error {
	looks := func(c resolver.Change) bool { return c.Clear || len(c.Anew) > 0 } // at what is stored
	var err error
	if slices.ContainsFunc(changes, looks) {
		err = c.store.Update(ctx, func(tx *engine.Tx) error {
			for rest := changes; len(rest) > 0; {
				n := 1
				for n < len(rest) && !looks(rest[n]) {
					n++
				}
				if err := apply(tx, rest[:n]); err != nil {
					return err
				}
				rest = rest[n:]
			}
			return nil
		})
	} else {
		err = c.store.Defer(ctx, newDelta(changes))
	}
	if err != nil {
		return fmt.Errorf("storing what the resolver decided: %w", err)
	}
	return nil
}

// Clear empties the published graph, with e as the journal's entry of it, and applies what the
// resolver makes of that, in one transaction. It returns the number of published triples removed.
func (c *Contexts) Clear(ctx context.Context, change resolver.Change, e journal.Entry) (removed int64, err error) {
	err = c.store.ClearWith(ctx, change.Clear, func(tx *engine.Tx, n int64) error {
		removed, e.Removed = n, n
		if err := tx.Journal(e); err != nil {
			return err
		}
		return apply(tx, []resolver.Change{change})
	})
	return removed, err
}

// Clear implements store.Graph, for a store that no resolver uses: a ResolvedGraph clears beside one.
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
	return nil
}

// apply does all of some changes, at once. The first alone may clear or say something anew.
func apply(tx *engine.Tx, changes []resolver.Change) error {
	if changes[0].Clear {
		if err := clearContexts(tx); err != nil {
			return err
		}
	}
	return tx.Apply(newDelta(changes))
}

// newDelta returns what changes come to when they are done in their order: a quad that one adds and a later one removes is
// removed alone. The first alone may clear or say something anew.
func newDelta(changes []resolver.Change) *engine.Delta {
	d := &engine.Delta{Replace: engine.Replacement{Graph: contextsGraph, Subjects: changes[0].Anew}}
	removed := map[rdf.Quad]int{} // and by which change at last
	records, quads := 0, 0
	for i, c := range changes {
		for _, q := range c.Remove {
			removed[q] = i
		}
		records, quads = records+len(c.Records), quads+len(c.Add)
	}
	d.Records = make([]engine.Record, 0, records)
	d.Add.Grow(quads)
	for i, c := range changes {
		for _, r := range c.Records {
			d.Records = append(d.Records, engine.Record(r))
		}
		for _, q := range c.Add {
			if last, ok := removed[q]; ok {
				if last > i {
					continue
				}
				delete(removed, q)
			}
			d.Add.Add(q)
		}
		if c.Entry != nil {
			e := engine.DeltaEntry{Entry: *c.Entry}
			for _, q := range c.Add {
				e.Add.Add(q)
			}
			d.Entries = append(d.Entries, e)
		}
	}
	for _, c := range changes {
		for _, q := range c.Remove {
			if _, ok := removed[q]; ok {
				d.Remove.Add(q)
			}
		}
	}
	return d
}

// records are the resolver's records of one snapshot.
type records struct{ *engine.Records }

var _ resolver.Store = records{}

// Apply refuses.
func (records) Apply(context.Context, []resolver.Change) error { return engine.ErrReadOnly }
