package provenance

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/engine"
	"github.com/segraph/segraph/store/engine/dict"
	"github.com/segraph/segraph/store/engine/index"
	"github.com/segraph/segraph/store/engine/kv"
	"github.com/segraph/segraph/store/journal"
	"github.com/segraph/segraph/store/rdf"
)

// Withdraw removes the triples that only the log with this id contributed, from all graphs, and
// appends e to the journal with Removed and Withdrawn set. Triples that were written without a list
// look like the log's own, so Withdraw refuses a log whose number of new triples does not
// match the lists. It reads the lists of all logs, in the transaction. The error may be
// store.ErrNoLog, store.ErrForgotten or a *store.UnfitError.
func (p *Provenance) Withdraw(ctx context.Context, logID string, e journal.Entry) (out store.Withdrawn, err error) {
	err = p.store.Update(ctx, func(tx *engine.Tx) error {
		seq, parts, err := p.partsOf(ctx, tx, logID)
		if err != nil {
			return err
		}
		for _, w := range parts {
			gone, err := w.remove()
			if err != nil {
				return err
			}
			out.Removed, out.Stayed = out.Removed+gone.Removed, out.Stayed+gone.Stayed
		}
		if err := journal.Erase(tx.KV(), seq, journal.GroupsOf(journal.Client, journal.Content)); err != nil {
			return err
		}
		e.Removed, e.Withdrawn = int64(out.Removed), logID
		return tx.Journal(e)
	})
	if err != nil {
		return store.Withdrawn{}, fmt.Errorf("withdrawing a log: %w", err)
	}
	return out, nil
}

// partsOf returns the number of a log's entry, and for each graph what the log contributed to it.
func (p *Provenance) partsOf(ctx context.Context, tx *engine.Tx, logID string) (seq uint64, parts []*withdrawal, err error) {
	entries, err := journal.Find(tx.KV(), logID, 2)
	if err != nil {
		return 0, nil, err
	}
	if len(entries) == 0 {
		return 0, nil, store.ErrNoLog
	}
	e := entries[0]
	if len(entries) > 1 || e.Action != journal.Insert || e.Part > 0 {
		return 0, nil, &store.UnfitError{Detail: "only a log that was stored as one document can be withdrawn"}
	}
	triples, fresh, added := 0, 0, e.Added
	for _, g := range tx.Snapshot().Graphs() {
		w := &withdrawal{tx: tx, graph: g, keep: p.keep, key: number(e.Seq)}
		found, err := w.find()
		if err != nil {
			return 0, nil, err
		}
		if !found {
			continue
		}
		n, more, err := w.compare(ctx)
		if err != nil {
			return 0, nil, err
		}
		parts, triples, fresh, added = append(parts, w), triples+len(w.own), fresh+n, added+more
	}
	switch {
	case len(parts) == 0:
		return 0, nil, store.ErrForgotten
	case triples != e.Triples:
		return 0, nil, &store.UnfitError{Detail: "a part of what the log contributed was deleted or withdrawn before; the rest can't be withdrawn alone"}
	case fresh != added:
		return 0, nil, &store.UnfitError{Detail: "some triples of the log were in the graph before without a recorded log, or came from a backup; its own contribution is unknown"}
	}
	return e.Seq, parts, nil
}

// withdrawal is the withdrawal of what one log contributed to one graph.
type withdrawal struct {
	tx     *engine.Tx
	graph  dict.ID
	keep   []rdf.Term // predicates whose triples stay
	lists  lists
	key    []byte
	own    []index.Tuple // its contribution, sorted
	pieces []uint64
	// shared and the next field say, for each triple of own, whether another log
	// contributed it, and the number of the first such log. others holds the pieces of
	// other logs.
	shared []bool
	first  []uint64
	others map[uint64]bool
}

// openInherited opens the bucket of inherited counts: number of an entry -> how many
// triples, and a CRC-32C. A withdrawal transfers ownership: triples that the withdrawn
// log contributed first count as new ones of the next log that contributed them.
func openInherited(tx *engine.Tx, g dict.ID) (kv.Writable, error) {
	return tx.KV().Writable(engine.GraphPath(g, inheritedName)...)
}

// inherited returns how many triples a log has inherited.
func inherited(receivers kv.Bucket, key []byte) (int, error) {
	sealed := receivers.Get(key)
	if sealed == nil {
		return 0, nil
	}
	value, err := kv.Unseal(key, sealed)
	if err != nil || len(value) != 8 {
		return 0, errors.Join(errList, err)
	}
	return int(binary.BigEndian.Uint64(value)), nil
}

