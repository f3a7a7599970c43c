package resolver

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/segraph/segraph/resolver/mirror"
	"github.com/segraph/segraph/resolver/record"
	"github.com/segraph/segraph/store/log/journal"
)

// Accept merges the source of a case into target, the URI of one of its targets. An empty
// target means the best one. If a person decided to keep the two separate, Accept fails
// unless override is set. Accepting the same target again, or one that was merged with
// the source in another way, changes nothing. The error is an *Error with code
// CaseNotFound, CaseDecided, CaseSuperseded, CaseRejected or TargetNotOffered.
func (r *Resolver) Accept(ctx context.Context, caseID, target string, override bool, e journal.Entry) (*Verdict, error) {
	return write(ctx, r, func(u *unit) (*Verdict, error) { return u.accept(caseID, target, override, e) })
}

// Reject keeps the source of a case separate from all targets of the case, permanently.
// The error is an *Error with code CaseNotFound, CaseDecided or CaseSuperseded.
func (r *Resolver) Reject(ctx context.Context, caseID string, e journal.Entry) (*Verdict, error) {
	return write(ctx, r, func(u *unit) (*Verdict, error) { return u.reject(caseID, e) })
}

// caseNamed returns the case with an id. The error is an *Error with code CaseNotFound if there is
// none.
func (u *unit) caseNamed(id string) (*record.Case, error) {
	n := mirror.Number(id)
	if n == 0 || n > u.totals.Cases || u.names().Case(n) != id {
		return nil, &Error{Code: CaseNotFound, Detail: fmt.Sprintf("there is no review case %q", id)}
	}
	k, err := u.caseOf(n)
	if errors.Is(err, errMissing) { // it was cleared
		return nil, &Error{Code: CaseNotFound, Detail: fmt.Sprintf("the review case %q no longer exists", id)}
	}
	return k, err
}

// accept merges the source of a case into target, or into the best one if target is "". override allows what a person
// rejected before. Accepting again what was accepted, or is merged anyway, changes nothing.
func (u *unit) accept(id, target string, override bool, e journal.Entry) (*Verdict, error) {
	about, err := u.caseNamed(id)
	if err != nil {
		return nil, err
	}
	switch {
	case about.Status == record.Rejected:
		return nil, &Error{Code: CaseDecided, Detail: "the case was rejected; undo that first to accept it"}
	case about.Status == record.Superseded && target == "":
		return nil, u.superseded(about)
	}
	source, err := u.root(about.Source)
	if err != nil {
		return nil, err
	}
	chosen, root, err := u.chosen(about, source, target)
	if err != nil {
		return nil, err
	}
	switch same := root.Number == source.Number; {
	case about.Status == record.Superseded && !same:
		return nil, u.superseded(about)
	case about.Status == record.Accepted && target != "" && !same:
		return nil, &Error{Code: CaseDecided, Detail: "the case was accepted with another target; undo that first"}
	case about.Status == record.Accepted:
		return u.verdict(about, true)
	case same: // already merged; the other targets of the case stay open
		return u.alreadyMerged(about, chosen, root)
	}
	if err := u.caseAsSeen(about); err != nil {
		return nil, err
	}
	root, apart, err := u.overridden(source, root, override)
	if err != nil {
		return nil, err
	}
	from := source.Number
	if source, err = u.closeCase(about.Number, record.Accepted, chosen); err != nil {
		return nil, err
	}
	closed, err := u.merge(source, root)
	if err != nil {
		return nil, err
	}
	u.totals.ManualMerges++
	decision := u.decide(record.Decision{Kind: record.AcceptedMerge, By: e.Actor, Source: from, Target: root.Number, Case: about.Number,
		Probability: about.Any, Closed: closed, Joined: apart})
	e.Source, e.Target = source.URI, root.URI
	return u.decided(about, decision, e, true)
}

// overridden drops the separations of two contexts that a person decided, and returns root without them, and what it
// dropped. The error has code CaseRejected if there are any and override is false.
func (u *unit) overridden(source, root *shared, override bool) (*shared, []record.Separation, error) {
	apart, err := u.separations(source, root)
	if err != nil || len(apart) == 0 {
		return root, nil, err
	}
	if !override {
		return nil, nil, &Error{Code: CaseRejected, Detail: "a person decided to keep these two separate; set override_rejection to merge them anyway"}
	}
	if err := u.dropSeparations(apart); err != nil {
		return nil, nil, err
	}
	root, err = u.root(root.Number)
	return root, apart, err
}

// chosen returns the target that an acceptance names, and its current context. An empty
// name means the best target that is not yet merged with the source or, if the case was
// accepted before, the target accepted then, whose current context is the source's.
func (u *unit) chosen(k *record.Case, source *shared, name string) (target uint64, root *shared, err error) {
	if name == "" && k.Status == record.Accepted {
		return k.Selected, source, nil
	}
	for _, t := range k.Targets {
		root, err := u.root(t.Context)
		if err != nil {
			return 0, nil, err
		}
		named, err := u.leadsTo(t.Context, name)
		if err != nil {
			return 0, nil, err
		}
		if named || name == "" && root.Number != source.Number {
			return t.Context, root, nil
		}
	}
	return 0, nil, &Error{Code: TargetNotOffered, Detail: fmt.Sprintf("the case has no candidate %q", name)}
}

