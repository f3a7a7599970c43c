package service

import (
	"context"
	"errors"
	"sync/atomic"

	"golang.org/x/sync/semaphore"
)

// gate is a semaphore that counts the weight inside and the callers that wait.
type gate struct {
	semaphore *semaphore.Weighted
	size      int64
	queueSize int64 // how many may wait; 0 means any number

	in, queue atomic.Int64
}

func newGate(size int64) *gate { return &gate{semaphore: semaphore.NewWeighted(size), size: size} }

// errFull is returned when too many wait at a gate.
var errFull = errors.New("too many wait already")

// enter waits for a turn. A weight above the gate's size counts as the size. The caller
// must call leave with the same weight. The error is ctx's, or errFull.
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

// inside returns the total weight inside. waiting returns how many callers wait.
func (g *gate) inside() int64 { return g.in.Load() }
func (g *gate) waiting() int  { return int(g.queue.Load()) }
