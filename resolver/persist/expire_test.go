package persist

import (
	"fmt"
	"log/slog"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/segraph/segraph/resolver"
	"github.com/segraph/segraph/store/engine"
	"github.com/segraph/segraph/store/fleet/box"
	"github.com/segraph/segraph/store/holds"
	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/store/notes"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/retention"
	"github.com/segraph/segraph/store/retries"
	"github.com/segraph/segraph/store/turtle"
)

// aging is a store whose clock a test sets, with retention.
type aging struct {
	*testing.T
	s   *Store
	g   ResolvedGraph
	now time.Time
}

func newAging(t *testing.T) *aging {
	t.Parallel()
	a := &aging{T: t, s: openStore(t), now: time.Date(2026, 1, 1, 6, 0, 0, 0, time.UTC)}
	a.g = ResolvedGraph{Graph: a.s, Store: a.s, Resolver: openResolver(t, a.s.Contexts(), func() time.Time { return a.now })}
	return a
}

// nowhere checks that the file no longer has a text once it is collected and scrubbed.
func (a *aging) nowhere(text string) {
	a.Helper()
	if _, err := a.s.Collect(a.Context()); err != nil {
		a.Fatal(err)
	}
	if err := a.s.Scrub(a.Context()); err != nil {
		a.Fatal(err)
	}
	if places, err := a.s.Find(a.Context(), text, retries.Unpacked); err != nil || len(places) > 0 {
		a.Errorf("it is found in %v, %v", places, err)
	}
}

// hear has a robot report a text, and returns the answer and the id of its entry. Events that are minutes apart have nothing in
// common.
func (a *aging) hear(minute int, o resolver.Observation) (*resolver.Resolution, string) {
	a.Helper()
	o.EventKind, o.ObservedAt = "heard", a.now.Add(time.Duration(minute)*time.Minute).Format(time.RFC3339)
	e := entryOf(journal.Resolve)
	e.Time, e.Actor = a.now, strings.TrimPrefix(o.RobotURI, "http://ex/")
	x, err := a.g.Resolver.Record(a.Context(), o, e)
	if err != nil {
		a.Fatal(err)
	}
	return x, e.LogID
}

// day is the next day of retention, or the one after some.
func (a *aging) day(days int, rules ...retention.Rule) retention.Tally {
	a.Helper()
	a.now = a.now.Add(time.Duration(days) * 24 * time.Hour)
	r := retention.New(retention.Options{Rules: rules, Store: a.s.Store, Provenance: a.s.Provenance, Times: ReportedTimes, Contexts: a.g.ExpireContexts,
		Log: slog.New(slog.DiscardHandler), Now: func() time.Time { return a.now }})
	done, err := r.Day(a.Context())
	if err != nil {
		a.Fatal(err)
	}
	mustCheck(a.T, a.s)
	return done
}

func (a *aging) has(uri string) bool {
	a.Helper()
	_, err := a.g.Resolver.Context(a.Context(), uri, 1, 0)
	if err != nil && !strings.Contains(err.Error(), "there is no context") {
		a.Fatal(err)
	}
	return err == nil
}

const aDay = 24 * time.Hour

