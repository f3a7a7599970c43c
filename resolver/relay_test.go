package resolver_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/segraph/segraph/internal/suite"
	"github.com/segraph/segraph/resolver"
	"github.com/segraph/segraph/resolver/memory"
	"github.com/segraph/segraph/resolver/record"
)

// relayed adds a robot to a stream. It repeats what the robot whose URI ends in suffix
// says, between least and most later, with its own timestamps and ids. Its reports arrive
// when they are stamped.
func relayed(t *testing.T, s stream, suffix string, least, most time.Duration) stream {
	t.Helper()
	type item struct {
		observation resolver.Observation
		truth       truth
		at          time.Time
		was         int // index in s, -1 for the relay's
	}
	random := rand.New(rand.NewPCG(1, 2))
	var items []item
	var last time.Time
	for i, o := range s.observations {
		if at := stampedAt(t, o); at.After(last) {
			last = at
		}
		truth := s.truths[i]
		items = append(items, item{o, truth, last, i})
		if !strings.HasSuffix(o.RobotURI, suffix) || o.Text == "" || truth.Retry {
			continue
		}
		delay := least + time.Duration(random.Int64N(int64(most-least)+1))
		o.ObservedAt = stampedAt(t, o).Add(delay).Format("2006-01-02T15:04:05.000Z07:00")
		o.RobotURI, o.ObservationURI = strings.TrimSuffix(o.RobotURI, suffix)+"robot/relay", o.ObservationURI+"/relayed"
		if again := "relayed"; truth.Modality != nil {
			truth.Modality = &again
		}
		items = append(items, item{o, truth, last.Add(delay), -1})
	}
	slices.SortStableFunc(items, func(a, b item) int { return a.at.Compare(b.at) })
	var out stream
	at := make([]int, len(s.observations))
	for i, x := range items {
		if x.was >= 0 {
			at[x.was] = i
		}
		if x.truth.Retry {
			x.truth.Of = at[x.truth.Of]
		}
		out.observations, out.truths = append(out.observations, x.observation), append(out.truths, x.truth)
	}
	return out
}

// TestARelayIsReviewedOnce replays a stream with an added relay. Once the relay is
// detected, its sentences open no cases. After a person accepts it, almost all its
// reports are joined.
func TestARelayIsReviewedOnce(t *testing.T) {
	suite.NotShort(t)
	suite.OneGoroutine(t)
	for _, seed := range otherSeeds(t, 605) {
		s := generateWith(t, "lab", map[string]any{"duration_s": 1500, "seed": seed})
		without, _ := replayScore(t, s)
		for _, delay := range [][2]time.Duration{{time.Second, 4 * time.Second}, {3 * time.Second, 3 * time.Second}, {8 * time.Second, 8 * time.Second}, {time.Second, 10 * time.Second}} {
			s := relayed(t, s, "robot/r0", delay[0], delay[1])
			r := open(t, lean{&memory.Store{}})
			half := len(s.observations) / 2
			order := inOrder(len(s.observations))
			first := scoreOf(s.truths[:half], replayOn(t, r, s.observations[:half], order[:half]))
			relays := relaysOf(t, r)
			if len(relays) != 1 || relays[0].State != "detected" || !strings.HasSuffix(relays[0].Of, "robot/r0") {
				t.Errorf("seed %d, %v: the relays are %+v, %v", seed, delay, relays, first)
				continue
			}
			if _, err := r.DecideRelay(t.Context(), relays[0].RobotURI, "", true, judge); err != nil {
				t.Fatal(err)
			}
			after := replayOn(t, r, s.observations, order) // the first half again, as repeats
			late, joined := 0, 0
			of := map[string]string{}
			for i, o := range s.observations {
				if strings.HasSuffix(o.RobotURI, "robot/r0") {
					of[o.ObservationURI+"/relayed"] = after.uris[i]
				}
				if strings.HasSuffix(o.RobotURI, "robot/relay") {
					if late++; of[o.ObservationURI] == after.uris[i] {
						joined++
					}
				}
			}
			t.Logf("seed %d, %v: %d cases, %d without the relay; %d of %d reports joined; %+v; %v", seed, delay, len(after.cases), without.cases, joined, late, relays, first)
			if n := without.cases; len(after.cases) > n+n/20+5 || share(joined, late) < 0.93 {
				t.Errorf("seed %d, %v: %d cases, %d without the relay; %d of %d reports joined what they repeat", seed, delay, len(after.cases), n, joined, late)
			}
		}
	}
}

