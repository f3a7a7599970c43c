package engine

import (
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/segraph/segraph/internal/varint"
	"github.com/segraph/segraph/store/engine/dict"
	"github.com/segraph/segraph/store/engine/file"
	"github.com/segraph/segraph/store/engine/memtable"
)

// queue holds what is not in the buckets yet: the batch of units of work that waits for the
// syncer, and the levels of the memtable, which a flush stores. Units of work read state,
// which has all that was submitted; readers see durable, which is on the disk.
type queue struct {
	region *file.Region
	most   int64         // bytes of memory for levels
	later  time.Duration // how long a batch waits if all of it may be synced later

	merging    sync.RWMutex // held while the last level of state changes
	mu         sync.Mutex   // guards the fields up to lostTo
	changed    *sync.Cond   // signals the end of a batch or flush
	state      state
	batch      []unit
	urgent     int    // units of the batch that must not wait for others
	due        bool   // the batch must not wait for others
	payload    []byte // the deltas of the batch, each preceded by its length
	written    []byte // buffer of the previous payload; nil while that is being written
	syncing    bool   // a batch is being written
	flushes    bool   // a flush is running
	outsideLog bool   // and it also writes what is not in the log region
	indexes    bool   // the indexer is at a step
	lostTo     error  // the last error of a write

	units   atomic.Uint64         // submitted since the store was opened
	lost    atomic.Uint64         // failures on the way to the disk
	durable atomic.Pointer[state] // what is on the disk
	more    chan struct{}         // wakes the syncer when the batch has grown
}

// start makes the queue ready. most is the memory for levels, in bytes.
func (q *queue) start(region *file.Region, most int64) {
	q.region, q.most, q.later = region, most, longestLater
	q.changed, q.more = sync.NewCond(&q.mu), make(chan struct{}, 1)
	q.freeze()
}

// longest returns the length in bytes of the longest delta that may be deferred.
func (q *queue) longest() int {
	return q.region.Most() - 16
}

// largest returns how many bytes of memory a change may take that is deferred. A larger one
// would fill most of a level.
func (q *queue) largest() int64 { return q.most / 8 }

// hand submits a unit of work and the level that it produced to the syncer. delta is the
// encoded level, empty if the level is empty; hand keeps no reference to it. lost is the
// number of failures when the unit began.
func (q *queue) hand(u unit, own *memtable.Level, delta []byte, lost uint64) error {
	q.merging.Lock()
	defer q.merging.Unlock()
	q.mu.Lock()
	defer q.mu.Unlock()
	full := func() bool {
		return len(q.payload)+len(delta) > q.longest() || q.state.size() > q.most
	}
	for len(q.batch) > 0 && full() && q.lost.Load() == lost {
		q.changed.Wait()
	}
	if q.lost.Load() != lost {
		return errors.Join(errBuiltOnLost, q.lostTo)
	}
	if len(delta) > 0 {
		q.state.levels[len(q.state.levels)-1].merge(own, delta)
		q.payload = append(varint.Append(q.payload, uint64(len(delta))), delta...)
	} else if len(q.batch) == 0 && !q.syncing {
		u.stored.Store(true)
		close(u.done) // it changes nothing, and everything it read is on the disk
		return nil
	}
	u.lost = lost
	q.batch = append(q.batch, u)
	q.units.Add(1)
	if u.later == nil {
		q.urgent++
	}
	if u.later == nil || len(q.batch) == 1 {
		q.wake()
	}
	return nil
}

func (q *queue) wake() {
	select {
	case q.more <- struct{}{}:
	default:
	}
}

// hurry lets the waiting batch go to the disk at once.
func (q *queue) hurry() {
	q.mu.Lock()
	q.due = true
	q.mu.Unlock()
	q.wake()
}

// await waits until the batch is ready, but not longer than most. ready is called under q.mu.
func (q *queue) await(most time.Duration, ready func() bool) {
	var late <-chan time.Time
	for {
		q.mu.Lock()
		ends := ready()
		q.mu.Unlock()
		if ends {
			return
		}
		if late == nil {
			timer := time.NewTimer(most)
			defer timer.Stop()
			late = timer.C
		}
		select {
		case <-q.more:
		case <-late:
			return
		}
	}
}

