package engine

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

// Clear implements store.Graph, for a store that no resolver uses: a ResolvedGraph clears beside one. When
// no graph is left, the dictionary goes too.
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

// beforeClear runs Options.BeforeClear where there is something to delete, in the published graph or, with
// contexts, in any.
func (s *Store) beforeClear(ctx context.Context, contexts bool) error {
	if s.before == nil {
		return nil
	}
	any := false
	err := s.View(func(snap *Snapshot) error {
		for _, g := range snap.Graphs() {
			any = any || (contexts || g == defaultGraph) && snap.view(g).count(0) > 0
		}
		return nil
	})
	if err != nil || !any {
		return err
	}
	if err := s.before(ctx); err != nil {
		return fmt.Errorf("before the graph is deleted: %w", err)
	}
	return nil
}

// clear empties the published graph and forgets its prefixes, and with contexts removes all of the
// resolver's.
func (tx *Tx) clear(contexts bool) (removed int64, err error) {
	if contexts {
		if err := tx.clearContexts(); err != nil {
			return 0, err
		}
	}
	graphs := tx.bolt.Bucket(graphsName)
	if graphs.Bucket(idKey(defaultGraph)) != nil {
		g, err := openGraph(tx.bolt, defaultGraph)
		if err != nil {
			return 0, err
		}
		removed = g.count(0)
		if err := graphs.DeleteBucket(idKey(defaultGraph)); err != nil {
			return 0, fmt.Errorf("removing the graph: %w", err)
		}
	}
	delete(tx.graphs, defaultGraph)
	tx.touchReset("")
	left, _ := graphs.Cursor().First()
	if contexts || left == nil {
		// Also where it is not there any more: that it was emptied may not be told yet, and where no graph is
		// left the change that says so is forgotten with all earlier ones.
		tx.touchReset(ContextsGraph)
	}
	tx.lost = true
	tx.changed = tx.changed || removed > 0
	if err := tx.forgetPrefixes(); err != nil {
		return 0, err
	}
	if left != nil {
		return removed, nil
	}
	clear(tx.graphs)
	tx.touched.forgets = true
	return removed, tx.dict.Forget()
}
