package service

import (
	"context"
	"errors"
	"sync/atomic"

	"golang.org/x/sync/semaphore"
)

// gate is a semaphore that counts what is in and what waits.
type gate struct {
	semaphore *semaphore.Weighted
	size      int64
	queueSize int64 // how many may wait; 0 is any number

	in, queue atomic.Int64
}

func newGate(size int64) *gate { return &gate{semaphore: semaphore.NewWeighted(size), size: size} }

// errFull is why nobody else may wait at a gate.
var errFull = errors.New("too many wait already")

// enter waits for its turn. A weight that is more than the gate's size counts as that.
// The caller calls leave with the same weight. The error is that of ctx, or errFull.
func (g *gate) enter(ctx context.Context, weight int64) error {
	weight = min(weight, g.size)
	if !g.semaphore.TryAcquire(weight) {
		defer g.queue.Add(-1)
		if n := g.queue.Add(1); g.queueSize > 0 && n > g.queueSize {
			return errFull
		}
		if err := g.semaphore.Acquire(ctx, weight); err != nil {
			return err
		}
	}
	g.in.Add(weight)
	return nil
}

func (g *gate) leave(weight int64) {
	weight = min(weight, g.size)
	g.in.Add(-weight)
	g.semaphore.Release(weight)
}

// inside returns the weight of what is in, and waiting how many wait.
func (g *gate) inside() int64 { return g.in.Load() }
func (g *gate) waiting() int  { return int(g.queue.Load()) }