// inOrder returns the numbers from 0 to n-1.
func inOrder(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

func relaysOf(t *testing.T, r *resolver.Resolver) []resolver.Relay {
	t.Helper()
	stats, err := r.Stats(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return stats.Relays
}

// TestARobotThatHearsForItselfIsNoRelay replays streams of robots that miss almost
// nothing. The clock of one of them is seconds ahead.
func TestARobotThatHearsForItselfIsNoRelay(t *testing.T) {
	suite.NotShort(t)
	suite.OneGoroutine(t)
	for _, seed := range otherSeeds(t, 606) {
		for _, ahead := range []time.Duration{0, 3 * time.Second, 8 * time.Second} {
			s := generateWith(t, "lab", map[string]any{"duration_s": 1200, "seed": seed, "p_hear": 0.99, "p_missing": 0.02})
			for i := range s.observations {
				o := &s.observations[i]
				at := stampedAt(t, *o)
				o.ReceivedAt = at.Add(100 * time.Millisecond).Format("2006-01-02T15:04:05.000Z07:00")
				if strings.HasSuffix(o.RobotURI, "robot/r1") {
					o.ObservedAt = at.Add(ahead).Format("2006-01-02T15:04:05.000Z07:00")
				}
			}
			if _, stats := replayScore(t, s); len(stats.Relays) > 0 {
				t.Errorf("seed %d, %v ahead: the relays are %+v", seed, ahead, stats.Relays)
			}
		}
	}
}

// TestADecisionOnARelayStands has a robot that repeats another one. A person rejects it
// as a relay and then accepts it.
func TestADecisionOnARelayStands(t *testing.T) {
	store := &memory.Store{}
	r := open(t, store)
	at := 0
	// ask resolves a sentence of one robot and its repeat five seconds later.
	ask := func() (whole, late *resolver.Resolution) {
		t.Helper()
		at += 20_000
		words := translated(fmt.Sprintf("several words of sentence %d", at))[0]
		return resolve(t, r, said(stampAfter(at), maria, ari, words)), resolve(t, r, said(stampAfter(at+1500+at/20*2711%8000), maria, tiago, words))
	}
	asked := 0
	for range 40 {
		if _, late := ask(); late.Outcome == resolver.Ambiguous {
			asked++
		}
	}
	_, linked := ask()
	relays := relaysOf(t, r)
	if linked.Outcome != resolver.Created || len(relays) != 1 || relays[0].State != "detected" || relays[0].Of != ari || relays[0].LateReports == 0 {
		t.Fatalf("a person was asked %d times, then %s; %+v", asked, linked.Outcome, relays)
	}
	if _, err := r.DecideRelay(t.Context(), tiago, "", false, judge); err != nil {
		t.Fatal(err)
	}
	before := relays[0].LateReports
	for range 40 {
		if _, late := ask(); late.Outcome == resolver.Ambiguous {
			asked++
		}
	}
	if relays := relaysOf(t, r); relays[0].State != "rejected" || relays[0].LateReports != before {
		t.Errorf("after it was rejected: %+v", relays)
	}
	if _, err := r.DecideRelay(t.Context(), tiago, "https://ex/robot/other", true, judge); err != nil {
		t.Fatal(err)
	}
	if s, err := r.Stats(t.Context()); err != nil || s.ManualMerges != 0 {
		t.Errorf("as a relay of a robot that reported nothing, it was merged %d times, %v", s.ManualMerges, err)
	}
	k, err := r.DecideRelay(t.Context(), tiago, ari, true, judge)
	if err != nil || k.State != "accepted" || k.DecidedBy != judge.Actor {
		t.Fatalf("%+v, %v", k, err)
	}
	stats, err := r.Stats(t.Context())
	if err != nil || stats.PendingReviews != 0 {
		t.Errorf("%d cases are left of %d, %v", stats.PendingReviews, asked, err)
	}
	r = open(t, store)
	whole, late := ask()
	if late.Outcome != resolver.Matched || late.SharedContextURI != whole.SharedContextURI {
		t.Errorf("a report of a relay: %s, %+v", late.Outcome, late.Explanation)
	}
	if third := resolve(t, r, said(stampAfter(at+300), maria, "https://ex/robot/pepper", translated(fmt.Sprintf("several words of sentence %d", at))[0])); third.SharedContextURI != whole.SharedContextURI {
		t.Errorf("a report beside a late one: %s, %s", third.Outcome, third.Reason)
	}
	if _, err := r.Undo(t.Context(), *late.DecisionID, judge); err != nil {
		t.Errorf("undoing the match of a late report: %v", err)
	}
	history, err := r.History(t.Context(), "", 2) // the newest is the undo above
	if err != nil || len(history) != 2 {
		t.Fatalf("%+v, %v", history, err)
	}
	if _, err := r.Undo(t.Context(), history[1].DecisionID, judge); err != nil {
		t.Errorf("undoing what the decision merged: %v", err)
	}
	for n := uint64(1); ; n++ {
		value, err := store.Get(record.ContextKey(n))
		if err != nil || value == nil {
			break
		}
		x, err := record.Decode[record.Context](value)
		if err != nil || x.Into == 0 && x.LateOf == 0 && x.Members[0].Late {
			t.Errorf("context %+v is a late report, which was undone: %v", x, err)
		}
	}
	before = merges(t, r)
	if _, err := r.DecideRelay(t.Context(), tiago, ari, true, judge); err != nil || merges(t, r) != before {
		t.Errorf("the same decision again merges what was undone: %d merges, before %d, %v", merges(t, r), before, err)
	}
	for _, wrong := range [][2]string{{"", ari}, {tiago, tiago}, {"https://ex/robot/other", ""}} {
		if _, err := r.DecideRelay(t.Context(), wrong[0], wrong[1], true, judge); err == nil {
			t.Errorf("a decision on %q was taken", wrong)
		}
	}
}

// cutOff is a context that ends once the first unit of work is stored.
type cutOff struct{ context.Context }

func (cutOff) Err() error { return context.Canceled }

func TestAReconciliationGoesOnWithARelayThatWasCutOff(t *testing.T) {
	r := open(t, &memory.Store{})
	for n := range 60 {
		words := translated(fmt.Sprintf("several words of sentence %d", n))[0]
		resolve(t, r, said(stampAfter(20_000*n), maria, ari, words))
		resolve(t, r, said(stampAfter(20_000*n+1500+n*2711%8000), maria, tiago, words))
	}
	if _, err := r.DecideRelay(cutOff{t.Context()}, tiago, ari, true, judge); !errors.Is(err, context.Canceled) || merges(t, r) > 0 {
		t.Fatalf("it was not cut off: %v, %d merges", err, merges(t, r))
	}
	before, err := r.Stats(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	first, err := r.Reconcile(t.Context(), judge)
	if left := int(before.PendingReviews) + first.OpenedCases - first.ClosedCases; left != first.PendingCases || first.ClosedCases == 0 {
		t.Errorf("of %d cases %d were pending, but %+v", before.PendingReviews, left, first)
	}
	if err != nil || merges(t, r) == 0 || int64(first.MergedCount) != merges(t, r) || len(first.Mappings) != first.MergedCount {
		t.Errorf("%d merges, %+v, %v", merges(t, r), first, err)
	}
	if again, err := r.Reconcile(t.Context(), judge); err != nil || again.MergedCount != 0 {
		t.Errorf("the second merges %d, %v", again.MergedCount, err)
	}
}

// merges returns how many contexts people have merged.
func merges(t *testing.T, r *resolver.Resolver) int64 {
	t.Helper()
	s, err := r.Stats(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return s.ManualMerges
}
