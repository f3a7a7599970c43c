package provenance

import (
	"context"
	"time"
)

// restTimes is how many times as long as it worked a patient withdrawal rests, and restStep how soon it goes on if another waits
// for it.
const (
	restTimes   = 100
	restStep    = 5 * time.Millisecond
	longestRest = 20 * time.Second // also if the flushes are those of others
)

// Patience says until when how many entries must be withdrawn, perhaps by several calls of WithdrawAll.
type Patience struct {
	End  time.Time
	Left int // about: the parts of logs count, too; WithdrawAll counts down
}

// most returns how long to rest at most after n entries, so that as many rests as follow end in time.
func (p *Patience) most(n int) time.Duration {
	return time.Until(p.End) / time.Duration(1+max(p.Left, 0)/n)
}

// rest adds a unit of n entries that took so long. If others wrote since the last rest began, it waits restTimes as long as units
// and flushes took since then, or as long as Patience allows. It returns early once another waits for Alone, or ctx ends.
func (r *run) rest(ctx context.Context, took time.Duration, n int) {
	r.mine++
	r.took += took
	r.went += n
	r.w.Patient.Left -= n
	units, flushed := r.p.store.Units(), r.p.store.FlushTime()
	if units-r.units <= r.mine {
		return
	}
	most := min(restTimes*(r.took+flushed-r.flushed), longestRest, r.w.Patient.most(r.went))
	r.units, r.flushed, r.mine, r.took, r.went = units, flushed, 0, 0, 0
	for end := time.Now().Add(most); time.Now().Before(end) && r.p.waiting.Load() == 1 && ctx.Err() == nil; {
		time.Sleep(restStep)
	}
}
