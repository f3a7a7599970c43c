package httpapi

import (
	"context"
	"fmt"
	"net/http"
	"time"
)

// queryQueue lets some queries run at once and some more wait for their turn, in their order.
type queryQueue struct {
	running  chan struct{} // one place for each query that runs
	waiting  chan struct{} // one for each that waits
	patience time.Duration // how long one waits
}

func newQueryQueue(l Limits) *queryQueue {
	return &queryQueue{running: make(chan struct{}, l.Queries), waiting: make(chan struct{}, l.QueryQueue), patience: l.QueryPatience}
}

// enter takes a place to run a query in, which leave gives back, and waits for one if need be.
// The error is a problem, or wraps that of ctx.
func (q *queryQueue) enter(ctx context.Context) error {
	select {
	case q.running <- struct{}{}:
		return nil
	default:
	}
	select {
	case q.waiting <- struct{}{}:
		defer func() { <-q.waiting }()
	default:
		return q.full()
	}
	timer := time.NewTimer(q.patience)
	defer timer.Stop()
	select {
	case q.running <- struct{}{}:
		return nil
	case <-timer.C:
		return q.full()
	case <-ctx.Done():
		return fmt.Errorf("wait for a place to run a query in: %w", ctx.Err())
	}
}

func (q *queryQueue) leave() { <-q.running }

func (q *queryQueue) full() error {
	return newProblem(http.StatusServiceUnavailable, "too many queries wait to be run; try again later").limited("queries").retryAfter(q.patience)
}
