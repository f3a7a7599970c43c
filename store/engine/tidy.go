package engine

import (
	"context"
	"fmt"
	"slices"
	"time"

	bolt "go.etcd.io/bbolt"

	"github.com/segraph/segraph/store/engine/kv"
)

// The tidier works in steps, between other writes. It moves the triples of parts to the
// graph's indexes, and removes the data of abandoned documents. After a restart it
// continues where it ended.

// tidyAgain is the wait after a failed step.
const tidyAgain = 5 * time.Second

// wantTidying wakes the tidier.
func (s *Store) wantTidying() {
	if s.turn.neverTidy || !s.turn.moving && len(s.turn.abandoned) == 0 {
		return
	}
	select {
	case s.untidy <- struct{}{}:
	default:
	}
}

// tidyLoop runs the tidier until the store closes.
func (s *Store) tidyLoop() {
	defer s.workers.Done()
	for {
		select {
		case <-s.untidy:
		case <-s.closing:
			return
		}
		for more := true; more; {
			s.queue.settle()
			var err error
			if more, err = s.tidy(); err == nil {
				continue
			}
			if s.works() != nil {
				return
			}
			s.log.Warn("tidying up after large documents failed and will be retried", "error", err)
			select {
			case <-time.After(tidyAgain):
			case <-s.closing:
				return
			}
		}
	}
}

// tidy does one step and reports whether another may follow.
func (s *Store) tidy() (more bool, err error) {
	var noted func() // called once the step is on the disk
	w := directly{do: func(tx *Tx) error {
		left := false // some of the same document or part
		switch {
		case len(s.turn.abandoned) > 0:
			left, err = tx.removeSome(s.turn.abandoned[0])
			noted = func() {
				if !left {
					s.turn.abandoned = s.turn.abandoned[1:]
				}
			}
		case s.turn.moving:
			left, err = tx.moveFor(stepTime)
			noted = func() { s.turn.moving = left }
		}
		return err
	}}
	w.after = func() {
		if noted != nil {
			noted()
		}
		more = s.turn.moving || len(s.turn.abandoned) > 0
	}
	if err := s.direct(context.Background(), w); err != nil {
		return true, err
	}
	return more, nil
}

// moveFor moves triples of parts for about d.
func (tx *Tx) moveFor(d time.Duration) (more bool, err error) {
	for begin := time.Now(); ; {
		if more, err = tx.moveSome(); !more || err != nil || time.Since(begin) > d {
			return more, err
		}
	}
}

// readStaged returns the keys of documents that an earlier process abandoned, and reports
// whether the published graph has parts.
func readStaged(tx *bolt.Tx) (abandoned [][]byte, parts bool) {
	if b := tx.Bucket(stagedName); b != nil {
		_ = b.ForEachBucket(func(k []byte) error { abandoned = append(abandoned, slices.Clone(k)); return nil })
	}
	if graphs := tx.Bucket(graphsName); graphs != nil {
		if g := graphs.Bucket(idKey(defaultGraph)); g != nil && g.Bucket(partsName) != nil {
			k, _ := g.Bucket(partsName).Cursor().First()
			parts = k != nil
		}
	}
	return abandoned, parts
}

// removeSome removes some of the data of an abandoned document, and its bucket once the
// scratch bucket is empty. It reports whether more remains. The collector removes its terms. key is nil if
// it has no bucket.
func (tx *Tx) removeSome(key []byte) (more bool, err error) {
	b := tx.bolt.Bucket(stagedName)
	if b == nil || key == nil || b.Bucket(key) == nil {
		return false, tx.WantCollection()
	}
	scratch := scratchOf(key)
	if c := tx.contributions(); c != nil {
		if more, err := c.Tidy(tx, scratch, false); more || err != nil {
			return true, err
		}
	} else if k, _ := tx.KV().Bucket(scratch...).Cursor().First(); k != nil {
		return false, nil // leave it to a program that keeps contributions
	}
	if err := kv.DeleteBucket(b, key); err != nil {
		return false, fmt.Errorf("removing a document that was not stored: %w", err)
	}
	return false, tx.WantCollection()
}

// scratchOf returns the path of the scratch bucket of the document with the key.
func scratchOf(key []byte) []string {
	return []string{string(stagedName), string(key), string(madeName)}
}

// scratches returns the paths of the scratch buckets of documents that are not stored
// yet.
func scratches(tx *bolt.Tx) (out [][]string) {
	if b := tx.Bucket(stagedName); b != nil {
		_ = b.ForEachBucket(func(key []byte) error { out = append(out, scratchOf(key)); return nil })
	}
	return out
}

// notifyStaged records in the documents being stored what a transaction changed in the
// published graph.
func (s *Store) notifyStaged(tx *Tx) {
	for d := range s.turn.staging {
		d.lost = d.lost || tx.touched.Renumbered || d.watching && tx.lost
		if d.watching {
			d.gained = append(d.gained, tx.gained...)
		}
	}
}
