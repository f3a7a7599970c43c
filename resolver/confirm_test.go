package resolver_test

import (
	"testing"
	"time"

	"github.com/segraph/segraph/resolver"
	"github.com/segraph/segraph/resolver/memory"
	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/vocabulary"
)

// TestAPersonConfirmsAClock has a person who talks to two robots, one of which stamps 5 s
// later. Only a person can confirm that its clock is ahead.
func TestAPersonConfirmsAClock(t *testing.T) {
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
	robots := []hearing{{robot: ari, ahead: always(0)}, {robot: tiago, ahead: always(5 * time.Second)}}
	texts := sentences(80)
	want := func(what string, r *resolver.Resolver, texts []string, outcome resolver.Outcome) {
		t.Helper()
		listen(t, r, texts, 1, robots, func(i int, a []*resolver.Resolution) {
			if i >= 5 && a[1].Outcome != outcome {
				t.Errorf("%s, sentence %d: %s, %s", what, i, a[1].Outcome, a[1].Explanation.Reason)
			}
		})
	}
	want("unconfirmed", r, texts[:20], resolver.Ambiguous)
	clockOf := func(robot string) resolver.RobotClock {
		t.Helper()
		stats, err := r.Stats(ctx)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range stats.Clock.Robots {
			if c.RobotURI == robot {
				return c
			}
		}
		t.Fatalf("no clock of %s", robot)
		return resolver.RobotClock{}
	}
	c := clockOf(tiago)
	if c.OffsetMS != 0 || c.Claim == nil || c.Claim.OffsetMS != 5000 || c.Claim.Sentences != 20 || c.Claim.Subjects != 1 || c.Claim.Reason != resolver.ClaimUnconfirmed {
		t.Fatalf("of the robot that is ahead: %+v, %+v", c, c.Claim)
	}
	if other := clockOf(ari); other.Claim != nil {
		t.Errorf("of the other one: %+v", other.Claim)
	}
	confirmed, err := r.ConfirmClock(ctx, tiago, nil, journal.Entry{Actor: "eva"})
	if err != nil || confirmed.By != "eva" || *confirmed.Offset != 5000 || confirmed.Claim != nil {
		t.Fatalf("%+v, %v", confirmed, err)
	}
	if len(entries) != 1 || entries[0].Robot != tiago || entries[0].Detail == "" {
		t.Errorf("the journal has %+v", entries)
	}
	ahead := 0
	for _, q := range store.Quads() {
		if q.P.Value() == vocabulary.ScAhead && q.O.Value() == "5" {
			ahead++
		}
	}
	if ahead != 1 {
		t.Errorf("%d quads say what was confirmed", ahead)
	}
	if out, err := r.Reconcile(ctx, judge); err != nil || out.MergedCount != 20 {
		t.Errorf("reconciling merged %d of what was said before, %v", out.MergedCount, err)
	}
	want("confirmed", r, texts[20:40], resolver.Matched)
	r = open(t, store)
	want("after a restart", r, texts[40:60], resolver.Matched)
	if c := clockOf(tiago); c.By != "eva" || c.At == nil {
		t.Errorf("after a restart: %+v", c)
	}
	finer := int64(5100) // of a clock that many anchors agree on by now: still of the whole past
	if c, err := r.ConfirmClock(ctx, tiago, &finer, judge); err != nil || c.Anchors < 8 || len(c.Steps) > 0 {
		t.Errorf("%+v, %v", c, err)
	}
	if _, err := r.RevokeClock(ctx, tiago, judge); err != nil {
		t.Fatal(err)
	}
	want("revoked", r, texts[60:], resolver.Ambiguous)
	if c := clockOf(tiago); c.By != "" || c.At != nil {
		t.Errorf("revoked: %+v", c)
	}
	for _, q := range store.Quads() {
		if q.P.Value() == vocabulary.ScAhead {
			t.Errorf("what was revoked is still mirrored: %v", q)
		}
	}
}

// A confirmed offset counts at once, also if nothing else is known of the clocks, moves no other clock, and is replaced
// by the next one.
func TestAConfirmationMovesOneClockAlone(t *testing.T) {
	ctx := t.Context()
	r := open(t, &memory.Store{})
	resolve(t, r, said("2026-02-11T08:00:00.000Z", maria, tiago, news))
	resolve(t, r, said("2026-02-11T08:10:00.000Z", maria, ari, sentences(1)[0]))
	offsets := func(want int64) {
		t.Helper()
		stats, err := r.Stats(ctx)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range stats.Clock.Robots {
			if is := map[string]int64{ari: want}[c.RobotURI]; c.OffsetMS != is || !c.Applied && is != 0 || len(c.Steps) > 0 {
				t.Errorf("%+v is ahead, want %d", c, is)
			}
		}
	}
	confirm := func(offset int64) {
		t.Helper()
		if c, err := r.ConfirmClock(ctx, ari, &offset, judge); err != nil || c.OffsetMS != offset {
			t.Errorf("%+v, %v", c, err)
		}
		offsets(offset)
	}
	confirm(5000)
	confirm(200)
	if _, err := r.RevokeClock(ctx, ari, judge); err != nil {
		t.Fatal(err)
	}
	offsets(0)
	if _, err := r.RevokeClock(ctx, ari, judge); code(t, err) != resolver.NotUndoable {
		t.Errorf("a second time: %v", err)
	}
	confirm(4000)
	resolve(t, r, said("2026-02-11T09:00:00.100Z", maria, tiago, news))
	if x := resolve(t, r, said("2026-02-11T09:00:04.200Z", maria, ari, news)); x.Outcome != resolver.Matched {
		t.Errorf("%s, %s", x.Outcome, x.Explanation.Reason)
	}
}

