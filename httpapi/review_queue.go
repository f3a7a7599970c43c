package httpapi

import (
	"context"
	"fmt"

	"github.com/segraph/segraph/internal/auth"
	"github.com/segraph/segraph/resolver"
	"github.com/segraph/segraph/store/journal"
)

// ReviewQueue returns what a person needs to decide cases.
type ReviewQueue interface {
	Waiting(ctx context.Context, limit int) ([]resolver.Waiting, error)
	Case(ctx context.Context, id string) (*resolver.CaseDetail, error)
	Context(ctx context.Context, uri string, limit, offset int) (*resolver.ContextDetail, error)
	Merges(ctx context.Context, uri string) ([]resolver.Judgement, error)
	History(ctx context.Context, before string, limit int) ([]resolver.Judgement, error)
	Try(ctx context.Context, thresholds ...float64) ([]resolver.Trial, error)
}

// ReviewQueue returns the cases for pages; ContextStats counts them.
func (a *API) ReviewQueue() ReviewQueue { return a.config.Contexts }

// ContextStats counts contexts, cases and decisions.
func (a *API) ContextStats(ctx context.Context) (*resolver.Statistics, error) {
	s, err := a.config.Contexts.Stats(ctx)
	if err != nil {
		return nil, fmt.Errorf("count the contexts: %w", err)
	}
	return s, nil
}

// Accept, Reject and Undo do for a page what their routes do for a client; see resolver.Resolver.
func (a *API) Accept(ctx context.Context, by auth.Actor, caseID, target string, override bool) (*resolver.Verdict, error) {
	return a.config.Contexts.Accept(ctx, caseID, target, override, a.entry(ctx, by, journal.Accept, ""))
}

// Reject keeps the contexts of a case apart.
func (a *API) Reject(ctx context.Context, by auth.Actor, caseID string) (*resolver.Verdict, error) {
	return a.config.Contexts.Reject(ctx, caseID, a.entry(ctx, by, journal.Reject, ""))
}

// Undo takes a decision back.
func (a *API) Undo(ctx context.Context, by auth.Actor, id string) (*resolver.Reversal, error) {
	return a.config.Contexts.Undo(ctx, id, a.entry(ctx, by, journal.Undo, ""))
}
