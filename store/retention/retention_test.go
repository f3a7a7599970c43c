package retention_test

import (
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/segraph/segraph/internal/storetest"
	"github.com/segraph/segraph/internal/suite"
	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/engine"
	"github.com/segraph/segraph/store/holds"
	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/store/notes"
	"github.com/segraph/segraph/store/provenance"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/retention"
	"github.com/segraph/segraph/store/turtle"
)

// file is a store with retention, whose clock a test sets.
type file struct {
	*engine.Store
	*retention.Retention
	*testing.T
	provenance *provenance.Provenance
	again      func() *retention.Retention // as a start makes it
	now        time.Time
	snapshots  []time.Time
	at         map[string]time.Time // when each log arrived
}

const day = 24 * time.Hour

func open(t *testing.T, rules ...retention.Rule) *file {
	t.Helper()
	f := &file{T: t, now: time.Date(2026, 1, 1, 6, 0, 0, 0, time.UTC), at: map[string]time.Time{}}
	f.provenance = provenance.New(provenance.Options{Agents: []rdf.Term{rdf.NewIRI("urn:by"), rdf.NewIRI("urn:byToo")}})
	var err error
	if f.Store, err = engine.Open(filepath.Join(t.TempDir(), "segraph.db"), engine.Options{Extensions: []engine.Extension{f.provenance.Extension(), (&notes.Notes{}).Extension()}}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	o := retention.Options{Rules: rules, Store: f.Store, Provenance: f.provenance, Times: []rdf.Term{rdf.NewIRI("urn:at")},
		Log: slog.New(slog.DiscardHandler), Now: func() time.Time { return f.now },
		Names: func(_ context.Context, iris ...string) ([]string, error) {
			if slices.Contains(iris, "urn:maria") {
				iris = append(iris, "urn:mary")
			}
			return iris, nil
		},
		Snapshots: func(before time.Time) (int, error) {
			n := len(f.snapshots)
			f.snapshots = slices.DeleteFunc(f.snapshots, before.After)
			return n - len(f.snapshots), nil
		}}
	f.again = func() *retention.Retention { return retention.New(o) }
	f.Retention = f.again()
	return f
}

// post stores a log, and returns its id.
func (f *file) post(user, text string) string {
	f.Helper()
	e := journal.Entry{LogID: journal.NewLogID(), Action: journal.Insert, Actor: user, Time: f.now}
	d := storetest.Document(f.T, turtle.Turtle, text)
	e.Triples = d.Distinct()
	if _, err := f.Add(f.Context(), d, e); err != nil {
		f.Fatal(err)
	}
	f.at[e.LogID] = f.now
	return e.LogID
}

// day goes on to the next day, and removes what is too old.
func (f *file) day() retention.Tally {
	f.Helper()
	f.now = f.now.Add(day)
	done, err := f.Day(f.Context())
	if err != nil {
		f.Fatal(err)
	}
	return done
}

// has reports whether a log still contributes something.
func (f *file) has(id string) bool {
	f.Helper()
	log, err := f.provenance.Log(f.Context(), id, 0)
	if err != nil {
		f.Fatal(err)
	}
	return log.Total > 0
}

func (f *file) entries(a journal.Action) []journal.Numbered {
	f.Helper()
	page, err := f.provenance.Logs(f.Context(), journal.Filter{Action: a, Limit: 1000, Look: 1 << 20}, nil)
	if err != nil {
		f.Fatal(err)
	}
	return page.Entries
}

// TestAYearOfRetention: over a simulated year, each log goes on its day, one entry a day says so, and
// there are no more triples from then on.
func TestAYearOfRetention(t *testing.T) {
	t.Parallel()
	suite.NotShort(t)
	f := open(t, retention.Rule{Kind: "urn:Emotion", Keep: 30 * day}, retention.Rule{Keep: 200 * day})
	var ids []string
	var triples []int64
	for n := range 365 {
		kind := "Message"
		if n%3 == 0 {
			kind = "Emotion"
		}
		text := fmt.Sprintf("<urn:ari> a <urn:Robot> . <urn:act:%d> a <urn:%s> ; <urn:by> <urn:ari> ; <urn:says> %q .", n, kind, fmt.Sprint("said on day ", n))
		ids = append(ids, f.post("ari", text))
		f.day()
		v, err := f.Version()
		if err != nil {
			t.Fatal(err)
		}
		triples = append(triples, v.Triples)
	}
	for n, id := range ids {
		keep := 200
		if n%3 == 0 {
			keep = 30
		}
		if want := 365-n <= keep; f.has(id) != want {
			t.Errorf("the log of day %d is there: %v", n, !want)
		}
	}
	if log, err := f.provenance.Log(t.Context(), ids[364], 9); err != nil || log.Total != 4 {
		t.Errorf("what older logs stated too is gone: %d %v", log.Total, err)
	}
	all := f.entries(journal.Expire)
	logs := map[time.Time]bool{}
	for _, e := range all {
		if logs[e.Time] {
			t.Errorf("two entries at %v", e.Time)
		}
		logs[e.Time] = true
	}
	if e := all[0]; e.Lessened == "" || !strings.Contains(e.Detail, "all logs, 200 days: logs: 1") && !strings.Contains(e.Detail, `kind "urn:Emotion", 30 days: logs: 1`) {
		t.Errorf("%+v", e)
	}
	if len(f.entries(journal.Withdraw)) > 0 {
		t.Error("each log has an entry of its own")
	}
	if triples[261] != triples[363] || triples[261] <= triples[60] {
		t.Errorf("triples after 60, 261 and 363 days: %d, %d, %d", triples[60], triples[261], triples[363])
	}
	storetest.Check(t, f.Store)
}

// TestTheFirstRuleThatALogMeetsCounts checks rules by user, robot, kind and event.
func TestTheFirstRuleThatALogMeetsCounts(t *testing.T) {
	t.Parallel()
	f := open(t, retention.Rule{User: "bob", Forever: true}, retention.Rule{Kind: "urn:Emotion", Robot: "urn:ari", Keep: 2 * day, ByEvent: true}, retention.Rule{Keep: 10 * day})
	at := func(away time.Duration) string {
		return f.now.Add(away).Format(`"2006-01-02T15:04:05Z"`) + "^^<http://www.w3.org/2001/XMLSchema#dateTime>"
	}
	emotion := func(n int, robot, when string) string {
		return fmt.Sprintf("<urn:a:%d> a <urn:Emotion> ; <urn:by> <urn:%s> ; <urn:at> %s .", n, robot, when)
	}
	type kept struct {
		id   string
		days int // how many days it stays; 0 means all 12
	}
	logs := []kept{
		{f.post("bob", emotion(1, "ari", at(-9*day))), 0},
		{f.post("eve", emotion(2, "ari", at(-day))), 1},
		{f.post("eve", emotion(3, "ari", at(-5*day))), 1},
		{f.post("eve", emotion(4, "ari", at(5*day))), 2},                                                             // after its arrival
		{f.post("eve", emotion(5, "ari", `"1970-01-01T00:00:00Z"^^<http://www.w3.org/2001/XMLSchema#dateTime>`)), 2}, // a clock that was never set
		{f.post("eve", emotion(6, "tiago", at(-5*day))), 10},
		{f.post("eve", emotion(8, "ari", at(-5*day)+", "+at(36500*day))), 1}, // a wrong time beside the right one
		{f.post("eve", "<urn:a:7> <urn:says> 7 ."), 10},
	}
	for n := 1; n <= 12; n++ {
		f.now = f.now.Add(time.Second) // what is exactly as old as allowed stays
		f.day()
		for i, l := range logs {
			if want := l.days == 0 || n < l.days; f.has(l.id) != want {
				t.Errorf("day %d: the log %d is there: %v", n, i+1, !want)
			}
		}
	}
}

// Nothing goes on the day on which the clock jumps ahead, and a log that arrived while the clock was not set stays.
func TestAWrongClockRemovesNothing(t *testing.T) {
	t.Parallel()
	f := open(t, retention.Rule{Keep: 100 * day})
	begin := f.now
	f.now = time.Unix(100, 0).UTC()
	unset := f.post("ari", "<urn:x> <urn:says> 0 .")
	f.now = begin
	log := f.post("ari", "<urn:x> <urn:says> 1 .")
	for _, step := range []struct {
		at   time.Duration
		want bool // the log stays
	}{
		{400 * day, true}, {400*day + time.Hour, true}, // before the first day
		{-2 * day, true}, {401 * day, true}, // a log came with the right time in between
		{2 * day, true}, {3 * day, true}, {500 * day, true}, {500*day + time.Hour, true}, // the clock was set
		{900 * day, true}, {901 * day, false}, {902 * day, false},
	} {
		f.now = begin.Add(step.at - day)
		if step.at < 0 {
			f.now = begin.Add(time.Hour)
			f.post("ari", "<urn:y> <urn:says> 2 .")
			continue
		}
		f.day()
		if f.has(log) != step.want || !f.has(unset) {
			t.Errorf("after %v the log is there: %v, and the other: %v", step.at, f.has(log), f.has(unset))
		}
	}
}

// A device without a battery for its clock was off for 200 days, and went on with the time of its end until its clock was set. What arrived
// before then is not 200 days old, though its time is.
func TestAClockThatWasBehindRemovesNothingTooEarly(t *testing.T) {
	t.Parallel()
	f := open(t, retention.Rule{Keep: 100 * day})
	old := f.post("ari", "<urn:x> <urn:says> 1 .")
	f.day()
	f.Retention = f.again()
	f.now = f.now.Add(time.Hour)
	early := f.post("ari", "<urn:x> <urn:says> 2 .")
	f.day() // a minute after the start
	f.now = f.now.Add(200 * day)
	late := f.post("ari", "<urn:x> <urn:says> 3 .")
	set := f.now
	for step := range 12 {
		if f.day(); step == 0 != f.has(old) {
			t.Errorf("%v after the clock was set, the old log is there: %v", f.now.Sub(set), f.has(old))
		}
		for name, id := range map[string]string{"early": early, "late": late} {
			if want := f.now.Sub(set) <= 101*day; f.has(id) != want {
				t.Errorf("%v after the clock was set, the %s log is there: %v", f.now.Sub(set), name, !want)
			}
		}
		if step == 5 { // it forgets nothing
			f.Retention = f.again()
		}
		if step > 0 {
			f.now = f.now.Add(9 * day)
		}
	}
	if got, err := f.Tally(); err != nil || len(got.Jumps) > 0 {
		t.Errorf("what is over stays in the tally: %+v, %v", got, err)
	}
}

// TestAHoldOutranksRetention holds a person, a log and a time.
func TestAHoldOutranksRetention(t *testing.T) {
	t.Parallel()
	f := open(t, retention.Rule{Keep: day})
	maria, log, session, other := f.post("ari", "<urn:m> <urn:by> <urn:maria#face> ."), f.post("ari", "<urn:l> <urn:says> 1 ."), "", f.post("ari", "<urn:marianne> <urn:says> 2 .")
	mary := f.post("ari", "<urn:o> <urn:by> <urn:mary> .") // as an admin decided after the hold
	f.now = f.now.Add(time.Hour)
	session = f.post("ari", "<urn:n> <urn:says> 3 .")
	s := holds.Of(f.Store)
	for _, h := range []holds.Hold{{People: []string{"urn:maria"}}, {Log: log}, {From: f.now, To: f.now.Add(time.Minute), Until: f.now.Add(5 * day)}} {
		if _, err := s.Add(t.Context(), h, journal.Entry{LogID: journal.NewLogID(), Action: journal.Hold, Actor: "eve", Time: f.now}); err != nil {
			t.Fatal(err)
		}
	}
	f.day()
	f.now = f.now.Add(time.Hour)
	f.day()
	for id, want := range map[string]bool{maria: true, mary: true, log: true, session: true, other: false} {
		if f.has(id) != want {
			t.Errorf("%v: %v", f.at[id], !want)
		}
	}
	f.now = f.now.Add(5 * day) // the third hold ends
	if f.day(); f.has(session) || !f.has(maria) {
		t.Errorf("after the hold: %v %v", f.has(session), f.has(maria))
	}
}

// TestAnInterruptedDayIsEntered: what units withdrew before a day failed is in the entry of the next.
// Snapshots follow.
func TestAnInterruptedDayIsEntered(t *testing.T) {
	t.Parallel()
	f := open(t, retention.Rule{Keep: day})
	f.snapshots = []time.Time{f.now, f.now.Add(20 * day)}
	for n := range 3 {
		f.post("ari", fmt.Sprintf("<urn:x> <urn:says> %d .", n))
	}
	f.now = f.now.Add(20 * day)
	x := store.Expiry{Rules: []store.ExpiryRule{{Before: f.now}}}
	if found, err := f.provenance.Expired(x).Next(t.Context(), 2); err != nil || len(found) != 2 {
		t.Fatalf("%v %v", found, err)
	}
	if err := f.Withdraw(t.Context(), x, 2); err != nil { // the first two, and then a kill
		t.Fatal(err)
	}
	if got, err := f.Tally(); err != nil || got.Indexes != "0-1" || got.Triples != 2 || len(f.entries(journal.Expire)) != 0 {
		t.Errorf("%+v %v", got, err)
	}
	if done := f.day(); done.Indexes != "0-2" || done.Triples != 3 || done.Snapshots != 1 || len(f.snapshots) != 1 {
		t.Errorf("%+v, snapshots %v", done, f.snapshots)
	}
	if got, err := f.Tally(); err != nil || got.Indexes != "" || !got.Last.Equal(f.now) {
		t.Errorf("%+v %v", got, err)
	}
	f.snapshots = append(f.snapshots, f.now.Add(-8*day), f.now.Add(-5*day))
	if done := f.day(); done.Snapshots != 1 || len(f.snapshots) != 2 {
		t.Errorf("on a day on which no log goes: %+v, snapshots %v", done, f.snapshots)
	}
	all := f.entries(journal.Expire)[1:]
	if len(all) != 1 || all[0].Lessened != "0-2" || all[0].Removed != 3 || all[0].Detail != "all logs, 1 days: logs: 3; snapshots: 1" {
		t.Errorf("%+v", all)
	}
}

// TestRulesAreRead reads files.
func TestRulesAreRead(t *testing.T) {
	t.Parallel()
	rules, err := retention.Parse([]byte("- kind: urn:Emotion\n  robot: urn:ari\n  keep: 30d\n  by: event\n- user: bob\n  keep: forever\n"))
	if err != nil || fmt.Sprint(rules) != `[robot "urn:ari", kind "urn:Emotion", 30 days after the event user "bob", for ever]` {
		t.Errorf("%v %v", rules, err)
	}
	for text, want := range map[string]string{
		"- keep: 0d":                       `row 1: keep must be days, such as 30d, or forever, and is "0d"`,
		"- keep: 3h":                       "row 1: keep must be days",
		"- {keep: 3d, by: night}":          "row 1: by must be arrival or event",
		"- {keep: 3d, robot: ari}":         "robot must be an absolute IRI",
		"- {keep: 3d, kind: Emotion}":      "kind must be the absolute IRI of a class, or an event_kind",
		"- {keep: 3d, kind: amor:a b}":     "kind must be the absolute IRI of a class, or an event_kind",
		"# none":                           "it has 0 rows; 1 to 29 are allowed",
		"- {keep: 3d, robots: urn:ari}":    "field robots not found",
		strings.Repeat("- keep: 3d\n", 30): "it has 30 rows; 1 to 29 are allowed",
	} {
		if _, err := retention.Parse([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.30q: %v", text, err)
		}
	}
}

// TestAHoldThatIsAddedMeanwhileIsHonoured adds one after a day's pass has looked: nothing more goes, and the pass begins again.
func TestAHoldThatIsAddedMeanwhileIsHonoured(t *testing.T) {
	t.Parallel()
	f := open(t, retention.Rule{Keep: day})
	removed := false
	r := retention.New(retention.Options{Rules: []retention.Rule{{Keep: day}}, Store: f.Store, Provenance: f.provenance, Log: slog.New(slog.DiscardHandler), Now: func() time.Time { return f.now },
		Contexts: func(ctx context.Context, _ store.Expiry, held []holds.Hold, enter func(tx *engine.Tx, rules []int, entries []uint64) error) error {
			if len(held) == 0 {
				if _, err := holds.Of(f.Store).Add(ctx, holds.Hold{People: []string{"urn:maria"}, Reason: "case 7"}, journal.Entry{LogID: journal.NewLogID(), Action: journal.Hold, Time: f.now}); err != nil {
					t.Fatal(err)
				}
			}
			return f.Update(ctx, func(tx *engine.Tx) error {
				err := enter(tx, []int{0}, []uint64{1})
				removed = err == nil
				return err
			})
		}})
	if _, err := r.Day(t.Context()); err == nil || removed {
		t.Errorf("the pass goes on: %v, removed %v", err, removed)
	}
	if done, err := r.Day(t.Context()); err != nil || !removed || len(done.Contexts) != 1 {
		t.Errorf("the next one, which knows the hold: %+v, %v", done, err)
	}
}

// TestANameThatIsDecidedMeanwhileIsHeld gives somebody who is held another name after a day's pass has read the names.
func TestANameThatIsDecidedMeanwhileIsHeld(t *testing.T) {
	t.Parallel()
	f := open(t, retention.Rule{Keep: day})
	mary, other := f.post("ari", "<urn:o> <urn:by> <urn:mary> ."), f.post("ari", "<urn:x> <urn:says> 1 .")
	if _, err := holds.Of(f.Store).Add(t.Context(), holds.Hold{People: []string{"urn:maria"}, Reason: "case 7"}, journal.Entry{LogID: journal.NewLogID(), Action: journal.Hold, Time: f.now}); err != nil {
		t.Fatal(err)
	}
	f.now = f.now.Add(2 * day)
	names, renames := []string{"urn:maria"}, uint64(0)
	r := retention.New(retention.Options{Rules: []retention.Rule{{Keep: day}}, Store: f.Store, Provenance: f.provenance, Log: slog.New(slog.DiscardHandler), Now: func() time.Time { return f.now },
		Names: func(context.Context, ...string) ([]string, error) {
			before := names
			if len(names) == 1 {
				names, renames = []string{"urn:maria", "urn:mary"}, renames+1
			}
			return before, nil
		},
		Renames: func() uint64 { return renames }})
	if _, err := r.Day(t.Context()); err == nil || !f.has(mary) {
		t.Errorf("the pass goes on: %v; her log stays: %v", err, f.has(mary))
	}
	if _, err := r.Day(t.Context()); err != nil || !f.has(mary) || f.has(other) {
		t.Errorf("the next one, which knows the name: %v; her log stays: %v, and the other: %v", err, f.has(mary), f.has(other))
	}
}
