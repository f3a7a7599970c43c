// Package budget bounds the time and the memory of a query, from its text to its answer.
// Whoever works for a query (syntax, algebra, plan, eval) tells its Budget what it does
// and keeps, and stops when that returns an error.
package budget

import (
	"context"
	"fmt"
	"time"
)

// Limits bound what a query may use. Zero values are no limit.
type Limits struct {
	Time time.Duration
	// Memory is in bytes: what the query's tree and plan, and its rows, tables, groups
	// and computed terms hold, by accounting.
	Memory int64
	// Shared, which may be nil, is the memory that queries share. Each takes what it
	// keeps from there.
	Shared Shared
	// Processors, which may be nil, are what queries share to run on. Without them a
	// query may use all of the program's.
	Processors *Processors
	// StringLength is how many bytes a string that a function makes may have.
	StringLength int
}

// Shared is memory that several share. Its methods may be called from many goroutines at
// once.
type Shared interface {
	// Take takes n more bytes for one that holds so many. The error says how much there is.
	Take(held, n int64) error
	// Room reports whether one that holds so many may take n more and leave enough.
	Room(held, n int64) bool
	// Give gives back n bytes.
	Give(n int64)
}

// LimitError says that a query was ended because it would have used more than it may.
type LimitError struct {
	Limit  string // "time", "memory", "shared memory" or "string length"
	Detail string // how much that is
}

func (e *LimitError) Error() string {
	if e.Limit == limitShared {
		return "the query needs more memory than is free now: " + e.Detail
	}
	return fmt.Sprintf("the query needs more %s than its limit, which is %s", e.Limit, e.Detail)
}

// limitShared is the limit of what queries share.
const limitShared = "shared memory"

// Deadline returns a context that ends when the time limit is over, with a *LimitError as
// its cause.
func (l Limits) Deadline(ctx context.Context) (context.Context, context.CancelFunc) {
	if l.Time <= 0 {
		return ctx, func() {}
	}
	return context.WithTimeoutCause(ctx, l.Time, &LimitError{Limit: "time", Detail: l.Time.String()})
}

// checkEvery is after how much work the context is looked at: rows, tuples of an index,
// tokens, operators.
const checkEvery = 4096

// shareStep is how much a query takes of the shared memory at a time, and how much more
// than it keeps it may hold.
const shareStep = 256 << 10

// Budget watches over one query. It is for one goroutine. A nil *Budget has no limits.
// Close it in the end.
type Budget struct {
	ctx    context.Context
	limits Limits
	work   int
	weight int // of a unit of work; 0 is 1
	memory int64
	peak   int64 // of memory
	held   int64 // of the shared memory
	closed bool
	failed error // of what has no other way to report it
}

// New returns a budget that is good until ctx ends. The limit of time is not looked at:
// see Deadline.
func New(ctx context.Context, l Limits) *Budget {
	if l.Processors != nil {
		l.Processors.busy.Add(1)
	}
	return &Budget{ctx: ctx, limits: l}
}

// Limits returns the limits of the query.
func (b *Budget) Limits() Limits { return b.limits }

// Tick accounts for n units of work, and returns the error that the query must end with,
// if it must.
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

// SetWeight says that each unit of work from now on is as much as n, because rows are wide.
func (b *Budget) SetWeight(n int) { b.weight = n }

// Check returns the error that the query must end with, if it must. Goroutines that work
// for the query may call it while the query's own calls no other method.
func (b *Budget) Check() error {
	switch {
	case b == nil:
		return nil
	case b.failed != nil:
		return b.failed
	case b.ctx.Err() != nil:
		return context.Cause(b.ctx)
	}
	return nil
}

// Grow accounts for memory that is kept; n is negative for what is let go of.
func (b *Budget) Grow(n int64) error {
	if b == nil {
		return nil
	}
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

// share has what is held of the shared memory follow what is kept.
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

// Close returns the query's processor and what it holds of the shared memory. The
// query keeps nothing then.
func (b *Budget) Close() {
	if b == nil || b.closed {
		return
	}
	b.closed = true
	if b.limits.Processors != nil {
		b.limits.Processors.busy.Add(-1)
	}
	if b.held > 0 {
		b.limits.Shared.Give(b.held)
		b.held = 0
	}
}

// Room reports whether n more bytes may be kept for what can be done without: half of the
// memory is for what can't.
func (b *Budget) Room(n int64) bool {
	return (b.limits.Memory <= 0 || b.memory+n <= b.limits.Memory/2) && (b.limits.Shared == nil || b.limits.Shared.Room(b.held, n))
}

// Fail records an error that ends the query, if it is the first.
func (b *Budget) Fail(err error) {
	if b.failed == nil {
		b.failed, b.work = err, checkEvery // the next Tick returns it
	}
}

// Failed returns the error that Fail recorded.
func (b *Budget) Failed() error { return b.failed }

// Memory returns how many bytes are kept, and Peak the most that were at a time.
func (b *Budget) Memory() int64 {
	if b == nil {
		return 0
	}
	return b.memory
}

// Peak is explained with Memory.
func (b *Budget) Peak() int64 { return b.peak }
