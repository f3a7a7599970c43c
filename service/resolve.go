package service

import (
	"context"
	"errors"
	"fmt"

	"github.com/segraph/segraph/internal/auth"
	"github.com/segraph/segraph/resolver"
	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/journal"
)

// Contexts decides which observations describe one event. *resolver.Resolver implements
// it.
type Contexts interface {
	Record(ctx context.Context, o resolver.Observation, e journal.Entry) (*resolver.Resolution, error)
	Reconcile(ctx context.Context, e journal.Entry) (*resolver.Reconciliation, error)
	Stats(ctx context.Context) (*resolver.Statistics, error)
	Learnt
	Reviews
	ReviewQueue
}

// Resolve decides which event an observation describes.
func (s *Service) Resolve(ctx context.Context, actor auth.Actor, o resolver.Observation) (*resolver.Resolution, error) {
	s.processors.Arrived()
	answer, err := s.config.Contexts.Record(ctx, o, s.entry(ctx, actor, journal.Resolve, ""))
	if err != nil {
		return nil, fmt.Errorf("resolve an observation: %w", err)
	}
	return answer, nil
}

// Reconcile compares all contexts again.
func (s *Service) Reconcile(ctx context.Context, actor auth.Actor) (*resolver.Reconciliation, error) {
	answer, err := s.config.Contexts.Reconcile(ctx, s.entry(ctx, actor, journal.Reconcile, ""))
	if errors.Is(err, store.ErrDiskFull) { // a run commits its changes in many parts
		e := ErrorOf(err)
		e.Detail = "The disk is full. Changes made so far are kept. Free some disk space and run this again to continue."
		return nil, e
	}
	if err != nil {
		return nil, fmt.Errorf("reconcile the contexts: %w", err)
	}
	return answer, nil
}

// ContextStats counts contexts, cases and decisions.
func (s *Service) ContextStats(ctx context.Context) (*resolver.Statistics, error) {
	stats, err := s.config.Contexts.Stats(ctx)
	if err != nil {
		return nil, fmt.Errorf("count the contexts: %w", err)
	}
	return stats, nil
}
