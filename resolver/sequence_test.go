package resolver_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/segraph/segraph/internal/suite"
	"github.com/segraph/segraph/resolver"
	"github.com/segraph/segraph/resolver/memory"
)

// world is a resolver under a random sequence of operations by clients and people.
type world struct {
	store *memory.Store
	*resolver.Resolver
	now       time.Time
	answers   map[string]string // observation as JSON: the context that it first created or joined
	issued    map[string]bool   // URIs of contexts
	ids       map[string]string // by id, the observation that had it first
	reused    int
	into      map[string]string // a model of the merges in force: source to target
	decisions []string
	accepted  []string          // cases
	matches   map[string]string // matches in force: decision to observation as JSON
}

func (w *world) open(t *rapid.T) {
	r, err := resolver.Open(w.store, resolver.Options{Settings: resolver.Defaults(), Now: func() time.Time {
		w.now = w.now.Add(time.Millisecond)
		return w.now
	}})
	if err != nil {
		t.Fatal(err)
	}
	w.Resolver = r
}

// refused reports whether an operation was refused with a reason for the client.
func refused(t *rapid.T, err error) bool {
	var known *resolver.Error
	if err != nil && !errors.As(err, &known) {
		t.Fatal(err)
	}
	return err != nil
}

func (w *world) resolve(t *rapid.T) { w.see(t, rapid.IntRange(0, 40).Draw(t, "which")) }

// event lets several robots report the same.
func (w *world) event(t *rapid.T) {
	event := rapid.IntRange(0, 9).Draw(t, "event")
	for n := range 4 {
		w.see(t, 4*event+n)
	}
}

// see resolves one of the observations of the world.
func (w *world) see(t *rapid.T, n int) {
	ctx := context.Background()
	o := said(time.Date(2026, 2, 11, 9, 0, n/12, n%4*170_001_000, time.UTC).Format("2006-01-02T15:04:05.000000Z"), "", fmt.Sprintf("https://ex/robot/%d", n%3),
		[]string{"yes", news, "where is the exit", ""}[n/4%4])
	if n%5 > 1 {
		o.SubjectURI = maria
	}
	o.ObservationURI = fmt.Sprintf("https://ex/observation/%d", n%30) // some ids name two
	x, err := w.Resolve(ctx, o, "tester")
	if err != nil {
		t.Fatal(err)
	}
	key := asJSON(t, o)
	if _, known := w.answers[key]; known != x.Duplicate {
		t.Fatalf("%s: duplicate %v, known %v", key, x.Duplicate, known)
	}
	if x.Outcome != resolver.Matched && !x.Duplicate {
		if w.issued[x.SharedContextURI] {
			t.Fatalf("%s was issued twice", x.SharedContextURI)
		}
		w.issued[x.SharedContextURI] = true
	}
	if w.answers[key] == "" {
		if reused := w.ids[o.ObservationURI] != ""; reused != x.IDReused {
			t.Fatalf("%s: reused %v, want %v", key, x.IDReused, reused)
		} else if reused {
			w.reused++
		} else {
			w.ids[o.ObservationURI] = key
		}
		w.answers[key] = x.SharedContextURI
		if x.Outcome == resolver.Matched {
			w.matches[*x.DecisionID] = key
		}
	}
}