// Contexts go with what retention takes, and nothing of them is found; the day's entry says how many went by which rule.
func TestContextsGoWithRetention(t *testing.T) {
	a := newAging(t)
	gone, id := a.hear(0, resolver.Observation{Text: "the wanted sentence", SubjectURI: "http://ex/wantedperson", RobotURI: "http://ex/ari", ObservationURI: "http://ex/wantedobservation"})
	doubted, _ := a.hear(0, resolver.Observation{Text: "the wanted sentence", RobotURI: "http://ex/tiago"})
	if doubted.CaseID == nil {
		t.Fatalf("%+v has no case", doubted)
	}
	for _, about := range []string{gone.SharedContextURI, *doubted.CaseID, "http://ex/other"} {
		if err := a.s.Notes.Put(t.Context(), notes.Note{Kind: "note", Owner: "eve", Name: about, Text: fmt.Sprintf(`{"about":%q,"text":"wanted words"}`, about)}); err != nil {
			t.Fatal(err)
		}
	}
	a.now = a.now.Add(aDay)
	young, _ := a.hear(0, resolver.Observation{Text: "it stays", RobotURI: "http://ex/ari"})
	rules := []retention.Rule{{User: "tiago", Keep: aDay}, {Keep: 2 * aDay}}
	if done := a.day(1, rules...); len(done.Contexts) > 0 { // the case keeps them together
		t.Errorf("%+v", done)
	}
	a.now = a.now.Add(time.Second)
	done := a.day(0, rules...)
	if fmt.Sprint(done.Contexts) != `map[all logs, 2 days:1 user "tiago", 1 days:1]` || done.Indexes != "0-1" {
		t.Errorf("%+v", done)
	}
	if a.has(gone.SharedContextURI) || a.has(doubted.SharedContextURI) || !a.has(young.SharedContextURI) {
		t.Error("others went")
	}
	all := entries(t, a.s)
	if e := all[len(all)-1]; e.Action != journal.Expire || e.Detail != `all logs, 2 days: contexts: 1; user "tiago", 1 days: contexts: 1` || e.Lessened != "0-1" {
		t.Errorf("%+v", e)
	}
	if left, err := a.s.Notes.List("note", ""); err != nil || len(left) != 1 || left[0].Name != "http://ex/other" {
		t.Errorf("%+v, %v", left, err)
	}
	if _, err := a.s.Notes.Remove(t.Context(), "note", "eve", "http://ex/other"); err != nil {
		t.Fatal(err)
	}
	a.nowhere("wanted")
	if err := a.s.View(func(snap *engine.Snapshot) error {
		e, err := journal.Find(snap.KV(), id, 1)
		if err == nil {
			if text, _, failed := a.s.Sent(0, &e[0].Entry); text != nil || failed != nil {
				t.Errorf("it is sent: %s, %v", text, failed)
			}
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	again, _ := a.hear(0, resolver.Observation{Text: "the wanted sentence", RobotURI: "http://ex/ari", ObservationURI: "http://ex/wantedobservation"})
	if again.Duplicate || again.SharedContextURI == gone.SharedContextURI {
		t.Errorf("%+v", again)
	}
	a.day(3, retention.Rule{Keep: aDay})
	if s, err := a.g.Resolver.Stats(t.Context()); err != nil || s.ActiveContexts+s.AmbiguousContexts+s.Observations != 0 {
		t.Errorf("%+v, %v", s, err)
	}
}

// A context stays while something needs it: a log that names it, a legal hold, a centre that does not have its observation,
// or a younger event that is or may be the same.
func TestContextsStayWhileTheyAreNeeded(t *testing.T) {
	a := newAging(t)
	uri := map[string]string{}
	hear := func(name string, o resolver.Observation) (id string) {
		o.Text, o.RobotURI = "what "+name+" says", "http://ex/ari"
		x, id := a.hear(len(uri)*10, o)
		uri[name] = x.SharedContextURI
		return id
	}
	log := hear("the held log", resolver.Observation{})
	hear("the held person", resolver.Observation{SubjectURI: "http://ex/maria#face"})
	hear("the named", resolver.Observation{})
	hear("the quoted", resolver.Observation{})
	hear("the merged", resolver.Observation{})
	hear("nobody", resolver.Observation{})
	begin := a.now
	a.now = a.now.Add(time.Hour)
	hear("the held time", resolver.Observation{})
	all := holds.Of(a.s.Store)
	for _, h := range []holds.Hold{{Log: log}, {People: []string{"http://ex/maria"}}, {From: a.now, To: a.now.Add(time.Minute)}} {
		e := entryOf(journal.Hold).Complete()
		if _, err := all.Add(t.Context(), h, e); err != nil {
			t.Fatal(err)
		}
	}
	d := entryOf(journal.Insert)
	d.Time = begin.Add(3 * aDay)
	text := fmt.Sprintf("<http://ex/m> <http://ex/in> <%s> . <http://ex/r> <%s> <<( <http://ex/m> <http://ex/in> <%s> )>> .", uri["the named"], rdf.RDFReifies, uri["the quoted"])
	doc := document(t, turtle.Turtle, text)
	d.Triples = doc.Distinct()
	if _, err := a.s.Add(t.Context(), doc, d); err != nil {
		t.Fatal(err)
	}
	a.now = begin.Add(2 * aDay)
	late := resolver.Observation{Text: "what the merged says", RobotURI: "http://ex/tiago"}
	late.EventKind, late.ObservedAt = "heard", begin.Add(40*time.Minute).Format(time.RFC3339)
	e := entryOf(journal.Resolve)
	e.Time = a.now
	if x, err := a.g.Resolver.Record(t.Context(), late, e); err != nil || x.SharedContextURI != uri["the merged"] && x.CaseID == nil {
		t.Fatalf("%+v, %v", x, err)
	}
	if _, err := box.SetCentres(t.Context(), a.s.Store, []string{"a centre"}); err != nil {
		t.Fatal(err)
	}
	a.day(0, retention.Rule{Keep: aDay})
	for name, u := range uri {
		if !a.has(u) {
			t.Errorf("%s went before the centre had it", name)
		}
	}
	if _, err := box.SetCentres(t.Context(), a.s.Store, nil); err != nil {
		t.Fatal(err)
	}
	a.day(0, retention.Rule{Keep: aDay})
	for name, u := range uri {
		if a.has(u) != (name != "nobody") {
			t.Errorf("%s is there: %v", name, a.has(u))
		}
	}
	now, err := all.All(a.now)
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range now {
		if _, _, err := all.Lift(t.Context(), h.ID, entryOf(journal.Lift).Complete()); err != nil {
			t.Fatal(err)
		}
	}
	a.day(7, retention.Rule{Keep: aDay})
	for name, u := range uri {
		if a.has(u) {
			t.Errorf("%s is still there", name)
		}
	}
}

// What somebody under a legal hold decided stays, with its contexts, and so does a decision under one.
func TestDecisionsThatAreHeldStay(t *testing.T) {
	a := newAging(t)
	a.hear(0, resolver.Observation{Text: "what is the same", RobotURI: "http://ex/ari"})
	x, _ := a.hear(0, resolver.Observation{Text: "what is the same", RobotURI: "http://ex/tiago"})
	e := entryOf(journal.Reject)
	e.Actor = "http://ex/id/decider"
	if _, err := a.g.Resolver.Reject(t.Context(), *x.CaseID, e); err != nil {
		t.Fatal(err)
	}
	all := holds.Of(a.s.Store)
	for _, h := range []holds.Hold{{People: []string{e.Actor}}, {Log: e.LogID}} {
		h, err := all.Add(t.Context(), h, entryOf(journal.Hold).Complete())
		if err != nil {
			t.Fatal(err)
		}
		if a.day(9, retention.Rule{Keep: aDay}); !a.has(x.SharedContextURI) {
			t.Fatalf("under a hold on %v it went", &h)
		}
		if _, _, err := all.Lift(t.Context(), h.ID, entryOf(journal.Lift).Complete()); err != nil {
			t.Fatal(err)
		}
	}
	if a.day(1, retention.Rule{Keep: aDay}); a.has(x.SharedContextURI) {
		t.Error("it stays")
	}
}

// A context from a moment when the clock was years ahead does not keep those that came later.
func TestAContextOfTheFutureKeepsNoOther(t *testing.T) {
	a := newAging(t)
	now := a.now
	a.now = now.AddDate(5, 0, 0)
	ahead, _ := a.hear(0, resolver.Observation{Text: "from the future", RobotURI: "http://ex/ari"})
	a.now = now
	later, _ := a.hear(0, resolver.Observation{Text: "something else", RobotURI: "http://ex/ari"})
	if a.day(3, retention.Rule{Keep: aDay}); a.has(later.SharedContextURI) || !a.has(ahead.SharedContextURI) {
		t.Errorf("of today there %v, of the future %v", a.has(later.SharedContextURI), a.has(ahead.SharedContextURI))
	}
}

// A window reads the journal and all decisions, so a small one would make a day long.
func TestSmallMachinesHaveNoSmallerWindow(t *testing.T) {
	for lookup, want := range map[int64]int{0: 0, 1 << 20: 4096, 4096 << 10: 4096, 5000 << 10: 5000, math.MaxInt64: math.MaxInt32} {
		if got := windowOf(lookup); got != want {
			t.Errorf("%d bytes give a window of %d, want %d", lookup, got, want)
		}
	}
}
