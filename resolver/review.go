package resolver

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/segraph/segraph/resolver/mirror"
	"github.com/segraph/segraph/resolver/record"
	"github.com/segraph/segraph/store/journal"
)

// Accept merges the source of a case into target, the URI of a context that the case offers, or if that is
// empty into the best of them. Where a person has kept the two apart before, that is an error unless
// override is set. A repeat of what was decided is answered as it was, and so is a target that became one
// with the source otherwise. The error is an *Error:
// CaseNotFound, CaseDecided, CaseSuperseded, CaseRejected or TargetNotOffered.
func (r *Resolver) Accept(ctx context.Context, caseID, target string, override bool, e journal.Entry) (*Verdict, error) {
	return write(ctx, r, func(d *draft) (*Verdict, error) { return d.accept(caseID, target, override, e) })
}

// Reject keeps the source of a case apart from all that it was offered, for good. The error is an
// *Error: CaseNotFound, CaseDecided or CaseSuperseded.
func (r *Resolver) Reject(ctx context.Context, caseID string, e journal.Entry) (*Verdict, error) {
	return write(ctx, r, func(d *draft) (*Verdict, error) { return d.reject(caseID, e) })
}

// write runs what changes something, and returns when that is stored.
func write[T any](ctx context.Context, r *Resolver, do func(*draft) (T, error)) (T, error) {
	var none T
	r.mu.Lock()
	answer, w, err := func() (T, *commit, error) {
		if err := r.recall(); err != nil {
			return none, nil, err
		}
		d := r.draft()
		answer, err := do(d)
		if err != nil {
			return none, nil, err
		}
		w, err := d.enter()
		return answer, w, err
	}()
	r.mu.Unlock()
	if err != nil {
		return none, err
	}
	if err := r.await(ctx, w); err != nil {
		return none, err
	}
	return answer, nil
}

// caseNamed gives the case of an id.
func (d *draft) caseNamed(id string) (*record.Case, error) {
	n := mirror.Number(id)
	if n == 0 || n > d.totals.Cases || d.names().Case(n) != id {
		return nil, &Error{Code: CaseNotFound, Detail: fmt.Sprintf("there is no review case %q", id)}
	}
	k, err := d.caseOf(n)
	if errors.Is(err, errMissing) { // it was cleared
		return nil, &Error{Code: CaseNotFound, Detail: fmt.Sprintf("there is no review case %q any more", id)}
	}
	return k, err
}

func (d *draft) accept(id, target string, override bool, e journal.Entry) (*Verdict, error) {
	k, err := d.caseNamed(id)
	if err != nil {
		return nil, err
	}
	switch {
	case k.Status == record.Rejected:
		return nil, &Error{Code: CaseDecided, Detail: "the case was rejected; undo that first to accept it"}
	case k.Status == record.Superseded && target == "":
		return nil, d.superseded(k)
	}
	source, err := d.root(k.Source)
	if err != nil {
		return nil, err
	}
	chosen, root, err := d.chosen(k, source, target)
	if err != nil {
		return nil, err
	}
	switch one := root.Number == source.Number; {
	case k.Status == record.Superseded && !one:
		return nil, d.superseded(k)
	case k.Status == record.Accepted && target != "" && !one:
		return nil, &Error{Code: CaseDecided, Detail: "the case was accepted with another target; undo that first"}
	case k.Status == record.Accepted:
		return d.verdict(k, true)
	case one: // what he asks for is so; what else the case offers stays open
		return d.one(k, chosen, root)
	}
	apart, err := apartOf(d.context, source, root)
	if err != nil {
		return nil, err
	}
	if len(apart) > 0 {
		if !override {
			return nil, &Error{Code: CaseRejected, Detail: "a person has kept these two apart; set override_rejection to merge them all the same"}
		}
		if err := d.forgiveApart(apart); err != nil {
			return nil, err
		}
		if source, err = d.root(k.Source); err != nil {
			return nil, err
		}
		if root, err = d.root(root.Number); err != nil {
			return nil, err
		}
	}
	from := source.Number
	if source, err = d.settle(k.Number, record.Accepted, chosen); err != nil {
		return nil, err
	}
	_, closed, err := d.merge(source, root)
	if err != nil {
		return nil, err
	}
	d.totals.ManualMerges++
	decision := d.decide(record.Decision{Kind: record.AcceptedMerge, By: e.Actor, Source: from, Target: root.Number, Case: k.Number,
		Probability: k.Any, Closed: closed, Joined: apart})
	e.Source, e.Target = source.URI, root.URI
	return d.decided(k, decision, e, true)
}

// chosen gives the target of a case that an acceptance means, and the context that it is now. Without a
// name it is the best one that is not yet one with the source.
func (d *draft) chosen(k *record.Case, source *shared, name string) (uint64, *shared, error) {
	if name == "" && k.Status == record.Accepted {
		return k.Selected, source, nil
	}
	for _, t := range k.Targets {
		root, err := d.root(t.Context)
		if err != nil {
			return 0, nil, err
		}
		named, err := d.ledTo(t.Context, name)
		if err != nil {
			return 0, nil, err
		}
		if named || name == "" && root.Number != source.Number {
			return t.Context, root, nil
		}
	}
	return 0, nil, &Error{Code: TargetNotOffered, Detail: fmt.Sprintf("the case does not offer the context %q", name)}
}

