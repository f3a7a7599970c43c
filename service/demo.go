package service

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/segraph/segraph/auth"
	"github.com/segraph/segraph/demo"
	"github.com/segraph/segraph/resolver"
	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/turtle"
)

// Emptier removes shared contexts but keeps the published graph.
type Emptier interface {
	// ClearContexts removes all contexts, cases and decisions, the triples of their
	// merges in the published graph, and what the resolver learnt about the robots and
	// people that forget accepts. It enters e in the journal and returns the number of
	// contexts. If there is an observation whose URI is not in observed, the error is
	// resolver.ErrOthers.
	ClearContexts(ctx context.Context, observed map[string]bool, forget func(iri string) bool, e journal.Entry) (int64, error)
}

// demoDetail is the Detail of the journal's entries of the demo's logs. Clients can't set
// it.
const demoDetail = "a log of the demo"

// DemoRemoved is what RemoveDemo did.
type DemoRemoved struct {
	Logs     int   // withdrawn
	Triples  int   // removed with the logs
	Contexts int64 // removed
	Rejected int   // cases rejected because the contexts stay
}

// PlayDemo publishes the story of package museum into an empty store, as its robots
// would. The error is an *Error if the store is not empty.
func (s *Service) PlayDemo(ctx context.Context, actor auth.Actor) error {
	if !s.demo.TryLock() {
		return refuse(Conflict, "the demo is being played or removed at this time")
	}
	defer s.demo.Unlock()
	if empty, err := s.Empty(ctx); err != nil {
		return err
	} else if !empty {
		return refuse(Conflict, "the demo plays only into an empty store, and this one has data")
	}
	events := demo.Events{}
	for _, r := range demo.Morning(s.config.Now()) {
		if _, err := s.ReportDemo(ctx, actor, r, events); err != nil {
			return err
		}
	}
	_, err := s.DecidePerson(ctx, actor, resolver.PersonDecision{Subjects: demo.TwoNames(), One: true, Reason: "ARI spells her name in another way"})
	return err
}

// DemoReport is the result of a report of the demo.
type DemoReport struct {
	Event  string // what it is about, or ""
	Shared bool   // another robot's report is about it too
	Case   string // the case that it opened, or ""
}

// Empty reports whether the store has no triples and no observations.
func (s *Service) Empty(ctx context.Context) (bool, error) {
	stats, err := s.ContextCounts(ctx)
	if err != nil || stats.Observations > 0 {
		return false, err
	}
	found, err := s.holds(ctx, "?s ?p ?o")
	return !found, err
}

// holds reports whether the published graph has a triple that matches a pattern.
func (s *Service) holds(ctx context.Context, pattern string) (bool, error) {
	q, err := s.Prepare(ctx, Query{Text: "ASK { " + pattern + " }"})
	if err != nil {
		return false, err
	}
	var found yes
	err = s.Query(ctx, q, &found, nil)
	return bool(found), err
}

// yes is the answer to an ASK.
type yes bool

func (*yes) Head([]string) error         { return nil }
func (*yes) Row([]rdf.Term) error        { return nil }
func (y *yes) Boolean(answer bool) error { *y = yes(answer); return nil }

// ReportDemo sends one report of the story: its observations, what the curator decides or notes, and its log.
// If the log is a mistake, the curator withdraws it. events must hold the events of all earlier reports.
func (s *Service) ReportDemo(ctx context.Context, actor auth.Actor, r demo.Report, events demo.Events) (out DemoReport, err error) {
	for _, o := range r.Observations {
		answer, err := s.resolve(ctx, o, s.entry(ctx, actor, journal.Resolve, ""))
		if err != nil {
			return out, err
		}
		events[o.ObservationURI] = answer.SharedContextURI
		if o.Text != "" {
			out.Event, out.Shared = answer.SharedContextURI, answer.Outcome == resolver.Matched
		}
		if answer.CaseID != nil {
			out.Case = *answer.CaseID
		}
	}
	switch {
	case out.Case == "": // no case to decide
	case r.Verdict == "accept":
		_, err = s.Accept(ctx, actor, out.Case, "", false)
	case r.Verdict == "reject":
		_, err = s.Reject(ctx, actor, out.Case)
	case r.Note != "":
		err = s.AddRemark(ctx, actor, Remark{About: out.Case, Text: r.Note})
	}
	if err != nil {
		return out, fmt.Errorf("decide a case of the demo: %w", err)
	}
	log, err := s.Publish(ctx, actor, Publication{Content: []byte(r.Turtle(events)), Format: turtle.Turtle, Claimed: r.Robot, demo: true}, nil)
	if err == nil && r.Mistaken {
		_, _, err = s.Withdraw(ctx, actor, "", log.LogID)
	}
	return out, err
}