// An offset that replaces a confirmed one does not change what was before a jump of the clock, and a revocation undoes both.
func TestAnOffsetAfterAJumpCountsFromNowOn(t *testing.T) {
	now := time.Date(2026, 2, 11, 9, 0, 0, 0, time.UTC)
	r, err := resolver.Open(&memory.Store{}, resolver.Options{Settings: resolver.Defaults(), Now: func() time.Time { return now }})
	if err != nil {
		t.Fatal(err)
	}
	confirm := func(offset int64) *resolver.RobotClock {
		c, err := r.ConfirmClock(t.Context(), tiago, &offset, judge)
		if err != nil || c.OffsetMS != offset {
			t.Fatalf("%+v, %v", c, err)
		}
		return c
	}
	ahead := func(i int) time.Duration {
		if i < 60 {
			return 0
		}
		return 20 * time.Second
	}
	listen(t, r, sentences(89), 4, []hearing{{robot: ari, ahead: always(0), delay: promptly}, {robot: tiago, ahead: ahead, delay: promptly}}, func(i int, _ []*resolver.Resolution) {
		now = now.Add(30 * time.Second)
		if i == 29 {
			confirm(700)
		}
	})
	c := confirm(100) // the clock was set right
	for i, from := range []string{"person", "arrival", "person"} {
		if i >= len(c.Steps) || c.Steps[i].From != from || i > 0 && c.Steps[i].At.Before(c.Steps[i-1].At) {
			t.Fatalf("the steps are %+v", c.Steps)
		}
	}
	if c.Steps[0].ByMS < 500 || c.Steps[0].ByMS > 900 || !c.Steps[2].At.Equal(now) {
		t.Errorf("the steps are %+v", c.Steps)
	}
	if c := confirm(200); len(c.Steps) != 3 { // which replaces the last one
		t.Errorf("the steps are %+v", c.Steps)
	}
	c, err = r.RevokeClock(t.Context(), tiago, judge)
	if err != nil || len(c.Steps) != 1 || c.Steps[0].From != "arrival" || c.OffsetMS < 19_000 || c.OffsetMS > 21_000 {
		t.Errorf("%+v, %v", c, err)
	}
}

// A claim that is confirmed after another one adds to it, and a revocation undoes both.
func TestARevocationUndoesAllThatWasConfirmed(t *testing.T) {
	r := open(t, &memory.Store{})
	ahead := func(i int) time.Duration {
		if i < 20 {
			return 5 * time.Second
		}
		return 9 * time.Second
	}
	listen(t, r, sentences(40), 1, []hearing{{robot: ari, ahead: always(0)}, {robot: tiago, ahead: ahead}}, func(i int, _ []*resolver.Resolution) {
		if i == 19 || i == 39 {
			if c, err := r.ConfirmClock(t.Context(), tiago, nil, judge); err != nil || c.OffsetMS != ahead(i).Milliseconds() {
				t.Errorf("%+v, %v", c, err)
			}
		}
	})
	if c, err := r.RevokeClock(t.Context(), tiago, judge); err != nil || c.OffsetMS != 0 || c.By != "" || len(c.Steps) > 0 {
		t.Errorf("%+v, %v", c, err)
	}
}

func TestOnlyAKnownClockIsConfirmed(t *testing.T) {
	r := open(t, &memory.Store{})
	resolve(t, r, said("2026-02-11T09:12:13.150Z", maria, ari, news))
	far := int64(1 << 40)
	for _, c := range []struct {
		robot  string
		offset *int64
		want   resolver.Code
	}{
		{"", nil, resolver.Invalid}, {" ", nil, resolver.Invalid}, {"urn:r\x00", nil, resolver.Invalid}, {ari, &far, resolver.Invalid},
		{tiago, nil, resolver.Unsupported}, // unknown
		{ari, nil, resolver.Unsupported},   // nothing is claimed
	} {
		if _, err := r.ConfirmClock(t.Context(), c.robot, c.offset, judge); code(t, err) != c.want {
			t.Errorf("%q: %v, want %s", c.robot, err, c.want)
		}
	}
	if _, err := r.RevokeClock(t.Context(), ari, judge); code(t, err) != resolver.NotUndoable {
		t.Errorf("nothing was confirmed: %v", err)
	}
}
