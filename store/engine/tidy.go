package engine

import (
	"fmt"
	"slices"
	"time"

	bolt "go.etcd.io/bbolt"

	"github.com/segraph/segraph/internal/varint"
	"github.com/segraph/segraph/store/engine/dict"
	"github.com/segraph/segraph/store/engine/kv"
)

// Tidying is what the writer does between writes, in steps: it moves the triples of parts to where they belong, and
// removes what is left of documents that did not come to be stored. A start goes on where the process ended.

// tidyAgain is how long after a step that failed the next is tried.
const tidyAgain = 5 * time.Second

// ready is a channel that always receives.
var ready = func() chan time.Time { c := make(chan time.Time); close(c); return c }()

// untidy returns a channel that receives when a step is to be done; nil if there is none.
func (s *Store) untidy() <-chan time.Time {
	switch {
	case s.readOnly || s.broken.Load() != nil || !s.moving && len(s.litter) == 0:
		return nil
	case s.pause != nil:
		return s.pause
	}
	return ready
}

// tidy does a step.
func (s *Store) tidy() {
	s.pause = nil
	more := true
	w := &write{aside: true}
	if len(s.litter) > 0 {
		w.do = func(tx *Tx, _ int) (err error) { more, err = tx.removeSome(s.litter[0]); return err }
		w.after = func() {
			if !more {
				s.litter = s.litter[1:]
			}
		}
	} else {
		w.do = func(tx *Tx, _ int) (err error) { more, err = tx.moveFor(stepTime); return err }
		w.after = func() { s.moving = more }
	}
	if err := s.commit([]*write{w}); err != nil {
		s.log.Warn("what large documents left to be done will be tried again", "error", err)
		s.pause = time.After(tidyAgain)
	}
}

// moveFor moves triples of parts for about so long.
func (tx *Tx) moveFor(d time.Duration) (more bool, err error) {
	for begin := time.Now(); ; {
		if more, err = tx.moveSome(); !more || err != nil || time.Since(begin) > d {
			return more, err
		}
	}
}

// readStaged returns the keys of documents that are on no way any more after a start, and whether the published graph has parts.
func readStaged(tx *bolt.Tx) (litter [][]byte, parts bool) {
	if b := tx.Bucket(stagedName); b != nil {
		_ = b.ForEachBucket(func(k []byte) error { litter = append(litter, slices.Clone(k)); return nil })
	}
	if graphs := tx.Bucket(graphsName); graphs != nil {
		if g := graphs.Bucket(idKey(defaultGraph)); g != nil && g.Bucket(partsName) != nil {
			k, _ := g.Bucket(partsName).Cursor().First()
			parts = k != nil
		}
	}
	return litter, parts
}

// removeSome removes some of the pieces that a document made, which no other log has, or its bucket once there are none.
func (tx *Tx) removeSome(key []byte) (more bool, err error) {
	b := tx.bolt.Bucket(stagedName)
	if b == nil || b.Bucket(key) == nil {
		return false, nil
	}
	numbers, found, err := takeMade(b.Bucket(key))
	if err != nil {
		return false, err
	}
	if !found {
		if err := b.DeleteBucket(key); err != nil {
			return false, fmt.Errorf("removing a document that was not stored: %w", err)
		}
		return false, nil
	}
	graph := tx.bolt.Bucket(graphsName).Bucket(idKey(defaultGraph))
	if graph == nil { // it was deleted, with all pieces
		return true, nil
	}
	for _, n := range numbers {
		if err := graph.Bucket(piecesName).Delete(idKey(dict.ID(n))); err != nil {
			return false, fmt.Errorf("removing a document that was not stored: %w", err)
		}
	}
	return true, nil
}

// findPieces has some of the pieces found by their hashes that a document in bucket b made. It reports whether there were any.
func (g *graphBuckets) findPieces(b *bolt.Bucket) (bool, error) {
	numbers, found, err := takeMade(b)
	if err != nil {
		return false, err
	}
	for _, n := range numbers {
		if run := g.pieces.Get(idKey(dict.ID(n))); run != nil { // else the log was withdrawn
			if err := g.findPiece(n, run); err != nil {
				return false, err
			}
		}
	}
	return found, nil
}

// takeMade takes out the first note of pieces that were made.
func takeMade(b *bolt.Bucket) (numbers []uint64, found bool, err error) {
	made := b.Bucket(madeName)
	if made == nil {
		return nil, false, nil
	}
	k, v := made.Cursor().First()
	if k == nil {
		return nil, false, nil
	}
	if numbers, err = readMade(k, v); err == nil {
		err = made.Delete(slices.Clone(k))
	}
	return numbers, true, err
}

func readMade(key, sealed []byte) (numbers []uint64, err error) {
	value, err := kv.Unseal(key, sealed)
	if err != nil {
		return nil, err
	}
	numbers, ok := varint.All(value)
	if !ok {
		return nil, errList
	}
	return numbers, nil
}

// unpublishedPieces returns the pieces of documents that are not stored yet.
func unpublishedPieces(tx *bolt.Tx) (map[uint64]bool, error) {
	out := map[uint64]bool{}
	b := tx.Bucket(stagedName)
	if b == nil {
		return out, nil
	}
	err := b.ForEachBucket(func(key []byte) error {
		made := b.Bucket(key).Bucket(madeName)
		if made == nil {
			return nil
		}
		return made.ForEach(func(k, v []byte) error {
			numbers, err := readMade(k, v)
			for _, n := range numbers {
				out[n] = true
			}
			return err
		})
	})
	return out, err
}

// tellStaged tells the documents on their way what a transaction did to the published graph.
func (s *Store) tellStaged(tx *Tx) {
	for d := range s.staging {
		d.lost = d.lost || tx.touched.forgets || d.watching && tx.lost
		if d.watching {
			d.gained = append(d.gained, tx.gained...)
		}
	}
}
