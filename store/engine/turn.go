package engine

import (
	"context"

	"github.com/segraph/segraph/store/engine/dict"
	"github.com/segraph/segraph/store/engine/memtable"
)

// turn lets one write run at a time, until it is handed to the syncer. The goroutine whose turn it is
// owns the fields.
type turn struct {
	taken chan struct{} // holds one element while a write runs

	known      *dict.Known
	own        *memtable.Level  // of the last unit of work, for its memory; nil before the first
	buckets    memtable.Buckets // of units of work
	scratch    []byte           // reused to encode units of work
	staging    map[*staged]bool // documents being stored
	abandoned  [][]byte         // keys of abandoned documents, whose data must be removed
	moving     bool             // the published graph has parts
	neverTidy  bool             // never tidy; for tests
	collecting *collecting      // nil unless the collector runs
	wishes     uint64           // calls of Tx.WantCollection
	lostBefore uint64           // failures on the way to the disk when the last write entered
}

// take begins a turn, in order of arrival, unless ctx or closing ends before.
func (t *turn) take(ctx context.Context, closing <-chan struct{}) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	select {
	case t.taken <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-closing:
		return errClosing
	}
}

func (t *turn) end() { <-t.taken }

// after notes how many writes failed on their way to the disk. If there are more than before, what the turn
// remembers of them is wrong.
func (t *turn) after(lost uint64) {
	if lost == t.lostBefore {
		return
	}
	t.lostBefore = lost
	t.known.Reset()
	for d := range t.staging {
		d.lost = true
	}
}
