package memory

import (
	"container/list"
	"context"
	"fmt"
	"sync"
)

// Pool is memory that requests share. A request may hold up to three times the free
// memory. So a single request gets much, several share, and some memory is always left
// for the next one. The zero value is an empty pool.
type Pool struct {
	size int64

	mu    sync.Mutex
	used  int64
	ahead int64     // bytes that the first waiter needs
	queue list.List // of *waiter
}

// waiter is a request that waits for memory.
type waiter struct {
	bytes   int64
	granted chan struct{} // closed when it gets the memory
}

// share is how many times the free memory a single request may hold.
const share = 3

// maxRequest returns the maximum for a single request in a pool of the given size.
func maxRequest(size int64) int64 { return size / (share + 1) * share }

// NewPool returns a pool of size bytes.
func NewPool(size int64) *Pool { return &Pool{size: size} }

// Size returns the size of the pool in bytes.
func (p *Pool) Size() int64 { return p.size }

// Used returns the number of bytes in use.
func (p *Pool) Used() int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.used
}

// BusyError reports that too little memory is free for a request.
type BusyError struct{ Size, Free int64 }

func (e *BusyError) Error() string {
	return fmt.Sprintf("%s of the %s of memory that all requests share", free(e.Free), size(e.Size))
}

func size(n int64) string {
	if n < 10*mib {
		return fmt.Sprintf("%.1f MiB", float64(n)/mib)
	}
	return fmt.Sprintf("%d MiB", n/mib)
}

func free(n int64) string { return size(max(0, n)) + " are free" }

// Take takes n more bytes for a request that already holds held bytes. It does not wait.
// The error is a *BusyError.
func (p *Pool) Take(held, n int64) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	rest := p.rest()
	if held+n > share*(rest-n) {
		return &BusyError{Size: p.size, Free: rest}
	}
	p.used += n
	return nil
}

// rest returns the bytes available to requests that do not wait. Up to half of the free
// memory is reserved for the first waiter.
func (p *Pool) rest() int64 {
	free := p.size - p.used
	return free - min(p.ahead, free/2)
}

// Room reports whether a request that holds held bytes may take n more and then n again.
func (p *Pool) Room(held, n int64) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return held+2*n <= share*(p.rest()-2*n)
}

// MaxRequest returns the maximum for a single request.
func (p *Pool) MaxRequest() int64 { return maxRequest(p.size) }

// Wait takes n bytes, or MaxRequest if that is less, as soon as they are free, and
// returns a function that gives them back. Waiters are served in order. They leave an
// eighth of the pool to requests that do not wait. The error is the context's.
func (p *Pool) Wait(ctx context.Context, n int64) (give func(), err error) {
	w := &waiter{min(n, maxRequest(p.size)), make(chan struct{})}
	give = sync.OnceFunc(func() { p.Give(w.bytes) })
	p.mu.Lock()
	place := p.queue.PushBack(w)
	p.serve()
	p.mu.Unlock()
	select {
	case <-w.granted:
		return give, nil
	case <-ctx.Done():
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	select {
	case <-w.granted: // granted at the same moment
		return give, nil
	default: // not granted
	}
	p.queue.Remove(place)
	p.serve()
	return func() {}, ctx.Err()
}

// Give returns n bytes to the pool.
func (p *Pool) Give(n int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.used -= n
	p.serve()
}

// serve grants memory to waiters while there is enough.
func (p *Pool) serve() {
	p.ahead = 0
	for first := p.queue.Front(); first != nil; first = p.queue.Front() {
		w := first.Value.(*waiter)
		if p.used > 0 && p.used+w.bytes > p.size-p.size/8 { // an eighth is for requests that do not wait
			p.ahead = w.bytes
			return
		}
		p.used += w.bytes
		p.queue.Remove(first)
		close(w.granted)
	}
}
