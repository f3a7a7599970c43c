package budget

import (
	"errors"
	"sync"
)

// forkStep is how much the memory of a fork may change before it reports to the query's
// budget.
const forkStep = 64 << 10

// errHalted ends the work of a fork after Halt. The result of that work is not used.
var errHalted = errors.New("the query needs no more rows")

// forks is the part of a query's budget that it shares with its forks.
type forks struct {
	mu     sync.Mutex // guards the memory of the query's budget
	memory int64      // in use by forks; part of the memory of the query's budget
}

// Fork returns a budget for work that another goroutine does for the query. Its memory
// counts towards that of b. Only the query's goroutine may call Fork and Release.
func (b *Budget) Fork() *Budget {
	if b.forks == nil {
		b.forks = &forks{}
	}
	return &Budget{ctx: b.ctx, limits: b.limits, weight: b.weight, query: b}
}

// OnCheck sets a function that a fork calls in each Check. The function may wait.
func (b *Budget) OnCheck(f func()) { b.onCheck = f }

// checkFork returns errHalted if the query ended in another goroutine.
func (b *Budget) checkFork() error {
	if b.onCheck != nil {
		b.onCheck()
	}
	if b.halted.Load() {
		return errHalted
	}
	return nil
}

// Halt makes the next Check of a fork fail. It is safe for concurrent use.
func (b *Budget) Halt() { b.halted.Store(true) }

// Release releases all memory of a fork, which must no longer be in use.
func (b *Budget) Release() {
	_ = b.report(-b.reported) // shrinking never fails
	b.memory = 0
}

func (b *Budget) growFork(n int64) error {
	b.memory += n
	if n = b.memory - b.reported; -forkStep < n && n < forkStep {
		return nil
	}
	return b.report(n)
}

// report adds n bytes, which a fork uses, to the memory of its query. It may return a
// *LimitError.
func (b *Budget) report(n int64) error {
	b.reported += n
	f := b.query.forks
	f.mu.Lock()
	defer f.mu.Unlock()
	f.memory += n
	return b.query.grow(n)
}
