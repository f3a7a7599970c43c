// Package budget bounds the time and the memory of a query, from its text to its answer. Whoever works
// for a query (syntax, algebra, plan, eval) tells its Budget what it does and keeps, and stops when that
// returns an error.
package budget

import (
	"context"
	"fmt"
	"time"
)

// Limits bound what a query may use. Zero values are no limit.
type Limits struct {
	Time time.Duration
	// Memory is in bytes: what the query's tree and plan, and its rows, tables, groups and computed
	// terms hold, by accounting.
	Memory int64
	// StringLength is how many bytes a string that a function makes may have.
	StringLength int
}

// LimitError says that a query was ended because it would have used more than it may.
type LimitError struct {
	Limit  string // "time", "memory" or "string length"
	Detail string // how much that is
}

func (e *LimitError) Error() string {
	return fmt.Sprintf("the query needs more %s than its limit, which is %s", e.Limit, e.Detail)
}

// Deadline returns a context that ends when the time limit is over, with a *LimitError as its cause.
func (l Limits) Deadline(ctx context.Context) (context.Context, context.CancelFunc) {
	if l.Time <= 0 {
		return ctx, func() {}
	}
	return context.WithTimeoutCause(ctx, l.Time, &LimitError{Limit: "time", Detail: l.Time.String()})
}

// checkEvery is after how much work the context is looked at: rows, tuples of an index, tokens, operators.
const checkEvery = 4096

// Budget watches over one query. It is for one goroutine. A nil *Budget has no limits.
type Budget struct {
	ctx    context.Context
	limits Limits
	work   int
	weight int // of a unit of work; 0 is 1
	memory int64
	peak   int64 // of memory
	failed error // of what has no other way to report it
}

// New returns a budget that is good until ctx ends. The limit of time is not looked at: see Deadline.
func New(ctx context.Context, l Limits) *Budget { return &Budget{ctx: ctx, limits: l} }

// Limits returns the limits of the query.
func (b *Budget) Limits() Limits { return b.limits }

// Tick accounts for n units of work, and returns the error that the query must end with, if it must.
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

// Check returns the error that the query must end with, if it must.
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
	return nil
}

// Room reports whether n more bytes may be kept for what can be done without: half of the memory is
// for what can't.
func (b *Budget) Room(n int64) bool {
	return b.limits.Memory <= 0 || b.memory+n <= b.limits.Memory/2
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