// take returns the waiting batch, its deltas as the payload of a frame, and the level with the end of the
// batch, nil if that is no longer the last level. If logged is set, the caller writes the payload to the log
// region. Otherwise that, or the memory for levels, is full, and the caller writes the levels to the buckets.
func (q *queue) take() (batch []unit, payload []byte, active *layer, logged bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for {
		logged = q.region.Fits(len(q.payload)) && q.state.size() <= q.most
		if logged || !q.flushes {
			break
		}
		q.changed.Wait() // the end of a flush makes room
	}
	batch, payload, q.syncing = q.batch, q.payload, true
	last := len(q.state.levels) - 1
	full := q.region.Waiting()+len(q.payload) > q.region.Size()/flushUnits || q.state.size() > q.most/flushUnits
	if !logged || full && last == 0 { // with more levels, a flush is due already
		q.freeze()
	} else {
		before := q.state.levels[last]
		active, q.state.levels[last].Level = &before, before.Copy()
	}
	q.batch, q.urgent, q.due = nil, 0, false
	q.payload, q.written = q.written[:0], nil
	q.changed.Broadcast() // there is room for more
	return batch, payload, active, logged
}

// flushUnits is the number of parts that the log region and the memory for levels are
// divided into. A flush begins when one part is full. Then one part is being flushed, one
// is kept for the older meta page, and one is being written.
const flushUnits = 4

// freeze begins a new level. The caller holds q.mu.
func (q *queue) freeze() {
	q.state.levels = append(slices.Clip(q.state.levels), layer{Level: memtable.New()})
}

// publish shows readers the state on the disk. active is its newest level, or nil if
// nothing in the last level of state is on the disk. The caller holds q.mu.
func (q *queue) publish(active *layer) {
	durable, last := q.state, len(q.state.levels)-1
	if active == nil { // the one before the last is complete
		q.state.levels[last-1].end = q.state.end
		durable.levels = slices.Clone(q.state.levels[:last])
	} else {
		durable.levels = append(slices.Clone(q.state.levels[:last]), *active)
	}
	q.durable.Store(&durable)
}

// fail discards submitted writes that are not on the disk, and returns the waiting units.
// The caller holds q.mu.
func (q *queue) fail(err error) []unit {
	q.state.levels = slices.Clone(q.durable.Load().levels)
	if n := len(q.state.levels); n > 0 { // the last one is complete
		q.state.levels[n-1].end = q.state.end
	}
	q.freeze()
	waiting := q.batch
	for i := range waiting {
		waiting[i].err = errors.Join(errBuiltOnLost, err)
	}
	q.batch, q.urgent, q.payload = nil, 0, nil
	q.lostTo = err
	q.lost.Add(1)
	return waiting
}

// recover merges the deltas of a frame into the memtable when the file is opened. terms
// makes the texts of their terms.
func (q *queue) recover(payload []byte, terms *dict.Hasher) error {
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
		q.state.levels[0].merge(own, delta)
	}
	if r.Failed() {
		return errors.New("a frame of the log region holds no deltas")
	}
	return nil
}

// levelsIn returns how many levels a flush stores. The caller holds q.mu.
func (q *queue) levelsIn(scope flushScope) int {
	n := len(q.state.levels)
	if scope != flushAll {
		n--
	}
	if scope == flushComplete && n > 0 && q.state.levels[n-1].end == (file.Mark{}) {
		n-- // it is on its way to the disk
	}
	return n
}

// flushedBy records that transaction id holds the first n levels. The caller holds q.mu.
func (q *queue) flushedBy(id uint64, n int) {
	q.state.flushing, q.state.flushed = id, n
	durable := *q.durable.Load()
	durable.flushing, durable.flushed = id, n
	q.durable.Store(&durable)
}

// dropFlushed removes the n oldest levels, which transaction id has stored, from what readers see. If skip is
// true, the log region ends at end now.
func (q *queue) dropFlushed(id uint64, n int, end file.Mark, skip bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	durable := *q.durable.Load()
	for _, st := range []*state{&q.state, &durable} {
		st.base, st.flushing, st.flushed = id, 0, 0
		st.levels = slices.Clone(st.levels[min(n, len(st.levels)):])
		if skip {
			st.end = end
		}
	}
	if len(q.state.levels) == 0 {
		q.freeze()
	}
	q.durable.Store(&durable)
}

// freezeIdle begins a new level if nothing is on its way to the disk.
func (q *queue) freezeIdle() {
	q.mu.Lock()
	defer q.mu.Unlock()
	if last := len(q.state.levels) - 1; len(q.batch) == 0 && !q.syncing && !q.state.levels[last].Empty() {
		q.freeze()
		q.publish(nil)
	}
}

// settle waits until nothing submitted is on its way to the disk.
func (q *queue) settle() {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.batch) > 0 || q.syncing {
		q.changed.Wait()
	}
}

// waiting reports whether a write waits for the disk.
func (q *queue) waiting() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.batch) > 0
}

// crowded reports whether what waits for a flush fills more than half of its room.
func (q *queue) crowded() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.region.Waiting() > q.region.Size()/2 || q.state.size() > q.most/2
}

// set sets flushes or indexes, and tells those who wait for a change.
func (q *queue) set(what *bool, on bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	*what = on
	q.changed.Broadcast()
}
