package resolver_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/segraph/segraph/resolver"
	"github.com/segraph/segraph/resolver/memory"
	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/vocabulary"
)

var judge = journal.Entry{Actor: "judge"}

// code returns the code of an *Error, or "" for nil.
func code(t *testing.T, err error) resolver.Code {
	t.Helper()
	var known *resolver.Error
	if err != nil && !errors.As(err, &known) {
		t.Fatal(err)
	}
	if known == nil {
		return ""
	}
	return known.Code
}

// three returns a resolver with one context and two doubtful reports of it, each with a
// case.
func three(t *testing.T) (r *resolver.Resolver, first, second, third *resolver.Resolution) {
	t.Helper()
	r = open(t, &memory.Store{})
	first = resolve(t, r, said("2026-02-11T09:12:13.150Z", maria, ari, news))
	second = resolve(t, r, said("2026-02-11T09:12:13.350Z", "", tiago, news))
	third = resolve(t, r, said("2026-02-11T09:12:13.450Z", "", "https://ex/robot/pepper", news))
	if second.CaseID == nil || third.CaseID == nil {
		t.Fatalf("got %+v and %+v", second, third)
	}
	return r, first, second, third
}

func TestADecidedCaseAnswersAsItWasDecided(t *testing.T) {
	ctx := t.Context()
	r, first, second, third := three(t)
	accept := func(id, target string) (*resolver.Verdict, resolver.Code) {
		v, err := r.Accept(ctx, id, target, false, judge)
		return v, code(t, err)
	}
	reject := func(id string) (*resolver.Verdict, resolver.Code) {
		v, err := r.Reject(ctx, id, judge)
		return v, code(t, err)
	}
	if _, c := accept("review_nothing", ""); c != resolver.CaseNotFound {
		t.Errorf("an unknown case: %q", c)
	}
	if _, c := reject("review_nothing"); c != resolver.CaseNotFound {
		t.Errorf("an unknown case: %q", c)
	}
	if _, c := accept(*second.CaseID, "https://ex/other"); c != resolver.TargetNotOffered {
		t.Errorf("a target that is not offered: %q", c)
	}
	v, c := accept(*second.CaseID, first.SharedContextURI)
	if c != "" || v.Status != "accepted" || v.SharedContextURI != first.SharedContextURI || v.DecidedBy != "judge" || v.AlreadyDecided {
		t.Fatalf("accepted: %+v, %q", v, c)
	}
	for _, target := range []string{"", first.SharedContextURI} {
		if v, c := accept(*second.CaseID, target); c != "" || !v.AlreadyDecided || v.SharedContextURI != first.SharedContextURI {
			t.Errorf("accepted again with %q: %+v, %q", target, v, c)
		}
	}
	if _, c := reject(*second.CaseID); c != resolver.CaseDecided {
		t.Errorf("rejected after it was accepted: %q", c)
	}
	if v, c := reject(*third.CaseID); c != "" || v.Status != "rejected" || v.SelectedContextURI != nil || v.SharedContextURI != third.SharedContextURI {
		t.Errorf("rejected: %+v, %q", v, c)
	}
	if v, c := reject(*third.CaseID); c != "" || !v.AlreadyDecided {
		t.Errorf("rejected again: %+v, %q", v, c)
	}
	if _, c := accept(*third.CaseID, ""); c != resolver.CaseDecided {
		t.Errorf("accepted after it was rejected: %q", c)
	}
	stats, err := r.Stats(ctx)
	if err != nil || stats.PendingReviews != 0 || stats.AcceptedReviews != 1 || stats.RejectedReviews != 1 || stats.ManualMerges != 1 ||
		stats.MergedContexts != 1 || stats.ActiveContexts != 2 || stats.AmbiguousContexts != 0 {
		t.Errorf("%+v, %v", stats, err)
	}
}

