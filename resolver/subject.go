package resolver

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/segraph/segraph/resolver/record"
	"github.com/segraph/segraph/store/log/journal"
)

// Placeholder is a subject that is or was treated as a placeholder, by robots' reports or
// by a person.
type Placeholder struct {
	SubjectURI string    `json:"subject_uri"`
	State      string    `json:"state"` // "detected", "confirmed" by a person, or "overruled": it is one person
	Since      time.Time `json:"since"` // when it entered that state
	DecidedBy  string    `json:"decided_by,omitempty"`
	Seen       string    `json:"seen"` // see AsSeen
	// Conflicts counts the times at which two robots reported clearly different texts of
	// it, as far as remembered.
	Conflicts  int64 `json:"conflicts"`
	Agreements int64 `json:"agreements"` // times at which the same robots reported similar texts
	// JoinedBefore counts the contexts, among the last 4,096 before detection, that join
	// reports of it by several robots.
	JoinedBefore int64 `json:"joined_before"`
}

// DecideSubject decides whether a subject is one person. The decision holds until the
// next one, whatever robots report. The error is an *Error with code Invalid, or the
// store's.
func (r *Resolver) DecideSubject(ctx context.Context, subject string, person bool, e journal.Entry) (*Placeholder, error) {
	return write(ctx, r, func(u *unit) (*Placeholder, error) { return u.decideSubject(subject, person, e) })
}

// decideSubject records that a person decided whether a subject is one person (isPerson), or a placeholder for several.
func (u *unit) decideSubject(subject string, isPerson bool, e journal.Entry) (*Placeholder, error) {
	if err := named("subject_uri", &subject); err != nil {
		return nil, err
	}
	state := record.Confirmed
	if isPerson {
		state = record.Overruled
	}
	s := u.known.watched[subject]
	if s.State == state { // again
		return placeholder(s), nil
	}
	if err := u.sameAsSeen(seenSubject(&s), "%s is %s", subject, byWhom(s.State, s.DecidedBy)); err != nil {
		return nil, err
	}
	decided := 0
	for name, x := range u.known.watched {
		if name != subject && (x.State == record.Overruled || x.State == record.Confirmed) {
			decided++
		}
	}
	if decided >= maxWatched {
		return nil, unsupported("people have decided on %d subjects already, which is the maximum", maxWatched)
	}
	s.Subject, s.State, s.Since, s.DecidedBy = subject, state, u.now(), e.Actor
	u.subjects.set(subject, s)
	e.Subject, e.Detail = subject, map[bool]string{true: "is one person", false: "is a placeholder for several persons"}[isPerson]
	u.entry = &e
	return placeholder(s), nil
}

// placeholder returns what people see of a subject that is watched.
func placeholder(s record.Subject) *Placeholder {
	out := &Placeholder{SubjectURI: s.Subject, State: s.State.String(), Since: time.UnixMicro(s.Since).UTC(), DecidedBy: s.DecidedBy, JoinedBefore: s.Joined, Seen: seenSubject(&s)}
	for _, p := range s.Pairs {
		out.Conflicts += p.Conflicts
		out.Agreements += p.Agreements
	}
	return out
}

// placeholderStatistics lists the subjects that are or were treated as placeholders, by
// name.
func (u *unit) placeholderStatistics() []Placeholder {
	out := []Placeholder{}
	for _, s := range u.known.watched {
		if s.State != record.Watched {
			out = append(out, *placeholder(s))
		}
	}
	slices.SortFunc(out, func(a, b Placeholder) int { return cmp.Compare(a.SubjectURI, b.SubjectURI) })
	return out
}
