package engine

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	bolt "go.etcd.io/bbolt"

	"github.com/segraph/segraph/store/engine/dict"
	"github.com/segraph/segraph/store/engine/kv"
)

// The collector removes terms that nothing uses. It marks the ids that a read snapshot uses, and
// then removes the others in steps between other writes. Meanwhile the dictionary notes each id
// that a write asks for, because it may use an unused one again. A large document may have ids
// that are in no index yet, so a collection begins while none is being stored. It notes the ids of those that begin later.

const (
	// collectStep is about how long a step may take, without its sync. Other writers wait for it.
	collectStep = 5 * time.Millisecond
	// collectRest is the rest between a withdrawal and the collection, which others may join.
	collectRest = 5 * time.Second
	// allDocuments is more than the number of large documents that may be stored at once.
	allDocuments = math.MaxInt32
	// scrubWarning is after how long a Scrub says that it waits.
	scrubWarning = 20 * time.Second
)

// orphansKey is set while the file may have terms that nothing uses, and removedKey once terms were
// removed that the index of texts may still name.
var (
	orphansKey = []byte("orphans")
	removedKey = []byte("collected")
)

// collecting is the state of a collection. The write that has entered owns it.
type collecting struct {
	used   dict.IDSet // since the collection began
	wishes uint64     // turn.wishes when it began
}

// WantCollection makes the store look for terms that nothing uses, once the transaction is on the
// disk, and after a restart.
func (tx *Tx) WantCollection() error {
	meta, err := tx.KV().Writable(string(metaName))
	if err == nil && meta.Get(orphansKey) == nil {
		err = meta.Put(orphansKey, []byte{1})
	}
	if err != nil {
		return fmt.Errorf("noting unused terms: %w", err)
	}
	*tx.wishes++
	tx.done = append(tx.done, tx.collect)
	return nil
}

// wantCollection wakes the collector.
func (s *Store) wantCollection() {
	select {
	case s.collectNow <- struct{}{}:
	default:
	}
}

// collectLoop runs the collector collectRest after it was first wanted, until the store closes, which also ends ctx.
func (s *Store) collectLoop(ctx context.Context) {
	defer s.workers.Done()
	var wait <-chan time.Time
	for {
		select {
		case <-s.collectNow:
			if wait == nil {
				wait = time.After(collectRest)
			}
			continue
		case <-wait:
			wait = nil
		case <-s.closing:
			return
		}
		if !s.orphaned() { // Collect was called meanwhile
			continue
		}
		err := s.guarded(func() error { _, err := s.collectAll(ctx, true); return err })
		switch {
		case s.works() != nil, ctx.Err() != nil:
			return
		case err != nil:
			s.log.Warn("removing unused terms failed and will be retried", "error", err)
			wait = time.After(tidyAgain)
		}
	}
}

// Collect removes terms that nothing uses, and returns how many. It first waits for large documents that are being
// stored. If an index of texts may still name the terms, it removes the index too, and the indexer makes a new one.
func (s *Store) Collect(ctx context.Context) (removed int, err error) {
	if removed, err = s.collectAll(ctx, false); err != nil {
		return removed, fmt.Errorf("removing unused terms: %w", err)
	}
	var named bool
	if err = s.View(func(snap *Snapshot) error { named = snap.tx().Bucket(metaName).Get(removedKey) != nil; return nil }); !named {
		return removed, err
	}
	err = s.direct(ctx, directly{do: func(tx *Tx) error {
		return errors.Join(tx.clearTexts(), tx.bolt.Bucket(metaName).Delete(removedKey))
	}})
	s.wantIndexing()
	return removed, err
}

// collectAll removes the terms that nothing uses, and returns how many. If rest is set, it rests between steps while
// others write. It leaves the index of texts as it is. One collection runs at a time: until it ends, units of work note
// in s.turn.collecting which terms they use.
func (s *Store) collectAll(ctx context.Context, rest bool) (removed int, err error) {
	if err := s.collection.Acquire(ctx, 1); err != nil {
		return 0, err
	}
	defer s.collection.Release(1)
	c := &collecting{}
	next, err := s.beginCollecting(ctx, c) // all terms before next are in the buckets
	defer func() {
		select {
		case s.turn.taken <- struct{}{}: // even if ctx has ended: units would note their terms for ever
			s.turn.collecting = nil
			s.turn.end()
		case <-s.closing:
		}
	}()
	if err != nil {
		return 0, err
	}
	if err := s.dropEmptyGraphs(ctx); err != nil {
		return 0, err
	}
	used, err := s.usedIDs(ctx)
	for last := dict.ID(math.MaxUint64); last > 0 && err == nil; {
		var some dict.Leaving
		if some, last, err = s.unused(ctx, used, &next, last); err == nil && some.Len() > 0 {
			n := 0
			n, err = s.removeTerms(ctx, c, &some, rest)
			removed += n
		}
	}
	if err == nil && (removed > 0 || s.orphaned()) {
		err = s.direct(ctx, directly{
			before: func() error { return s.failedOverwrite(s.file.Region().Clean()) }, // old frames may have the removed terms
			do: func(tx *Tx) error {
				if s.turn.wishes != c.wishes { // there are more, or a unit that wished so failed
					s.wantCollection()
					return nil
				}
				return tx.bolt.Bucket(metaName).Delete(orphansKey)
			},
		})
	}
	return removed, err
}

