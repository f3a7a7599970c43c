package cli

import (
	"context"
	"sync"
)

// backlog is a queue between a producer that must not wait and a slower consumer. Over its limit it drops the oldest.
type backlog[T any] struct {
	mu      sync.Mutex
	items   []T
	size    int
	limit   int // bytes
	bytes   func(T) int
	dropped int           // since the last take
	filled  chan struct{} // has a value once there are items
}

func newBacklog[T any](limit int, bytes func(T) int) *backlog[T] {
	return &backlog[T]{limit: limit, bytes: bytes, filled: make(chan struct{}, 1)}
}

// add adds an item and returns at once.
func (b *backlog[T]) add(item T) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.items, b.size = append(b.items, item), b.size+b.bytes(item)
	for b.size > b.limit && len(b.items) > 1 {
		b.size -= b.bytes(b.items[0])
		b.items = b.items[1:]
		b.dropped++
	}
	select {
	case b.filled <- struct{}{}:
	default:
	}
}

func (b *backlog[T]) len() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.items)
}

// take waits for items, and takes the oldest: at most n, and of at most size bytes together, but at least one. dropped is
// how many were dropped since the last call. Without items it returns once ctx ends.
func (b *backlog[T]) take(ctx context.Context, n, size int) (items []T, dropped int) {
	for {
		b.mu.Lock()
		for len(items) < n && len(b.items) > 0 {
			next := b.items[0]
			if size -= b.bytes(next); size < 0 && len(items) > 0 {
				break
			}
			items, b.items, b.size = append(items, next), b.items[1:], b.size-b.bytes(next)
		}
		dropped, b.dropped = b.dropped, 0
		b.mu.Unlock()
		if len(items) > 0 {
			return items, dropped
		}
		select {
		case <-b.filled:
		case <-ctx.Done():
			return nil, 0
		}
	}
}
