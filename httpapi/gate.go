package httpapi

import (
	"container/list"
	"context"
	"sync"
)

// gate lets work in while what is in weighs no more than its size together; the rest waits in
// the order in which it came.
type gate struct {
	size int64

	mu    sync.Mutex
	in    int64
	queue list.List // of *arrival
}

// arrival is one that waits.
type arrival struct {
	weight int64
	let    chan struct{} // closed once it is in
}

func newGate(size int64) *gate { return &gate{size: size} }

// enter waits to be let in with a weight; one that is more than the gate's size counts as that.
// Then leave must be called with the same weight. The error is that of ctx.
func (g *gate) enter(ctx context.Context, weight int64) error {
	_, err := g.enterUnless(ctx, weight, nil)
	return err
}

// enterUnless is enter, and gives up waiting when over is closed: then in is false.
func (g *gate) enterUnless(ctx context.Context, weight int64, over <-chan struct{}) (in bool, err error) {
	g.mu.Lock()
	a := &arrival{min(weight, g.size), make(chan struct{})}
	place := g.queue.PushBack(a)
	g.letIn()
	g.mu.Unlock()
	select {
	case <-a.let:
		return true, nil
	case <-over:
	case <-ctx.Done():
		err = ctx.Err()
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	select {
	case <-a.let: // in the same moment
		return true, nil
	default:
	}
	g.queue.Remove(place)
	g.letIn() // those behind it may weigh less
	return false, err
}

func (g *gate) leave(weight int64) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.in -= min(weight, g.size)
	g.letIn()
}

// letIn lets in who is next for as long as there is room.
func (g *gate) letIn() {
	for first := g.queue.Front(); first != nil; first = g.queue.Front() {
		a := first.Value.(*arrival)
		if g.in+a.weight > g.size {
			return
		}
		g.in += a.weight
		g.queue.Remove(first)
		close(a.let)
	}
}

// inside gives the weight of what is in.
func (g *gate) inside() int64 {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.in
}
