package resolver

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/segraph/segraph/resolver/mirror"
	"github.com/segraph/segraph/resolver/record"
	"github.com/segraph/segraph/store/log/journal"
)

// Undo reverses a decision: on an accepted or rejected case with the id, or one that merged two contexts or
// matched an observation. The observations of a merged context return to it; later ones stay where they are.
// A matched observation moves to a context of its own. What was joined automatically is then kept separate.
// The case, and those that the decision closed, become pending again. The error is an *Error with code
// CaseNotFound or NotUndoable.
func (r *Resolver) Undo(ctx context.Context, id string, e journal.Entry) (*Reversal, error) {
	return write(ctx, r, func(u *unit) (*Reversal, error) { return u.undo(id, e) })
}

// undo reverses a decision and reopens the cases that it closed. id is of the decision, or of the case that it decided.
func (u *unit) undo(id string, e journal.Entry) (*Reversal, error) {
	undone, err := u.undoable(id)
	if err != nil {
		return nil, err
	}
	out := &Reversal{UndoneDecision: u.names().Decision(undone.Number), ReopenedCases: []string{}, UndoneAt: time.UnixMicro(u.now()).UTC(),
		UndoneBy: e.Actor, ResolverVersion: Version}
	if undone.Case != 0 && undone.Probability > 0 { // a merge of late reports has none, and taught nothing
		k, err := u.caseOf(undone.Case)
		if err != nil {
			return nil, err
		}
		if err := u.learn(k, undone.Kind == record.AcceptedMerge, -1, undone.At); err != nil {
			return nil, err
		}
	}
	undoing := record.Decision{Kind: record.Undoing, By: e.Actor, Source: undone.Source, Target: undone.Target, Case: undone.Case, Undone: undone.Number}
	if err := u.reverse(undone, &undoing); err != nil {
		return nil, err
	}
	source, err := u.context(undoing.Source)
	if err != nil {
		return nil, err
	}
	out.SourceContextURI = source.URI
	if undone.Target != 0 {
		target, err := u.context(undone.Target)
		if err != nil {
			return nil, err
		}
		out.TargetContextURI = &target.URI
	}
	if err := u.reopenAll(undone, out); err != nil {
		return nil, err
	}
	n := u.decide(undoing)
	u.remove = append(u.remove, u.names().Published(undone)...) // before it is undone, which has none
	undone.Undone = n
	u.setDecision(*undone)
	out.DecisionID = u.names().Decision(n)
	e.Decision, e.Undone, e.Source = out.DecisionID, out.UndoneDecision, out.SourceContextURI
	if out.TargetContextURI != nil {
		e.Target = *out.TargetContextURI
	}
	if out.CaseID != nil {
		e.Case = *out.CaseID
	}
	u.entry = &e
	return out, nil
}

// reverse reverses what a decision did to contexts. It adds the observation of a match and its new context to
// undoing.
func (u *unit) reverse(x, undoing *record.Decision) (err error) {
	switch x.Kind {
	case record.Match:
		undoing.Observation = x.Observation
		undoing.Source, undoing.Joined, err = u.unmatch(x)
		u.totals.Matched--
		u.totals.Created++
		u.totals.Unmatched++
	case record.Rejection:
		err = u.undoRejection(x)
	case record.AutoMerge: // or the next reconciliation would repeat it
		if err = u.unmergeAll(x); err == nil {
			err = u.keepSeparate([]record.Separation{{Own: x.Source, Other: x.Target}})
		}
		u.totals.AutoMerges--
	case record.AcceptedMerge:
		if err = u.unmergeAll(x); err == nil && x.Probability == 0 { // mergeLate made it, and the same decision on the relay would repeat it
			err = u.keepSeparate([]record.Separation{{Own: x.Source, Other: x.Target}})
		}
		u.totals.ManualMerges--
	}
	return err
}

// unmergeAll undoes a merge, and restores the rejections that it overruled.
func (u *unit) unmergeAll(merge *record.Decision) error {
	source, err := u.context(merge.Source)
	if err != nil {
		return err
	}
	if err := u.unmerge(source); err != nil {
		return err
	}
	if merge.Kind == record.AcceptedMerge && merge.Probability == 0 && source.LateOf == 0 { // mergeLate made it, and the reports late
		if source, err = u.context(merge.Source); err != nil {
			return err
		}
		if _, err := u.setLate(source, false); err != nil {
			return err
		}
	}
	return u.keepSeparate(merge.Joined)
}

// undoRejection undoes a rejection. It fails if a person has merged the contexts since,
// because the case would have nothing left to decide.
func (u *unit) undoRejection(rejection *record.Decision) error {
	for _, pair := range rejection.Joined {
		a, err := u.root(pair.Own)
		if err != nil {
			return err
		}
		b, err := u.root(pair.Other)
		if err != nil {
			return err
		}
		if a.Number == b.Number {
			return &Error{Code: NotUndoable, Detail: "these contexts were merged since, despite the rejection; undo that first"}
		}
	}
	return u.dropSeparations(rejection.Joined)
}

// reopenAll reopens the case of a decision, and the cases that it closed, unless they
// have no open question.
func (u *unit) reopenAll(x *record.Decision, out *Reversal) error {
	if x.Case != 0 {
		if err := u.reopen(x.Case); err != nil {
			return err
		}
		id, status := u.names().Case(x.Case), record.Pending.String()
		out.CaseID, out.CaseStatus = &id, &status
		out.ReopenedCases = append(out.ReopenedCases, id)
	}
	for _, n := range x.Closed {
		k, err := u.caseOf(n)
		if err != nil {
			return err
		}
		root, err := u.root(k.Source)
		if err != nil {
			return err
		}
		open, err := u.hasOtherTarget(k, root)
		if err != nil {
			return err
		}
		if !open {
			continue
		}
		if err := u.reopen(n); err != nil {
			return err
		}
		out.ReopenedCases = append(out.ReopenedCases, u.names().Case(n))
	}
	return nil
}

// undoable returns the decision with an id, if it can be undone.
func (u *unit) undoable(id string) (*record.Decision, error) {
	n := mirror.Number(id)
	switch {
	case n > 0 && n <= u.totals.Cases && u.names().Case(n) == id:
		k, err := u.caseNamed(id)
		if err != nil {
			return nil, err
		}
		if k.Status != record.Accepted && k.Status != record.Rejected {
			return nil, &Error{Code: NotUndoable, Detail: fmt.Sprintf("the case is %s: it has no person's decision to undo", k.Status)}
		}
		return u.decision(k.Decision)
	case n > 0 && n <= u.totals.Decisions && u.names().Decision(n) == id:
		x, err := u.decision(n)
		if errors.Is(err, errMissing) { // it was cleared
			return nil, &Error{Code: CaseNotFound, Detail: fmt.Sprintf("the decision %q no longer exists", id)}
		}
		if err != nil {
			return nil, err
		}
		switch x.Kind {
		case record.Match, record.AutoMerge, record.AcceptedMerge, record.Rejection: // can be undone
		default:
			return nil, &Error{Code: NotUndoable, Detail: "the decision joined nothing and separated nothing"}
		}
		if x.Undone != 0 {
			return nil, &Error{Code: NotUndoable, Detail: "the decision was undone before"}
		}
		return x, nil
	}
	return nil, &Error{Code: CaseNotFound, Detail: fmt.Sprintf("there is no review case or decision %q", id)}
}
