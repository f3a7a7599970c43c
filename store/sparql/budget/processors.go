package budget

import (
	"runtime"
	"sync/atomic"
)

// Processors are shared by queries. Each query has one, even if none is free, and may
// borrow free ones until another query wants them.
type Processors struct {
	all  int32
	busy atomic.Int32
}

// NewProcessors returns n processors, or as many as the program may use if those are fewer.
func NewProcessors(n int) *Processors {
	return &Processors{all: int32(min(n, runtime.GOMAXPROCS(0)))}
}

// borrow takes a processor if one is free.
func (p *Processors) borrow() bool {
	for {
		busy := p.busy.Load()
		if busy >= p.all {
			return false
		}
		if p.busy.CompareAndSwap(busy, busy+1) {
			return true
		}
	}
}

// Borrow takes up to n free processors in addition to the query's own, and returns the
// number taken. Return each with GiveBack.
func (b *Budget) Borrow(n int) (borrowed int) {
	if b == nil || b.limits.Processors == nil {
		return min(n, runtime.GOMAXPROCS(0)-1)
	}
	for borrowed < n && b.limits.Processors.borrow() {
		borrowed++
	}
	return borrowed
}

// GiveBack returns a borrowed processor. It is safe for concurrent use.
func (b *Budget) GiveBack() {
	if b != nil && b.limits.Processors != nil {
		b.limits.Processors.busy.Add(-1)
	}
}

// Wanted reports whether borrowed processors should be returned now, because a query has
// none. It is safe for concurrent use.
func (b *Budget) Wanted() bool {
	return b != nil && b.limits.Processors != nil && b.limits.Processors.busy.Load() > b.limits.Processors.all
}
