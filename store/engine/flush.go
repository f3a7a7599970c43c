package engine

import (
	"context"
	"errors"
	"fmt"
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
			if head := s.queue.durable.Load().end; head != seen {
				quiet, seen = 0, head
				continue
			}
			if quiet += idle; s.Deferred() < worthFlushing && quiet < longestIdle {
				continue
			}
			quiet = 0
			s.queue.freezeIdle()
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

// AwaitStored waits until all that readers have seen so far is on the disk. A snapshot may show a transaction before its
// last sync, which a power cut could still take back. The error is that of ctx, or of writing that has stopped.
func (s *Store) AwaitStored(ctx context.Context) error {
	stop := context.AfterFunc(ctx, func() {
		s.queue.mu.Lock()
		defer s.queue.mu.Unlock()
		s.queue.changed.Broadcast()
	})
	defer stop()
	s.queue.mu.Lock()
	running := s.queue.state.flushing // 0 before a commit, when nobody sees it
	committing := func() bool {       // a transaction with changes that the log region does not have
		return running != 0 && s.queue.flushes && s.queue.outsideLog && s.queue.state.flushing == running
	}
	for committing() && ctx.Err() == nil {
		s.queue.changed.Wait()
	}
	s.queue.mu.Unlock()
	if err := s.broken.Load(); err != nil {
		return *err
	}
	return ctx.Err()
}

// AwaitUpkeep waits while a flush or the indexer runs, which takes a processor for some 20 ms.
func (s *Store) AwaitUpkeep() {
	s.queue.mu.Lock()
	defer s.queue.mu.Unlock()
	for s.queue.flushes || s.queue.indexes {
		s.queue.changed.Wait()
	}
}

// FlushTime returns how long flushes took since the store was opened.
func (s *Store) FlushTime() time.Duration { return time.Duration(s.flushing.Load()) }

// RoomForWrites returns how many bytes of disk writes may need before a flush frees pages again:
// the largest unit of work, a flush of all deferred ones, which writes the changed pages of the
// indexes beside the old ones, the log region, and a step in which the file grows.
func (s *Store) RoomForWrites() int64 {
	const perDeferredByte = 2 // a page that a flush changes is rarely full of changes
	return s.queue.most/8 + perDeferredByte*s.queue.most + file.RegionSize + file.GrowthStep
}

// Deferred returns how many bytes of the log region are not flushed.
func (s *Store) Deferred() int {
	return s.file.Region().Waiting()
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
	s.queue.freezeIdle()
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

// storeLevels writes levels to the buckets, and extends the journal's tree to the entries among them.
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

// beginStoring begins a transaction of the file. The caller holds s.storing. It fails once writing has stopped, also while the
// caller waited: a transaction in doubt may have the same number.
func (s *Store) beginStoring() (*bolt.Tx, error) {
	if err := s.broken.Load(); err != nil {
		return nil, *err
	}
	tx, err := s.file.Begin(true)
	if err != nil {
		return nil, s.unready(fmt.Errorf("beginning a write: %w", err))
	}
	return tx, nil
}

// flush runs do in a transaction. do must store the levels passed to it, the oldest ones, as many as scope says. Once the
// transaction is on the disk, readers see them in the buckets only. flush holds s.storing throughout, and queue.mu only while
// it looks at the queue, so that units of work go on.
func (s *Store) flush(scope flushScope, do func(tx *bolt.Tx, levels []*memtable.Level) error) (err error) {
	if scope == flushAll { // the write that waits keeps all others waiting
		s.directs.Add(1)
	}
	s.storing.Lock() // one flush at a time
	if scope == flushAll {
		s.directs.Add(-1)
	}
	defer s.storing.Unlock()
	s.queue.mu.Lock()
	n := s.queue.levelsIn(scope)
	s.queue.mu.Unlock()
	if n == 0 && scope == flushComplete {
		return nil
	}
	outsideLog := scope != flushComplete // the transaction also holds changes that are not in the log region
	tx, err := s.beginStoring()
	if err != nil {
		return err
	}
	id := uint64(tx.ID())
	s.queue.mu.Lock()
	s.queue.flushes, s.queue.outsideLog = true, outsideLog
	first := s.queue.state.levels[:n]
	s.queue.mu.Unlock()
	committed, began := false, time.Now()
	defer func() {
		s.flushing.Add(int64(time.Since(began)))
		s.queue.mu.Lock()
		defer s.queue.mu.Unlock()
		s.queue.flushes = false
		if !committed {
			if err != nil && !errors.Is(err, store.ErrInDoubt) { // otherwise, and after a panic, the transaction may be stored
				s.queue.flushedBy(0, 0)
			}
			_ = tx.Rollback() // fails if Commit has rolled back
		}
		s.queue.changed.Broadcast()
	}()
	levels := make([]*memtable.Level, n)
	for i, l := range first {
		levels[i] = l.Level
	}
	if err := do(tx, levels); err != nil {
		return err
	}
	s.queue.mu.Lock()
	end := s.queue.state.end
	if !outsideLog {
		end = first[n-1].end
	}
	s.queue.mu.Unlock()
	if end, err = s.file.Region().SetFlushed(tx, end, outsideLog); err != nil {
		return err
	}
	s.queue.mu.Lock()
	s.queue.flushedBy(id, n)
	s.queue.mu.Unlock()
	if err := s.commitFile(tx); err != nil {
		return s.failedCommit(fmt.Errorf("writing to disk: %w", err))
	}
	committed = true
	s.queue.dropFlushed(id, n, end, outsideLog)
	s.wantIndexing()
	return nil
}
