package review

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"

	"github.com/segraph/segraph/front"
	"github.com/segraph/segraph/internal/quoted"
	"github.com/segraph/segraph/resolver"
	"github.com/segraph/segraph/views"
)

// maxRobots is how many robots and subjects each table lists.
const maxRobots = 200

// quality returns how people and the resolver decided: reviewers, what was learnt, and the
// decisions before one, or the newest.
func (u *handlers) quality(ctx context.Context, stats *resolver.Statistics, before string) (m ReviewQuality, err error) {
	if m.Reviewers, err = u.reviewers(ctx); err != nil {
		return m, err
	}
	if m.Names, err = u.NamesOf(ctx); err != nil {
		return m, err
	}
	m.ScaleMS = stats.Clock.ScaleMS
	for _, c := range stats.Clock.Robots[:min(len(stats.Clock.Robots), maxRobots)] {
		m.Clocks = append(m.Clocks, reviewClock(c))
	}
	m.Subjects = stats.Placeholders[:min(len(stats.Placeholders), maxRobots)]
	m.People = stats.People[:min(len(stats.People), maxRobots)]
	m.Relays = stats.Relays[:min(len(stats.Relays), maxRobots)]
	m.Reused = stats.ReusedIDs.Robots[:min(len(stats.ReusedIDs.Robots), maxRobots)]
	m.History, err = u.history(ctx, before)
	return m, err
}

// questions returns what a person should decide about robots and subjects, at most
// maxRobots questions.
func (u *handlers) questions(ctx context.Context, stats *resolver.Statistics) ([]ReviewQuestion, error) {
	if len(questions(nil, stats)) == 0 { // no names need to be read
		return nil, nil
	}
	names, err := u.NamesOf(ctx)
	if err != nil {
		return nil, err
	}
	all := questions(names, stats)
	return all[:min(len(all), maxRobots)], nil
}

// questions returns what a person should decide about robots and subjects, with their names.
func questions(names views.Names, s *resolver.Statistics) (all []ReviewQuestion) {
	for _, c := range s.Clock.Robots {
		if c.Claim != nil && c.Claim.Reason == resolver.ClaimUnconfirmed && c.Offset == nil {
			all = append(all, ReviewQuestion{
				Sentence: fmt.Sprintf("%s’s clock is %s: %d sentences agree.", quoted.Name(names.Of(c.RobotURI)), aheadBy(c.Claim.OffsetMS), c.Claim.Sentences),
				Action:   "/shared-context/clock", Fields: []views.Field{{Name: "robot", Value: c.RobotURI}, {Name: "seen", Value: c.Seen}},
				Name: "clock", Yes: Choice{Value: "yes", Name: "Confirm"}, No: Choice{Value: "no", Name: "Dismiss"}})
		}
	}
	for _, r := range s.Relays {
		if r.State == "detected" {
			all = append(all, ReviewQuestion{
				Sentence: fmt.Sprintf("%s repeats %s: %d of its %d reports.", quoted.Name(names.Of(r.RobotURI)), quoted.Name(names.Of(r.Of)), r.Repeats, r.Reports),
				Action:   "/shared-context/relay", Fields: []views.Field{{Name: "robot", Value: r.RobotURI}, {Name: "of", Value: r.Of}, {Name: "seen", Value: r.Seen}},
				Name: "relay", Yes: Choice{Value: "yes", Name: "Accept"}, No: Choice{Value: "no", Name: "Reject"}})
		}
	}
	for _, p := range s.Placeholders {
		if p.State == "detected" {
			all = append(all, ReviewQuestion{
				Sentence: fmt.Sprintf("%s seems to be a placeholder: robots reported different texts by this subject %s.", quoted.Name(names.Of(p.SubjectURI)), times(p.Conflicts)),
				Action:   "/shared-context/subject", Fields: []views.Field{{Name: "subject", Value: p.SubjectURI}, {Name: "seen", Value: p.Seen}},
				Name: "person", Yes: Choice{Value: "yes", Name: "One person"}, No: Choice{Value: "no", Name: "Placeholder"}})
		}
	}
	for _, p := range s.People {
		if p.State == "suggested" {
			first, second := p.SubjectURIs[0], p.SubjectURIs[1]
			all = append(all, ReviewQuestion{
				Sentence: fmt.Sprintf("Are %s and %s the same person? %s.", personName(names, first), personName(names, second), seenTogether(p.AcceptedCases, p.Together)),
				Action:   "/shared-context/people", Fields: []views.Field{{Name: "first", Value: first}, {Name: "second", Value: second}, {Name: "seen", Value: p.Seen}},
				Name: "people", Yes: Choice{Value: "yes", Name: "One person"}, No: Choice{Value: "no", Name: "Two persons"}})
		}
	}
	return all
}