// find reads the log's contribution. It reports whether there is one.
func (w *withdrawal) find() (found bool, err error) {
	value := bytes.Clone(bucket(w.tx.KV(), w.graph, logsName).Get(w.key))
	if value == nil {
		return false, nil
	}
	if w.lists, err = openLists(w.tx.KV(), w.graph); err != nil {
		return false, err
	}
	if w.pieces, err = listPieces(value); err != nil {
		return false, err
	}
	err = list(w.lists.pieces, w.key, value, nil, func(run []index.Tuple, _ uint64) error {
		w.own = append(w.own, run...)
		return nil
	})
	slices.SortFunc(w.own, index.Compare)
	return true, err
}

// compare searches the lists of all other logs for the log's triples, oldest first. It returns how
// many the log contributed first, and how many of these it inherited.
func (w *withdrawal) compare(ctx context.Context) (fresh, more int, err error) {
	w.shared, w.first, w.others = make([]bool, len(w.own)), make([]uint64, len(w.own)), map[uint64]bool{}
	own := binary.BigEndian.Uint64(w.key)
	known := func(piece uint64) bool { return w.others[piece] }
	for key, value := range kv.All(w.lists.logs) {
		if bytes.Equal(key, w.key) {
			continue
		}
		err := list(w.lists.pieces, key, value, known, func(run []index.Tuple, piece uint64) error {
			if piece != 0 {
				w.others[piece] = true
			}
			for _, t := range run {
				if at, found := slices.BinarySearchFunc(w.own, t, index.Compare); found && !w.shared[at] {
					w.shared[at], w.first[at] = true, binary.BigEndian.Uint64(key)
				}
			}
			return nil
		})
		if err != nil {
			return 0, 0, err
		}
		if err := ctx.Err(); err != nil {
			return 0, 0, err
		}
	}
	for i, shared := range w.shared {
		if !shared || w.first[i] > own {
			fresh++
		}
	}
	receivers, err := openInherited(w.tx, w.graph)
	if err != nil {
		return 0, 0, err
	}
	more, err = inherited(receivers, w.key)
	return fresh, more, err
}

// unshared returns the triples that no other log contributed.
func (w *withdrawal) unshared() (ts []index.Tuple) {
	for i, t := range w.own {
		if !w.shared[i] {
			ts = append(ts, t)
		}
	}
	return ts
}

// remove removes the triples that only this log contributed, and its list. Triples with
// the predicates of Options.Keep stay.
func (w *withdrawal) remove() (out store.Withdrawn, err error) {
	keep := make([]dict.ID, len(w.keep))
	if err := w.tx.Find(w.keep, keep); err != nil {
		return out, err
	}
	var removed []index.Tuple
	for _, t := range w.unshared() {
		if !slices.Contains(keep, dict.ID(t[1])) {
			removed = append(removed, t)
		}
	}
	out.Stayed = len(w.own) - len(removed)
	if out.Removed, err = w.tx.Remove(w.graph, removed); err != nil {
		return out, err
	}
	if err = w.transfer(); err == nil {
		err = w.lists.logs.Delete(w.key)
	}
	for _, piece := range w.pieces {
		if err == nil && !w.others[piece] {
			err = w.forget(piece)
		}
	}
	if err != nil {
		return out, fmt.Errorf("removing a log's contribution: %w", err)
	}
	return out, nil
}

// transfer transfers ownership of the triples that the log contributed first.
func (w *withdrawal) transfer() error {
	receivers, err := openInherited(w.tx, w.graph)
	if err != nil {
		return err
	}
	own, more := binary.BigEndian.Uint64(w.key), map[uint64]int{}
	for i, shared := range w.shared {
		if shared && w.first[i] > own {
			more[w.first[i]]++
		}
	}
	for seq, n := range more {
		key := number(seq)
		had, err := inherited(receivers, key)
		if err == nil {
			err = receivers.Put(key, kv.Seal(key, binary.BigEndian.AppendUint64(nil, uint64(had+n))))
		}
		if err != nil {
			return err
		}
	}
	return receivers.Delete(w.key)
}

// forget removes a piece that no list uses.
func (w *withdrawal) forget(piece uint64) error {
	w.tx.RestartStaged()
	key := number(piece)
	hash := pieceHash(w.lists.pieces.Get(key))
	if err := w.lists.pieces.Delete(key); err != nil {
		return err
	}
	if bytes.Equal(w.lists.hashes.Get(hash), key) {
		return w.lists.hashes.Delete(hash)
	}
	return nil
}
