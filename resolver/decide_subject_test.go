package resolver_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/segraph/segraph/resolver"
	"github.com/segraph/segraph/resolver/memory"
	"github.com/segraph/segraph/resolver/weigh"
	"github.com/segraph/segraph/store/log/journal"
)

const user = "https://ex/human/user"

// stampAfter returns a timestamp ms milliseconds after the beginning of the tests' day.
func stampAfter(ms int) string {
	return time.Date(2026, 2, 11, 9, 0, 0, 0, time.UTC).Add(time.Duration(ms) * time.Millisecond).Format("2006-01-02T15:04:05.000Z")
}

// TestADecisionOnASubjectStands lets a person declare a subject a placeholder and then a
// person. Each decision applies to earlier and later reports, and survives a restart and
// a deletion.
func TestADecisionOnASubjectStands(t *testing.T) {
	ctx := t.Context()
	store := &memory.Store{}
	var entries []journal.Entry
	store.Failing = func(changes []resolver.Change) error {
		for _, c := range changes {
			if c.Entry != nil && c.Entry.Action != journal.Resolve {
				entries = append(entries, *c.Entry)
			}
		}
		return nil
	}
	r := open(t, store)
	at := 0
	// ask resolves a report of the first robot and one of the second, and returns the
	// outcome of the second.
	ask := func(first, second string) resolver.Outcome {
		t.Helper()
		at += 60_000
		words := fmt.Sprintf("sentence number %d of this day", at)
		resolve(t, r, said(stampAfter(at), first, ari, words))
		return resolve(t, r, said(stampAfter(at+200), second, tiago, words)).Outcome
	}
	if got := ask(user, user); got != resolver.Matched {
		t.Fatalf("before anybody decided: %s", got)
	}
	at += 60_000
	resolve(t, r, said(stampAfter(at), user, ari, news)) // while it was a person
	x, err := r.DecideSubject(ctx, user, false, judge)
	if err != nil || x.State != "confirmed" || x.DecidedBy != judge.Actor {
		t.Fatalf("%+v, %v", x, err)
	}
	if len(entries) != 1 || entries[0].Subject != user || entries[0].Detail != "is a placeholder for several persons" {
		t.Errorf("the journal has %+v", entries)
	}
	for _, subject := range []string{user, maria, ""} {
		if got := resolve(t, r, said(stampAfter(at+200), subject, tiago, news)); got.Outcome != resolver.Ambiguous || got.Reason != weigh.SubjectGeneric {
			t.Errorf("a report of %q beside one of a placeholder: %s, %s", subject, got.Outcome, got.Reason)
		}
		at += 60_000
		resolve(t, r, said(stampAfter(at), user, ari, news)) // now that it is a placeholder
	}
	again := func(name string, want resolver.Outcome, state string) {
		t.Helper()
		if got := ask(user, user); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
		stats, err := r.Stats(ctx)
		if err != nil || len(stats.Placeholders) != 1 || stats.Placeholders[0].State != state {
			t.Errorf("%s: %+v, %v", name, stats.Placeholders, err)
		}
	}
	again("confirmed", resolver.Ambiguous, "confirmed")
	r = open(t, store)
	again("after a restart", resolver.Ambiguous, "confirmed")
	if _, err := r.Clear(ctx, store.ClearPublished); err != nil {
		t.Fatal(err)
	}
	again("after everything was cleared", resolver.Ambiguous, "confirmed")
	if _, err := r.DecideSubject(ctx, user, true, judge); err != nil {
		t.Fatal(err)
	}
	if last := entries[len(entries)-1]; last.Detail != "is one person" {
		t.Errorf("the journal has %+v", last)
	}
	again("overruled", resolver.Matched, "overruled")
	for _, wrong := range []string{"", " ", string(make([]byte, 2000))} {
		if _, err := r.DecideSubject(ctx, wrong, true, judge); err == nil {
			t.Errorf("a decision on %q was taken", wrong)
		}
	}
}

// TestAPersonMayHaveAGenericName overrules the setting for a subject.
func TestAPersonMayHaveAGenericName(t *testing.T) {
	const nobody = "https://ex/human/nobody"
	r := open(t, &memory.Store{})
	resolve(t, r, said(stampAfter(0), nobody, ari, news))
	if _, err := r.DecideSubject(t.Context(), nobody, true, judge); err != nil {
		t.Fatal(err)
	}
	if got := resolve(t, r, said(stampAfter(200), nobody, tiago, news)); got.Outcome != resolver.Matched {
		t.Errorf("%s, %s", got.Outcome, got.Reason)
	}
}

// TestTwoPlacesTellAPlaceholderAtOnce has a subject who says different sentences in two
// rooms, twice. That is enough if the locations are known, and not enough without them.
func TestTwoPlacesTellAPlaceholderAtOnce(t *testing.T) {
	for places, want := range map[[2]string]int{{"", ""}: 0, {"https://ex/hall", "https://ex/hall"}: 0, {"https://ex/hall", "https://ex/shop"}: 1} {
		r := open(t, &memory.Store{})
		for i := range 12 {
			for room, robot := range []string{ari, tiago} {
				o := said(stampAfter(i*10_000+room*300), user, robot, fmt.Sprintf([]string{"they talk about lamp %d", "could you open door %d"}[room], i))
				if i >= 2 { // no more conflicts from here on
					o = said(stampAfter(i*10_000+room*300), maria, robot, fmt.Sprintf("this is sentence number %d", i))
				}
				o.LocationURI = places[room]
				resolve(t, r, o)
			}
		}
		stats, err := r.Stats(t.Context())
		if err != nil || len(stats.Placeholders) != want || slices.ContainsFunc(stats.Placeholders, func(p resolver.Placeholder) bool { return p.SubjectURI != user }) {
			t.Errorf("%v: %+v, %v", places, stats.Placeholders, err)
		}
	}
}

// A decision can be changed also once there are as many as may be.
func TestADecisionCanBeChangedAtTheMaximum(t *testing.T) {
	r := open(t, lean{&memory.Store{}})
	decide := func(n int, person bool) error {
		_, subject := r.DecideSubject(t.Context(), fmt.Sprint("https://ex/human/", n), person, judge)
		_, relay := r.DecideRelay(t.Context(), fmt.Sprint("https://ex/robot/", n), ari, person, judge)
		if (subject == nil) != (relay == nil) {
			t.Errorf("the decision on subject %d: %v, and on robot %d: %v", n, subject, n, relay)
		}
		return subject
	}
	n := 0
	for ; n < 2000 && decide(n, false) == nil; n++ {
	}
	if err := decide(n-1, true); err != nil || n != 1024 {
		t.Errorf("after %d decisions: %v", n, err)
	}
}
