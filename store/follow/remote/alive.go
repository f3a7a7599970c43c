package remote

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/sparql/budget"
)

// errFrozen is the cause of errors of a server that accepts requests but does not answer.
var errFrozen = errors.New("the graph store does not respond")

// whileAlive returns a context that ends with an errFrozen error once the server has not
// responded for Config.Timeout. A query may take long, so whileAlive probes the server in
// parallel. The caller must call stop when the query has ended.
func (f *follower) whileAlive(ctx context.Context) (alive context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		defer func() {
			if r := recover(); r != nil {
				f.panicked(r)
			}
		}()
		if f.freezes(ctx) {
			cancel(f.frozen())
		}
	}()
	return ctx, func() {
		cancel(nil)
		<-ended
	}
}

// freezes probes the server every second, or more often if Config.Timeout is short. It
// returns true once the server has not answered for Config.Timeout, and false when ctx
// ends.
func (f *follower) freezes(ctx context.Context) bool {
	every := min(lookTime, f.config.Timeout/2)
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	for last := time.Now(); ; {
		select {
		case <-ctx.Done():
			return false
		case <-ticker.C:
		}
		probe, cancel := context.WithDeadline(ctx, last.Add(f.config.Timeout))
		err := f.client.probe(probe)
		cancel()
		switch {
		case ctx.Err() != nil:
			return false
		case err == nil:
			last = time.Now()
		case time.Since(last) >= f.config.Timeout:
			return true
		}
	}
}

func (f *follower) frozen() error {
	return &store.UnreadyError{Detail: fmt.Sprintf("%s has stopped answering", f.config.Product), Err: errFrozen}
}

// blame returns the error of a query whose context has ended. A timeout is the query's
// fault only if the server answers a probe within probeTime.
func (f *follower) blame(ctx context.Context) error {
	err := context.Cause(ctx)
	var limit *budget.LimitError
	if !errors.As(err, &limit) || limit.Limit != "time" {
		return err
	}
	if f.probe(context.WithoutCancel(ctx)) != nil {
		return f.frozen()
	}
	return err
}