// HasDemo reports whether the store seems to have the demo. It looks for one triple.
func (s *Service) HasDemo(ctx context.Context) (bool, error) {
	return s.holds(ctx, demo.Signature().String())
}

// firstOfDemo returns the number of the journal entry for the demo's first log, or 0 if
// there is none.
func (s *Service) firstOfDemo(ctx context.Context) (uint64, error) {
	t := demo.Signature()
	page, err := s.Logs(ctx, journal.Filter{Limit: 1000}, []rdf.Quad{t.In(rdf.Term{})})
	if err != nil {
		return 0, err
	}
	for _, e := range page.Entries {
		if e.Detail == demoDetail {
			return e.Seq, nil
		}
	}
	return 0, nil
}

// RemoveDemo withdraws the logs of the demo, the newest first, and removes its contexts
// and cases. If other robots have sent observations since, the contexts stay, and
// RemoveDemo rejects the pending cases. After a failure, call it again to continue.
func (s *Service) RemoveDemo(ctx context.Context, actor auth.Actor) (out DemoRemoved, err error) {
	if err := s.alone(); err != nil {
		return out, err
	}
	if !s.demo.TryLock() {
		return out, refuse(Conflict, "the demo is being played or removed at this time")
	}
	defer s.demo.Unlock()
	first, err := s.firstOfDemo(ctx)
	if err != nil {
		return out, err
	}
	if first == 0 {
		return out, refuse(NotFound, "this store has no demo")
	}
	if err := errors.Join(s.removeDemoNotes(ctx), s.removeDemoContexts(ctx, actor, &out)); err != nil {
		return out, err
	}
	withdrawn, named := s.entry(ctx, actor, journal.Withdraw, ""), []uint64(nil)
	defer func() {
		_, failed := s.follow(ctx, named, withdrawn)
		err = errors.Join(err, failed)
	}()
	f := journal.Filter{Action: journal.Insert, Limit: 1000}
	for {
		page, err := s.Logs(ctx, f, nil)
		if err != nil {
			return out, err
		}
		for _, e := range page.Entries {
			if e.Seq < first {
				return out, nil
			}
			if e.Detail != demoDetail {
				continue
			}
			gone, err := s.withdraw(ctx, e.LogID, s.entry(ctx, actor, journal.Withdraw, ""))
			named = append(named, gone.Contexts...)
			var refused *Error
			switch {
			case errors.As(err, &refused) && refused.Kind == Conflict: // a person has withdrawn it
			case err != nil:
				return out, err
			default:
				out.Logs++
				out.Triples += gone.Removed
			}
		}
		if f.Before = page.Next; page.Next == 0 {
			return out, nil
		}
	}
}

// removeDemoNotes removes what the curator noted about cases of the demo.
func (s *Service) removeDemoNotes(ctx context.Context) error {
	all, err := s.config.Notes.List(remarkNote, "")
	for _, n := range all {
		var r Remark
		if bad := json.Unmarshal([]byte(n.Text), &r); bad == nil && slices.Contains(demo.Notes(), r.Text) {
			_, gone := s.config.Notes.Remove(ctx, remarkNote, n.Owner, n.Name)
			err = errors.Join(err, gone)
		}
	}
	return err
}

// removeDemoContexts removes the contexts and cases of the demo or, if others have sent observations, only rejects its
// cases.
func (s *Service) removeDemoContexts(ctx context.Context, actor auth.Actor, out *DemoRemoved) (err error) {
	observed := demo.Observed()
	e := s.entry(ctx, actor, journal.Clear, "")
	e.Detail = "the contexts, cases and decisions of the demo"
	if out.Contexts, err = s.config.Emptier.ClearContexts(ctx, observed, demo.Owns, e); err == nil {
		return nil
	}
	if !errors.Is(err, resolver.ErrOthers) {
		return fmt.Errorf("remove the contexts of the demo: %w", err)
	}
	waiting, err := s.config.Contexts.Waiting(ctx, math.MaxInt)
	if err != nil {
		return fmt.Errorf("list the cases of the demo: %w", err)
	}
	for _, w := range waiting {
		if !demo.Owns(w.Robot) {
			continue
		}
		k, err := s.config.Contexts.Case(ctx, w.CaseID)
		if err != nil {
			return fmt.Errorf("read a case of the demo: %w", err)
		}
		if !observedInDemo(k.Source.Observations, observed) {
			continue
		}
		if _, err := s.Reject(ctx, actor, w.CaseID); err != nil {
			return fmt.Errorf("reject a case of the demo: %w", err)
		}
		out.Rejected++
	}
	return nil
}

func observedInDemo(all []resolver.ObservationView, demo map[string]bool) bool {
	for _, o := range all {
		if o.ObservationURI == nil || !demo[*o.ObservationURI] {
			return false
		}
	}
	return len(all) > 0
}
