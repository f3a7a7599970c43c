package memory

import (
	"container/list"
	"context"
	"fmt"
	"sync"
)

// Pool is memory that requests share. A request may hold three times what is free: so one
// alone may take much, many divide it, and whoever comes next finds some. The zero value
// has nothing to give.
type Pool struct {
	size int64

	mu    sync.Mutex
	used  int64
	ahead int64     // what the first in the queue waits for
	queue list.List // of *waiter
}

// waiter is one that waits for memory.
type waiter struct {
	bytes int64
	given chan struct{} // closed once it has it
}

// share is how many times what is free one may hold.
const share = 3

// alone returns what one may take of a pool that nobody else uses.
func alone(size int64) int64 { return size / (share + 1) * share }

// NewPool returns a pool of so many bytes.
func NewPool(size int64) *Pool { return &Pool{size: size} }

// Size returns how large the pool is.
func (p *Pool) Size() int64 { return p.size }

// Used returns how much of it is taken.
func (p *Pool) Used() int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.used
}

// BusyError says that too little memory is free for what a request needs.
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

// Take takes n more bytes for a request that holds so many, and does not wait. The error
// is a *BusyError.
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

// rest returns what those may take who do not wait: half of what is free is for who
// waits, if that needs so much.
func (p *Pool) rest() int64 {
	free := p.size - p.used
	return free - min(p.ahead, free/2)
}

// Room reports whether a request that holds so many bytes may take n more and leave as
// much again.
func (p *Pool) Room(held, n int64) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return held+2*n <= share*(p.rest()-2*n)
}

// Alone returns the most that one may take.
func (p *Pool) Alone() int64 { return alone(p.size) }

// Wait takes n bytes as soon as so many are free, and leaves an eighth of the pool to
// those who do not wait. Those who wait have it in the order in which they came; one that
// wants more than one may take alone waits for that. The error is that of ctx.
func (p *Pool) Wait(ctx context.Context, n int64) (give func(), err error) {
	w := &waiter{min(n, alone(p.size)), make(chan struct{})}
	give = sync.OnceFunc(func() { p.Give(w.bytes) })
	p.mu.Lock()
	place := p.queue.PushBack(w)
	p.serve()
	p.mu.Unlock()
	select {
	case <-w.given:
		return give, nil
	case <-ctx.Done():
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	select {
	case <-w.given: // in the same moment
		return give, nil
	default:
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

// serve gives to those who wait as long as there is enough.
func (p *Pool) serve() {
	p.ahead = 0
	for first := p.queue.Front(); first != nil; first = p.queue.Front() {
		w := first.Value.(*waiter)
		if p.used > 0 && p.used+w.bytes > p.size-p.size/8 {
			p.ahead = w.bytes
			return
		}
		p.used += w.bytes
		p.queue.Remove(first)
		close(w.given)
	}
}
