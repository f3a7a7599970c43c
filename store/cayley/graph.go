package cayley

import (
	"context"
	"fmt"

	"github.com/segraph/segraph/resolver"
	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/journal"
)

// Add implements store.Graph.
func (s *Store) Add(ctx context.Context, d *store.Document, e journal.Entry) (int, error) {
	w := &write{doc: d, do: func(tx *Tx, added int) error {
		e.Added = added
		return tx.journal(e)
	}}
	if err := s.update(ctx, w); err != nil {
		return 0, fmt.Errorf("storing the document: %w", err)
	}
	return w.added, nil
}

// Clear implements store.Graph. It empties the default graph and forgets all of the resolver's; a
// resolver that is running calls Contexts.Clear instead. When no other graph is left, the dictionary and
// the prefixes go too.
func (s *Store) Clear(ctx context.Context, e journal.Entry) (int64, error) {
	return s.Contexts().Clear(ctx, resolver.Change{}, e)
}

// beforeClear runs Options.BeforeClear where there is something to delete.
func (s *Store) beforeClear(ctx context.Context) error {
	if s.before == nil {
		return nil
	}
	any := false
	err := s.read(func(snap *Snapshot) error {
		for _, g := range snap.Graphs() {
			any = any || readCount(snap.view(g).counts, 0) > 0
		}
		return nil
	})
	if err != nil || !any {
		return err
	}
	if err := s.before(ctx); err != nil {
		return fmt.Errorf("before everything is deleted: %w", err)
	}
	return nil
}

// clear empties the default graph and removes all of the resolver's.
func (tx *Tx) clear() (removed int64, err error) {
	if err := tx.clearContexts(); err != nil {
		return 0, err
	}
	graphs := tx.bolt.Bucket(graphsName)
	if b := graphs.Bucket(idKey(defaultGraph)); b != nil {
		removed = readCount(b.Bucket(countsName), 0)
		if err := graphs.DeleteBucket(idKey(defaultGraph)); err != nil {
			return 0, fmt.Errorf("removing the graph: %w", err)
		}
	}
	clear(tx.graphs)
	tx.touchReset("")
	tx.touchReset(ContextsGraph) // also where it is not there any more: that it was emptied may not be told yet
	tx.changed = tx.changed || removed > 0
	if k, _ := graphs.Cursor().First(); k != nil {
		return removed, nil
	}
	if err := tx.forgetPrefixes(); err != nil {
		return 0, err
	}
	tx.touched.forgets = true
	return removed, tx.dict.Forget()
}
