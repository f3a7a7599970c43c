package engine

import (
	"errors"
	"slices"
	"time"

	"github.com/segraph/segraph/internal/varint"
	"github.com/segraph/segraph/store/engine/dict"
	"github.com/segraph/segraph/store/engine/memtable"
)

// One goroutine, the syncer, writes batches of deltas to the log region, with one sync
// for each batch. Meanwhile the next batch gathers. Readers see Store.durable, the state
// on the disk. Units of work see Store.state, which includes all submitted writes.

// maxLinger limits how long a batch waits for callers that were just answered. They are
// likely to write again at once, like robots that publish one log after the other.
// Without the wait, two halves of these callers would take turns, and each half would pay
// for a sync.
const maxLinger = 500 * time.Microsecond

// longestLater is how long writes that may be synced later wait for others.
const longestLater = 2 * time.Millisecond

// longest returns the length in bytes of the longest delta that may be deferred.
func (s *Store) longest() int {
	return s.file.Region().Most() - 16
}

// largest returns how many bytes of memory a change may take that is deferred. A larger one
// would fill most of a level.
func (s *Store) largest() int64 { return s.deferring / 8 }

// pending begins a read of the state with all submitted writes.
func (s *Store) pending() (r reading, lost uint64, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	tx, err := s.file.Begin(false)
	if err != nil {
		return r, 0, err
	}
	levels, _ := s.state.above(tx) // base is set after its transaction
	return reading{tx, levels}, s.lost.Load(), nil
}

// errBuiltOnLost is the error of a write that read an earlier write that was lost.
var errBuiltOnLost = errors.New("a write before this one could not be stored")

// hand submits a unit of work and the level that it produced to the syncer. delta is the
// encoded level, empty if the level is empty; hand keeps no reference to it. lost is the
// number of failures when the unit began.
func (s *Store) hand(u unit, own *memtable.Level, delta []byte, lost uint64) error {
	s.merging.Lock()
	defer s.merging.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	full := func() bool {
		return len(s.payload)+len(delta) > s.longest() || s.state.size() > s.deferring
	}
	for len(s.batch) > 0 && full() && s.lost.Load() == lost {
		s.changed.Wait()
	}
	if s.lost.Load() != lost {
		return errors.Join(errBuiltOnLost, s.lostTo)
	}
	if len(delta) > 0 {
		s.state.levels[len(s.state.levels)-1].merge(own, delta)
		s.payload = append(varint.Append(s.payload, uint64(len(delta))), delta...)
	} else if len(s.batch) == 0 && !s.syncing {
		u.stored.Store(true)
		close(u.done) // it changes nothing, and everything it read is on the disk
		return nil
	}
	u.lost = lost
	s.batch = append(s.batch, u)
	s.units.Add(1)
	if u.later == nil {
		s.urgent++
	}
	if u.later == nil || len(s.batch) == 1 {
		s.wakeSyncer()
	}
	return nil
}

func (s *Store) wakeSyncer() {
	select {
	case s.more <- struct{}{}:
	default:
	}
}

// hurry lets the waiting batch go to the disk at once.
func (s *Store) hurry() {
	s.mu.Lock()
	s.due = true
	s.mu.Unlock()
	s.wakeSyncer()
}

// Units returns how many small writes were submitted since the store was opened.
func (s *Store) Units() uint64 { return s.units.Load() }

// drain waits until all submitted writes are on the disk. The caller has entered, so
// nothing is submitted meanwhile.
func (s *Store) drain() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.batch) > 0 || s.syncing {
		s.changed.Wait()
	}
	return s.works()
}

// syncLoop writes batches. It returns when the store is closing and everything is on the
// disk.
func (s *Store) syncLoop() {
	defer s.workers.Done()
	last := 0 // urgent units of the last batch, and those that arrived while it was written
	var elapsed time.Duration
	for {
		s.mu.Lock()
		n := len(s.batch)
		s.mu.Unlock()
		if n == 0 {
			select {
			case <-s.more:
				continue
			case <-s.drained:
				return
			}
		}
		s.await(s.laterMost, func() bool { return s.due || s.urgent > 0 })
		if most := min(elapsed/2, maxLinger); last > 1 && most > 0 {
			s.await(most, func() bool { return s.urgent >= last })
		}
		begin := time.Now()
		last = s.syncBatch()
		elapsed = time.Since(begin)
		s.mu.Lock()
		last += s.urgent // those that arrived meanwhile, and those just answered, which are likely to return
		s.mu.Unlock()
	}
}

