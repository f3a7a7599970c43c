package box

import (
	"context"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/segraph/segraph/store/engine"
	"github.com/segraph/segraph/store/engine/kv"
	"github.com/segraph/segraph/store/forgotten"
)

// erasuresName is the bucket of erasures that a centre has not confirmed: the log index of an entry -> the names of
// whom it erased, encrypted by the caller.
const erasuresName = "erasures"

// ErasureKey returns the key of an erasure, by the log index of its entry.
func ErasureKey(index uint64) []byte { return binary.BigEndian.AppendUint64(nil, index) }

// KeepErasure keeps an erasure until all centres have confirmed its entry. In a file without centres it does nothing.
func KeepErasure(tx kv.Writer, key, sealed []byte) error {
	if k, _ := tx.Bucket(bucketName).Cursor().Last(); k == nil {
		return nil
	}
	b, err := tx.Writable(erasuresName)
	if err != nil {
		return err
	}
	return b.Put(key, sealed)
}

// Erasure returns what KeepErasure kept, or nil.
func Erasure(r kv.Reader, key []byte) []byte { return r.Bucket(erasuresName).Get(key) }

// dropErasures drops the erasures that all centres have confirmed, and reports whether there were some. It marks their
// bytes for removal, as forgotten.MarkOld does: with the list beside the store, they tell the names.
func dropErasures(tx kv.Writer) (dropped bool, err error) {
	var done [][]byte
	least := uint64(0)
	for key := range kv.All(tx.Bucket(erasuresName)) {
		if least == 0 {
			if least, err = Confirmed(tx); err != nil {
				return false, err
			}
		}
		if binary.BigEndian.Uint64(key) < least {
			done = append(done, slices.Clone(key))
		}
	}
	if len(done) == 0 {
		return false, nil
	}
	b, err := tx.Writable(erasuresName)
	for _, key := range done {
		if err == nil {
			err = b.Delete(key)
		}
	}
	if err == nil {
		err = forgotten.MarkOld(tx)
	}
	return true, err
}

// SetCentres tells a file the verifier keys of its centres. Erasures wait for these alone. It may mark bytes to be
// removed; see forgotten.Old.
func SetCentres(ctx context.Context, s *engine.Store, keys []string) error {
	var known []string
	if err := s.View(func(snap *engine.Snapshot) error {
		for key := range kv.All(snap.KV().Bucket(bucketName)) {
			known = append(known, string(key))
		}
		return nil
	}); err != nil {
		return err
	}
	gone := slices.DeleteFunc(slices.Clone(known), func(k string) bool { return slices.Contains(keys, k) })
	added := slices.DeleteFunc(slices.Clone(keys), func(k string) bool { return slices.Contains(known, k) })
	if len(gone)+len(added) == 0 {
		return nil
	}
	err := s.Update(ctx, func(tx *engine.Tx) error {
		b, err := tx.KV().Writable(bucketName)
		for _, key := range gone {
			if err == nil {
				err = b.Delete([]byte(key))
			}
		}
		for _, key := range added {
			if err == nil {
				err = confirmation{}.put(tx.KV(), key)
			}
		}
		if err == nil {
			_, err = dropErasures(tx.KV())
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("storing which centres the journal is forwarded to: %w", err)
	}
	return nil
}
