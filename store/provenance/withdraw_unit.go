package provenance

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/engine"
	"github.com/segraph/segraph/store/engine/dict"
	"github.com/segraph/segraph/store/engine/index"
	"github.com/segraph/segraph/store/engine/kv"
	"github.com/segraph/segraph/store/log/journal"
)

// unit is one unit of work of a withdrawal.
type unit struct {
	logs    []*leaving
	gone    []Gone
	refused []refusal
}

type refusal struct {
	logID string
	err   error
}

// leaving is what one entry contributed, while it is withdrawn.
type leaving struct {
	*chosenLog
	entry journal.Entry
	lists []leavingList
	out   store.Withdrawn
}

type leavingList struct {
	held   *held
	own    []index.Tuple
	pieces []uint64
}

// withdraw withdraws entries in a transaction. It does not change what the pass found,
// because a transaction may be repeated.
func (r *run) withdraw(tx *engine.Tx, some []*chosenLog) (*unit, error) {
	if err := r.advance(tx.KV()); err != nil {
		return nil, err
	}
	u, going := &unit{}, map[uint64]bool{}
	for _, c := range some {
		l, err := r.leave(tx, c)
		switch {
		case isRefusal(err):
			u.refused = append(u.refused, refusal{c.LogID, err})
		case err != nil:
			return nil, err
		default:
			u.logs, going[c.Seq] = append(u.logs, l), true
		}
	}
	keep := make([]dict.ID, len(r.p.keep))
	if err := tx.Find(r.p.keep, keep); err != nil {
		return nil, err
	}
	for _, h := range r.graphs {
		if err := u.remove(tx, h, going, keep); err != nil {
			return nil, fmt.Errorf("removing the contributions of logs: %w", err)
		}
	}
	for _, l := range u.logs {
		if err := journal.Erase(tx.KV(), l.Seq, journal.GroupsOf(journal.Client, journal.Content)); err != nil {
			return nil, err
		}
		if l.out.Removed > 0 {
			if err := tx.WantCollection(); err != nil {
				return nil, err
			}
		}
		g := Gone{LogID: l.LogID, Seq: l.Seq, Entry: l.entry, Withdrawn: l.out, Triples: map[dict.ID][]index.Tuple{}}
		for _, x := range l.lists {
			g.Triples[x.held.graph] = x.own
		}
		u.gone = append(u.gone, g)
	}
	return u, nil
}

// leave reads what an entry contributed, and verifies that its lists account for what it
// added.
func (r *run) leave(tx *engine.Tx, c *chosenLog) (*leaving, error) {
	l := &leaving{chosenLog: c}
	key := number(c.Seq)
	triples, fresh, err := forgotten(tx.KV(), key)
	if err == nil {
		l.entry, err = journal.Get(tx.KV(), c.Seq)
	}
	if err != nil {
		return nil, err
	}
	added := l.entry.Added
	for _, h := range r.graphs {
		value := bytes.Clone(bucket(tx.KV(), h.graph, logsName).Get(key))
		if value == nil {
			continue
		}
		x := leavingList{held: h}
		if x.pieces, err = listPieces(value); err != nil {
			return nil, err
		}
		err = list(bucket(tx.KV(), h.graph, piecesName), key, value, nil, func(run []index.Tuple, _ uint64) error {
			x.own = append(x.own, run...)
			return nil
		})
		if err != nil {
			return nil, err
		}
		more, err := inherited(bucket(tx.KV(), h.graph, inheritedName), key)
		if err != nil {
			return nil, err
		}
		slices.SortFunc(x.own, index.Compare)
		for _, t := range x.own {
			if h.of(t).oldest() == c.Seq {
				fresh++
			}
		}
		l.lists, triples, added = append(l.lists, x), triples+len(x.own), added+more
	}
	switch {
	case len(l.lists) == 0:
		return nil, store.ErrNotKept
	case triples != c.Triples:
		return nil, &store.UnfitError{Detail: "a part of what the log contributed was deleted or withdrawn before; the rest can't be withdrawn alone"}
	case fresh != added:
		return nil, &store.UnfitError{Detail: "some triples of the log were in the graph before without a recorded log, or came from a backup; its own contribution is unknown"}
	}
	return l, nil
}

// remove removes from a graph what the entries of the unit contributed to it and no other
// list holds. Triples with the predicates of keep stay. The entry that contributed a triple
// first passes it on to the next one: see openInherited.
func (u *unit) remove(tx *engine.Tx, h *held, going map[uint64]bool, keep []dict.ID) error {
	var open lists
	used := map[uint64]int{}
	heirs := map[uint64]int{}
	for _, l := range u.logs {
		i := slices.IndexFunc(l.lists, func(x leavingList) bool { return x.held == h })
		if i < 0 {
			continue
		}
		if open.logs == nil {
			var err error
			if open, err = openLists(tx.KV(), h.graph); err != nil {
				return err
			}
		}
		x := &l.lists[i]
		var removed []index.Tuple
		for _, t := range x.own {
			first, next := h.of(t).without(going)
			switch {
			case first != l.Seq: // left to the oldest of the logs that go
			case next == 0 && !slices.Contains(keep, dict.ID(t[1])):
				removed = append(removed, t)
			case next != 0 && h.of(t).oldest() == l.Seq:
				heirs[next]++
			}
		}
		n, err := tx.Remove(h.graph, removed)
		if err == nil {
			err = open.logs.Delete(number(l.Seq))
		}
		if err != nil {
			return err
		}
		l.out.Removed, l.out.Stayed = l.out.Removed+n, l.out.Stayed+len(x.own)-len(removed)
		for _, piece := range x.pieces {
			used[piece]++
		}
	}
	if open.logs == nil {
		return nil
	}
	for _, piece := range slices.Sorted(maps.Keys(used)) {
		if h.shared[piece] || h.pieces[piece] > used[piece] {
			continue
		}
		tx.RestartStaged()
		if err := open.removePiece(piece); err != nil {
			return err
		}
	}
	return u.bequeath(tx, h.graph, heirs)
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

// bequeath adds to the inherited counts of heirs, and drops those of the unit's entries.
func (u *unit) bequeath(tx *engine.Tx, g dict.ID, heirs map[uint64]int) error {
	receivers, err := openInherited(tx, g)
	if err != nil {
		return err
	}
	for _, seq := range slices.Sorted(maps.Keys(heirs)) {
		key := number(seq)
		had, err := inherited(receivers, key)
		if err == nil {
			err = receivers.Put(key, kv.Seal(key, binary.BigEndian.AppendUint64(nil, uint64(had+heirs[seq]))))
		}
		if err != nil {
			return err
		}
	}
	for _, l := range u.logs {
		if err := receivers.Delete(number(l.Seq)); err != nil {
			return err
		}
	}
	return nil
}

// removePiece removes a piece that no list uses.
func (l lists) removePiece(piece uint64) error {
	key := number(piece)
	hash := pieceHash(l.pieces.Get(key))
	if err := l.pieces.Delete(key); err != nil {
		return err
	}
	if bytes.Equal(l.hashes.Get(hash), key) {
		return l.hashes.Delete(hash)
	}
	return nil
}
