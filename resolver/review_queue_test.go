package resolver_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/segraph/segraph/resolver"
	"github.com/segraph/segraph/resolver/memory"
	"github.com/segraph/segraph/resolver/weigh"
	"github.com/segraph/segraph/store/log/journal"
)

// doubtful returns a resolver with one case: the same words without a subject, half a
// second later.
func doubtful(t *testing.T) (*resolver.Resolver, string) {
	t.Helper()
	r := open(t, &memory.Store{})
	resolve(t, r, said("2026-02-11T09:12:13.150Z", maria, ari, news))
	x := resolve(t, r, said("2026-02-11T09:12:13.650Z", "", tiago, news))
	if x.CaseID == nil {
		t.Fatalf("got %+v", x)
	}
	return r, *x.CaseID
}

// TestBothSidesListTheirCase asks for the contexts of a case.
func TestBothSidesListTheirCase(t *testing.T) {
	r, id := doubtful(t)
	k, err := r.Case(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	for _, uri := range []string{k.Now, k.Offers[0].ContextURI} {
		if x, err := r.Context(t.Context(), uri, 1, 0); err != nil || !reflect.DeepEqual(x.PendingCases, []string{id}) {
			t.Errorf("%s has the cases %v, %v", uri, x.PendingCases, err)
		}
	}
}

// TestACrowdOfReportsHasTargets has a hundred robots report one sentence without a subject.
func TestACrowdOfReportsHasTargets(t *testing.T) {
	r := open(t, &memory.Store{})
	for i := range 100 {
		x := resolve(t, r, said(stampAfter(i), "", fmt.Sprintf("https://ex/robot/%d", i), news))
		if x.CaseID == nil {
			continue // the first
		}
		if k, err := r.Case(t.Context(), *x.CaseID); err != nil || len(x.CloseCandidates) == 0 || len(k.Offers) == 0 || k.Offers[0].Score < 0.2 {
			t.Fatalf("the %dth report: %d candidates, %d offers, %v", i, len(x.CloseCandidates), len(k.Offers), err)
		}
	}
	if s, err := r.Stats(t.Context()); err != nil || s.PendingReviews < 95 {
		t.Errorf("%d cases, %v", s.PendingReviews, err)
	}
}

// TestAPageOfTheQueueHasItsCases lists cases with 6 MiB of texts. A client that adds its limit to the offset sees each once,
// with the first letters of its text; the whole text is at the case.
func TestAPageOfTheQueueHasItsCases(t *testing.T) {
	r := open(t, &memory.Store{})
	long := strings.Repeat(news+" é", 60_000/(len(news)+3))
	for i := range 100 {
		resolve(t, r, said(stampAfter(i), "", fmt.Sprintf("https://ex/robot/%d", i), long))
	}
	s, err := r.Stats(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	const limit, room = 20, 400 << 10
	listed := map[string]bool{}
	for offset := 0; offset < int(s.PendingReviews); offset += limit {
		taken := 0
		q, err := r.Pending(t.Context(), limit, offset, &resolver.Room{Bytes: room, Take: func(n int) error { taken += n; return nil }})
		if err != nil {
			t.Fatal(err)
		}
		size := 0
		for _, c := range q.Contexts {
			size += len(*c.CanonicalText)
			for _, o := range c.Observations {
				size += len(*o.Text)
				if text := strings.TrimSuffix(*o.Text, "…"); len(text) < 190 || !strings.HasPrefix(long, text) || !utf8.ValidString(text) {
					t.Errorf("a text is cut to %q", text)
				}
			}
		}
		if want := min(limit, int(s.PendingReviews)-offset); len(q.PendingCases) != want || q.Limit != limit {
			t.Errorf("%d of %d cases, limit %d", len(q.PendingCases), want, q.Limit)
		}
		if size > room+len(q.Contexts)*500 || taken < size || taken > size+len(q.PendingCases)*9000 {
			t.Errorf("%d bytes of texts in %d cases, which take %d", size, len(q.PendingCases), taken)
		}
		for _, k := range q.PendingCases {
			listed[k.CaseID] = true
			if f, err := r.Case(t.Context(), k.CaseID); err != nil || *f.Source.CanonicalText != long {
				t.Errorf("the case has another text, %v", err)
			}
		}
	}
	if len(listed) != int(s.PendingReviews) {
		t.Errorf("%d of %d cases are listed", len(listed), s.PendingReviews)
	}
	full := errors.New("the memory is full")
	for _, short := range []bool{false, true} {
		cases := 0
		q, err := r.Pending(t.Context(), limit, 0, &resolver.Room{Short: short, Take: func(int) error {
			if cases++; cases > 7 {
				return full
			}
			return nil
		}})
		if short && (err != nil || q.Limit != 8 || len(q.PendingCases) != 8) || !short && !errors.Is(err, full) {
			t.Errorf("without memory, short %v: %v", short, err)
		}
	}
}

// TestAnExplanationReadsOneSnapshot learns a clock's offset after a case was opened. The
// case's gap, conditions and evidence stay as weighed, on the page and in the API, until
// reconciling weighs all of them again.
func TestAnExplanationReadsOneSnapshot(t *testing.T) {
	ctx := context.Background()
	r, id := doubtful(t)
	read := func() (resolver.Offer, resolver.CandidateView, time.Time) {
		t.Helper()
		f, err := r.Case(ctx, id)
		if err != nil {
			t.Fatal(err)
		}
		q, err := r.Pending(ctx, 10, 0, nil)
		if err != nil || len(q.PendingCases) != 1 {
			t.Fatalf("%+v, %v", q, err)
		}
		k := q.PendingCases[0]
		if !k.WeighedAt.Equal(f.WeighedAt) || f.Needs.MaxGap != resolver.Defaults().MaxGap {
			t.Errorf("the page says %v and %+v, the API %v", f.WeighedAt, f.Needs, k.WeighedAt)
		}
		return f.Offers[0], k.Candidates[0], f.WeighedAt
	}
	opened, shown, at := read()
	for i, s := range sentences(20) { // tiago is 0.4 s ahead
		when := time.Date(2026, 2, 11, 10, 0, i*20, 150_000_000, time.UTC)
		resolve(t, r, said(when.Format("2006-01-02T15:04:05.000Z"), maria, ari, s))
		resolve(t, r, said(when.Add(400*time.Millisecond).Format("2006-01-02T15:04:05.000Z"), maria, tiago, s))
	}
	later, shownLater, still := read()
	if !reflect.DeepEqual(later.CandidateView, opened.CandidateView) || later.Gates != opened.Gates || later.Gap != opened.Gap || !still.Equal(at) {
		t.Errorf("opened with %+v; later %+v", opened, later)
	}
	if !reflect.DeepEqual(shown, shownLater) || !reflect.DeepEqual(shown, opened.CandidateView) {
		t.Errorf("the API shows %+v, then %+v", shown, shownLater)
	}
	if _, err := r.Reconcile(ctx, judge); err != nil {
		t.Fatal(err)
	}
	again, shownAgain, now := read()
	if again.Gap >= opened.Gap || again.LogOdds <= opened.LogOdds || !now.After(at) || !reflect.DeepEqual(shownAgain, again.CandidateView) {
		t.Errorf("reconciled at %v: %+v and %+v", now, again, shownAgain)
	}
}

func TestACaseIsTheSameToReadBeforeAndAfterItsDecision(t *testing.T) {
	ctx := context.Background()
	r, id := doubtful(t)
	before, err := r.Case(ctx, id)
	if err != nil {
		t.Fatal(err)
	}
	if before.Status != "pending" || before.Reason != weigh.SubjectMissing || len(before.Offers) != 1 || len(before.Source.Observations) != 1 {
		t.Fatalf("got %+v", before)
	}
	o := before.Offers[0]
	if o.Gates.Subject || !o.Gates.Text || !o.Gates.Time || o.Gap != 0.5 || o.Likeness != 1 || len(o.Contributions) != 8 || len(o.Context.Observations) != 1 {
		t.Errorf("the offer is %+v", o)
	}
	if _, err := r.Accept(ctx, id, "", false, journal.Entry{Actor: "judge"}); err != nil {
		t.Fatal(err)
	}
	after, err := r.Case(ctx, id)
	if err != nil {
		t.Fatal(err)
	}
	if after.Status != "accepted" || after.DecidedBy != "judge" || after.DecidedAt.IsZero() || after.Selected != o.ContextURI || after.Now != o.ContextURI {
		t.Errorf("decided it is %+v", after)
	}
	if len(after.Source.Observations) != 1 || len(after.Offers) != 1 || len(after.Offers[0].Context.Observations) != 1 || after.Offers[0].Gap != 0.5 {
		t.Errorf("decided it shows %+v and %+v", after.Source, after.Offers)
	}
	if _, err := r.Undo(ctx, id, journal.Entry{Actor: "judge"}); err != nil {
		t.Fatal(err)
	}
	if again, err := r.Case(ctx, id); err != nil || again.Status != "pending" || again.Now == o.ContextURI || len(again.Offers) != 1 {
		t.Errorf("undone it is %+v, %v", again, err)
	}
	var known *resolver.Error
	if _, err := r.Case(ctx, "review_7"); !errors.As(err, &known) || known.Code != resolver.CaseNotFound {
		t.Errorf("a case that there is not: %v", err)
	}
}

func TestTheHistoryTellsTheNewestDecisionsFirst(t *testing.T) {
	ctx := context.Background()
	store := &memory.Store{}
	r := open(t, store)
	resolve(t, r, said("2026-02-11T09:12:13.150Z", maria, ari, news))
	id := *resolve(t, r, said("2026-02-11T09:12:13.650Z", "", tiago, news)).CaseID
	for i, do := range []func() error{
		func() error { _, err := r.Reject(ctx, id, journal.Entry{Actor: "ari"}); return err },
		func() error { _, err := r.Undo(ctx, id, journal.Entry{Actor: "bea"}); return err },
		func() error { _, err := r.Accept(ctx, id, "", false, journal.Entry{Actor: "bea"}); return err },
	} {
		if err := do(); err != nil {
			t.Fatalf("step %d: %v", i, err)
		}
	}
	r = open(t, store) // also after a restart
	all, err := r.History(ctx, "", 10)
	if err != nil || len(all) != 3 {
		t.Fatalf("got %+v, %v", all, err)
	}
	for i, want := range []struct {
		kind   resolver.JudgementKind
		by     string
		undone bool
	}{{resolver.JudgedSame, "bea", false}, {resolver.JudgedUndone, "bea", false}, {resolver.JudgedDifferent, "ari", true}} {
		if j := all[i]; j.Kind != want.kind || j.By != want.by || j.Undone != want.undone || j.CaseID != id || j.Text != "could you show me climate news" {
			t.Errorf("entry %d is %+v", i, j)
		}
	}
	next, err := r.History(ctx, all[0].DecisionID, 1)
	if err != nil || len(next) != 1 || next[0] != all[1] {
		t.Errorf("after the first comes %+v, %v", next, err)
	}
	if _, err := r.History(ctx, "decision_x", 1); err == nil {
		t.Error("a decision that there is not begins a page")
	}
}

func TestWaitingSummarizesPendingCases(t *testing.T) {
	ctx := context.Background()
	r, id := doubtful(t)
	resolve(t, r, said("2026-02-11T09:13:13.150Z", maria, ari, "A second question comes here"))
	resolve(t, r, said("2026-02-11T09:13:13.550Z", "", tiago, "A second question comes here"))
	all, err := r.Waiting(ctx, 10)
	if err != nil || len(all) != 2 {
		t.Fatalf("got %+v, %v", all, err)
	}
	w := all[0]
	if w.CaseID != id || w.EventKind != "human_utterance" || w.Robot != tiago || w.Targets != 1 || w.GroupID == "" || w.Text != "could you show me climate news" {
		t.Errorf("the first is %+v", w)
	}
	if some, err := r.Waiting(ctx, 1); err != nil || len(some) != 1 {
		t.Errorf("one is %+v, %v", some, err)
	}
	if _, err := r.Accept(ctx, id, "", false, journal.Entry{}); err != nil {
		t.Fatal(err)
	}
	if all, err = r.Waiting(ctx, 10); err != nil || len(all) != 1 || all[0].CaseID == id {
		t.Errorf("left is %+v, %v", all, err)
	}
}
