package engine

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"

	bolterrors "go.etcd.io/bbolt/errors"

	"github.com/segraph/segraph/resolver"
	"github.com/segraph/segraph/store/engine/dict"
	"github.com/segraph/segraph/store/engine/kv"
	"github.com/segraph/segraph/store/journal"
	"github.com/segraph/segraph/store/rdf"
)

// ContextsGraph is the named graph in which the resolver mirrors its contexts.
const ContextsGraph = "urn:segraph:contexts"

var contextsGraph = rdf.NewIRI(ContextsGraph)

// errContextsGraph refuses quads of the graph of contexts that do not come from the resolver.
var errContextsGraph = errors.New("the graph " + ContextsGraph + " is the resolver's alone")

// recordsName is the bucket of the resolver's records: key -> value and the CRC-32C of both.
var recordsName = []byte("contexts")

// Contexts is what the resolver remembers, in the store's file: its records, and their mirror in the
// graph urn:segraph:contexts. It is the resolver's alone.
type Contexts struct{ store *Store }

var _ resolver.Store = (*Contexts)(nil)

// Contexts gives the resolver's part of the store. Of one that was opened as it is, what is late is not there.
func (s *Store) Contexts() *Contexts { return &Contexts{s} }

// Get implements resolver.Store.
func (c *Contexts) Get(key []byte) (value []byte, err error) {
	if value, ok := c.store.lateRecords.get(key); ok { // first: what is settled meanwhile is in the file then
		return bytes.Clone(value), nil
	}
	err = c.read(func(m *momentRecords) error {
		v, err := m.Get(key)
		value = bytes.Clone(v)
		return err
	})
	return value, err
}

// Scan implements resolver.Store, on one moment of the file.
func (c *Contexts) Scan(from, to []byte, yield func(key, value []byte) bool) error {
	late := c.store.lateRecords.between(from, to)
	return c.read(func(m *momentRecords) error { return m.scan(from, to, late, yield) })
}

// read runs do on the records of one moment.
func (c *Contexts) read(do func(*momentRecords) error) error {
	select {
	case <-c.store.closing:
		return errClosing
	default:
	}
	err := c.store.guard(func() error {
		tx, err := c.store.file.Begin(false)
		if err != nil {
			return err
		}
		defer func() { _ = tx.Rollback() }() // the one error is that it was closed before
		return do(&momentRecords{bucket: tx.Bucket(recordsName)})
	})
	if err != nil {
		return fmt.Errorf("reading the resolver's records: %w", err)
	}
	return nil
}

// Apply implements resolver.Store. Documents that are being added meanwhile share the transaction.
func (c *Contexts) Apply(ctx context.Context, changes []resolver.Change) error {
	w := &write{}
	looks := func(c resolver.Change) bool { return c.Clear || len(c.Anew) > 0 } // at what is stored
	if slices.ContainsFunc(changes, looks) {
		w.do = func(tx *Tx, _ int) error {
			for rest := changes; len(rest) > 0; {
				n := 1
				for n < len(rest) && !looks(rest[n]) {
					n++
				}
				if err := tx.applyAlone(newDelta(rest[:n])); err != nil {
					return err
				}
				rest = rest[n:]
			}
			return nil
		}
	} else {
		w.delta = newDelta(changes)
	}
	if err := c.store.update(ctx, w); err != nil {
		return fmt.Errorf("storing what the resolver decided: %w", err)
	}
	return nil
}

// Clear empties the published graph, with e as the journal's entry of it, and applies what the
// resolver makes of that, in one transaction. It returns the number of published triples removed.
func (c *Contexts) Clear(ctx context.Context, change resolver.Change, e journal.Entry) (removed int64, err error) {
	w := &write{before: func() error { return c.store.beforeClear(ctx, change.Clear) }, do: func(tx *Tx, _ int) error {
		if removed, err = tx.clear(change.Clear); err != nil {
			return err
		}
		e.Removed = removed
		if err := tx.journal(e); err != nil {
			return err
		}
		return tx.applyAlone(newDelta([]resolver.Change{change}))
	}}
	if err := c.store.update(ctx, w); err != nil {
		return 0, fmt.Errorf("clearing the graph: %w", err)
	}
	return removed, nil
}

// clearContexts removes the records and the graph that mirrors them.
func (tx *Tx) clearContexts() error {
	if err := tx.noneLate(); err != nil {
		return err
	}
	if err := tx.bolt.DeleteBucket(recordsName); err != nil && !errors.Is(err, bolterrors.ErrBucketNotFound) {
		return fmt.Errorf("removing the resolver's records: %w", err)
	}
	var id [1]dict.ID
	if err := tx.dict.Find([]rdf.Term{contextsGraph}, id[:]); err != nil || id[0] == 0 {
		return err
	}
	delete(tx.graphs, id[0])
	tx.touchReset(ContextsGraph)
	err := tx.bolt.Bucket(graphsName).DeleteBucket(idKey(id[0]))
	if err != nil && !errors.Is(err, bolterrors.ErrBucketNotFound) {
		return fmt.Errorf("removing the graph of contexts: %w", err)
	}
	return nil
}

// putRecords stores records, in the order of their keys. It takes the values over.
func (tx *Tx) putRecords(records []resolver.Record) error {
	if len(records) == 0 {
		return nil
	}
	b, err := tx.bolt.CreateBucketIfNotExists(recordsName)
	if err != nil {
		return fmt.Errorf("opening the resolver's records: %w", err)
	}
	b.FillPercent = 0.8
	for _, r := range records {
		if r.Value == nil {
			err = b.Delete(r.Key)
		} else {
			err = b.Put(r.Key, kv.Seal(r.Key, r.Value))
		}
		if err != nil {
			return fmt.Errorf("writing the resolver's records: %w", err)
		}
	}
	return nil
}
