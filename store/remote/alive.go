package remote

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/sparql/eval"
)

// errFrozen is the cause of errors of a server that takes requests and does not answer
// them.
var errFrozen = errors.New("the graph store gives no sign of life")

// whileAlive returns a context that ends with an error of errFrozen once the server has
// given no sign of life for Config.Timeout. A query may take its time, so the server is
// asked beside it whether it is there. stop is called when the query has ended.
func (s *Store) whileAlive(ctx context.Context) (alive context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		defer func() {
			if r := recover(); r != nil {
				s.panicked(r)
			}
		}()
		if s.freezes(ctx) {
			cancel(s.frozen())
		}
	}()
	return ctx, func() {
		cancel(nil)
		<-ended
	}
}

// freezes asks the server every second whether it is there. It returns true once the
// server has not answered for Config.Timeout, and false when ctx ends.
func (s *Store) freezes(ctx context.Context) bool {
	every := min(lookTime, s.config.Timeout/2)
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	for last := time.Now(); ; {
		select {
		case <-ctx.Done():
			return false
		case <-ticker.C:
		}
		probe, cancel := context.WithDeadline(ctx, last.Add(s.config.Timeout))
		err := s.client.probe(probe)
		cancel()
		switch {
		case ctx.Err() != nil:
			return false
		case err == nil:
			last = time.Now()
		case time.Since(last) >= s.config.Timeout:
			return true
		}
	}
}

func (s *Store) frozen() error {
	return &store.UnreadyError{Detail: fmt.Sprintf("%s has stopped answering", s.config.Product), Err: errFrozen}
}

// blame returns the error of a query whose context has ended: running out of time is the
// query's fault only if the server is there. It has probeTime to show that.
func (s *Store) blame(ctx context.Context) error {
	err := context.Cause(ctx)
	var limit *eval.LimitError
	if !errors.As(err, &limit) || limit.Limit != "time" {
		return err
	}
	if s.probe(context.WithoutCancel(ctx)) != nil {
		return s.frozen()
	}
	return err
}
