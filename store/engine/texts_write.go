package engine

import (
	"bytes"
	"fmt"

	bolt "go.etcd.io/bbolt"

	"github.com/segraph/segraph/store/engine/kv"
	"github.com/segraph/segraph/store/engine/text"
)

// change is what one step changes in the bucket.
type change struct {
	put     map[uint64][]text.Pair // by segment number
	list    []text.Segment
	next    uint64
	remove  []byte // name of a bucket, or nil
	removed bool   // remove the whole index
}

// writeIndex applies a change, unless the index has changed since it was read.
func (s *Store) writeIndex(seen *indexedTexts, do *change) error {
	if !s.storing.TryLock() {
		s.queue.set(&s.queue.indexes, false) // it takes no processor while it waits
		s.storing.Lock()
	}
	defer s.storing.Unlock()
	tx, err := s.beginStoring()
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // returns an error after Commit
	now, err := indexedIn(tx)
	if err != nil || !bytes.Equal(now.encoded, seen.encoded) {
		return err
	}
	if err := do.write(tx); err != nil {
		return err
	}
	if err := s.commitFile(tx); err != nil {
		return s.failedCommit(fmt.Errorf("writing to disk: %w", err))
	}
	return nil
}

// write writes a change of the index of texts.
func (c *change) write(tx *bolt.Tx) error {
	if c.removed {
		return kv.DeleteBucket(tx, trigramsName)
	}
	b, err := tx.CreateBucketIfNotExists(trigramsName)
	if err != nil {
		return fmt.Errorf("opening the index of texts: %w", err)
	}
	if c.remove != nil {
		if err := kv.DeleteBucket(b, c.remove); err != nil {
			return fmt.Errorf("removing a segment of the index of texts: %w", err)
		}
	}
	for number, pairs := range c.put {
		in, err := b.CreateBucketIfNotExists(text.Segment{Number: number}.Bucket())
		if err != nil {
			return fmt.Errorf("making a segment of the index of texts: %w", err)
		}
		in.FillPercent = 1
		for _, p := range pairs {
			if err := in.Put(p.Key, p.Value); err != nil {
				return fmt.Errorf("writing a segment of the index of texts: %w", err)
			}
		}
	}
	return b.Put(text.ListKey, text.AppendList(c.list, c.next))
}

// clearTexts empties the index, in the transaction that empties the dictionary or after terms were removed from it. The
// number of the next segment still grows, so that a step that has read older texts writes nothing.
func (tx *Tx) clearTexts() error {
	x, err := indexedIn(tx.bolt)
	if err != nil {
		return err
	}
	if tx.bolt.Bucket(trigramsName) != nil {
		if err := kv.DeleteBucket(tx.bolt, trigramsName); err != nil {
			return fmt.Errorf("emptying the index of texts: %w", err)
		}
	}
	return (&change{next: x.next + 1}).write(tx.bolt)
}
