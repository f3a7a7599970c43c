package service

import (
	"context"
	"fmt"
	"math"

	"github.com/segraph/segraph/auth"
	"github.com/segraph/segraph/resolver"
	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/log/journal"
)

// Learnt manages what the resolver has learnt and a person can confirm or overrule.
type Learnt interface {
	DecideSubject(ctx context.Context, subject string, person bool, e journal.Entry) (*resolver.Placeholder, error)
	ConfirmClock(ctx context.Context, robot string, offset *int64, e journal.Entry) (*resolver.RobotClock, error)
	RevokeClock(ctx context.Context, robot string, e journal.Entry) (*resolver.RobotClock, error)
	DecideRelay(ctx context.Context, robot, of string, relay bool, e journal.Entry) (*resolver.Relay, error)
	DecidePerson(ctx context.Context, d resolver.PersonDecision, e journal.Entry) (*resolver.Person, error)
	People(ctx context.Context) (map[string][]string, error)
}

// Reviews carries out people's decisions on cases.
type Reviews interface {
	Pending(ctx context.Context, limit, offset int, room *resolver.Room) (*resolver.Queue, error)
	Accept(ctx context.Context, caseID, target string, override bool, e journal.Entry) (*resolver.Verdict, error)
	Reject(ctx context.Context, caseID string, e journal.Entry) (*resolver.Verdict, error)
	Undo(ctx context.Context, id string, e journal.Entry) (*resolver.Reversal, error)
}

// ReviewQueue reads what a person needs to decide cases.
type ReviewQueue interface {
	Waiting(ctx context.Context, limit int) ([]resolver.Waiting, error)
	Case(ctx context.Context, id string) (*resolver.CaseDetail, error)
	Context(ctx context.Context, uri string, limit, offset int) (*resolver.ContextDetail, error)
	Merges(ctx context.Context, uri string) ([]resolver.Judgement, error)
	History(ctx context.Context, before string, limit int) ([]resolver.Judgement, error)
	Batch(ctx context.Context, id string) ([]resolver.BatchDecision, error)
	Reviews(ctx context.Context, limit int) (list []resolver.Review, cut bool, err error)
}

// ReviewQueue returns the review queue.
func (s *Service) ReviewQueue() ReviewQueue { return s.config.Contexts }

// Pending returns a page of limit undecided cases after offset, with as many of their observations and as long texts as there
// is room for. If short is set, it has fewer cases if they take more memory than the page has waited for; else the error is an *Error if there is not enough memory.
func (s *Service) Pending(ctx context.Context, limit, offset int, short bool, kept *Kept) (*resolver.Queue, error) {
	take := func(n int) error {
		if short && n > kept.free {
			return errBusy
		}
		return kept.Take(n)
	}
	return s.config.Contexts.Pending(ctx, limit, offset, &resolver.Room{Bytes: store.PageText(kept.Entries), Take: take, Short: short})
}

// Accept merges the contexts of a case; see resolver.Resolver.
func (s *Service) Accept(ctx context.Context, by auth.Actor, caseID, target string, override bool) (*resolver.Verdict, error) {
	defer s.judging()()
	return s.config.Contexts.Accept(ctx, caseID, target, override, s.entry(ctx, by, journal.Accept, ""))
}

// Reject keeps the contexts of a case apart.
func (s *Service) Reject(ctx context.Context, by auth.Actor, caseID string) (*resolver.Verdict, error) {
	defer s.judging()()
	return s.config.Contexts.Reject(ctx, caseID, s.entry(ctx, by, journal.Reject, ""))
}

// Undo reverses a decision.
func (s *Service) Undo(ctx context.Context, by auth.Actor, id string) (*resolver.Reversal, error) {
	defer s.judging()()
	return s.config.Contexts.Undo(ctx, id, s.entry(ctx, by, journal.Undo, ""))
}

// DecideSubject records whether a subject is one person or a placeholder.
func (s *Service) DecideSubject(ctx context.Context, by auth.Actor, subject string, person bool) (*resolver.Placeholder, error) {
	end, err := s.deciding(subject)
	if err != nil {
		return nil, err
	}
	defer end()
	answer, err := s.config.Contexts.DecideSubject(ctx, subject, person, s.entry(ctx, by, journal.Subject, ""))
	if err != nil {
		return nil, fmt.Errorf("decide on a subject: %w", err)
	}
	return answer, nil
}

// DecideClock confirms the clock offset of a robot in milliseconds. A nil offset confirms
// the learnt one. With revoke, it removes the confirmation.
func (s *Service) DecideClock(ctx context.Context, by auth.Actor, robot string, offset *float64, revoke bool) (*resolver.RobotClock, error) {
	end, err := s.deciding(robot)
	if err != nil {
		return nil, err
	}
	defer end()
	e := s.entry(ctx, by, journal.Clock, "")
	var answer *resolver.RobotClock
	switch {
	case revoke:
		answer, err = s.config.Contexts.RevokeClock(ctx, robot, e)
	case offset != nil:
		ms := int64(math.Round(*offset))
		answer, err = s.config.Contexts.ConfirmClock(ctx, robot, &ms, e)
	default:
		answer, err = s.config.Contexts.ConfirmClock(ctx, robot, nil, e)
	}
	if err != nil {
		return nil, fmt.Errorf("decide on a clock: %w", err)
	}
	return answer, nil
}

// DecideRelay records whether a robot relays what another one reports.
func (s *Service) DecideRelay(ctx context.Context, by auth.Actor, robot, of string, relay bool) (*resolver.Relay, error) {
	end, err := s.deciding(robot, of)
	if err != nil {
		return nil, err
	}
	defer end()
	e := s.entry(ctx, by, journal.Relay, "")
	e.Retry = nil // its answer is known only after the last of several writes
	answer, err := s.config.Contexts.DecideRelay(ctx, robot, of, relay, e)
	if err != nil {
		return nil, partly(fmt.Errorf("decide on a relay: %w", err), changesKept)
	}
	return answer, nil
}

// People returns the subjects of each person that has several, in order, by each of them.
func (s *Service) People(ctx context.Context) (map[string][]string, error) {
	return s.config.Contexts.People(ctx)
}

// PeoplePath is where the API takes decisions on persons.
const PeoplePath = "/shared-context/people"

// DecidePerson records whether subjects are one person.
func (s *Service) DecidePerson(ctx context.Context, by auth.Actor, d resolver.PersonDecision) (*resolver.Person, error) {
	end, err := s.deciding(d.Subjects...)
	if err != nil {
		return nil, err
	}
	defer end()
	if err := s.checkReason(d.Reason); err != nil {
		return nil, err
	}
	answer, err := s.config.Contexts.DecidePerson(ctx, d, s.entry(ctx, by, journal.Subject, ""))
	if err != nil {
		return nil, fmt.Errorf("decide on a person: %w", err)
	}
	return answer, nil
}
