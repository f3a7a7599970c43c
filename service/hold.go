package service

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/segraph/segraph/auth"
	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/holds"
	"github.com/segraph/segraph/store/log/journal"
)

// Holds keeps legal holds; see package holds.
type Holds interface {
	All(now time.Time) ([]holds.Hold, error)
	Add(ctx context.Context, h holds.Hold, e journal.Entry) (holds.Hold, error)
	Lift(ctx context.Context, id string, e journal.Entry) (h holds.Hold, ok bool, err error)
}

// MaxReason is the length of the longest reason of a hold, an erasure or a case file, in characters.
const MaxReason = 500

// isLine reports whether a text has 1 to most characters, none of them a control character.
func isLine(text string, most int) bool {
	return text != "" && utf8.RuneCountInString(text) <= most && !strings.ContainsFunc(text, unicode.IsControl)
}

// Hold puts a person, a log or a range of time under a legal hold. Other IRIs of the person, as
// decided, are held too.
func (s *Service) Hold(ctx context.Context, actor auth.Actor, h holds.Hold) (holds.Hold, error) {
	h.Reason = strings.TrimSpace(h.Reason)
	if err := checkHold(&h, s.config.Now()); err != nil {
		return h, err
	}
	end, err := s.erasures.alone(ctx) // or it could be added while its person is being erased
	if err != nil {
		return h, err
	}
	defer end()
	e := s.entry(ctx, actor, journal.Hold, "") // now, because who adds it may have been erased meanwhile
	err = cmp.Or(s.checkReason(h.Reason), s.checkPeople(h.People...))
	switch {
	case err != nil: // the reason or the person is of somebody who was erased
	case h.Log != "":
		_, err = s.Log(ctx, h.Log, 0)
	case len(h.People) > 0:
		h.People, err = s.namesOf(h.People[0])
	}
	if err != nil {
		return h, err
	}
	h, err = s.config.Holds.Add(ctx, h, e)
	var unfit *store.UnfitError
	if errors.As(err, &unfit) {
		return h, refuse(Conflict, "%s", unfit.Detail)
	}
	return h, err
}

// namesOf returns an IRI and the other names that were decided to be the same person's, but for those such as "http:", with
// which the IRIs of many begin.
func (s *Service) namesOf(iri string) ([]string, error) {
	names, err := s.config.Contexts.NamesOf(iri)
	if err != nil {
		return nil, fmt.Errorf("read a person's names: %w", err)
	}
	return slices.DeleteFunc(names, func(name string) bool { return name != iri && !journal.IsName(name) }), nil
}

// checkHold returns a refusal unless a hold names one thing to keep, has a reason, and ends in the future if it ends.
func checkHold(h *holds.Hold, now time.Time) error {
	given := 0
	for _, is := range []bool{len(h.People) > 0, h.Log != "", !h.From.IsZero() || !h.To.IsZero()} {
		if is {
			given++
		}
	}
	switch {
	case given != 1:
		return refuse(Invalid, "say what must be kept: a person, a log, or the time from and to")
	case len(h.People) > 0 && !journal.NamesPerson(h.People[0]):
		return refuse(Invalid, "the person must be an absolute IRI, which has no control characters")
	case h.Log == "" && len(h.People) == 0 && !h.From.Before(h.To):
		return refuse(Invalid, "a range of time needs from and to, of which from is earlier")
	case !isLine(h.Reason, MaxReason):
		return refuse(Invalid, "a legal hold needs a reason of 1 to %d characters, none of them a control character", MaxReason)
	case !h.Until.IsZero() && !h.Until.After(now):
		return refuse(Invalid, "the hold must end in the future")
	}
	return nil
}

// LiftHold ends a legal hold.
func (s *Service) LiftHold(ctx context.Context, actor auth.Actor, id string) (holds.Hold, error) {
	defer s.withholding()()
	h, ok, err := s.config.Holds.Lift(ctx, id, s.entry(ctx, actor, journal.Lift, ""))
	if !ok && err == nil {
		return h, refuse(NotFound, "no legal hold has this id, or it has ended")
	}
	return h, err
}

// LegalHolds returns the legal holds in force, oldest first.
func (s *Service) LegalHolds() ([]holds.Hold, error) {
	return s.config.Holds.All(s.config.Now())
}
