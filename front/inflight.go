package front

import (
	"context"
	"fmt"
	"sync"
)

// inFlight counts the requests that are being answered, so that shutting down can wait for
// them. A sync.WaitGroup would not do: requests may still come while one waits.
type inFlight struct {
	mu   sync.Mutex
	n    int
	zero chan struct{} // closed when n comes to 0, for who waits; nil while nobody does
}

func (f *inFlight) enter() {
	f.mu.Lock()
	f.n++
	f.mu.Unlock()
}

func (f *inFlight) leave() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.n--; f.n == 0 && f.zero != nil {
		close(f.zero)
		f.zero = nil
	}
}

// count returns the number of requests now.
func (f *inFlight) count() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.n
}

// wait comes back when there is no request, or with an error when ctx ends first.
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
