package front

import (
	"context"
	"fmt"
	"sync"
)

// inFlight counts the requests being answered, so that a shutdown can wait for them. A
// sync.WaitGroup does not fit, since requests may arrive during the wait.
type inFlight struct {
	mu   sync.Mutex
	n    int
	zero chan struct{} // closed when n reaches 0; nil if nobody waits
}

func (f *inFlight) enter() {
	f.mu.Lock()
	f.n++
	f.mu.Unlock()
}

// leave counts a request less, and tells who waits for zero.
func (f *inFlight) leave() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.n--; f.n == 0 && f.zero != nil {
		close(f.zero)
		f.zero = nil
	}
}

// count returns the number of requests being answered.
func (f *inFlight) count() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.n
}

// wait returns nil once there is no request, or an error if ctx ends first.
func (f *inFlight) wait(ctx context.Context) error {
	f.mu.Lock()
	if f.n == 0 {
		f.mu.Unlock()
		return nil
	}
	if f.zero == nil {
		f.zero = make(chan struct{})
	}
	zero := f.zero
	f.mu.Unlock()
	select {
	case <-zero:
		return nil
	case <-ctx.Done():
		f.mu.Lock()
		defer f.mu.Unlock()
		return fmt.Errorf("wait for %d requests to end: %w", f.n, ctx.Err())
	}
}