func TestUndoTakesADecisionBack(t *testing.T) {
	ctx := t.Context()
	r, first, second, _ := three(t)
	v, err := r.Accept(ctx, *second.CaseID, first.SharedContextURI, false, judge)
	if err != nil {
		t.Fatal(err)
	}
	// Later reports join the remaining context.
	later := resolve(t, r, said("2026-02-11T09:12:13.550Z", maria, "https://ex/robot/nao", news))
	if later.SharedContextURI != first.SharedContextURI {
		t.Fatalf("got %+v", later)
	}
	back, err := r.Undo(ctx, *second.CaseID, judge)
	if err != nil || back.SourceContextURI != second.SharedContextURI || back.CaseStatus == nil || *back.CaseStatus != "pending" || back.UndoneDecision != v.DecisionID {
		t.Fatalf("undone: %+v, %v", back, err)
	}
	if x := resolve(t, r, said("2026-02-11T09:12:13.350Z", "", tiago, news)); x.SharedContextURI != second.SharedContextURI || x.Outcome != resolver.Ambiguous {
		t.Errorf("the source answers %+v", x)
	}
	if x := resolve(t, r, said("2026-02-11T09:12:13.550Z", maria, "https://ex/robot/nao", news)); x.SharedContextURI != first.SharedContextURI {
		t.Errorf("what came later answers %+v", x)
	}
	for _, id := range []string{*second.CaseID, v.DecisionID} {
		if _, err := r.Undo(ctx, id, judge); code(t, err) != resolver.NotUndoable {
			t.Errorf("undone again by %s: %v", id, err)
		}
	}
	if _, err := r.Undo(ctx, "decision_nothing", judge); code(t, err) != resolver.CaseNotFound {
		t.Errorf("an unknown decision: %v", err)
	}
	stats, err := r.Stats(ctx)
	if err != nil || stats.PendingReviews != 2 || stats.MergedContexts != 0 || stats.ManualMerges != 0 || stats.AmbiguousContexts != 2 {
		t.Errorf("%+v, %v", stats, err)
	}
}

func TestARejectionSurvivesMerges(t *testing.T) {
	ctx := t.Context()
	r, first, second, third := three(t)
	if !slices.Contains(third.CloseCandidates, first.SharedContextURI) || !slices.Contains(third.CloseCandidates, second.SharedContextURI) {
		t.Fatalf("the third is offered %q", third.CloseCandidates)
	}
	if _, err := r.Reject(ctx, *second.CaseID, judge); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Accept(ctx, *third.CaseID, first.SharedContextURI, false, judge); err != nil {
		t.Fatal(err)
	}
	// The second and the first are kept apart, so nothing may join the second with the
	// context that the first now belongs to.
	if x, err := r.Reconcile(ctx, judge); err != nil || x.MergedCount != 0 || x.OpenedCases != 0 || x.SkippedRejectedPairs == 0 {
		t.Errorf("reconciled: %+v, %v", x, err)
	}
	if _, err := r.Undo(ctx, *second.CaseID, judge); err != nil {
		t.Fatal(err)
	}
	if v, err := r.Accept(ctx, *second.CaseID, "", false, judge); err != nil || v.SharedContextURI != first.SharedContextURI {
		t.Errorf("after the rejection was undone: %+v, %v", v, err)
	}
}

