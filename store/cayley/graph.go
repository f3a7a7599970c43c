package cayley

import (
	"context"
	"fmt"

	"github.com/segraph/segraph/internal/journal"
	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/dict"
	"github.com/segraph/segraph/store/rdf"
)

// ContextsGraph is the named graph in which the resolver mirrors its contexts.
const ContextsGraph = "urn:segraph:contexts"

// Add implements store.Graph.
func (s *Store) Add(ctx context.Context, d *store.Document, e journal.Entry) (int, error) {
	w := &write{doc: d, do: func(tx *Tx, added int) error {
		e.Added = added
		_, err := journal.Append(tx.bolt, e)
		return err
	}}
	if err := s.update(ctx, w); err != nil {
		return 0, fmt.Errorf("storing the document: %w", err)
	}
	return w.added, nil
}

// Clear implements store.Graph. It empties the default graph and the resolver's.
// When no other graph is left, the dictionary and the prefixes go too.
func (s *Store) Clear(ctx context.Context, e journal.Entry) (int64, error) {
	var removed int64
	w := &write{do: func(tx *Tx, _ int) error {
		var err error
		if removed, err = tx.clear(); err != nil {
			return err
		}
		e.Removed = removed
		_, err = journal.Append(tx.bolt, e)
		return err
	}}
	if err := s.update(ctx, w); err != nil {
		return 0, fmt.Errorf("clearing the graph: %w", err)
	}
	return removed, nil
}

func (tx *Tx) clear() (removed int64, err error) {
	graphs := tx.bolt.Bucket(graphsName)
	if graphs == nil {
		return 0, nil
	}
	if b := graphs.Bucket(idKey(defaultGraph)); b != nil {
		removed = readCount(b.Bucket(countsName), 0)
		if err := graphs.DeleteBucket(idKey(defaultGraph)); err != nil {
			return 0, fmt.Errorf("removing the graph: %w", err)
		}
	}
	id, ok, err := dict.NewReader(tx.bolt.Bucket(dictName), nil).ID(rdf.NewIRI(ContextsGraph))
	if err != nil {
		return 0, err
	}
	if ok && graphs.Bucket(idKey(id)) != nil {
		if err := graphs.DeleteBucket(idKey(id)); err != nil {
			return 0, fmt.Errorf("removing the contexts: %w", err)
		}
	}
	clear(tx.graphs)
	tx.changed = tx.changed || removed > 0
	if k, _ := graphs.Cursor().First(); k != nil {
		return removed, nil
	}
	if err := tx.forgetPrefixes(); err != nil {
		return 0, err
	}
	return removed, tx.dict.Forget()
}