func asJSON(t *rapid.T, o resolver.Observation) string {
	text, err := json.Marshal(o)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// pending returns a pending case, or "".
func (w *world) pending(t *rapid.T) (id string, targets []string) {
	q, err := w.Pending(context.Background(), 100, 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(q.PendingCases) == 0 {
		return "", nil
	}
	k := q.PendingCases[rapid.IntRange(0, len(q.PendingCases)-1).Draw(t, "case")]
	for _, c := range k.Candidates {
		targets = append(targets, c.ContextURI)
	}
	return k.CaseID, targets
}

func (w *world) accept(t *rapid.T) {
	id, targets := w.pending(t)
	if id == "" {
		return
	}
	target := rapid.SampledFrom(append(targets, "")).Draw(t, "target")
	v, err := w.Accept(context.Background(), id, target, rapid.Bool().Draw(t, "override"), judge)
	if refused(t, err) {
		return
	}
	w.into[w.root(v.SourceContextURI)] = v.SharedContextURI
	w.accepted = append(w.accepted, id)
	w.decisions = append(w.decisions, v.DecisionID)
}

// root returns the context that a context belongs to now, according to the model.
func (w *world) root(uri string) string {
	for w.into[uri] != "" {
		uri = w.into[uri]
	}
	return uri
}

func (w *world) reject(t *rapid.T) {
	id, _ := w.pending(t)
	if id == "" {
		return
	}
	v, err := w.Reject(context.Background(), id, judge)
	if refused(t, err) {
		return
	}
	w.accepted = append(w.accepted, id)
	w.decisions = append(w.decisions, v.DecisionID)
}

func (w *world) undo(t *rapid.T) {
	ids := append(append([]string{"decision_none"}, w.accepted...), w.decisions...)
	if matches := slices.Sorted(maps.Keys(w.matches)); len(matches) > 0 && rapid.Bool().Draw(t, "a match") {
		ids = matches
	}
	id := rapid.SampledFrom(ids).Draw(t, "undone")
	x, err := w.Undo(context.Background(), id, judge)
	key, match := w.matches[id]
	switch {
	case refused(t, err):
		if match {
			t.Fatalf("a match can't be undone: %v", err)
		}
	case match:
		w.unmatched(t, key, x)
		delete(w.matches, id)
		if _, err := w.Undo(context.Background(), id, judge); !refused(t, err) {
			t.Fatalf("%s was undone twice", id)
		}
	case x.TargetContextURI != nil:
		delete(w.into, x.SourceContextURI)
	}
}

// unmatched checks the effects of undoing the match of an observation.
func (w *world) unmatched(t *rapid.T, key string, x *resolver.Reversal) {
	left := w.root(w.answers[key])
	if w.issued[x.SourceContextURI] {
		t.Fatalf("%s is no new context", x.SourceContextURI)
	}
	w.issued[x.SourceContextURI] = true
	w.answers[key] = x.SourceContextURI
	own, err := w.Context(context.Background(), x.SourceContextURI, 100, 0)
	if err != nil || own.Context.ObservationCount != 1 || len(own.Context.Observations) != 1 || own.Context.Observations[0].DecisionID != x.DecisionID ||
		!slices.Contains(own.KeptSeparate, left) {
		t.Fatalf("%+v, %v; want one observation, kept apart from %s", own, err, left)
	}
}

func (w *world) reconcile(t *rapid.T) {
	first, err := w.Reconcile(context.Background(), judge)
	if err != nil {
		t.Fatal(err)
	}
	maps.Copy(w.into, first.Mappings)
	x, err := w.Reconcile(context.Background(), judge)
	if err != nil || x.MergedCount+x.OpenedCases+x.UpdatedCases+x.ClosedCases > 0 {
		t.Fatalf("a second run gives %+v, %v", x, err)
	}
	history, err := w.History(context.Background(), "", 50)
	if err != nil {
		t.Fatal(err)
	}
	for _, j := range history {
		if j.Kind == resolver.MergedByResolver {
			w.decisions = append(w.decisions, j.DecisionID)
		}
	}
}

// subject decides what a subject is.
func (w *world) subject(t *rapid.T) {
	person := rapid.Bool().Draw(t, "person")
	x, err := w.DecideSubject(context.Background(), maria, person, judge)
	if err != nil || (x.State == "overruled") != person {
		t.Fatalf("%+v, %v", x, err)
	}
}

// clock sets a robot's clock offset, or undoes that.
func (w *world) clock(t *rapid.T) {
	ctx := context.Background()
	stats, err := w.Stats(ctx)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range stats.Clock.Robots {
		if c.At != nil {
			if x, err := w.RevokeClock(ctx, c.RobotURI, judge); err != nil || x.At != nil {
				t.Fatalf("%+v, %v", x, err)
			}
			return
		}
	}
	if len(stats.Clock.Robots) > 0 {
		offset := int64(rapid.IntRange(-100, 100).Draw(t, "offset"))
		x, err := w.ConfirmClock(ctx, stats.Clock.Robots[0].RobotURI, &offset, judge)
		if err != nil || x.At == nil || *x.Offset != offset || x.By != judge.Actor {
			t.Fatalf("%+v, %v", x, err)
		}
	}
}

func (w *world) clear(t *rapid.T) {
	if rapid.IntRange(0, 9).Draw(t, "really") > 0 {
		return
	}
	if rapid.Bool().Draw(t, "published alone") {
		if err := w.ClearPublished(context.Background(), w.store.ClearPublished); err != nil {
			t.Fatal(err)
		}
		return
	}
	if _, err := w.Clear(context.Background(), w.store.ClearPublished); err != nil {
		t.Fatal(err)
	}
	w.answers, w.ids, w.into, w.decisions, w.accepted = map[string]string{}, map[string]string{}, map[string]string{}, nil, nil
	w.matches, w.reused = map[string]string{}, 0
}

// expire removes what is about events before a time, and what no event from then on is related to.
func (w *world) expire(t *rapid.T) {
	before := time.Date(2026, 2, 11, 9, 0, rapid.IntRange(0, 4).Draw(t, "before"), 0, time.UTC)
	var gone []string
	x := resolver.Expiry{
		Window: rapid.IntRange(1, 3).Draw(t, "window"),
		View:   func(do func(resolver.Store) error) error { return do(w.store) },
		Old: func(all []resolver.Aged) error {
			for i := range all {
				if all[i].Rule = 7; !all[i].At.Before(before) {
					all[i].Rule = -1
				}
			}
			return nil
		},
		Named: func(string) (bool, error) { return false, nil },
		Also:  func(x resolver.Expired) any { gone = append(gone, x.Names...); return nil },
	}
	err := w.Expire(context.Background(), x)
	went := len(gone)
	if x.Window = 0; err == nil {
		err = w.Expire(context.Background(), x)
	}
	if err != nil || len(gone) > went {
		t.Fatalf("%v stayed because they were looked at apart, %v", gone[went:], err)
	}
	for key, uri := range maps.Clone(w.answers) {
		var o resolver.Observation
		if err := json.Unmarshal([]byte(key), &o); err != nil {
			t.Fatal(err)
		}
		at, err := time.Parse(time.RFC3339Nano, o.ObservedAt)
		if err != nil {
			t.Fatal(err)
		}
		switch went := slices.Contains(gone, uri); {
		case went && !at.Before(before):
			t.Fatalf("%s went with an event of %v", uri, at)
		case went:
			if delete(w.answers, key); w.ids[o.ObservationURI] == key {
				delete(w.ids, o.ObservationURI)
			}
			maps.DeleteFunc(w.matches, func(_, of string) bool { return of == key })
		}
	}
	maps.DeleteFunc(w.into, func(from, to string) bool { return slices.Contains(gone, from) })
	for _, name := range gone {
		if _, err := w.Context(context.Background(), name, 1, 0); !refused(t, err) {
			t.Fatalf("%s is still there", name)
		}
		w.accepted = slices.DeleteFunc(w.accepted, func(id string) bool { return id == name })
	}
	if before.Second() == 4 && len(w.answers) > 0 { // after all events
		t.Fatalf("%v stays", w.answers)
	}
}

// fail makes a commit fail. None of it may remain.
func (w *world) fail(t *rapid.T) {
	before, err := w.Stats(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	w.store.Failing = func([]resolver.Change) error { return errors.New("no room") }
	defer func() { w.store.Failing = nil }()
	o := said("2026-02-11T09:00:01.000001Z", maria, "https://ex/robot/9", news)
	o.ObservationURI = "https://ex/observation/failing"
	if _, err := w.Resolve(context.Background(), o, "tester"); err == nil {
		t.Fatal("what could not be stored was answered")
	}
	after, err := w.Stats(context.Background())
	if err != nil || !reflect.DeepEqual(before, after) {
		t.Fatalf("%+v became %+v, %v", before, after, err)
	}
}

func init() { suite.Checks(30) }

// TestAnySequenceKeepsItsPromises runs random sequences of all operations, including
// restarts and failed commits, and checks the invariants after each step.
func TestAnySequenceKeepsItsPromises(t *testing.T) {
	suite.NotShort(t)
	suite.OneGoroutine(t)
	rapid.Check(t, func(t *rapid.T) {
		w := &world{store: &memory.Store{}, now: time.Date(2026, 2, 11, 10, 0, 0, 0, time.UTC), answers: map[string]string{},
			ids: map[string]string{}, into: map[string]string{}, matches: map[string]string{}, issued: map[string]bool{}}
		w.open(t)
		steps := map[string]func(*rapid.T){"resolve": w.resolve, "event": w.event, "accept": w.accept, "reject": w.reject, "undo": w.undo, "reconcile": w.reconcile,
			"restart": w.open, "subject": w.subject, "clock": w.clock, "clear": w.clear, "fail": w.fail, "expire": w.expire, "": w.check}
		for name, weight := range map[string]int{"resolve": 4, "event": 3, "accept": 2, "undo": 3} {
			for i := range weight {
				steps[fmt.Sprint(name, i)] = steps[name]
			}
		}
		t.Repeat(steps)
	})
}

// TestAnswersAreTheSameAfterARestart resolves a sequence twice, once with a restart
// between any two.
func TestAnswersAreTheSameAfterARestart(t *testing.T) {
	var answers [2][]string
	for i := range answers {
		store := &memory.Store{}
		now := clock()
		var r *resolver.Resolver
		for n := range 60 {
			if r == nil || i == 1 {
				var err error
				if r, err = resolver.Open(store, resolver.Options{Settings: resolver.Defaults(), Now: now, Random: zeros{}}); err != nil {
					t.Fatal(err)
				}
			}
			at := time.Date(2026, 2, 11, 9, 0, n/4, n%4*200_001_000, time.UTC).Format("2006-01-02T15:04:05.000000Z")
			x := resolve(t, r, said(at, []string{maria, ""}[n%7/6], fmt.Sprintf("https://ex/robot/%d", n%4), fmt.Sprintf("this is sentence number %d", n/4)))
			answers[i] = append(answers[i], fmt.Sprintf("%s %s %.9f", x.SharedContextURI, x.Outcome, x.Confidence))
		}
	}
	for n := range answers[0] {
		if answers[0][n] != answers[1][n] {
			t.Fatalf("observation %d: %s without restarts, %s with them", n, answers[0][n], answers[1][n])
		}
	}
}

// zeros is a source of random bytes that are all zero.
type zeros struct{}

func (zeros) Read(b []byte) (int, error) { clear(b); return len(b), nil }