// personName names a subject by its name and its IRI: two names of one person are often equal.
func personName(names views.Names, iri string) string {
	return quoted.Name(names.Of(iri)) + " (" + quoted.Value(iri) + ")"
}

// seenTogether says why two names may be one person's.
func seenTogether(accepted, together int64) string {
	if accepted > 0 {
		return "Cases that name them were decided “same event” " + times(accepted)
	}
	return "Two robots reported the same words by them " + times(together)
}

func times(n int64) string {
	if n == 1 {
		return "once"
	}
	return views.Count(n) + " times"
}

// postPeople decides whether two names are one person's.
func (u *handlers) postPeople(w http.ResponseWriter, r *http.Request, v *views.Visit, form *front.Form) error {
	return u.decideOn(w, r, v, form, "people", func(ctx context.Context, choice string) (about string, err error) {
		pair := []string{form.Value("first"), form.Value("second")}
		_, err = u.Service.DecidePerson(ctx, v.Actor, resolver.PersonDecision{Subjects: pair, One: choice == "yes", Reason: form.Value("reason")})
		slices.Sort(pair)
		return pair[0] + " " + pair[1], err
	})
}

// postRelay decides whether a robot is a relay.
func (u *handlers) postRelay(w http.ResponseWriter, r *http.Request, v *views.Visit, form *front.Form) error {
	return u.decideOn(w, r, v, form, "relay", func(ctx context.Context, choice string) (about string, err error) {
		_, err = u.Service.DecideRelay(ctx, v.Actor, form.Value("robot"), form.Value("of"), choice == "yes")
		return form.Value("robot"), err
	})
}

// postSubject decides whether a subject is one person or a placeholder.
func (u *handlers) postSubject(w http.ResponseWriter, r *http.Request, v *views.Visit, form *front.Form) error {
	return u.decideOn(w, r, v, form, "person", func(ctx context.Context, choice string) (about string, err error) {
		_, err = u.Service.DecideSubject(ctx, v.Actor, form.Value("subject"), choice == "yes")
		return form.Value("subject"), err
	})
}

// postClock confirms the claimed offset of a robot's clock or, to dismiss the claim, the
// current offset, or revokes a confirmation.
func (u *handlers) postClock(w http.ResponseWriter, r *http.Request, v *views.Visit, form *front.Form) error {
	return u.decideOn(w, r, v, form, "clock", func(ctx context.Context, choice string) (about string, err error) {
		about = form.Value("robot")
		var offset *float64
		if choice == "no" {
			stats, err := u.Service.ContextStats(ctx)
			if err != nil {
				return "", err
			}
			for _, c := range stats.Clock.Robots {
				if c.RobotURI == about {
					now := float64(c.OffsetMS)
					offset = &now
				}
			}
		}
		_, err = u.Service.DecideClock(ctx, v.Actor, about, offset, choice == "revoke")
		return about, err
	})
}

// decideOn carries out the decision of a form whose buttons have a name, and returns to
// the form's view. decide returns the subject of the decision.
func (u *handlers) decideOn(w http.ResponseWriter, r *http.Request, v *views.Visit, form *front.Form, name string, decide func(ctx context.Context, choice string) (about string, err error)) error {
	choice := form.Value(name)
	if choice != "yes" && choice != "no" && (choice != "revoke" || name != "clock") {
		return front.NewProblem(http.StatusUnprocessableEntity, "the form must set %s to yes or no", name)
	}
	about, err := decide(resolver.AsSeen(r.Context(), form.Value("seen")), choice)
	if err != nil {
		return err
	}
	to := url.Values{"said": {"counts"}, "about": {about}}
	if form.Value("view") == "quality" {
		to.Set("view", "quality")
	}
	u.Redirect(w, r, u.told(v, to))
	return nil
}
