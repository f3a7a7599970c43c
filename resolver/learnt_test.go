package resolver

import (
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/segraph/segraph/internal/suite"
	"github.com/segraph/segraph/resolver/clocks"
	"github.com/segraph/segraph/resolver/record"
	"github.com/segraph/segraph/resolver/text"
	"github.com/segraph/segraph/store/log/journal"
)

// opened returns a resolver whose store has the changes of one unit of work.
func opened(t *testing.T, change func(u *unit)) *Resolver {
	t.Helper()
	r, err := Open(&few{}, Options{Settings: Defaults()})
	if err != nil {
		t.Fatal(err)
	}
	u := r.begin()
	change(u)
	if _, err := r.enter(u); err != nil {
		t.Fatal(err)
	}
	return r
}

// addContexts adds a context with one observation for each member. They are numbered from 1.
func addContexts(t *testing.T, u *unit, members ...record.Member) {
	t.Helper()
	for _, m := range members {
		u.totals.Contexts++
		m.Origin = u.totals.Contexts
		if _, err := u.setContext(record.Context{Number: m.Origin, Kind: "wave", Count: 1, Origins: []uint64{m.Origin}, Members: []record.Member{m}}); err != nil {
			t.Fatal(err)
		}
	}
}

// TestClearingContextsLeavesNothingOfWhatItForgets keeps what was learnt of a robot and a subject, without the demo's.
func TestClearingContextsLeavesNothingOfWhatItForgets(t *testing.T) {
	const demo, ari, other = "https://demo/r", "https://ex/ari", "https://ex/other"
	r := opened(t, func(u *unit) {
		u.changeRelay(ari).Sources = []record.RelaySource{{Robot: demo}, {Robot: other}}
		u.changeRelay(other).Of = demo
		u.changeSubject(other).Pairs = []record.SubjectPair{{First: ari, Second: demo}, {First: ari, Second: other}}
		u.setClock(record.Clock{Robot: ari, Lags: []int64{1}, Claims: []record.Claim{{Partner: demo}, {Partner: other}}})
	})
	forget := func(iri string) bool { return strings.HasPrefix(iri, "https://demo/") }
	if _, err := r.ClearContexts(t.Context(), nil, forget, func(_ context.Context, c Change) error {
		named := 0
		for _, x := range c.Records {
			if strings.Contains(string(x.Value), demo) {
				t.Errorf("the record %q has %q", x.Key[:1], x.Value)
			}
			named += strings.Count(string(x.Value), other)
		}
		if named < 4 {
			t.Errorf("what was learnt of others is lost: %q", c.Records)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
}

// TestForgettingLeavesNothingInWhatWasLearntOfOthers forgets a person, her phone and her home, which records of other
// robots and subjects name.
func TestForgettingLeavesNothingInWhatWasLearntOfOthers(t *testing.T) {
	const maria, phone, home, ari, other = "https://ex/maria", "https://ex/maria/phone", "https://ex/maria/home", "https://ex/ari", "https://ex/other"
	kind := text.Fingerprint("wave")
	place := func(iri string) frequencyName { return frequencyName{kind, text.Fingerprint(iri)} }
	r := opened(t, func(u *unit) {
		addContexts(t, u, record.Member{Subject: maria, Robot: phone, Location: home}, record.Member{Subject: maria, Robot: phone, Location: "https://ex/hall"})
		u.setFrequency(ofPlace, place(home), record.Frequency{Count: 3})
		u.setFrequency(ofPlace, place("https://ex/hall"), record.Frequency{Count: 3})
		u.setFrequency(ofText, place("her words"), record.Frequency{Count: 3})
		late := record.Observation{Number: 70, Context: 1, Kind: "wave", Text: "her words", Robot: phone} // after as many members as are kept
		u.put(record.ObservationKey(1, 70), record.Encode(&late))
		relay := u.changeRelay(ari)
		relay.Sources = []record.RelaySource{{Robot: phone}, {Robot: other}}
		u.changeSubject(other).Pairs = []record.SubjectPair{{First: ari, Second: phone}, {First: ari, Second: other}}
		u.setClock(record.Clock{Robot: ari, Lags: []int64{1}, Friends: []uint32{u.fingerprint(phone), u.fingerprint(other)},
			Claims: []record.Claim{{Partner: phone, Sentences: 3}, {Partner: other, Sentences: 4, Subjects: []uint32{u.fingerprint(maria)}, Texts: []uint32{1}}}})
	})
	of := func(iri string) (string, bool) { return "", strings.HasPrefix(iri, maria) }
	if err := r.Forget(t.Context(), of, func(text string) string { return text }, func(ctx context.Context, c Change, _ Forgotten) error {
		_, err := r.store.Submit(ctx, c)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	for _, x := range *r.store.(*few) {
		if strings.Contains(string(x.Value), maria) {
			t.Errorf("the record %q names her: %q", x.Key[:1], x.Value)
		}
	}
	if err := r.reading(func(u *unit) error {
		s, _ := u.subject(other)
		if k := u.relay(ari); len(k.Sources) != 1 || len(s.Pairs) != 1 {
			t.Errorf("of others stay %+v and %+v", k, s)
		}
		c, err := u.clock(ari)
		if err != nil || len(c.Friends) > 0 || len(c.Claims) != 1 || c.Claims[0].Sentences != 4 || len(c.Claims[0].Subjects)+len(c.Claims[0].Texts) > 0 {
			t.Errorf("of the clock stays %+v, %v", c, err)
		}
		for iri, want := range map[string]int64{home: 0, "https://ex/hall": 3} {
			if f, err := u.frequency(ofPlace, place(iri)); err != nil || f.Count != want {
				t.Errorf("%s was counted %d times, %v", iri, f.Count, err)
			}
		}
		if f, err := u.frequency(ofText, place("her words")); err != nil || f.Count != 0 {
			t.Errorf("what she said was counted %d times, %v", f.Count, err)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
}

// TestAnErasureTakesALateReport has a relay, which names nobody, repeat what an erased person said.
func TestAnErasureTakesALateReport(t *testing.T) {
	const maria, ari, relay = "https://ex/maria", "https://ex/ari", "https://ex/relay"
	r := opened(t, func(u *unit) {
		x := u.changeRelay(relay)
		x.State, x.Of = record.Repeating, ari
	})
	for _, o := range []Observation{{SubjectURI: maria, RobotURI: ari, ObservedAt: "2026-01-01T12:00:00.100Z"}, {RobotURI: relay, ObservedAt: "2026-01-01T12:00:05.100Z"}} {
		o.EventKind, o.Text = "heard", "my doctor says that I have markerD"
		if a, err := r.Resolve(t.Context(), o, "ari"); err != nil || a.Outcome != Created {
			t.Fatalf("%+v, %v", a, err)
		}
	}
	of := func(iri string) (string, bool) { return "", iri == maria }
	if err := r.Forget(t.Context(), of, func(text string) string { return text }, func(ctx context.Context, c Change, f Forgotten) error {
		_, err := r.store.Submit(ctx, c)
		if f.Observations != 2 || f.Contexts != 2 {
			t.Errorf("%+v", f)
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	for _, x := range *r.store.(*few) {
		if strings.Contains(strings.ToLower(string(x.Value)), "markerd") {
			t.Errorf("the record %q has the words: %q", x.Key[:1], x.Value)
		}
	}
}

// TestARelayMayBeRejectedMeanwhile rejects a relay while its acceptance waits to merge what it reported before.
func TestARelayMayBeRejectedMeanwhile(t *testing.T) {
	const ari, relay = "https://ex/ari", "https://ex/relay"
	r := opened(t, func(u *unit) {
		x := u.changeRelay(relay)
		x.State, x.Of = record.Repeating, ari
	})
	for _, o := range []Observation{{RobotURI: ari, ObservedAt: "2026-01-01T12:00:00.100Z"}, {RobotURI: relay, ObservedAt: "2026-01-01T12:00:05.100Z"}} {
		o.EventKind, o.Text = "heard", "the museum is open today"
		if _, err := r.Resolve(t.Context(), o, "ari"); err != nil {
			t.Fatal(err)
		}
	}
	end, err := r.alone(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	accepted := make(chan error)
	go func() {
		_, err := r.DecideRelay(t.Context(), relay, "", true, journal.Entry{Actor: "eva"})
		accepted <- err
	}()
	for r.waiting.Load() == 0 {
		time.Sleep(time.Millisecond)
	}
	_, err = r.DecideRelay(t.Context(), relay, "", false, journal.Entry{Actor: "bea"})
	end()
	if err := errors.Join(err, <-accepted); err != nil {
		t.Fatal(err)
	}
	if s, err := r.Stats(t.Context()); err != nil || s.ManualMerges != 0 {
		t.Errorf("it was merged %d times, %v", s.ManualMerges, err)
	}
}

// TestTheMedianOfTheClocksIsThatAfterARestart makes a robot a relay, and no longer one.
func TestTheMedianOfTheClocksIsThatAfterARestart(t *testing.T) {
	const ari, relay = "https://ex/ari", "https://ex/relay"
	r := opened(t, func(u *unit) {
		u.setClock(record.Clock{Robot: ari, Anchors: 100, Offset: 1})
		u.setClock(record.Clock{Robot: relay, Anchors: 100, Offset: 4})
	})
	for _, is := range []bool{true, false, true} {
		if _, err := r.DecideRelay(t.Context(), relay, ari, is, journal.Entry{Actor: "eva"}); err != nil {
			t.Fatal(err)
		}
		again, err := Open(r.store, Options{Settings: Defaults()})
		if err == nil {
			err = again.reading(func(*unit) error { return nil })
		}
		want := map[bool]float64{true: 1, false: 2.5}[is]
		if now, then := r.committed.learnt.median.Median(), again.committed.learnt.median.Median(); err != nil || now != want || then != want {
			t.Errorf("a relay: %v; the median is %v, and after a restart %v, want %v, %v", is, now, then, want, err)
		}
	}
}

// TestManyLongTextsAreNotCompared surveys reports of one moment: a few, and so many that comparing them would hold everybody up.
func TestManyLongTextsAreNotCompared(t *testing.T) {
	for n, learns := range map[int]bool{20: true, 60: false} {
		r := opened(t, func(u *unit) {
			for i := range n {
				addContexts(t, u, record.Member{Robot: fmt.Sprint("robot ", i), Text: strings.Repeat(fmt.Sprintf("word%d ", i), 30) + "end"})
			}
		})
		u := r.begin()
		x, err := u.context(1)
		if err == nil {
			err = u.survey(x.bucket())
		}
		if err != nil || (len(u.pairs.changed)+len(u.relays.changed) > 0) != learns {
			t.Errorf("from %d reports it learns of %d pairs and %d robots, %v", n, len(u.pairs.changed), len(u.relays.changed), err)
		}
	}
}

// TestTheLimitOfTextsIsInLetters surveys as many letters as a limit of bytes would not let it.
func TestTheLimitOfTextsIsInLetters(t *testing.T) {
	r := opened(t, func(u *unit) {
		for i := range 20 {
			addContexts(t, u, record.Member{Robot: fmt.Sprint("robot ", i), Text: strings.Repeat("館", maxLetters/25) + strings.Repeat("開", i)})
		}
	})
	u := r.begin()
	x, err := u.context(1)
	if err == nil {
		err = u.survey(x.bucket())
	}
	if err != nil || len(u.pairs.changed)+len(u.relays.changed) == 0 {
		t.Errorf("it learns nothing, %v", err)
	}
}

// TestWhatGoesDoesNotDependOnChance evicts the first of many pairs of subjects of equal worth.
func TestWhatGoesDoesNotDependOnChance(t *testing.T) {
	suite.OneGoroutine(t)
	r := opened(t, func(u *unit) {
		for i := range maxPersons {
			u.setPerson(record.Person{First: fmt.Sprintf("a%04d", i), Second: fmt.Sprintf("b%04d", i), Together: 1})
		}
	})
	u := r.begin()
	u.setPerson(record.Person{First: "x", Second: "y", Together: 1})
	if _, err := r.enter(u); err != nil {
		t.Fatal(err)
	}
	known := r.committed.learnt
	if _, stays := known.persons[pairName{"a0000", "b0000"}]; stays || known.paired["a0000"] || !known.paired["y"] || len(known.persons) != maxPersons {
		t.Errorf("of %d pairs the first stays: %v; it counts: %v", len(known.persons), stays, known.paired["a0000"])
	}
}

// TestABucketListsTheNewest has more contexts in one bucket than are listed.
func TestABucketListsTheNewest(t *testing.T) {
	name := bucketName{text.Fingerprint("wave"), 0}
	r := opened(t, func(u *unit) { addContexts(t, u, record.Member{Robot: "r"}) })
	full := newBucket(name)
	full.all = make(list, 2*listedAtLeast-1)
	for i := range full.all {
		full.all[i].number = uint64(i) + 10
	}
	r.committed.buckets.put(name, full)
	u := r.begin()
	addContexts(t, u, record.Member{Robot: "r"})
	if _, err := r.enter(u); err != nil {
		t.Fatal(err)
	}
	if _, stays := r.committed.buckets.get(name); stays {
		t.Errorf("a bucket with %d contexts stays in memory", len(full.all))
	}
	store := few{}
	r.committed.store = &store
	for _, n := range []struct{ has, lists int }{{listedAtLeast + 10, listedAtLeast + 10}, {2*listedAtLeast - 1, 2*listedAtLeast - 1}, {2 * listedAtLeast, listedAtLeast}, {3*listedAtLeast - 1, 2*listedAtLeast - 1}} {
		for i := uint64(len(store)); i < uint64(n.has); i++ {
			store = append(store, Record{Key: r.committed.hasher.TimeKey(name.kind, name.time, i+1)})
		}
		numbers, err := r.committed.newest(name)
		if err != nil || len(numbers) != n.lists || numbers[len(numbers)-1] != uint64(n.has) {
			t.Errorf("of %d contexts it lists %d, %v", n.has, len(numbers), err)
		}
	}
}

// TestALateMergeClosesACaseAsItWasAsked merges a relay's context into one that its case did not offer, and undoes that.
func TestALateMergeClosesACaseAsItWasAsked(t *testing.T) {
	for _, offered := range []uint64{1, 2} {
		r := opened(t, func(u *unit) {
			addContexts(t, u, record.Member{Robot: "a"}, record.Member{Robot: "b"}, record.Member{Robot: "relay"})
			u.totals.Cases = 1
			u.learnReview(&record.Case{}, true)
			s, err := u.context(3)
			if err != nil {
				t.Fatal(err)
			}
			x := s.Context
			x.Doubts = []record.Doubt{{Own: 3, Case: 1}}
			if _, err := u.setContext(x); err != nil {
				t.Fatal(err)
			}
			if err := u.setCase(record.Case{Number: 1, Source: 3, Targets: []record.Target{{Context: offered}}}); err != nil {
				t.Fatal(err)
			}
		})
		u := r.begin()
		s, _ := u.context(3)
		target, _ := u.context(1)
		if err := u.mergeLate(s, target, journal.Entry{}, ""); err != nil {
			t.Fatal(err)
		}
		id := u.names().Decision(u.totals.Decisions)
		k, err := u.caseOf(1)
		if want := map[uint64]record.CaseStatus{1: record.Accepted, 2: record.Superseded}[offered]; err != nil || k.Status != want || offered == 1 && k.Selected != 1 || offered == 2 && k.Selected != 0 {
			t.Errorf("a case about %d: %+v, %v", offered, k, err)
		}
		if _, err := r.enter(u); err != nil {
			t.Fatal(err)
		}
		if _, err := r.Undo(t.Context(), id, journal.Entry{}); err != nil {
			t.Fatal(err)
		}
		if k, err := r.begin().caseOf(1); err != nil || k.Status != record.Pending {
			t.Errorf("after the undo: %+v, %v", k, err)
		}
		if n := len(r.begin().reviews().Verdicts); n != 1 {
			t.Errorf("after the undo %d verdicts count", n)
		}
	}
}

// TestTheBestTargetIsThatOffered accepts a case without a target after its best one was merged with the source in another way:
// what was seen before that is refused, as is the merged one by its name.
func TestTheBestTargetIsThatOffered(t *testing.T) {
	var seen string
	r := opened(t, func(u *unit) {
		addContexts(t, u, record.Member{Robot: "a"}, record.Member{Robot: "b"}, record.Member{Robot: "c"})
		u.totals.Cases = 1
		if err := u.setCase(record.Case{Number: 1, Source: 3, Targets: []record.Target{{Context: 1}, {Context: 2}}}); err != nil {
			t.Fatal(err)
		}
		seen, _ = u.seenCase(&record.Case{Source: 3, Targets: []record.Target{{Context: 1}, {Context: 2}}})
		var all [4]*shared
		for n := range uint64(3) {
			x, _ := u.context(n + 1)
			named := x.Context
			named.URI = fmt.Sprint("https://ex/c/", n+1)
			all[n+1], _ = u.setContext(named)
		}
		if _, err := u.merge(all[3], all[1]); err != nil {
			t.Fatal(err)
		}
	})
	id, e := r.begin().names().Case(1), journal.Entry{Actor: "eva"}
	offered, err := r.Waiting(t.Context(), 10)
	if err != nil || len(offered) != 1 || offered[0].Target != "https://ex/c/2" {
		t.Fatalf("%+v, %v", offered, err)
	}
	v, err := r.Accept(t.Context(), id, "https://ex/c/1", false, e)
	if err != nil || !v.AlreadyDecided || v.Status != "pending" {
		t.Errorf("the merged one: %+v, %v", v, err)
	}
	var changed *Error
	if v, err := r.Accept(AsSeen(t.Context(), seen), id, "", false, e); !errors.As(err, &changed) || changed.Code != Changed {
		t.Errorf("as it was seen before: %+v, %v", v, err)
	}
	v, err = r.Accept(t.Context(), id, "", false, e)
	if err != nil || v.Status != "accepted" || v.AlreadyDecided || *v.SelectedContextURI != "https://ex/c/2" {
		t.Errorf("%+v, %v", v, err)
	}
}

// TestVerdictsFade halves what was learnt of two robots, and takes back one of many verdicts.
func TestVerdictsFade(t *testing.T) {
	p := record.Pair{Similar: maxPairGaps, Accepted: 2, Rejected: 6}
	if halve(&p); p.Accepted != 1 || p.Rejected != 3 {
		t.Errorf("%+v", p)
	}
	r := opened(t, func(u *unit) {
		for n := range maxReviews + 3 { // the first three are gone
			u.learnReview(&record.Case{Any: float64(n)}, true)
		}
	})
	u := r.begin()
	u.unlearnReview(&record.Case{Any: 1}, true)
	u.unlearnReview(&record.Case{Any: 9}, false)
	if u.newReviews != nil {
		t.Error("a verdict that is not in the list was removed")
	}
	u.unlearnReview(&record.Case{Any: 5}, true)
	u.learnReview(&record.Case{Any: math.Pi}, true)
	u.learnReview(&record.Case{Any: math.E}, true)
	got := u.reviews().Verdicts
	if len(got) != maxReviews || got[0].Any != math.E || got[1].Any != 4 || got[2].Any != 6 || got[maxReviews-1].Any != math.Pi {
		t.Errorf("%d verdicts, %v … %v", len(got), got[:3], got[maxReviews-1])
	}
}

// A bucket in memory lists what one does that has just been read, also after a match or merge brought another subject or text.
func TestABucketListsWhatMatchesAdd(t *testing.T) {
	r, err := Open(&few{}, Options{Settings: Defaults()})
	if err != nil {
		t.Fatal(err)
	}
	one := PersonDecision{Subjects: []string{"https://ex/maria", "https://ex/mary"}, One: true}
	if _, err := r.DecidePerson(t.Context(), one, journal.Entry{}); err != nil {
		t.Fatal(err)
	}
	like := func(after string) {
		t.Helper()
		name, c := bucketName{text.Fingerprint("heard"), 0}, readOnly(r.store)
		c.hasher = r.committed.hasher
		fresh, err := c.bucket(name)
		if err != nil {
			t.Fatal(err)
		}
		kept, err := r.committed.bucket(name)
		if err == nil {
			err = errors.Join(fresh.crowd(c), kept.crowd(&r.committed))
		}
		if err != nil || !reflect.DeepEqual(kept, fresh) {
			t.Errorf("after %s it is %v, and as read %v, %v", after, kept, fresh, err)
		}
	}
	var last *Resolution
	for i, o := range []Observation{
		{RobotURI: "https://ex/ari", SubjectURI: one.Subjects[0], Text: "could you show me climate news please"},
		{RobotURI: "https://ex/tiago", SubjectURI: one.Subjects[1], Text: "could you show me the climate news please"},
		{RobotURI: "https://ex/tiago", Text: "where is my green umbrella"},
		{RobotURI: "https://ex/ari", Text: "what does the old castle look like"},
		{RobotURI: "https://ex/tiago", SubjectURI: one.Subjects[0], Text: "what does the old castle look like"},
	} {
		o.EventKind, o.ObservedAt = "heard", fmt.Sprintf("1970-01-01T00:00:01.%d01Z", i)
		if last, err = r.Resolve(t.Context(), o, "tester"); err != nil || i == 1 && last.Outcome != Matched {
			t.Fatalf("%+v, %v", last, err)
		}
		like(o.Text)
	}
	if _, err := r.Accept(t.Context(), *last.CaseID, "", false, journal.Entry{}); err != nil {
		t.Fatal(err)
	}
	like("a merge")
}

// lossy is a store that loses all changes.
type lossy struct {
	few
	resets int
}

func (l *lossy) Submit(context.Context, Change) (func() error, error) {
	return func() error { return errors.New("the disk is full") }, nil
}

func (l *lossy) Reset() { l.resets++ }

// A loss empties the memory once. What is decided then knows what it builds on, although others still hear of the loss.
func TestALossEmptiesTheMemoryOnce(t *testing.T) {
	store := &lossy{}
	r, err := Open(store, Options{Settings: Defaults()})
	if err != nil {
		t.Fatal(err)
	}
	submit := func() *commit {
		w, err := r.submit(Change{})
		if err != nil {
			t.Fatal(err)
		}
		return w
	}
	first, second := submit(), submit()
	_ = r.await(first)
	third := submit()
	_ = r.await(second)
	if store.resets != 1 || r.last != third {
		t.Errorf("%d resets, and the last change is known: %v", store.resets, r.last == third)
	}
	if _ = r.await(third); store.resets != 2 || r.last != nil {
		t.Errorf("%d resets, and a lost change counts: %v", store.resets, r.last != nil)
	}
}

// Two decisions may keep two contexts apart. If one is undone, the other stands.
func TestWhatTwoDecisionsKeepApartStaysApartAfterOne(t *testing.T) {
	pair := []record.Separation{{Own: 1, Other: 2}}
	back := []record.Separation{{Own: 2, Other: 1}}
	r := opened(t, func(u *unit) {
		addContexts(t, u, record.Member{Robot: "r"}, record.Member{Robot: "s"})
		if err := errors.Join(u.keepSeparate(pair), u.keepSeparate(back)); err != nil {
			t.Fatal(err)
		}
	})
	for _, left := range []int{1, 0} {
		u := r.begin()
		if err := u.dropSeparations(pair); err != nil {
			t.Fatal(err)
		}
		if _, err := r.enter(u); err != nil {
			t.Fatal(err)
		}
		if err := r.reading(func(u *unit) error {
			a, err := u.context(1)
			if err != nil {
				return err
			}
			b, err := u.context(2)
			if len(a.Separations) != left || len(b.Separations) != left {
				t.Errorf("%d and %d separations stay, want %d", len(a.Separations), len(b.Separations), left)
			}
			return err
		}); err != nil {
			t.Fatal(err)
		}
	}
}

// A removal of contexts looks at so many observations at a time, and begins to look again for those who wait only after it has
// removed as long as it has looked.
func TestARemovalLooksOnceForEachWindow(t *testing.T) {
	for window, want := range map[int]int{0: 1, 10: 6} {
		r := opened(t, func(u *unit) { addContexts(t, u, make([]record.Member, 12)...) })
		u := r.begin()
		for n := range uint64(12) {
			s, err := u.context(n + 1)
			if err != nil {
				t.Fatal(err)
			}
			x := s.Context
			x.Count = 5
			if _, err := u.setContext(x); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := r.enter(u); err != nil {
			t.Fatal(err)
		}
		r.waiting.Add(1) // another always waits
		looked, gone := 0, 0
		err := r.Expire(t.Context(), Expiry{
			Window: window,
			View: func(do func(Store) error) error {
				looked++
				time.Sleep(50 * time.Millisecond)
				return do(r.store)
			},
			Old:   func([]Aged) error { return nil },
			Named: func(string) (bool, error) { return false, nil },
			Also:  func(x Expired) any { gone += len(x.Contexts); return nil },
		})
		if err != nil || looked < want || looked > want+1 || gone != 12 {
			t.Errorf("a window of %d: it looked %d times, want %d; %d went, %v", window, looked, want, gone, err)
		}
	}
}

// Clients can name any number of robots, but only so many clocks are learnt. Those heard longest ago make room.
func TestLearntClocksAreLimited(t *testing.T) {
	const ari, tiago = "https://ex/robot/ari", "https://ex/robot/tiago"
	old := func(n int) string { return fmt.Sprint("https://ex/robot/", n) }
	r := opened(t, func(u *unit) {
		for n := range maxLearnt {
			c := record.Clock{Robot: old(n), Anchors: 5, Heard: int64(100 + n%50)}
			switch n {
			case 7: // longest ago, but a person decided
				c.Heard, c.DecidedAt, c.DecidedBy = 1, 1, "eva"
			case 2000, 3000:
				c.Heard = int64(n / 1000)
			}
			u.setClock(c)
		}
	})
	for n := range 12 {
		for i, robot := range []string{ari, tiago} {
			o := Observation{EventKind: "heard", SubjectURI: "https://ex/maria", RobotURI: robot, ObservedAt: fmt.Sprintf("2026-01-01T12:%02d:00.%d00Z", n, i+1),
				Text: fmt.Sprint(n, " is where i left my glasses this morning ", strings.Repeat(string(rune('a'+n)), 9))}
			if _, err := r.Resolve(t.Context(), o, "ari"); err != nil {
				t.Fatal(err)
			}
		}
	}
	for range 2 { // also from the store
		known := &r.committed.learnt
		for robot, want := range map[string]bool{ari: true, tiago: true, old(7): true, old(50): true, old(2000): false, old(3000): false} {
			c, err := r.committed.clock(robot)
			if _, learnt := known.offsets[robot]; err != nil || learnt != want || clocks.Learnt(c) != want {
				t.Errorf("%s is learnt: %v, stored %+v, %v", robot, learnt, c, err)
			}
		}
		if len(known.offsets) != maxLearnt {
			t.Errorf("%d clocks are learnt", len(known.offsets))
		}
		if err := r.reread(); err != nil {
			t.Fatal(err)
		}
	}
}