// leadsTo reports whether a context has a name, or a context that was merged into it,
// directly or not. For a person may use a name from an earlier list, and the context with
// that name may have been merged since.
func (u *unit) leadsTo(number uint64, name string) (bool, error) {
	for number != 0 {
		s, err := u.context(number)
		if err != nil || s.URI == name {
			return err == nil, err
		}
		number = s.Into
	}
	return false, nil
}

// alreadyMerged answers the acceptance of a target that is already merged with the source, even for
// a superseded case. So a person who works through a list gets no errors because of their
// own earlier decisions.
func (u *unit) alreadyMerged(k *record.Case, chosen uint64, root *shared) (*Verdict, error) {
	origin, err := u.context(k.Source)
	if err != nil {
		return nil, err
	}
	selected, err := u.context(chosen)
	if err != nil {
		return nil, err
	}
	v := &Verdict{CaseID: u.names().Case(k.Number), Status: k.Status.String(), SourceContextURI: origin.URI, SharedContextURI: root.URI,
		SelectedContextURI: &selected.URI, ResultingContextURI: &root.URI, AlreadyDecided: true, SupersededCases: []string{},
		DecidedBy: k.DecidedBy, ResolverVersion: Version}
	if k.Decided != 0 {
		v.DecidedAt = time.UnixMicro(k.Decided).UTC()
	}
	return v, nil
}

// superseded returns the error for a decision on a case that other decisions made pointless.
func (u *unit) superseded(k *record.Case) error {
	root, err := u.root(k.Source)
	if err != nil {
		return err
	}
	return &Error{Code: CaseSuperseded, CurrentContext: root.URI,
		Detail: fmt.Sprintf("another decision settled this case; its source is now in %s", root.URI)}
}

// reject decides that the source of a case is none of its targets, and keeps them separate. Rejecting again changes nothing.
func (u *unit) reject(id string, e journal.Entry) (*Verdict, error) {
	about, err := u.caseNamed(id)
	if err != nil {
		return nil, err
	}
	switch about.Status {
	case record.Superseded:
		return nil, u.superseded(about)
	case record.Accepted:
		return nil, &Error{Code: CaseDecided, Detail: "the case was accepted; undo that first to reject it"}
	case record.Rejected:
		return u.verdict(about, true)
	}
	if err := u.caseAsSeen(about); err != nil {
		return nil, err
	}
	root, err := u.closeCase(about.Number, record.Rejected, 0)
	if err != nil {
		return nil, err
	}
	source, err := u.context(about.Source)
	if err != nil {
		return nil, err
	}
	var pairs []record.Separation
	for _, t := range about.Targets {
		target, err := u.root(t.Context)
		if err != nil {
			return nil, err
		}
		pair := record.Separation{Own: about.Source, Other: t.Context}
		merged := target.Number == root.Number // meanwhile
		if !merged {
			pairs = append(pairs, pair) // also if another rejection separates them, too
		}
	}
	if err := u.keepSeparate(pairs); err != nil {
		return nil, err
	}
	// Joined has the pairs that a rejection separates.
	decision := u.decide(record.Decision{Kind: record.Rejection, By: e.Actor, Source: about.Source, Case: about.Number, Probability: about.Any, Joined: pairs})
	e.Source = source.URI
	return u.decided(about, decision, e, false)
}

// decided records who decided a case and whether they accepted it, learns from that, and returns the verdict.
func (u *unit) decided(k *record.Case, decision uint64, e journal.Entry, accepted bool) (*Verdict, error) {
	settled, err := u.caseOf(k.Number)
	if err != nil {
		return nil, err
	}
	after := *settled
	after.DecidedBy, after.Decision = e.Actor, decision
	if err := u.setCase(after); err != nil {
		return nil, err
	}
	if err := u.learn(&after, accepted, 1, u.now()); err != nil {
		return nil, err
	}
	if e.Batch != "" {
		u.put(record.BatchKey(e.Batch, decision), []byte{})
	}
	e.Decision, e.Case = u.names().Decision(decision), u.names().Case(k.Number)
	u.entry = &e
	return u.verdict(&after, false)
}

// learn learns from a person's decision on a case at a time: by is 1, or -1 if the decision is undone.
func (u *unit) learn(k *record.Case, accepted bool, by, at int64) error {
	if by > 0 {
		u.learnReview(k, accepted)
	} else {
		u.unlearnReview(k, accepted)
	}
	return cmp.Or(u.learnRewording(k, accepted, by, at), u.learnPerson(k, accepted, by, at))
}

// verdict returns the verdict on an accepted or rejected case. already says that this request changed nothing.
func (u *unit) verdict(k *record.Case, already bool) (*Verdict, error) {
	decision, err := u.decision(k.Decision)
	if err != nil {
		return nil, err
	}
	source, err := u.context(k.Source)
	if err != nil {
		return nil, err
	}
	root, err := u.root(k.Source)
	if err != nil {
		return nil, err
	}
	v := &Verdict{CaseID: u.names().Case(k.Number), Status: k.Status.String(), SourceContextURI: source.URI, SharedContextURI: root.URI,
		AlreadyDecided: already, SupersededCases: []string{}, DecisionID: u.names().Decision(k.Decision),
		DecidedAt: time.UnixMicro(k.Decided).UTC(), DecidedBy: k.DecidedBy, ResolverVersion: Version}
	for _, n := range decision.Closed {
		v.SupersededCases = append(v.SupersededCases, u.names().Case(n))
	}
	if k.Status == record.Accepted {
		selected, err := u.context(k.Selected)
		if err != nil {
			return nil, err
		}
		v.SelectedContextURI, v.ResultingContextURI = &selected.URI, &root.URI
	}
	return v, nil
}
