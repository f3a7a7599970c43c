// Package budget limits the time and the memory of a query, from its text to its answer.
// The packages that process a query (syntax, algebra, plan, eval) report their work and
// memory to its Budget, and stop when that returns an error.
package budget

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"
)

// Limits holds the resources that a query may use. A zero field means no limit.
type Limits struct {
	Time time.Duration
	// Memory limits, in bytes, the accounted size of the query's tree and plan, and of
	// its rows, tables, groups and computed terms.
	Memory int64
	// Shared is memory that queries share. Each query takes from it what it uses. If
	// nil, there is none to share, and only Memory limits the query.
	Shared Shared
	// Processors are the processors that queries share. If nil, a query may use all of
	// the program's.
	Processors *Processors
	// ParallelRows is the number of rows from which a query uses a free processor. 0 means
	// DefaultParallelRows.
	ParallelRows int
}

// Shared is memory shared by several users. Its methods must be safe for concurrent use.
type Shared interface {
	// Take takes n more bytes for a user that holds held bytes. The error says how many
	// are available.
	Take(held, n int64) error
	// Room reports whether a user that holds held bytes may take n more and leave
	// enough for others.
	Room(held, n int64) bool
	// Give returns n bytes.
	Give(n int64)
}

// DefaultParallelRows is the default of Limits.ParallelRows. With fewer rows, another
// processor saves little time.
const DefaultParallelRows = 20_000

// LimitError reports that a query was ended because it would have exceeded a limit.
type LimitError struct {
	Limit  string // "time", "memory", "shared memory", "string length", "nesting of triple terms" or "work for a REPLACE"
	Detail string // the value of the limit, with its unit
}

func (e *LimitError) Error() string {
	if e.Limit == limitShared {
		return "the query needs more memory than is free now: " + e.Detail
	}
	return fmt.Sprintf("the query needs more %s than its limit, which is %s", e.Limit, e.Detail)
}

// limitShared is the name of the limit on shared memory.
const limitShared = "shared memory"

// Deadline returns a context that ends at the time limit, with a *LimitError as its
// cause.
func (l Limits) Deadline(ctx context.Context) (context.Context, context.CancelFunc) {
	if l.Time <= 0 {
		return ctx, func() {}
	}
	return context.WithTimeoutCause(ctx, l.Time, &LimitError{Limit: "time", Detail: l.Time.String()})
}

// checkEvery is the amount of work between two checks of the context. A unit of work is
// a row, a tuple of an index, a token, an operator or the like.
const checkEvery = 4096

// shareStep is the unit in which a query takes shared memory, in bytes. It gives memory
// back when it holds more than two units beyond what it uses.
const shareStep = 256 << 10

// Budget accounts for the work and memory of one query. It must be used by one
// goroutine; others use a Fork of it. Call Close at the end. Tick, Check and Grow of a nil
// *Budget have no limits.
type Budget struct {
	ctx    context.Context
	limits Limits
	work   int
	weight int // of a unit of work; 0 means 1
	memory int64
	peak   int64 // of memory
	held   int64 // of the shared memory
	closed bool
	failed error // recorded by Fail

	forks *forks // nil before the first Fork

	// The fields below belong to a fork.
	query    *Budget // the budget that this one was forked from; nil for a query's own
	reported int64   // bytes already added to the memory of query
	halted   atomic.Bool
	onCheck  func() // may be nil
}

// New returns a budget for a query that must end when ctx does, and takes a processor for
// it until Close. It does not enforce the time limit; see Deadline.
func New(ctx context.Context, l Limits) *Budget {
	if l.Processors != nil {
		l.Processors.Arrived()
		l.Processors.Enter()
	}
	return &Budget{ctx: ctx, limits: l}
}

// Limits returns the limits of the query.
func (b *Budget) Limits() Limits { return b.limits }

// Tick accounts for n units of work. After each 4096, it returns the result of Check.
func (b *Budget) Tick(n int) error {
	if b == nil {
		return nil
	}
	if b.weight > 1 {
		n *= b.weight
	}
	if b.work += n; b.work < checkEvery {
		return nil
	}
	b.work = 0
	return b.Check()
}

// SetWeight makes each further unit of work count as n. It is for wide rows.
func (b *Budget) SetWeight(n int) { b.weight = n }

// Check returns the error if the query must end. Goroutines that work for the query may
// call it while the query's own goroutine calls no other method.
func (b *Budget) Check() error {
	switch {
	case b == nil:
		return nil
	case b.failed != nil:
		return b.failed
	case b.ctx.Err() != nil:
		return context.Cause(b.ctx)
	case b.query != nil:
		return b.checkFork()
	}
	return nil
}

// Grow accounts for memory. A negative n means that memory was released. At a limit it
// returns a *LimitError; the n bytes count nevertheless.
func (b *Budget) Grow(n int64) error {
	switch {
	case b == nil:
		return nil
	case b.query != nil:
		return b.growFork(n)
	case b.forks != nil:
		b.forks.mu.Lock()
		defer b.forks.mu.Unlock()
	}
	return b.grow(n)
}

// grow accounts for memory. If there are forks, the caller holds forks.mu.
func (b *Budget) grow(n int64) error {
	b.memory += n
	b.peak = max(b.peak, b.memory)
	if b.limits.Memory > 0 && b.memory > b.limits.Memory {
		return &LimitError{Limit: "memory", Detail: fmt.Sprintf("%d MiB", b.limits.Memory>>20)}
	}
	if b.limits.Shared == nil {
		return nil
	}
	return b.share()
}

// share adjusts the shared memory to the memory in use.
func (b *Budget) share() error {
	switch free := b.held - b.memory; {
	case free < 0:
		n := (-free + shareStep - 1) / shareStep * shareStep
		if err := b.limits.Shared.Take(b.held, n); err != nil {
			return &LimitError{Limit: limitShared, Detail: err.Error()}
		}
		b.held += n
	case free > 2*shareStep:
		n := (free - shareStep) / shareStep * shareStep
		b.limits.Shared.Give(n)
		b.held -= n
	}
	return nil
}

// Close releases the query's processor and its shared memory. The query must no longer
// use memory.
func (b *Budget) Close() {
	if b.closed {
		return
	}
	b.closed = true
	if b.limits.Processors != nil {
		b.limits.Processors.Leave()
	}
	if b.held > 0 {
		b.limits.Shared.Give(b.held)
		b.held = 0
	}
}

// Room reports whether the query may use n more bytes for something that it can do
// without. Half of its memory limit is reserved for everything else.
func (b *Budget) Room(n int64) bool {
	if b.query != nil {
		unreported := b.memory - b.reported
		return b.query.Room(n + unreported)
	}
	if b.forks != nil {
		b.forks.mu.Lock()
		defer b.forks.mu.Unlock()
	}
	return (b.limits.Memory <= 0 || b.memory+n <= b.limits.Memory/2) && (b.limits.Shared == nil || b.limits.Shared.Room(b.held, n))
}

// Fail records an error that ends the query. Only the first one is kept.
func (b *Budget) Fail(err error) {
	if b.failed == nil {
		b.failed, b.work = err, checkEvery // makes the next Tick return it
	}
}

// Failed returns the error that Fail recorded, or nil.
func (b *Budget) Failed() error { return b.failed }

// Memory returns the number of bytes in use, without those of forks.
func (b *Budget) Memory() int64 {
	if b.forks == nil {
		return b.memory
	}
	b.forks.mu.Lock()
	defer b.forks.mu.Unlock()
	return b.memory - b.forks.memory
}

// Peak returns the largest number of bytes in use so far, with those of forks.
func (b *Budget) Peak() int64 { return b.peak }
