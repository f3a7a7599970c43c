package engine

import (
	"errors"
	"time"
)

// One goroutine, the syncer, writes batches of deltas to the log region, with one sync
// for each batch. Meanwhile the next batch gathers. Readers see queue.durable, the state
// on the disk. Units of work see queue.state, which includes all submitted writes.

// maxLinger limits how long a batch waits for callers that were just answered. They are
// likely to write again at once, like robots that publish one log after the other.
// Without the wait, two halves of these callers would take turns, and each half would pay
// for a sync.
const maxLinger = 500 * time.Microsecond

// longestLater is how long writes that may be synced later wait for others.
const longestLater = 2 * time.Millisecond

// pending begins a read of the state with all submitted writes.
func (s *Store) pending() (r reading, lost uint64, err error) {
	s.queue.mu.Lock()
	defer s.queue.mu.Unlock()
	tx, err := s.file.Begin(false)
	if err != nil {
		return r, 0, err
	}
	levels, _ := s.queue.state.above(tx) // never false: base has been committed, so tx is not older
	return reading{tx, levels}, s.queue.lost.Load(), nil
}

// errBuiltOnLost is the error of a write that read an earlier write that was lost.
var errBuiltOnLost = errors.New("a write before this one could not be stored")

// Units returns how many small writes were submitted since the store was opened.
func (s *Store) Units() uint64 { return s.queue.units.Load() }

// syncLoop writes batches. It returns when the store is closing and everything is on the
// disk.
func (s *Store) syncLoop() {
	defer s.workers.Done()
	expected := 0             // urgent units of the next batch
	var elapsed time.Duration // of the last write
	for {
		s.queue.mu.Lock()
		n := len(s.queue.batch)
		s.queue.mu.Unlock()
		if n == 0 {
			select {
			case <-s.queue.more:
				continue
			case <-s.drained:
				return
			}
		}
		s.queue.await(s.queue.later, func() bool { return s.queue.due || s.queue.urgent > 0 })
		if most := min(elapsed/2, maxLinger); expected > 1 && most > 0 {
			s.queue.await(most, func() bool { return s.queue.urgent >= expected })
		}
		begin := time.Now()
		expected = s.syncBatch() // their callers were just answered, and are likely to return
		elapsed = time.Since(begin)
		s.queue.mu.Lock()
		expected += s.queue.urgent // they arrived meanwhile
		s.queue.mu.Unlock()
	}
}

// syncBatch writes the waiting batch and returns how many urgent units it ended.
func (s *Store) syncBatch() (urgent int) {
	batch, payload, active, logged := s.queue.take()
	for _, u := range batch {
		if u.later == nil {
			urgent++
		}
	}
	err := s.guarded(func() error {
		if !logged {
			return s.flush(flushTaken, s.storeLevels)
		}
		return s.appendLog(payload)
	})
	s.queue.mu.Lock()
	if cap(payload) <= 4*maxScratch {
		s.queue.written = payload
	}
	if err == nil {
		for _, u := range batch {
			u.stored.Store(true)
		}
	}
	if err == nil && logged {
		s.queue.publish(active)
	} else if err != nil {
		for i := range batch {
			batch[i].err = err
		}
		batch = append(batch, s.queue.fail(err)...)
	}
	due := len(s.queue.state.levels) > 1
	s.queue.syncing = false
	s.queue.changed.Broadcast()
	s.queue.mu.Unlock()
	for _, u := range batch {
		if u.err == nil {
			for _, done := range u.after {
				done()
			}
		}
		close(u.done)
	}
	if due && err == nil {
		s.wantFlush()
	}
	return urgent
}

// appendLog writes the deltas of a batch to the log region.
func (s *Store) appendLog(payload []byte) error {
	if len(payload) == 0 {
		return nil
	}
	end, err := s.writeLog(payload)
	if err != nil {
		return s.failedCommit(err)
	}
	s.queue.mu.Lock()
	defer s.queue.mu.Unlock()
	s.queue.state.end = end
	return nil
}

// drain waits until all submitted writes are on the disk. The caller has entered, so
// nothing is submitted meanwhile.
func (s *Store) drain() error {
	s.queue.settle()
	return s.works()
}
