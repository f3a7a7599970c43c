// Package admit bounds what requests use together: processors, memory, and turns to be read,
// queried or exported.
package admit

import (
	"context"
	"errors"
	"sync/atomic"

	"golang.org/x/sync/semaphore"
)

// Gate is a semaphore that counts the weight inside and the callers that wait.
type Gate struct {
	semaphore *semaphore.Weighted
	size      int64
	QueueSize int64 // how many may wait; 0 means any number

	in, queue atomic.Int64
}

// NewGate returns a gate that lets in the given weight.
func NewGate(size int64) *Gate { return &Gate{semaphore: semaphore.NewWeighted(size), size: size} }

// ErrFull is returned when too many wait at a gate.
var ErrFull = errors.New("too many wait already")

// Enter waits for a turn. A weight above the gate's size counts as the size. The caller
// must call Leave with the same weight. The error is ctx's, or ErrFull.
func (g *Gate) Enter(ctx context.Context, weight int64) error {
	weight = min(weight, g.size)
	if !g.semaphore.TryAcquire(weight) {
		defer g.queue.Add(-1)
		if n := g.queue.Add(1); g.QueueSize > 0 && n > g.QueueSize {
			return ErrFull
		}
		if err := g.semaphore.Acquire(ctx, weight); err != nil {
			return err
		}
	}
	g.in.Add(weight)
	return nil
}

// Leave gives back a weight.
func (g *Gate) Leave(weight int64) {
	weight = min(weight, g.size)
	g.in.Add(-weight)
	g.semaphore.Release(weight)
}

// Inside returns the total weight inside.
func (g *Gate) Inside() int64 { return g.in.Load() }

// Waiting returns how many callers wait.
func (g *Gate) Waiting() int { return int(g.queue.Load()) }
