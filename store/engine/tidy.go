package engine

import (
	"fmt"
	"slices"
	"time"

	bolt "go.etcd.io/bbolt"

	"github.com/segraph/segraph/store/engine/dict"
)

// Tidying is what the writer does between writes, in steps: it moves the triples of parts to where they belong,
// removes what is left of documents that did not come to be stored, and folds language tags (fold.go). A
// start goes on where the process ended.

// tidyAgain is how long after a step that failed the next is tried.
const tidyAgain = 5 * time.Second

// ready is a channel that always receives.
var ready = func() chan time.Time { c := make(chan time.Time); close(c); return c }()

// untidy returns a channel that receives when a step is to be done; nil if there is none.
func (s *Store) untidy() <-chan time.Time {
	switch {
	case s.readOnly || s.broken.Load() != nil || !s.moving && len(s.litter) == 0 && !s.folding.due:
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
	switch {
	case len(s.litter) > 0:
		w.do = func(tx *Tx, _ int) (err error) { more, err = tx.removeSome(s.litter[0]); return err }
		w.after = func() {
			if !more {
				s.litter = s.litter[1:]
			}
		}
	case s.moving:
		w.do = func(tx *Tx, _ int) (err error) { more, err = tx.moveFor(stepTime); return err }
		w.after = func() { s.moving = more }
	default:
		w.aside = false
		var left []dict.ID
		w.do = func(tx *Tx, _ int) (err error) { left, err = s.foldTags(tx, stepTime, foldAtOnce); return err }
		w.after = func() { s.foldedTo(left) }
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

// removeSome has what a document left in its scratch bucket tidied, or removes its bucket once there is nothing.
func (tx *Tx) removeSome(key []byte) (more bool, err error) {
	b := tx.bolt.Bucket(stagedName)
	if b == nil || b.Bucket(key) == nil {
		return false, nil
	}
	scratch := scratchOf(key)
	if c := tx.contributions(); c != nil {
		if more, err := c.Tidy(tx, scratch, false); more || err != nil {
			return true, err
		}
	} else if k, _ := tx.KV().Bucket(scratch...).Cursor().First(); k != nil {
		return false, nil // for a program that keeps contributions
	}
	if err := b.DeleteBucket(key); err != nil {
		return false, fmt.Errorf("removing a document that was not stored: %w", err)
	}
	return false, nil
}

// scratchOf returns the path of the scratch bucket of the document of a key.
func scratchOf(key []byte) []string {
	return []string{string(stagedName), string(key), string(madeName)}
}

// scratches returns the paths of the scratch buckets of documents that are not stored yet.
func scratches(tx *bolt.Tx) (out [][]string) {
	if b := tx.Bucket(stagedName); b != nil {
		_ = b.ForEachBucket(func(key []byte) error { out = append(out, scratchOf(key)); return nil })
	}
	return out
}

// tellStaged tells the documents on their way what a transaction did to the published graph.
func (s *Store) tellStaged(tx *Tx) {
	for d := range s.staging {
		d.lost = d.lost || tx.touched.Forgotten || d.watching && tx.lost
		if d.watching {
			d.gained = append(d.gained, tx.gained...)
		}
	}
}
