package eval

import (
	"fmt"
	"runtime/debug"
	"sync"
	"sync/atomic"

	"github.com/segraph/segraph/store/sparql/budget"
)

// parallel calls f with 0 to n-1, each once, on this goroutine and on the processors that
// are free, which it gives back when other queries want them. f must touch nothing that
// is for one goroutine, and should take no longer than some milliseconds. The error is
// the one that the query must end with.
func parallel(b *budget.Budget, n int, f func(i int)) error {
	t := &tasks{b: b, n: int64(n), f: f}
	var helpers sync.WaitGroup
	for range b.Borrow(n - 1) {
		helpers.Go(t.help)
	}
	func() {
		defer helpers.Wait()
		defer func() { t.next.Store(t.n) }() // so that helpers end also when this panics
		t.work(func() bool { return false })
	}()
	if t.panicked != nil {
		panic(t.panicked)
	}
	return b.Check()
}

// tasks are the calls of parallel.
type tasks struct {
	b    *budget.Budget
	n    int64
	f    func(i int)
	next atomic.Int64

	mu       sync.Mutex
	panicked error // in a helper
}

// work makes calls until there are no more, leave says so, or the query must end.
func (t *tasks) work(leave func() bool) {
	for !leave() && t.b.Check() == nil {
		i := t.next.Add(1) - 1
		if i >= t.n {
			return
		}
		t.f(int(i))
	}
}

// help works on a borrowed processor. A panic is handed to the query's goroutine, for
// whoever recovers there.
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
