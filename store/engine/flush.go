package engine

import (
	"errors"
	"fmt"
	"slices"
	"time"

	bolt "go.etcd.io/bbolt"

	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/engine/file"
	"github.com/segraph/segraph/store/engine/memtable"
	"github.com/segraph/segraph/store/log/tree"
)

// A flush writes deferred deltas to the buckets in key order, in one transaction.
// Meanwhile writes continue on another level.

const (
	// idle is how long the store must be without writes before it flushes deferred
	// deltas.
	idle = time.Minute
	// worthFlushing is how many deferred bytes such a flush needs. Fewer wait for
	// longestIdle.
	worthFlushing = 64 << 10
	longestIdle   = time.Hour
	// flushAgain is the wait after a failed flush.
	flushAgain = 5 * time.Second
)

// wantFlush wakes the flusher.
func (s *Store) wantFlush() {
	select {
	case s.flushNow <- struct{}{}:
	default:
	}
}

// flushLoop flushes levels on demand and when the store is idle, until the store closes.
func (s *Store) flushLoop() {
	defer s.workers.Done()
	ticks := time.NewTicker(idle)
	defer ticks.Stop()
	quiet, seen := time.Duration(0), file.Mark{}
	var again <-chan time.Time
	for {
		select {
		case <-s.flushNow:
		case <-again:
		case <-ticks.C:
			if head := s.durable.Load().end; head != seen {
				quiet, seen = 0, head
				continue
			}
			if quiet += idle; s.Deferred() < worthFlushing && quiet < longestIdle {
				continue
			}
			quiet = 0
			s.freezeIdle()
		case <-s.drained:
			return
		}
		again = nil
		if err := s.flushFrozen(); err != nil && s.broken.Load() == nil {
			s.log.Warn("the flush failed and will be retried", "error", err)
			again = time.After(flushAgain)
		}
	}
}

// AwaitUpkeep waits while a flush or the indexer runs, which takes a processor for some 20 ms.
func (s *Store) AwaitUpkeep() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.flushes || s.indexes {
		s.changed.Wait()
	}
}

// RoomForWrites returns how many bytes of disk writes may need before a flush frees pages again:
// the largest unit of work, a flush of all deferred ones, which writes the changed pages of the
// indexes beside the old ones, the log region, and a step in which the file grows.
func (s *Store) RoomForWrites() int64 {
	const perDeferredByte = 2 // a page that a flush changes is rarely full of changes
	return s.deferring/8 + perDeferredByte*s.deferring + file.RegionSize + file.GrowthStep
}

// Deferred returns how many bytes of the log region are not flushed.
func (s *Store) Deferred() int {
	return s.file.Region().Waiting()
}

// freezeIdle begins a new level if nothing is on its way to the disk.
func (s *Store) freezeIdle() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if last := len(s.state.levels) - 1; len(s.batch) == 0 && !s.syncing && !s.state.levels[last].Empty() {
		s.freeze()
		s.publish(nil)
	}
}

// flushFrozen flushes all levels that are complete.
func (s *Store) flushFrozen() error {
	if s.broken.Load() != nil {
		return nil
	}
	return s.guarded(func() error { return s.flush(flushComplete, s.storeLevels) })
}

// keepRecovered protects the deltas that Open read from the log region against a power
// cut: see file.Region.Recover. It flushes them. If the disk is full, it writes their
// frames again instead.
func (s *Store) keepRecovered() error {
	region := s.file.Region()
	if region.Waiting() == 0 {
		return nil
	}
	s.freezeIdle()
	err := s.flushFrozen()
	if region.Waiting() == 0 || errors.Is(err, store.ErrInDoubt) {
		return err
	}
	if err != nil {
		s.log.Warn("flushing the log region failed and will be retried", "error", err)
		s.wantFlush()
	}
	return region.Rewrite()
}

// flushScope selects the levels that a flush stores.
type flushScope int

