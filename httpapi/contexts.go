package httpapi

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/segraph/segraph/resolver"
	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/journal"
)

// Contexts decides which observations are one event. *resolver.Resolver does.
type Contexts interface {
	Resolve(ctx context.Context, o resolver.Observation, by string) (*resolver.Resolution, error)
	Reconcile(ctx context.Context, e journal.Entry) (*resolver.Reconciliation, error)
	Stats(ctx context.Context) (*resolver.Statistics, error)
	Learnt
	Reviews
	ReviewQueue
}

// Learnt is what the resolver has learnt and a person confirms or overrules.
type Learnt interface {
	DecideSubject(ctx context.Context, subject string, person bool, e journal.Entry) (*resolver.Placeholder, error)
	ConfirmClock(ctx context.Context, robot string, offset *int64, e journal.Entry) (*resolver.RobotClock, error)
	RevokeClock(ctx context.Context, robot string, e journal.Entry) (*resolver.RobotClock, error)
	DecideRelay(ctx context.Context, robot, of string, relay bool, e journal.Entry) (*resolver.Relay, error)
}

// Reviews are the cases that persons decide.
type Reviews interface {
	Pending(ctx context.Context, limit, offset int) (*resolver.Queue, error)
	Accept(ctx context.Context, caseID, target string, override bool, e journal.Entry) (*resolver.Verdict, error)
	Reject(ctx context.Context, caseID string, e journal.Entry) (*resolver.Verdict, error)
	Undo(ctx context.Context, id string, e journal.Entry) (*resolver.Reversal, error)
}

// postResolve decides which event an observation is of.
func (a *API) postResolve(w http.ResponseWriter, r *http.Request) error {
	body, err := a.onlyJSON(r)
	if err != nil {
		return err
	}
	o, err := resolver.ReadObservation(body)
	if err != nil {
		return err
	}
	answer, err := a.config.Contexts.Resolve(r.Context(), o, requestOf(r).actor.Username)
	if err != nil {
		return fmt.Errorf("resolve an observation: %w", err)
	}
	return writeJSON(w, http.StatusOK, answer)
}

// postReconcile looks at all contexts again.
func (a *API) postReconcile(w http.ResponseWriter, r *http.Request) error {
	answer, err := a.config.Contexts.Reconcile(r.Context(), a.entry(r.Context(), requestOf(r).actor, journal.Reconcile, ""))
	if errors.Is(err, store.ErrDiskFull) { // a run stores what it changes in many parts
		p := problemOf(err)
		p.Detail = "The disk is full. What this run had changed before stays, and another run goes on from there."
		return p
	}
	if err != nil {
		return fmt.Errorf("reconcile the contexts: %w", err)
	}
	return writeJSON(w, http.StatusOK, answer)
}

// getStats counts.
func (a *API) getStats(w http.ResponseWriter, r *http.Request) error {
	answer, err := a.config.Contexts.Stats(r.Context())
	if err != nil {
		return fmt.Errorf("count the contexts: %w", err)
	}
	return writeJSON(w, http.StatusOK, answer)
}

// contextProblem is what a client is told of what the resolver refuses.
func contextProblem(e *resolver.Error) *Problem {
	status, ok := map[resolver.Code]int{
		resolver.Invalid:          http.StatusUnprocessableEntity,
		resolver.TargetNotOffered: http.StatusUnprocessableEntity,
		resolver.CaseNotFound:     http.StatusNotFound,
		resolver.ContextNotFound:  http.StatusNotFound,
		resolver.CaseDecided:      http.StatusConflict,
		resolver.CaseSuperseded:   http.StatusConflict,
		resolver.CaseRejected:     http.StatusConflict,
		resolver.NotUndoable:      http.StatusConflict,
	}[e.Code]
	if !ok {
		status = http.StatusConflict
	}
	p := newProblem(status, "%s", e.Detail)
	p.Code, p.CurrentContext = string(e.Code), e.CurrentContext
	if e.Member != "" {
		p.Errors = []fault{{Loc: []string{"body", e.Member}, Msg: p.Detail}}
	}
	return p
}