// await waits until the batch is ready, but not longer than most. ready is called under s.mu.
func (s *Store) await(most time.Duration, ready func() bool) {
	var late <-chan time.Time
	for {
		s.mu.Lock()
		ends := ready()
		s.mu.Unlock()
		if ends {
			return
		}
		if late == nil {
			timer := time.NewTimer(most)
			defer timer.Stop()
			late = timer.C
		}
		select {
		case <-s.more:
		case <-late:
			return
		}
	}
}

// syncBatch writes the waiting batch and returns how many urgent units it ended.
func (s *Store) syncBatch() (urgent int) {
	batch, payload, active, logged := s.take()
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
	s.mu.Lock()
	if cap(payload) <= 4*maxScratch {
		s.written = payload
	}
	if err == nil {
		for _, u := range batch {
			u.stored.Store(true)
		}
	}
	if err == nil && logged {
		s.publish(active)
	} else if err != nil {
		for i := range batch {
			batch[i].err = err
		}
		batch = append(batch, s.fail(err)...)
	}
	due := len(s.state.levels) > 1
	s.syncing = false
	s.changed.Broadcast()
	s.mu.Unlock()
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

// take takes the waiting batch, and its deltas as the payload of a frame. If logged, the
// caller writes the payload to the log region. Otherwise the region or the memory for
// levels is full, and the caller writes the levels to the buckets. active is the level
// that holds the end of the batch, nil if that is no longer the last level.
func (s *Store) take() (batch []unit, payload []byte, active *layer, logged bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	region := s.file.Region()
	for {
		if logged = region.Fits(len(s.payload)) && s.state.size() <= s.deferring; logged || !s.flushes {
			break
		}
		s.changed.Wait() // the end of a flush makes room
	}
	batch, payload, s.syncing = s.batch, s.payload, true
	last := len(s.state.levels) - 1
	if !logged || last == 0 && (region.Waiting()+len(s.payload) > region.Size()/flushUnits || s.state.size() > s.deferring/flushUnits) {
		s.freeze()
	} else {
		before := s.state.levels[last]
		active, s.state.levels[last].Level = &before, before.Copy()
	}
	s.batch, s.urgent, s.due = nil, 0, false
	s.payload, s.written = s.written[:0], nil
	s.changed.Broadcast() // there is room for more
	return batch, payload, active, logged
}

// flushUnits is the number of parts that the log region and the memory for levels are
// divided into. A flush begins when one part is full. Then one part is being flushed, one
// is kept for the older meta page, and one is being written.
const flushUnits = 4

// appendLog writes the deltas of a batch to the log region.
func (s *Store) appendLog(payload []byte) error {
	if len(payload) == 0 {
		return nil
	}
	end, err := s.writeLog(payload)
	if err != nil {
		return s.failedCommit(err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.state.end = end
	return nil
}

// freeze begins a new level. The caller holds s.mu.
func (s *Store) freeze() {
	s.state.levels = append(s.state.levels[:len(s.state.levels):len(s.state.levels)], layer{Level: memtable.New()})
}

// publish shows readers the state on the disk. active is its newest level, or nil if
// nothing in the last level of state is on the disk. The caller holds s.mu.
func (s *Store) publish(active *layer) {
	durable, last := s.state, len(s.state.levels)-1
	if active == nil { // the one before the last is complete
		s.state.levels[last-1].end = s.state.end
		durable.levels = slices.Clone(s.state.levels[:last])
	} else {
		durable.levels = append(slices.Clone(s.state.levels[:last]), *active)
	}
	s.durable.Store(&durable)
}

// fail discards submitted writes that are not on the disk, and returns the waiting units.
// The caller holds s.mu.
func (s *Store) fail(err error) []unit {
	s.state.levels = slices.Clone(s.durable.Load().levels)
	if n := len(s.state.levels); n > 0 {
		s.state.levels[n-1].end = s.state.end
	}
	s.freeze()
	waiting := s.batch
	for i := range waiting {
		waiting[i].err = errors.Join(errBuiltOnLost, err)
	}
	s.batch, s.urgent, s.payload = nil, 0, nil
	s.lostTo = err
	s.lost.Add(1)
	return waiting
}

// recover merges the deltas of a frame into the memtable when the file is opened. terms
// makes the texts of their terms.
func (s *Store) recover(payload []byte, terms *dict.Hasher) error {
	r := varint.NewReader(payload)
	for r.Len() > 0 {
		delta := r.Bytes(r.Count(r.Len()))
		if r.Failed() {
			break
		}
		own, err := memtable.Decode(delta, terms)
		if err != nil {
			return err
		}
		s.state.levels[0].merge(own, delta)
	}
	if r.Failed() {
		return errors.New("a frame of the log region holds no deltas")
	}
	return nil
}
