package eval

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Limits bound what a query may use. Zero values are no limit.
type Limits struct {
	Time time.Duration
	// Memory is in bytes: what rows, tables, groups and computed terms hold, by accounting.
	Memory int64
	// StringLength is how many bytes a string that a function makes may have.
	StringLength int
}

// DefaultStringLength bounds strings where Limits does not.
const DefaultStringLength = 16 << 20

// LimitError says that a query was ended because it would have used more than it may.
type LimitError struct {
	Limit  string // "time", "memory" or "string length"
	Detail string // how much that is
}

func (e *LimitError) Error() string {
	return fmt.Sprintf("the query needs more %s than its limit, which is %s", e.Limit, e.Detail)
}

// errDone says that no more rows are wanted. It never leaves the package.
var errDone = errors.New("no more rows are wanted")

const (
	idSize = 8
	// checkEvery is after how much work the context is looked at: rows, or tuples of an index.
	checkEvery = 4096
	// expressionWork is how much work expressions are taken for, per row: some, like regular
	// expressions, take long.
	expressionWork = 64
)

// budget watches over a query's time and memory.
type budget struct {
	ctx    context.Context
	limits Limits
	work   int
	memory int64
	peak   int64 // of memory
	failed error // of an expression, which has no other way to report it
}

// tick accounts for n rows or tuples of work, and says whether the query must end.
func (b *budget) tick(n int) error {
	if b.work += n; b.work < checkEvery {
		return nil
	}
	b.work = 0
	return b.check()
}

// check says whether the query must end.
func (b *budget) check() error {
	if b.failed != nil {
		return b.failed
	}
	if b.ctx.Err() != nil {
		return context.Cause(b.ctx)
	}
	return nil
}

// grow accounts for memory that is kept; n is negative for what is let go of.
func (b *budget) grow(n int64) error {
	b.memory += n
	b.peak = max(b.peak, b.memory)
	if b.limits.Memory > 0 && b.memory > b.limits.Memory {
		return &LimitError{Limit: "memory", Detail: fmt.Sprintf("%d MiB", b.limits.Memory>>20)}
	}
	return nil
}

// room tells whether n more bytes may be kept for what can be done without: half of the memory is
// for what can't.
func (b *budget) room(n int64) bool {
	return b.limits.Memory <= 0 || b.memory+n <= b.limits.Memory/2
}

// fail records an error that ends the query.
func (b *budget) fail(err error) {
	if b.failed == nil {
		b.failed = err
	}
}