// ledTo tells whether a context has a name, or was merged into one that has, at once or later. Who read a list
// names what it said then, and that may have been merged since.
func (d *draft) ledTo(number uint64, name string) (bool, error) {
	for number != 0 {
		s, err := d.context(number)
		if err != nil || s.URI == name {
			return err == nil, err
		}
		number = s.Into
	}
	return false, nil
}

// one answers who accepts a target that has become one with the source otherwise, of a superseded case too: who
// works through a list that he read before is not to stumble over what his own decisions settled.
func (d *draft) one(k *record.Case, chosen uint64, root *shared) (*Verdict, error) {
	origin, err := d.context(k.Source)
	if err != nil {
		return nil, err
	}
	selected, err := d.context(chosen)
	if err != nil {
		return nil, err
	}
	v := &Verdict{CaseID: d.names().Case(k.Number), Status: k.Status.String(), SourceContextURI: origin.URI, SharedContextURI: root.URI,
		SelectedContextURI: &selected.URI, ResultingContextURI: &root.URI, AlreadyDecided: true, SupersededCases: []string{},
		DecidedBy: k.DecidedBy, ResolverVersion: Version}
	if k.Decided != 0 {
		v.DecidedAt = time.UnixMicro(k.Decided).UTC()
	}
	return v, nil
}

func (d *draft) superseded(k *record.Case) error {
	root, err := d.root(k.Source)
	if err != nil {
		return err
	}
	return &Error{Code: CaseSuperseded, CurrentContext: root.URI,
		Detail: fmt.Sprintf("what the case asks was decided elsewhere; its source is now in %s", root.URI)}
}

func (d *draft) reject(id string, e journal.Entry) (*Verdict, error) {
	k, err := d.caseNamed(id)
	if err != nil {
		return nil, err
	}
	switch k.Status {
	case record.Superseded:
		return nil, d.superseded(k)
	case record.Accepted:
		return nil, &Error{Code: CaseDecided, Detail: "the case was accepted; undo that first to reject it"}
	case record.Rejected:
		return d.verdict(k, true)
	}
	source, err := d.settle(k.Number, record.Rejected, 0)
	if err != nil {
		return nil, err
	}
	var pairs []record.Apart
	for _, t := range k.Targets {
		root, err := d.root(t.Context)
		if err != nil {
			return nil, err
		}
		if root.Number != source.Number { // one that was merged meanwhile is not denied by this
			pairs = append(pairs, record.Apart{Own: k.Source, Other: t.Context})
		}
	}
	if err := d.keepApart(pairs); err != nil {
		return nil, err
	}
	decision := d.decide(record.Decision{Kind: record.Rejection, By: e.Actor, Source: k.Source, Case: k.Number, Probability: k.Any, Joined: pairs})
	origin, err := d.context(k.Source)
	if err != nil {
		return nil, err
	}
	e.Source = origin.URI
	return d.decided(k, decision, e, false)
}

// decided notes who decided a case, and answers.
func (d *draft) decided(k *record.Case, decision uint64, e journal.Entry, accepted bool) (*Verdict, error) {
	settled, err := d.caseOf(k.Number)
	if err != nil {
		return nil, err
	}
	after := *settled
	after.DecidedBy, after.Decision = e.Actor, decision
	if err := d.setCase(after); err != nil {
		return nil, err
	}
	d.learnReview(k, accepted)
	if err := d.learnRewording(&after, accepted); err != nil {
		return nil, err
	}
	e.Decision, e.Case = d.names().Decision(decision), d.names().Case(k.Number)
	d.entry = &e
	return d.verdict(&after, false)
}

// verdict tells of a case that was accepted or rejected.
func (d *draft) verdict(k *record.Case, already bool) (*Verdict, error) {
	decision, err := d.decision(k.Decision)
	if err != nil {
		return nil, err
	}
	source, err := d.context(k.Source)
	if err != nil {
		return nil, err
	}
	root, err := d.root(k.Source)
	if err != nil {
		return nil, err
	}
	v := &Verdict{CaseID: d.names().Case(k.Number), Status: k.Status.String(), SourceContextURI: source.URI, SharedContextURI: root.URI,
		AlreadyDecided: already, SupersededCases: []string{}, DecisionID: d.names().Decision(k.Decision),
		DecidedAt: time.UnixMicro(k.Decided).UTC(), DecidedBy: k.DecidedBy, ResolverVersion: Version}
	for _, n := range decision.Closed {
		v.SupersededCases = append(v.SupersededCases, d.names().Case(n))
	}
	if k.Status == record.Accepted {
		selected, err := d.context(k.Selected)
		if err != nil {
			return nil, err
		}
		v.SelectedContextURI, v.ResultingContextURI = &selected.URI, &root.URI
	}
	return v, nil
}
