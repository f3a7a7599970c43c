package resolver

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/segraph/segraph/resolver/record"
	"github.com/segraph/segraph/store/log/journal"
)

// Relay is a robot that is or was treated as a relay of another, by its reports or by a
// person.
type Relay struct {
	RobotURI  string    `json:"robot_uri"`
	Of        string    `json:"of"`    // the robot whose reports it repeats
	State     string    `json:"state"` // "detected" (awaits review), "accepted" or "rejected"
	Since     time.Time `json:"since"` // when it entered that state
	DecidedBy string    `json:"decided_by,omitempty"`
	Seen      string    `json:"seen"` // see AsSeen
	// Reports is the number of compared reports, as far as remembered; Repeats is how
	// many of them repeat one of the other robot.
	Reports int64 `json:"reports"`
	Repeats int64 `json:"repeats"`
	// LateReports counts its late reports since.
	LateReports int64 `json:"late_reports"`
	DelayMS     int64 `json:"delay_ms"` // delay of a repeat, the median of the last ones
}

// DecideRelay decides whether a robot is a relay of another one; of may be "" for the one that it was detected to
// repeat. From then on the reports of a relay join the contexts that they repeat. Those of the last 24 hours and of
// pending cases are merged into these contexts; each merge can be undone. The error is an *Error with code Invalid,
// or the store's.
func (r *Resolver) DecideRelay(ctx context.Context, robot, of string, relay bool, e journal.Entry) (*Relay, error) {
	k, err := write(ctx, r, func(u *unit) (*record.Relay, error) { return u.decideRelay(robot, of, relay, e) })
	if err == nil && relay {
		err = r.joinLate(ctx, *k, e)
	}
	if err != nil {
		return nil, err
	}
	return relayOf(*k), nil
}

// decideRelay records that a person decided whether a robot is a relay of another robot, of, as isRelay says. If of is
// "", it is the robot that was detected.
func (u *unit) decideRelay(robot, of string, isRelay bool, e journal.Entry) (*record.Relay, error) {
	if err := cmp.Or(named("robot_uri", &robot), clean("of", &of, maxURI)); err != nil {
		return nil, err
	}
	known := u.known.relays[robot]
	switch of = cmp.Or(of, known.Of); {
	case isRelay && of == "":
		return nil, unsupported("%s was not detected as a relay; set \"of\" to the robot that it repeats", robot)
	case of == robot:
		return nil, invalid("of", "of must be another robot")
	}
	state, detail := record.RejectedRelay, "is no relay"
	if isRelay {
		state, detail = record.AcceptedRelay, "repeats the reports of "+of
	}
	if known.State == state && known.Of == of { // again
		return &known, nil
	}
	if err := u.sameAsSeen(seenRelay(&known), "as a relay of %q, %s is %s", known.Of, robot, byWhom(known.State, known.DecidedBy)); err != nil {
		return nil, err
	}
	decided := 0
	for name, x := range u.known.relays {
		if name != robot && (x.State == record.AcceptedRelay || x.State == record.RejectedRelay) {
			decided++
		}
	}
	if decided >= maxRelays {
		return nil, unsupported("people have decided on %d robots already, which is the maximum", maxRelays)
	}
	known.Robot, known.State, known.Of, known.Since, known.DecidedBy = robot, state, of, u.now(), e.Actor
	u.relays.set(robot, known)
	e.Robot, e.Detail = robot, detail
	u.entry = &e
	return &known, nil
}

// joinLate merges earlier reports of a relay into the contexts that they repeat, in
// chunks. What it could not do before it was cut off, Reconcile does.
func (r *Resolver) joinLate(ctx context.Context, k record.Relay, e journal.Entry) error {
	end, err := r.alone(ctx)
	if err != nil {
		return err
	}
	defer end()
	run := r.newRun(e)
	if err := run.gather(ctx); err != nil {
		return err
	}
	return inUnits(ctx, r, run.contexts, func(u *unit, number uint64) error { return run.joinLate(u, number, k.Robot) })
}

// joinLate merges a context into the one that it repeats, if all its reports are of an accepted relay. If robot is not "",
// only that relay counts.
func (run *reconciliation) joinLate(u *unit, number uint64, robot string) error {
	s, err := u.context(number)
	if err != nil || s.Into != 0 || len(s.texts) == 0 {
		return err
	}
	k := u.known.relays[s.Members[0].Robot]
	if k.State != record.AcceptedRelay || robot != "" && k.Robot != robot || slices.ContainsFunc(s.Members, func(m record.Member) bool { return m.Robot != k.Robot }) {
		return nil
	}
	target, err := u.lateTarget(s, k)
	if err != nil || target == nil {
		return err
	}
	if err := u.mergeLate(s, target, run.entry, cmp.Or(k.DecidedBy, run.entry.Actor)); err != nil {
		return err
	}
	return run.merged(u, s, target)
}

