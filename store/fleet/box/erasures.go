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

// Waiting returns the verifier keys of the centres that a file knows, and the log indexes of the entries of erasures that one of
// them has not confirmed.
func Waiting(r kv.Reader) (centres []string, erasures []uint64) {
	for key := range kv.All(r.Bucket(bucketName)) {
		centres = append(centres, string(key))
	}
	for key := range kv.All(r.Bucket(erasuresName)) {
		erasures = append(erasures, binary.BigEndian.Uint64(key))
	}
	return centres, erasures
}

// BeginAgain tells a file, whose log begins again under another name, centres that have confirmed nothing of it.
func BeginAgain(tx kv.Writer, centres []string) (err error) {
	for _, key := range centres {
		if err == nil {
			err = confirmation{}.put(tx, key)
		}
	}
	return err
}

// dropErasures drops the erasures that all centres have confirmed, and returns the log indexes of their entries. It marks
// their bytes for removal, as forgotten.MarkOld does: with the list beside the store, they tell the names.
func dropErasures(tx kv.Writer) (dropped []uint64, err error) {
	least := uint64(0)
	for key := range kv.All(tx.Bucket(erasuresName)) {
		if least == 0 {
			if least, err = Confirmed(tx); err != nil {
				return nil, err
			}
		}
		if index := binary.BigEndian.Uint64(key); index < least {
			dropped = append(dropped, index)
		}
	}
	if len(dropped) == 0 {
		return nil, nil
	}
	b, err := tx.Writable(erasuresName)
	for _, index := range dropped {
		if err == nil {
			err = b.Delete(ErasureKey(index))
		}
	}
	if err == nil {
		err = forgotten.MarkOld(tx)
	}
	return dropped, err
}

// SetCentres tells a file the verifier keys of its centres. Erasures wait for these alone. It may mark bytes to be
// removed; see forgotten.Old. It returns the log indexes of erasures that were dropped although a centre that is gone now
// has not confirmed them: it will not get their names.
func SetCentres(ctx context.Context, s *engine.Store, keys []string) (lost []uint64, err error) {
	var known []string
	if err := s.View(func(snap *engine.Snapshot) error {
		for key := range kv.All(snap.KV().Bucket(bucketName)) {
			known = append(known, string(key))
		}
		return nil
	}); err != nil {
		return nil, err
	}
	gone := slices.DeleteFunc(slices.Clone(known), func(k string) bool { return slices.Contains(keys, k) })
	added := slices.DeleteFunc(slices.Clone(keys), func(k string) bool { return slices.Contains(known, k) })
	if len(gone)+len(added) == 0 {
		return nil, nil
	}
	err = s.Update(ctx, func(tx *engine.Tx) error {
		least, err := Confirmed(tx.KV())
		if err != nil {
			return err
		}
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
			lost, err = dropErasures(tx.KV())
		}
		lost = slices.DeleteFunc(lost, func(index uint64) bool { return index < least })
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("storing which centres the journal is forwarded to: %w", err)
	}
	return lost, nil
}
