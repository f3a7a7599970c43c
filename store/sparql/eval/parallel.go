package eval

import (
	"fmt"
	"runtime/debug"
	"sync"
	"sync/atomic"

	"github.com/segraph/segraph/store/sparql/budget"
)

// parallel calls f once with each of 0 to n-1, on this goroutine and on free
// processors. It releases the processors when other queries want them. f must not use
// anything that belongs to one goroutine, and should take a few milliseconds at most.
// If parallel returns an error, the query must end with it.
func parallel(b *budget.Budget, n int, f func(i int)) error {
	t := &tasks{b: b, n: int64(n), f: f}
	var helpers sync.WaitGroup
	for range b.Borrow(n - 1) {
		helpers.Go(t.help)
	}
	func() {
		defer helpers.Wait()
		defer func() { t.next.Store(t.n) }() // ends the helpers even if this panics
		t.work(func() bool { return false })
	}()
	if t.panicked != nil {
		panic(t.panicked)
	}
	return b.Check()
}

// tasks are the calls of f that one call of parallel makes.
type tasks struct {
	b    *budget.Budget
	n    int64
	f    func(i int)
	next atomic.Int64

	mu       sync.Mutex
	panicked error // of a helper
}

// work makes calls until none are left, leave returns true, or the query must end.
func (t *tasks) work(leave func() bool) {
	for !leave() && t.b.Check() == nil {
		i := t.next.Add(1) - 1
		if i >= t.n {
			return
		}
		t.f(int(i))
	}
}

// help works on a borrowed processor. It keeps a panic for the query's goroutine to
// repeat, whose caller may recover.
func (t *tasks) help() {
	defer t.b.GiveBack()
	defer func() {
		if r := recover(); r != nil {
			t.next.Store(t.n)
			t.mu.Lock()
			defer t.mu.Unlock()
			t.panicked = fmt.Errorf("%v, on a borrowed processor:\n%s", r, debug.Stack())
		}
	}()
	t.work(t.b.Wanted)
}
