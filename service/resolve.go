package service

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/segraph/segraph/auth"
	"github.com/segraph/segraph/resolver"
	"github.com/segraph/segraph/store/log/journal"
)

// Contexts decides which observations describe one event. *resolver.Resolver implements
// it.
type Contexts interface {
	Record(ctx context.Context, o resolver.Observation, e journal.Entry) (*resolver.Resolution, error)
	Reconcile(ctx context.Context, e journal.Entry) (*resolver.Reconciliation, error)
	Stats(ctx context.Context) (*resolver.Statistics, error)
	Counts(ctx context.Context) (*resolver.Statistics, error)
	// NamesOf returns the subjects of the person that a subject names, in order.
	NamesOf(subject string) ([]string, error)
	Learnt
	Reviews
	ReviewQueue
}

// Resolve decides which event an observation describes. sig is the verified signature of
// the request, or nil.
func (s *Service) Resolve(ctx context.Context, actor auth.Actor, o resolver.Observation, sig *journal.Signature) (*resolver.Resolution, error) {
	s.arrived()
	if err := s.MaySend(actor.Username, sig); err != nil {
		return nil, err
	}
	repeated, done, err := s.once(ctx, sig)
	if err != nil {
		return nil, err
	}
	defer done()
	if repeated != nil {
		return earlierAnswer(repeated)
	}
	defer s.withholding()()
	if _, err := s.withholdObserved(&o, sig != nil); err != nil {
		return nil, err
	}
	e := s.entry(ctx, actor, journal.Resolve, "")
	e.Signature = sig
	return s.resolve(ctx, o, e)
}

func (s *Service) resolve(ctx context.Context, o resolver.Observation, e journal.Entry) (*resolver.Resolution, error) {
	answer, err := s.config.Contexts.Record(ctx, o, e)
	if err != nil {
		return nil, fmt.Errorf("resolve an observation: %w", unsignable(err))
	}
	return answer, nil
}

// earlierAnswer returns the stored answer to the first of two requests with the same
// signature.
func earlierAnswer(r *journal.Repeated) (*resolver.Resolution, error) {
	var answer resolver.Resolution
	if err := json.Unmarshal(r.Answer, &answer); err != nil {
		return nil, fmt.Errorf("read the answer to a signed request: %w", err)
	}
	return &answer, nil
}

// Reconcile compares all contexts again.
func (s *Service) Reconcile(ctx context.Context, actor auth.Actor) (*resolver.Reconciliation, error) {
	defer s.judging()()
	e := s.entry(ctx, actor, journal.Reconcile, "")
	e.Retry = nil // its answer is known only after the last of several writes
	answer, err := s.config.Contexts.Reconcile(ctx, e)
	if err != nil {
		return nil, partly(fmt.Errorf("reconcile the contexts: %w", err), changesKept) // a run commits its changes in many parts
	}
	return answer, nil
}

// ContextCounts is like ContextStats, without lists. It is quick enough to be polled.
func (s *Service) ContextCounts(ctx context.Context) (*resolver.Statistics, error) {
	return s.config.Contexts.Counts(ctx)
}

// ContextStats counts contexts, cases and decisions, and lists what was learnt of robots and subjects.
func (s *Service) ContextStats(ctx context.Context) (*resolver.Statistics, error) {
	return s.config.Contexts.Stats(ctx)
}