// beginCollecting makes the dictionary note the ids that writes ask for, and returns the numbers
// that it has assigned. It first writes what waits for a flush to the buckets. Large documents that are being stored
// end before, and others begin after.
func (s *Store) beginCollecting(ctx context.Context, c *collecting) (next dict.Numbers, err error) {
	if err := s.documents.Acquire(ctx, allDocuments); err != nil {
		return next, err
	}
	defer s.documents.Release(allDocuments)
	if err := s.enter(ctx); err != nil {
		return next, err
	}
	defer s.turn.end()
	if err := s.drain(); err != nil {
		return next, err
	}
	s.turn.collecting, c.wishes = c, s.turn.wishes
	if s.Deferred() > 0 {
		err = s.attempt(func() error { return s.writeDirect(directly{do: func(*Tx) error { return nil }}) })
	}
	if err == nil {
		next, err = Read(s, (*Snapshot).numbers)
	}
	return next, err
}

// dropEmptyGraphs removes the buckets of named graphs that hold nothing: as long as a graph has a bucket, the term that names it
// counts as used. It looks in a snapshot first, and writes only if there is one to remove.
func (s *Store) dropEmptyGraphs(ctx context.Context) error {
	empty := func(tx *bolt.Tx) (keys [][]byte) {
		for _, g := range graphsIn(tx) {
			if b := tx.Bucket(graphsName).Bucket(idKey(g)); g != defaultGraph && !hasKeys(b) {
				keys = append(keys, idKey(g))
			}
		}
		return keys
	}
	some := false
	if err := s.View(func(snap *Snapshot) error { some = len(empty(snap.tx())) > 0; return nil }); err != nil || !some {
		return err
	}
	return s.direct(ctx, directly{do: func(tx *Tx) error {
		for _, key := range empty(tx.bolt) {
			if err := kv.DeleteBucket(tx.bolt.Bucket(graphsName), key); err != nil {
				return fmt.Errorf("removing an empty graph: %w", err)
			}
		}
		return nil
	}})
}

// removeTerms removes terms except those that were used since, and returns how many: first the texts,
// by which they are found, then the contents. rest is as in collectSteps. All texts of triple terms go in one step: Inspect
// looks for each by all three, and for its parts.
func (s *Store) removeTerms(ctx context.Context, c *collecting, some *dict.Leaving, rest bool) (int, error) {
	err := s.collectSteps(ctx, rest, func() bool { return some.Len() > 0 }, func(tx *Tx) (func(), error) {
		left := *some
		for begin := time.Now(); left.Len() > 0 && (some.IDs[0].IsTriple() || time.Since(begin) < collectStep); {
			n, err := tx.writer.RemoveTexts(&left, c.used.Has)
			if err != nil {
				return nil, err
			}
			left.Skip(n)
		}
		s.turn.known.Reset() // or the next document would get the ids again
		return func() { *some = left }, nil
	})
	if err != nil {
		return 0, err
	}
	// Nobody finds an id now whose texts are gone; those that are used again kept theirs.
	var gone []dict.ID
	if err := s.enter(ctx); err != nil {
		return 0, err
	}
	for _, id := range some.IDs {
		if !c.used.Has(id) {
			gone = append(gone, id)
			s.terms.Drop(id)
		}
	}
	s.turn.end()
	n := len(gone)
	return n, s.collectSteps(ctx, rest, func() bool { return len(gone) > 0 }, func(tx *Tx) (func(), error) {
		left := gone
		for begin := time.Now(); len(left) > 0 && time.Since(begin) < collectStep; {
			n, err := tx.writer.RemoveContents(left)
			if err != nil {
				return nil, err
			}
			left = left[n:]
		}
		return func() { gone = left }, nil
	})
}

// collectSteps runs do, which removes terms, in direct transactions while more returns true. do returns a function to
// call once its transaction is on the disk. With rest, if others wrote during a step, collectSteps
// then waits three times as long as the step took.
func (s *Store) collectSteps(ctx context.Context, rest bool, more func() bool, do func(*Tx) (func(), error)) error {
	for more() {
		begin, head := time.Now(), s.queue.durable.Load().end
		var done func()
		err := s.direct(ctx, directly{
			do: func(tx *Tx) (err error) {
				if err = tx.bolt.Bucket(metaName).Put(removedKey, []byte{1}); err == nil {
					done, err = do(tx)
				}
				return err
			},
			after: func() { done() },
		})
		if err != nil {
			return err
		}
		// The step itself writes one frame.
		if wait := 3 * time.Since(begin); rest && s.queue.durable.Load().end.Sequence > head.Sequence+1 {
			select {
			case <-time.After(wait):
			case <-s.closing:
				return errClosing
			}
		}
	}
	return nil
}

// Scrub overwrites what the file holds besides its content: pages that nothing uses, and frames of
// the log that are flushed. It waits until readers of earlier states have ended. Other writes go on
// meanwhile, except flushes.
func (s *Store) Scrub(ctx context.Context) error {
	for range 2 { // so that neither meta page leads to old content
		if err := s.direct(ctx, directly{do: func(*Tx) error { return nil }}); err != nil {
			return fmt.Errorf("overwriting old content: %w", err)
		}
	}
	slow := time.AfterFunc(scrubWarning, func() {
		s.log.Warn("old content is not overwritten yet: it waits for readers that began before, such as queries and backups")
	})
	defer slow.Stop()
	lock := func() func() { s.storing.Lock(); return s.storing.Unlock }
	wanted := func() bool { return s.directs.Load() > 0 }
	if err := s.guarded(func() error { return s.failedOverwrite(s.file.Scrub(ctx, lock, wanted)) }); err != nil {
		return fmt.Errorf("overwriting old content: %w", err)
	}
	return nil
}
