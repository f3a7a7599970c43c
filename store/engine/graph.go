package engine

import (
	"context"
	"errors"
	"fmt"

	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/engine/dict"
	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/store/rdf"
)

// Add implements store.Graph.
func (s *Store) Add(ctx context.Context, d *store.Document, e journal.Entry) (int, error) {
	do := func(tx *Tx) error { return tx.AddLog(d, &e) }
	var err error
	if sizeOfNew(d) > s.queue.largest() { // if most of it is new
		err = s.direct(ctx, directly{do: do})
	} else {
		err = s.Update(ctx, do)
	}
	if err != nil {
		return 0, fmt.Errorf("storing the document: %w", err)
	}
	return e.Added, nil
}

// AddLog stores a document, and e as its journal entry, whose Added it sets.
func (tx *Tx) AddLog(d *store.Document, e *journal.Entry) error { return tx.addLog(d, e, nil) }

// AddPart is like AddLog for a part of a document, with a name of that document. A blank node is the same as in other
// parts that have it by the same label, whenever they are stored.
func (tx *Tx) AddPart(d *store.Document, e *journal.Entry, name string) error {
	var names []string
	var nodes []rdf.Term
	for _, t := range d.Terms {
		if t.IsBlank() {
			names, nodes = append(names, t.Value()), append(nodes, rdf.NewBlank(name+"-"+t.Value()))
		}
	}
	found, blanks := make([]dict.ID, len(nodes)), &labels{}
	if err := tx.dict.IDs(nodes, found); err != nil {
		return err
	}
	for i, label := range names {
		blanks.remember(label, found[i])
	}
	return tx.addLog(d, e, blanks)
}

// addLog is like AddLog. blanks is as in addDocument.
func (tx *Tx) addLog(d *store.Document, e *journal.Entry, blanks *labels) (err error) {
	if e.Added, err = tx.addDocument(d, blanks); err != nil {
		return err
	}
	return tx.Journal(*e)
}

// Clear implements store.Graph. With contexts it also clears the data of extensions
// (Extension.Clear). If no graph is left, it also empties the dictionary.
func (s *Store) Clear(ctx context.Context, contexts bool, e journal.Entry) (out store.Cleared, err error) {
	err = s.ClearWith(ctx, contexts, func(tx *Tx, removed int64) error {
		out.Triples, e.Removed = removed, removed
		if err := e.Retry.Keep(out); err != nil {
			return err
		}
		return tx.Journal(e)
	})
	return out, err
}

// ClearWith clears the published graph and, if all, the data of extensions. Then it runs
// do in the same transaction, with the number of published triples removed.
func (s *Store) ClearWith(ctx context.Context, all bool, do func(tx *Tx, removed int64) error) error {
	w := directly{before: func() error { return s.beforeClear(ctx, all) }, do: func(tx *Tx) error {
		removed, err := tx.clear(all)
		if err != nil {
			return err
		}
		return do(tx, removed)
	}}
	if err := s.direct(ctx, w); err != nil {
		return fmt.Errorf("clearing the graph: %w", err)
	}
	return nil
}

// beforeClear calls Options.BeforeClear if there is something to delete: in the published
// graph or, if contexts, in any graph.
func (s *Store) beforeClear(ctx context.Context, contexts bool) error {
	if s.before == nil {
		return nil
	}
	found := false
	err := s.View(func(snap *Snapshot) error {
		for _, g := range snap.Graphs() {
			found = found || (contexts || g == defaultGraph) && snap.view(g).count(0) > 0
		}
		return nil
	})
	if err != nil || !found {
		return err
	}
	if err := s.before(ctx); err != nil {
		return fmt.Errorf("before the graph is deleted: %w", err)
	}
	return nil
}

// clear clears the published graph and its prefixes and, if contexts, the data of
// extensions.
func (tx *Tx) clear(contexts bool) (removed int64, err error) {
	for _, x := range tx.extensions {
		if x.Clear == nil || !contexts {
			continue
		}
		if err := x.Clear(tx); err != nil {
			return 0, err
		}
	}
	graphs := tx.bolt.Bucket(graphsName)
	var stay []uint64 // entries of logs in other graphs
	if x := tx.contributions(); x != nil {
		stay = x.Unpublished(tx, graphsIn(tx.bolt))
	}
	if graphs.Bucket(idKey(defaultGraph)) != nil {
		g, err := openGraph(tx.bolt, defaultGraph)
		if err != nil {
			return 0, err
		}
		removed = g.count(0)
		if err := tx.removeGraph(defaultGraph); err != nil {
			return 0, err
		}
	}
	if err := journal.EraseLogs(tx.KV(), stay); err != nil {
		return 0, err
	}
	tx.touchEmptied(rdf.Term{})
	left, _ := graphs.Cursor().First()
	if contexts || left == nil {
		// Touch it even if the graph does not exist: an earlier clearing may not have
		// been sent to a graph store yet, and if no graph is left, that change is
		// forgotten with all others.
		tx.touchEmptied(contextsGraph)
	}
	tx.lost = true
	tx.changed = tx.changed || removed > 0
	if err := tx.clearPrefixes(); err != nil {
		return 0, err
	}
	if left != nil || lacksUsers(tx.bolt, tx.extensions) {
		if removed > 0 || contexts { // an extension may have cleared its data
			err = tx.WantCollection()
		}
		return removed, err
	}
	clear(tx.graphs)
	tx.touched.Renumbered = true
	if err := errors.Join(tx.writer.Clear(), tx.clearTexts(), tx.bolt.Bucket(metaName).Delete(removedKey)); err != nil {
		return 0, err
	}
	return removed, nil
}