const (
	// flushComplete: those that are complete and in the log region.
	flushComplete flushScope = iota
	// flushTaken: all but the last. The batch that was taken is not in the log region yet.
	flushTaken
	// flushAll: all, with the changes of do. No batch is on its way to the disk, and nothing
	// is submitted meanwhile.
	flushAll
)

// levelsIn returns how many levels a flush stores. The caller holds s.mu.
func (s *Store) levelsIn(scope flushScope) int {
	n := len(s.state.levels)
	if scope != flushAll {
		n--
	}
	if scope == flushComplete && n > 0 && s.state.levels[n-1].end == (file.Mark{}) {
		n-- // it is on its way to the disk
	}
	return n
}

// storeLevels stores levels in a transaction.
func (s *Store) storeLevels(b *bolt.Tx, levels []*memtable.Level) error {
	tx, err := s.newStoring(b)
	if err != nil {
		return err
	}
	if err := tx.storeAll(levels); err != nil {
		return err
	}
	return tree.Extend(tx.KV())
}

// flush runs do in a transaction. do must store the levels passed to it, the oldest ones. Once the transaction is on
// the disk, readers see them in the buckets only.
func (s *Store) flush(scope flushScope, do func(tx *bolt.Tx, levels []*memtable.Level) error) (err error) {
	s.storing.Lock() // one flush at a time
	defer s.storing.Unlock()
	s.mu.Lock()
	n := s.levelsIn(scope)
	s.mu.Unlock()
	if n == 0 && scope == flushComplete {
		return nil
	}
	outsideLog := scope != flushComplete // the transaction also holds changes that are not in the log region
	tx, err := s.file.Begin(true)
	if err != nil {
		return s.unready(fmt.Errorf("beginning a write: %w", err))
	}
	id := uint64(tx.ID())
	s.mu.Lock()
	s.flushes = true
	first := s.state.levels[:n]
	s.mu.Unlock()
	committed := false
	defer func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.flushes = false
		if !committed { // also after a panic
			if !errors.Is(err, store.ErrInDoubt) { // otherwise the transaction with this id may be stored
				s.flushedBy(0, 0)
			}
			_ = tx.Rollback() // fails if Commit has rolled back
		}
		s.changed.Broadcast()
	}()
	levels := make([]*memtable.Level, n)
	for i, l := range first {
		levels[i] = l.Level
	}
	if err := do(tx, levels); err != nil {
		return err
	}
	s.mu.Lock()
	end := s.state.end
	if !outsideLog {
		end = first[n-1].end
	}
	s.mu.Unlock()
	if end, err = s.file.Region().SetFlushed(tx, end, outsideLog); err != nil {
		return err
	}
	s.mu.Lock()
	s.flushedBy(id, n)
	s.mu.Unlock()
	if err := s.commitFile(tx); err != nil {
		return s.failedCommit(fmt.Errorf("writing to disk: %w", err))
	}
	committed = true
	s.dropFlushed(id, n, end, outsideLog)
	return nil
}

// dropFlushed removes the n oldest levels, which transaction id has stored, from what readers see. If skip is
// true, the log region ends at end now.
func (s *Store) dropFlushed(id uint64, n int, end file.Mark, skip bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	durable := *s.durable.Load()
	for _, st := range []*state{&s.state, &durable} {
		st.base, st.flushing, st.flushed = id, 0, 0
		st.levels = slices.Clone(st.levels[min(n, len(st.levels)):])
		if skip {
			st.end = end
		}
	}
	if len(s.state.levels) == 0 {
		s.freeze()
	}
	s.durable.Store(&durable)
	s.wantIndexing()
}

// flushedBy records that transaction id holds the first n levels. The caller holds s.mu.
func (s *Store) flushedBy(id uint64, n int) {
	s.state.flushing, s.state.flushed = id, n
	durable := *s.durable.Load()
	durable.flushing, durable.flushed = id, n
	s.durable.Store(&durable)
}
