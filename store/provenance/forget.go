package provenance

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/segraph/segraph/internal/varint"
	"github.com/segraph/segraph/store/engine"
	"github.com/segraph/segraph/store/engine/dict"
	"github.com/segraph/segraph/store/engine/index"
	"github.com/segraph/segraph/store/engine/kv"
	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/store/orders"
)

// forgottenName is the bucket of what Forget took out of lists: the key of a list -> how many triples, how many of
// these the entry contributed first, and a CRC-32C.
const forgottenName = "forgot"

// Listing is what a read snapshot tells of the lists of a graph that Forget changes.
type Listing struct {
	Gone map[index.Tuple]index.Tuple // what each triple becomes; the zero tuple means nothing
	Logs map[uint64]int              // entries whose lists have such triples, and how many each
	Head journal.Head                // what is newer is not in Logs

	seqs   []uint64        // entries whose lists may change, in order
	shared map[uint64]bool // pieces that other lists use
}

// Listing returns which lists of a graph have triples of gone, or others that also accepts. These become nothing and
// join gone: the graph itself may not have them any more.
func (p *Provenance) Listing(r kv.Reader, g dict.ID, gone map[index.Tuple]index.Tuple, also func(index.Tuple) bool) (*Listing, error) {
	out := &Listing{Gone: gone, Logs: map[uint64]int{}, Head: journal.HeadOf(r), shared: map[uint64]bool{}}
	logs, pieces, is := bucket(r, g, logsName), bucket(r, g, piecesName), targets(gone)
	type hits struct{ gone, targets int }
	seen := map[uint64]hits{} // of pieces
	for key, value := range kv.All(logs) {
		seq, all := binary.BigEndian.Uint64(key), hits{}
		add := func(h hits) { all.gone, all.targets = all.gone+h.gone, all.targets+h.targets }
		known := func(piece uint64) bool { h, ok := seen[piece]; add(h); return ok }
		err := list(pieces, key, value, known, func(run []index.Tuple, piece uint64) error {
			var h hits
			for _, t := range run {
				_, found := gone[t]
				if !found && also(t) {
					gone[t], found = index.Tuple{}, true
				}
				if found {
					h.gone++
				} else if _, target := is[t]; target {
					h.targets++
				}
			}
			if add(h); piece != 0 {
				seen[piece] = h
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
		if all != (hits{}) {
			out.seqs = append(out.seqs, seq)
		}
		if all.gone > 0 {
			out.Logs[seq] = all.gone
		}
	}
	return out, out.share(logs)
}

// share finds which pieces of the lists that may change others of the graph use, too.
func (l *Listing) share(logs kv.Bucket) error {
	if len(l.seqs) == 0 {
		return nil
	}
	mine := map[uint64]bool{}
	for _, seq := range l.seqs {
		numbers, err := listPieces(logs.Get(number(seq)))
		if err != nil {
			return err
		}
		for _, n := range numbers {
			mine[n] = true
		}
	}
	at := 0
	for key, value := range kv.All(logs) {
		if at < len(l.seqs) && l.seqs[at] == binary.BigEndian.Uint64(key) {
			at++
			continue
		}
		numbers, err := listPieces(value)
		if err != nil {
			return err
		}
		for _, n := range numbers {
			if mine[n] {
				l.shared[n] = true
			}
		}
	}
	return nil
}

// contributed is a list, while Forget changes it.
type contributed struct {
	seq     uint64
	triples []index.Tuple // that it has afterwards
	removed int           // how many triples it has fewer
	fresh   int           // how many fewer of its triples no list before it has
	changed int           // triples that it loses, or that become others
}

// Alone runs do, while nothing else withdraws logs or forgets triples.
func (p *Provenance) Alone(ctx context.Context, do func() error) error {
	select {
	case p.withdrawing <- struct{}{}:
		defer func() { <-p.withdrawing }()
		return do()
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Forget replaces triples of a graph, in the graph and in the lists of logs. gone has what each
// becomes; the zero tuple means nothing. It reads the lists that the Listing has, and newer ones. The
// Listing must come from the same call of Alone. It calls each with the numbers of the entries whose lists
// it changed, and how many triples of each. The error is ErrAgain if the lists changed in other ways.
func (p *Provenance) Forget(tx *engine.Tx, g dict.ID, of *Listing, gone map[index.Tuple]index.Tuple, each func(seq uint64, triples int)) error {
	for t := range gone {
		if _, ok := of.Gone[t]; !ok {
			return ErrAgain
		}
	}
	if err := unchanged(tx.KV(), of.Head); err != nil {
		return err
	}
	for t := range of.Gone {
		if _, ok := gone[t]; !ok {
			gone[t] = index.Tuple{} // the graph does not have it, and lists do
		}
	}
	if len(gone) == 0 {
		return nil
	}
	l, err := openLists(tx.KV(), g)
	if err != nil {
		return err
	}
	changed, former, err := l.having(of, gone)
	if err != nil {
		return err
	}
	old, fresh := slices.Collect(maps.Keys(gone)), slices.Collect(maps.Keys(targets(gone)))
	if _, err = tx.Remove(g, old); err == nil && len(fresh) > 0 {
		_, err = tx.AddTuples(g, fresh)
	}
	for _, c := range changed {
		if err == nil {
			err = p.shorten(tx, l, g, c)
		}
		if c.changed > 0 {
			each(c.seq, c.changed)
		}
	}
	if err == nil {
		err = l.forgetUnused(of, former)
	}
	tx.RestartStaged()
	if err != nil {
		return fmt.Errorf("taking triples out of the contributions: %w", err)
	}
	return nil
}

// targets returns what triples become, each with false: having sets it once a list has the new triple. Triples
// that differ only in two names of one person become the same.
func targets(gone map[index.Tuple]index.Tuple) map[index.Tuple]bool {
	out := map[index.Tuple]bool{}
	for _, to := range gone {
		if to != (index.Tuple{}) {
			out[to] = false
		}
	}
	return out
}

// read calls f with the lists that a Listing names, and with those that are newer, in the order of the logs.
func (l lists) read(of *Listing, f func(key, value []byte) error) error {
	for _, seq := range of.seqs {
		key := number(seq)
		if value := l.logs.Get(key); value != nil {
			if err := f(key, value); err != nil {
				return err
			}
		}
	}
	for key, value := range kv.From(l.logs, number(of.Head.Seq+1)) {
		if err := f(key, value); err != nil {
			return err
		}
	}
	return nil
}

// having returns the lists that have one of some triples, or contribute fewer for them, changed, and the
// pieces of these lists.
func (l lists) having(of *Listing, gone map[index.Tuple]index.Tuple) (out []contributed, former map[uint64]bool, err error) {
	former, was, is := map[uint64]bool{}, map[index.Tuple]bool{}, targets(gone)
	err = l.read(of, func(key, value []byte) error {
		c, own := contributed{seq: binary.BigEndian.Uint64(key)}, map[index.Tuple]bool{}
		err := list(l.pieces, key, value, nil, func(run []index.Tuple, _ uint64) error {
			for _, t := range run {
				to, found := gone[t]
				if found {
					c.changed++
				} else {
					to = t
				}
				before, target := is[to]
				if !found && !target {
					c.triples = append(c.triples, t)
					continue
				}
				if !was[t] {
					was[t] = true
					c.fresh++
				}
				if to == (index.Tuple{}) || own[to] {
					c.removed++
					continue
				}
				if c.triples, own[to] = append(c.triples, to), true; !before {
					is[to] = true
					c.fresh--
				}
			}
			return nil
		})
		if err != nil || c.changed == 0 && c.fresh == 0 {
			return err
		}
		out = append(out, c)
		numbers, err := listPieces(value)
		for _, n := range numbers {
			former[n] = true
		}
		return err
	})
	return out, former, err
}

// forgetUnused removes those of some pieces that no list uses. A list that was shortened may be cut
// elsewhere than before, or stored as a whole.
func (l lists) forgetUnused(of *Listing, pieces map[uint64]bool) error {
	if len(pieces) == 0 {
		return nil
	}
	err := l.read(of, func(_, value []byte) error {
		numbers, err := listPieces(value)
		for _, n := range numbers {
			delete(pieces, n)
		}
		return err
	})
	for n := range pieces {
		if err == nil && !of.shared[n] {
			err = l.removePiece(n)
		}
	}
	return err
}

// shorten stores a changed list, and how much shorter it is.
func (p *Provenance) shorten(tx *engine.Tx, l lists, g dict.ID, c contributed) error {
	key := forgottenKey(c.seq, g)
	removed, fresh, err := forgotten(tx.KV(), key)
	if err != nil {
		return err
	}
	if err := keepForgotten(tx, key, removed+c.removed, fresh+c.fresh); err != nil {
		return err
	}
	if len(c.triples) == 0 {
		return l.logs.Delete(number(c.seq))
	}
	orders.Sort(c.triples, 3)
	return p.Keep(tx, c.seq, g, c.triples)
}

// forgottenKey returns the key of the list of an entry and a graph. It begins with the number of the entry.
func forgottenKey(seq uint64, g dict.ID) []byte { return append(number(seq), number(uint64(g))...) }

// keepForgotten stores what forgotten returns for a list.
func keepForgotten(tx *engine.Tx, key []byte, removed, fresh int) error {
	b, err := tx.KV().Writable(forgottenName)
	if err != nil {
		return err
	}
	if removed == 0 && fresh == 0 {
		return b.Delete(key)
	}
	return b.Put(key, kv.Seal(key, varint.Append(varint.Append(nil, uint64(removed)), uint64(fresh))))
}

// forgotten returns how many triples Forget took out of the lists whose keys begin with prefix, and how many of these
// their entry contributed first.
func forgotten(r kv.Reader, prefix []byte) (removed, fresh int, err error) {
	for key, sealed := range kv.From(r.Bucket(forgottenName), prefix) {
		if !bytes.HasPrefix(key, prefix) {
			break
		}
		v, err := kv.Unseal(key, sealed)
		n, ok := varint.All(v)
		if err != nil || !ok || len(n) != 2 {
			return 0, 0, errors.Join(errList, err)
		}
		removed, fresh = removed+int(n[0]), fresh+int(n[1])
	}
	return removed, fresh, nil
}
