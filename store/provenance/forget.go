package provenance

import (
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
	"github.com/segraph/segraph/store/orders"
)

// forgottenName is the bucket, in that of a graph, of what Forget took out of lists: number of
// an entry -> how many triples, how many of these the entry contributed first, and a CRC-32C.
const forgottenName = "forgot"

// contributed is a list, while Forget changes it.
type contributed struct {
	seq     uint64
	triples []index.Tuple // that it has afterwards
	removed int           // how many triples it has fewer
	fresh   int           // how many fewer of its triples no list before it has
	changed int           // triples that it loses, or that become others
}

// Forget replaces triples of a graph, in the graph and in the lists of logs. gone has what each
// becomes; the zero tuple means nothing. It calls each with the numbers of the entries whose lists
// it changed, and how many triples of each.
func (p *Provenance) Forget(tx *engine.Tx, g dict.ID, gone map[index.Tuple]index.Tuple, each func(seq uint64, triples int)) error {
	l, err := openLists(tx.KV(), g)
	if err != nil {
		return err
	}
	changed, former, err := l.having(gone)
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
		err = l.forgetUnused(former)
	}
	tx.RestartStaged()
	if err != nil {
		return fmt.Errorf("taking triples out of the contributions: %w", err)
	}
	return nil
}

// Listed returns the triples in the lists of a graph that has accepts, each of which becomes
// nothing, for Forget. The graph itself may not have them any more.
func (p *Provenance) Listed(tx *engine.Tx, g dict.ID, has func(index.Tuple) bool) (map[index.Tuple]index.Tuple, error) {
	gone, pieces := map[index.Tuple]index.Tuple{}, bucket(tx.KV(), g, piecesName)
	for key, value := range kv.All(bucket(tx.KV(), g, logsName)) {
		err := list(pieces, key, value, nil, func(run []index.Tuple, _ uint64) error {
			for _, t := range run {
				if has(t) {
					gone[t] = index.Tuple{}
				}
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return gone, nil
}

// targets returns what triples become, each with false: having sets it once a list has the new triple. Several
// triples may become the same, if they differ in two names of one person.
func targets(gone map[index.Tuple]index.Tuple) map[index.Tuple]bool {
	out := map[index.Tuple]bool{}
	for _, to := range gone {
		if to != (index.Tuple{}) {
			out[to] = false
		}
	}
	return out
}

// having returns the lists that have one of some triples, or contribute fewer for them, changed, and the
// pieces of these lists.
func (l lists) having(gone map[index.Tuple]index.Tuple) (out []contributed, former map[uint64]bool, err error) {
	former, was, is := map[uint64]bool{}, map[index.Tuple]bool{}, targets(gone)
	for key, value := range kv.All(l.logs) { // in the order of the logs
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
		if err != nil {
			return nil, nil, err
		}
		if c.changed == 0 && c.fresh == 0 {
			continue
		}
		out = append(out, c)
		numbers, err := listPieces(value)
		if err != nil {
			return nil, nil, err
		}
		for _, n := range numbers {
			former[n] = true
		}
	}
	return out, former, nil
}

// forgetUnused removes those of some pieces that no list uses. A list that was shortened may be cut
// elsewhere than before, or stored as a whole.
func (l lists) forgetUnused(pieces map[uint64]bool) error {
	if len(pieces) == 0 {
		return nil
	}
	for _, value := range kv.All(l.logs) {
		numbers, err := listPieces(value)
		if err != nil {
			return err
		}
		for _, n := range numbers {
			delete(pieces, n)
		}
	}
	for n := range pieces {
		if err := l.forget(n); err != nil {
			return err
		}
	}
	return nil
}

// shorten stores a changed list, and how much shorter it is.
func (p *Provenance) shorten(tx *engine.Tx, l lists, g dict.ID, c contributed) error {
	key := number(c.seq)
	const at = 0 // with the published graph, because a graph that is named after a person goes
	removed, fresh, err := forgotten(tx.KV(), at, key)
	if err != nil {
		return err
	}
	b, err := tx.KV().Writable(engine.GraphPath(at, forgottenName)...)
	if err == nil {
		v := varint.Append(varint.Append(nil, uint64(removed+c.removed)), uint64(fresh+c.fresh))
		err = b.Put(key, kv.Seal(key, v))
	}
	if err != nil {
		return err
	}
	if len(c.triples) == 0 {
		return l.logs.Delete(key)
	}
	orders.Sort(c.triples, 3)
	return p.Keep(tx, c.seq, g, c.triples)
}

// forgotten returns how many triples Forget took out of the list of an entry, and how many of
// these the entry contributed first.
func forgotten(tx kv.Reader, g dict.ID, key []byte) (removed, fresh int, err error) {
	sealed := bucket(tx, g, forgottenName).Get(key)
	if sealed == nil {
		return 0, 0, nil
	}
	v, err := kv.Unseal(key, sealed)
	n, ok := varint.All(v)
	if err != nil || !ok || len(n) != 2 {
		return 0, 0, errors.Join(errList, err)
	}
	return int(n[0]), int(n[1]), nil
}
