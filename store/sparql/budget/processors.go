package budget

import (
	"runtime"
	"sync/atomic"
	"time"
)

// Processors is a set of processors that queries and other long work share. Each query runs on
// one, even if none is free, and may borrow free ones until other work needs them.
type Processors struct {
	// Quiet is how long one processor stays free after other work arrives while a query
	// runs. If all are busy, Go's runtime may take 10 ms to notice a request.
	Quiet time.Duration

	all     int32
	busy    atomic.Int32
	arrived atomic.Int64 // time of the last Arrived during a query, in ns since start
}

// start is the time from which Processors.arrived counts.
var start = time.Now()

// NewProcessors returns n processors, or as many as the program may use if those are fewer.
func NewProcessors(n int) *Processors {
	p := &Processors{all: int32(min(n, runtime.GOMAXPROCS(0)))}
	p.arrived.Store(-1 << 62)
	return p
}

// Arrived records that work arrived that must not wait for queries. It is safe for
// concurrent use.
func (p *Processors) Arrived() {
	if p.busy.Load() > 0 {
		p.arrived.Store(int64(time.Since(start)))
	}
}

// usable returns how many processors may be busy, borrowed ones included.
func (p *Processors) usable() int32 {
	if p.Quiet > 0 && time.Since(start)-time.Duration(p.arrived.Load()) < p.Quiet {
		return p.all - 1
	}
	return p.all
}

// Enter takes a processor, free or not. Leave returns one.
func (p *Processors) Enter() { p.busy.Add(1) }

// Leave returns a processor.
func (p *Processors) Leave() { p.busy.Add(-1) }

// Wanted reports whether borrowed processors should be returned now, because other work
// arrived. It is safe for concurrent use.
func (p *Processors) Wanted() bool { return p.busy.Load() > p.usable() }

// Borrow takes a processor if one is free.
func (p *Processors) Borrow() (taken bool) {
	for {
		busy := p.busy.Load()
		if busy >= p.usable() {
			return false
		}
		if p.busy.CompareAndSwap(busy, busy+1) {
			return true
		}
	}
}

// Borrow takes a free processor in addition to the query's own. It reports false if none is
// free. Return it with GiveBack.
func (b *Budget) Borrow() bool {
	if b.limits.Processors == nil {
		return runtime.GOMAXPROCS(0) > 1
	}
	return b.limits.Processors.Borrow()
}

// GiveBack returns a borrowed processor. It is safe for concurrent use.
func (b *Budget) GiveBack() {
	if b.limits.Processors != nil {
		b.limits.Processors.Leave()
	}
}

// Wanted reports whether borrowed processors should be returned now, because other work
// arrived. It is safe for concurrent use.
func (b *Budget) Wanted() bool {
	return b.limits.Processors != nil && b.limits.Processors.Wanted()
}