// lateTarget returns the context that a relay's context repeats. It returns nil if there
// is none, or if a person decided to keep the two separate.
func (u *unit) lateTarget(s *shared, k record.Relay) (*shared, error) {
	var target *shared
	var err error
	if s.LateOf != 0 {
		target, err = u.root(s.LateOf)
	}
	if err == nil && (target == nil || !slices.ContainsFunc(target.Members, func(m record.Member) bool { return m.Robot == k.Of })) {
		target = nil // no report of k.Of is in it
		var c *candidate
		if c, err = u.repeatedBy(s.side(u.policy.window()), s.Members[0].At, k); c != nil {
			target = c.shared
		}
	}
	if err != nil || target == nil || target.Number == s.Number {
		return nil, err
	}
	apart, err := u.separations(s, target)
	if len(apart) > 0 {
		return nil, err
	}
	return target, err
}

// setLate says whether the reports of a context are late.
func (u *unit) setLate(s *shared, late bool) (*shared, error) {
	x := s.Context
	x.Members = slices.Clone(x.Members)
	for i := range x.Members {
		x.Members[i].Late = late
	}
	return u.setContext(x)
}

// mergeLate merges s, a context of late reports, into the context target that they
// repeat, as the person by decided.
func (u *unit) mergeLate(s, target *shared, e journal.Entry, by string) error {
	source, err := u.setLate(s, true)
	if err != nil {
		return err
	}
	decision := record.Decision{Kind: record.AcceptedMerge, By: by, Source: s.Number, Target: target.Number}
	if len(s.Doubts) > 0 {
		number := s.Doubts[0].Case
		offered, err := u.offeredAs(number, target)
		if err != nil {
			return err
		}
		status := record.Accepted
		if decision.Case = number; offered == 0 {
			status, decision.Case, decision.Closed = record.Superseded, 0, []uint64{number} // the case did not ask about target
		}
		if source, err = u.closeCase(number, status, offered); err != nil {
			return err
		}
	}
	closed, err := u.merge(source, target)
	if err != nil {
		return err
	}
	decision.Closed = append(decision.Closed, closed...)
	u.totals.ManualMerges++
	e.Source, e.Target = s.URI, target.URI
	number := u.decide(decision)
	e.Decision = u.names().Decision(number)
	if decision.Case != 0 {
		k, err := u.caseOf(decision.Case)
		if err != nil {
			return err
		}
		after := *k
		after.DecidedBy, after.Decision = by, number
		if err := u.setCase(after); err != nil {
			return err
		}
		e.Case = u.names().Case(decision.Case)
	}
	u.entry = &e
	return nil
}

// offeredAs returns which target of a case is, or was merged into, a context. It returns 0 if none is.
func (u *unit) offeredAs(number uint64, in *shared) (target uint64, err error) {
	k, err := u.caseOf(number)
	if err != nil {
		return 0, err
	}
	for _, t := range k.Targets {
		if root, err := u.root(t.Context); err != nil || root.Number == in.Number {
			return t.Context, err
		}
	}
	return 0, nil
}

// relayOf describes a relay to people.
func relayOf(k record.Relay) *Relay {
	out := &Relay{RobotURI: k.Robot, Of: k.Of, State: k.State.String(), Since: time.UnixMicro(k.Since).UTC(), DecidedBy: k.DecidedBy, Seen: seenRelay(&k),
		Reports: k.Reports, LateReports: k.Late}
	for _, s := range k.Sources {
		if s.Robot == k.Of {
			out.Repeats = min(k.Reports, s.Repeats+s.Joined)
		}
	}
	usual, _ := usualDelay(k)
	out.DelayMS = ms(seconds(usual))
	return out
}

// relayStatistics lists the robots that are or were treated as relays, by name.
func (u *unit) relayStatistics() []Relay {
	out := []Relay{}
	for _, robot := range sortedKeys(u.known.relays) {
		if k := u.known.relays[robot]; k.State != record.Ordinary {
			out = append(out, *relayOf(k))
		}
	}
	return out
}