// offeringOne returns a resolver whose cases offer one candidate each.
func offeringOne(t *testing.T) *resolver.Resolver {
	t.Helper()
	settings := resolver.Defaults()
	settings.MaxCandidates = 1
	r, err := resolver.Open(&memory.Store{}, resolver.Options{Settings: settings, Now: clock()})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestAnAcceptanceAgainstARejectionNeedsToSaySo(t *testing.T) {
	ctx := t.Context()
	r := offeringOne(t)
	a := resolve(t, r, said("2026-02-11T09:12:13.150Z", maria, ari, news))
	x := resolve(t, r, said("2026-02-11T09:12:13.450Z", "", tiago, news))
	q := resolve(t, r, said("2026-02-11T09:12:13.460Z", "", "https://ex/robot/pepper", news))
	if !slices.Equal(x.CloseCandidates, []string{a.SharedContextURI}) || !slices.Equal(q.CloseCandidates, []string{x.SharedContextURI}) {
		t.Fatalf("offered are %q and %q", x.CloseCandidates, q.CloseCandidates)
	}
	if _, err := r.Reject(ctx, *q.CaseID, judge); err != nil { // q is not x
		t.Fatal(err)
	}
	if _, err := r.Reconcile(ctx, judge); err != nil { // so q may be a
		t.Fatal(err)
	}
	queue, err := r.Pending(ctx, 10, 0, nil)
	if err != nil || len(queue.PendingCases) != 2 || queue.PendingCases[1].SourceContextURI != q.SharedContextURI {
		t.Fatalf("waiting are %+v, %v", queue.PendingCases, err)
	}
	if _, err := r.Accept(ctx, queue.PendingCases[1].CaseID, a.SharedContextURI, false, judge); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Accept(ctx, *x.CaseID, "", false, judge); code(t, err) != resolver.CaseRejected {
		t.Errorf("x was joined to what has q: %v", err)
	}
	v, err := r.Accept(ctx, *x.CaseID, "", true, judge)
	if err != nil || v.SharedContextURI != a.SharedContextURI {
		t.Fatalf("with override: %+v, %v", v, err)
	}
	if _, err := r.Undo(ctx, *q.CaseID, judge); code(t, err) != resolver.NotUndoable {
		t.Errorf("a rejection that was overruled was undone: %v", err)
	}
	if _, err := r.Undo(ctx, *x.CaseID, judge); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Accept(ctx, *x.CaseID, "", false, judge); code(t, err) != resolver.CaseRejected {
		t.Errorf("the rejection did not come back: %v", err)
	}
	if back, err := r.Undo(ctx, *q.CaseID, judge); err != nil || *back.CaseStatus != "pending" {
		t.Errorf("then it can't be undone: %+v, %v", back, err)
	}
}

func TestUndoneMergesAreNotRepeated(t *testing.T) {
	ctx := t.Context()
	store := &memory.Store{}
	r := open(t, store)
	// The clocks of two robots differ, so each report creates its own context until the
	// offset is learnt.
	for i, s := range []string{"where did i leave my glasses this morning", "could you bring me a cup of tea please", "what is the weather like in london today",
		"please remind me to call my daughter tonight", "who is waiting in front of the pharmacy", "the television is making a strange noise again",
		"i would like to talk about climate and music", "can you turn off the light in the meeting room", "how many people are in the library right now"} {
		at := "2026-02-11T09:1" + string(rune('0'+i)) + ":"
		who := maria + string(rune('0'+i%3))
		both := []resolver.Observation{said(at+"13.000001Z", who, ari, s), said(at+"14.900001Z", who, tiago, s)}
		resolve(t, r, both[i%2])
		resolve(t, r, both[1-i%2])
	}
	x, err := r.Reconcile(ctx, judge)
	if err != nil {
		t.Fatal(err)
	}
	if len(x.Mappings) == 0 {
		t.Fatal("nothing was merged once the clocks were learnt")
	}
	history, err := r.History(ctx, "", 100)
	if err != nil {
		t.Fatal(err)
	}
	for _, j := range history {
		if _, err := r.Undo(ctx, j.DecisionID, judge); err != nil {
			t.Fatal(err)
		}
	}
	stats, err := r.Stats(ctx)
	if err != nil || stats.AutomaticMerges != 0 || stats.MergedContexts != 0 {
		t.Errorf("%+v, %v", stats, err)
	}
	if x, err = r.Reconcile(ctx, judge); err != nil || x.MergedCount != 0 || x.SkippedRejectedPairs == 0 {
		t.Errorf("reconciled again: %+v, %v", x, err)
	}
}

func TestATargetMayHaveBeenMergedSinceItWasRead(t *testing.T) {
	ctx := t.Context()
	r := offeringOne(t)
	z := resolve(t, r, said("2026-02-11T09:12:13.150Z", maria, ari, news))
	var rest [3]*resolver.Resolution // each is offered the one before
	for i, at := range []string{"2026-02-11T09:12:13.450Z", "2026-02-11T09:12:13.460Z", "2026-02-11T09:12:13.461Z"} {
		rest[i] = resolve(t, r, said(at, "", []string{tiago, "https://ex/robot/pepper", "https://ex/robot/nao"}[i], news))
	}
	a, b, c := rest[0], rest[1], rest[2]
	if !slices.Equal(b.CloseCandidates, []string{a.SharedContextURI}) || !slices.Equal(c.CloseCandidates, []string{b.SharedContextURI}) {
		t.Fatalf("offered are %q and %q", b.CloseCandidates, c.CloseCandidates)
	}
	if _, err := r.Accept(ctx, *b.CaseID, a.SharedContextURI, false, judge); err != nil {
		t.Fatal(err)
	}
	d, err := r.Context(ctx, a.SharedContextURI, 10, 0)
	if err != nil || len(d.Context.Observations) != 2 || !d.Context.Observations[0].Doubted || d.Context.Observations[1].Doubted {
		t.Errorf("only the case of a waits: %+v, %v", d.Context.Observations, err)
	}
	queue, err := r.Pending(ctx, 10, 0, nil)
	if err != nil || len(queue.PendingCases) != 2 || queue.PendingCases[1].Candidates[0].ContextURI != a.SharedContextURI {
		t.Fatalf("waiting are %+v, %v", queue.PendingCases, err)
	}
	if _, err := r.Accept(ctx, *a.CaseID, z.SharedContextURI, false, judge); err != nil {
		t.Fatal(err)
	}
	if v, err := r.Accept(ctx, *c.CaseID, a.SharedContextURI, false, judge); err != nil || v.SharedContextURI != z.SharedContextURI {
		t.Errorf("accepted as it was read: %+v, %v", v, err)
	}
}

// What a person undid stays apart after another decision of theirs on the same pair was undone.
func TestAnUndoneRejectionLeavesWhatWasApart(t *testing.T) {
	ctx := t.Context()
	r := open(t, &memory.Store{})
	for i, text := range sentences(9) {
		at, who := fmt.Sprintf("2026-02-11T09:1%d:", i), fmt.Sprint(maria, i%3)
		both := []resolver.Observation{said(at+"13.000001Z", who, ari, text), said(at+"14.900001Z", who, tiago, text)}
		resolve(t, r, both[i%2])
		resolve(t, r, both[1-i%2])
	}
	merged, err := r.Reconcile(ctx, judge)
	if err != nil || merged.MergedCount == 0 {
		t.Fatalf("%+v, %v", merged, err)
	}
	history, err := r.History(ctx, "", 100)
	if err != nil {
		t.Fatal(err)
	}
	reopened := 0
	for _, d := range history {
		undone, err := r.Undo(ctx, d.DecisionID, judge)
		if err != nil {
			t.Fatal(err)
		}
		for _, id := range undone.ReopenedCases {
			reopened++
			_, rejected := r.Reject(ctx, id, judge)
			_, undone := r.Undo(ctx, id, judge)
			if err := errors.Join(rejected, undone); err != nil {
				t.Fatal(err)
			}
		}
	}
	if again, err := r.Reconcile(ctx, judge); err != nil || again.MergedCount > 0 || reopened == 0 {
		t.Errorf("of %d that were undone, it merged again %d, %v", reopened, again.MergedCount, err)
	}
}

// A question stays although its source was merged into what is older than the target, and the target is no longer
// compared again.
func TestAQuestionOutlivesTheMergeOfItsSource(t *testing.T) {
	ctx := t.Context()
	now := time.Date(2026, 2, 11, 9, 13, 0, 0, time.UTC)
	store := &memory.Store{}
	r, err := resolver.Open(store, resolver.Options{Settings: resolver.Defaults(), Now: func() time.Time { now = now.Add(time.Millisecond); return now }})
	if err != nil {
		t.Fatal(err)
	}
	resolve(t, r, said("2026-02-11T09:12:10.100Z", maria, ari, news))
	target := resolve(t, r, said("2026-02-11T09:12:12.150Z", "", "https://ex/robot/pepper", news))
	asked := resolve(t, r, said("2026-02-11T09:12:11.030Z", maria+"2", tiago, news))
	if target.Outcome != resolver.Created || asked.Outcome != resolver.Ambiguous {
		t.Fatalf("%+v, %+v", target, asked)
	}
	if _, err := r.DecidePerson(ctx, resolver.PersonDecision{Subjects: []string{maria, maria + "2"}, One: true}, judge); err != nil {
		t.Fatal(err)
	}
	now = now.Add(48 * time.Hour)
	if out, err := r.Reconcile(ctx, judge); err != nil || out.MergedCount != 1 || out.ClosedCases != 0 {
		t.Errorf("%+v, %v", out, err)
	}
	for _, q := range store.Quads() {
		if q.P.Value() == vocabulary.ScPosterior && q.O.Value() == "0" {
			t.Errorf("a merge is mirrored as impossible: %v", q)
		}
	}
}
