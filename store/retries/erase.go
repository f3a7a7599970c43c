package retries

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/segraph/segraph/store/engine"
	"github.com/segraph/segraph/store/engine/kv"
)

// gone are the records of withdrawn logs whose key was a request id, by id. Such a request is
// told from others by its body, whose hash must leave the file. Until this process ends, and
// for KeepTime, memory still knows it.
type gone map[[16]byte][]goneRecord

type goneRecord struct {
	number uint64
	*record
}

// maxGone limits the ids in gone.
const maxGone = 10_000

func (r *Retries) keepGone(number uint64, x *record) {
	r.mu.Lock()
	defer r.mu.Unlock()
	before := time.Now().Add(-r.limits.keep)
	for id, list := range r.gone {
		list = slices.DeleteFunc(list, func(g goneRecord) bool { return time.Unix(g.time, 0).Before(before) })
		if r.gone[id] = list; len(list) == 0 || len(r.gone) > maxGone {
			delete(r.gone, id)
		}
	}
	r.gone[x.id] = append(r.gone[x.id], goneRecord{number, x})
}

// findGone returns the answer to a request whose record has left the file, or nil.
func (r *Retries) findGone(id [16]byte, q *Request) (kept *Kept, err error) {
	r.mu.Lock()
	list := slices.Clone(r.gone[id])
	r.mu.Unlock()
	for _, g := range list {
		if same, _ := r.sameBody(g.record, g.number, q); same {
			err = r.store.View(func(s *engine.Snapshot) error {
				kept, err = g.kept(s.KV())
				return err
			})
			return kept, err
		}
	}
	return nil, nil
}

// erasedAtOnce is how many records Erase examines in one transaction.
const erasedAtOnce = 1000

// Erase removes the records of a user, and those whose answer quotes reports true for. The
// answer to a log is empty, unless it has warnings; quotes may be nil. Erase returns how many
// records it removed. A request whose record was removed is a new one.
func (r *Retries) Erase(ctx context.Context, user string, quotes func(answer []byte) bool) (removed int, err error) {
	if err := r.load(ctx); err != nil {
		return 0, err
	}
	r.sealing.Lock() // a block that is being written would bring removed hashes back
	defer r.sealing.Unlock()
	hash := userHash(r.secret, user)
	r.mu.Lock()
	for id, list := range r.gone {
		r.gone[id] = slices.DeleteFunc(list, func(g goneRecord) bool { return g.user == hash })
	}
	r.mu.Unlock()
	match := func(x *record) (bool, error) {
		if x.user == hash || quotes == nil {
			return x.user == hash, nil
		}
		answer, err := unpack(x.answer)
		return err == nil && quotes(answer), err
	}
	for from := []byte{}; from != nil; {
		var found map[uint64]uint64 // number -> hash
		var next []byte
		err := r.store.Update(ctx, func(tx *engine.Tx) (err error) {
			found, next, err = r.erase(tx.KV(), from, match)
			return err
		})
		if err != nil {
			return removed, fmt.Errorf("erasing kept answers: %w", err)
		}
		removed, from = removed+len(found), next
		r.forget(found)
	}
	return removed, nil
}

// erase removes the matching ones of some records. It returns the hashes of the removed ones
// by number, and the key from which to continue, or nil.
func (r *Retries) erase(tx kv.Writer, from []byte, match func(*record) (bool, error)) (found map[uint64]uint64, next []byte, err error) {
	w, err := openWriter(tx)
	if err != nil {
		return nil, nil, err
	}
	found = map[uint64]uint64{}
	users, looked := map[uint64][8]byte{}, 0
	for k, v := range kv.From(w.records, from) {
		if looked++; looked > erasedAtOnce {
			next = bytes.Clone(k)
			break
		}
		x, err := decode(k, v)
		if err != nil {
			return nil, nil, err
		}
		matches, err := match(x)
		if err != nil {
			return nil, nil, err
		}
		if matches {
			found[numberOf(k)], users[numberOf(k)] = x.hash(), x.user
		}
	}
	blocks := map[uint64][]uint64{}
	for n, hash := range found {
		if err := r.drop(w, numberKey(n), users[n]); err != nil {
			return nil, nil, err
		}
		blocks[n/r.limits.block] = append(blocks[n/r.limits.block], markOf(hash, n, r.limits.block))
	}
	for block, marks := range blocks {
		if err := unmark(tx, numberKey(block), marks); err != nil {
			return nil, nil, err
		}
	}
	return found, next, nil
}

// unmark removes marks from a block of the index, if it was written.
func unmark(tx kv.Writer, block []byte, marks []uint64) error {
	sealed := tx.Bucket(indexName).Get(block)
	if sealed == nil {
		return nil
	}
	v, err := kv.Unseal(block, sealed)
	if err != nil {
		return err
	}
	var left []uint64
	for i := range len(v) / markSize {
		if m := markAt(v, i); !slices.Contains(marks, m) {
			left = append(left, m)
		}
	}
	return putMarks(tx, block, left)
}

// forget removes records from memory.
func (r *Retries) forget(found map[uint64]uint64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for n, hash := range found {
		r.recent.forget(hash, n)
	}
}
