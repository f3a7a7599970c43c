package reports

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/segraph/segraph/views"
	"github.com/segraph/segraph/views/viewstest"
)

// testReplay returns a session of two robots and a person.
func testReplay() *ReplayData {
	at := func(s int) time.Time { return time.Date(2026, 2, 24, 12, 0, s, 0, time.UTC) }
	return &ReplayData{From: at(0), To: at(60), Robots: []string{"ARI", "<TIAGo>"}, People: []string{"Maria"}, IRIs: map[string]string{"ARI": "http://e/ari", "Maria": "http://e/maria"}, Events: []ReplayEvent{
		{At: at(1), Kind: KindMessage, Lane: 0, Who: "Maria", To: []string{"ARI"}, Heard: []string{"<TIAGo>"}, Text: "I feel <sad>", Language: "en", Models: []string{"ASR 0.3"}, IRI: "http://e/heard", Intensity: -1, Confidence: -1, Events: []int{0}},
		{At: at(2), Kind: KindMessage, Lane: 1, Who: "Maria", To: []string{"ARI"}, Text: "I feel <sad>", Same: true, Confidence: -1, Events: []int{0}},
		{At: at(3), Kind: KindEmotion, Lane: 0, Who: "Maria", Text: "sadness", Category: "urn:sadness", Intensity: 0.84, Confidence: 0.92},
		{At: at(4), Kind: KindState, Lane: 0, What: "room_a", Text: "battery level 80 %", Category: "urn:a"},
		{At: at(40), Kind: KindDecision, Lane: 0, What: "ARI comforts", IRI: "http://e/decision"},
		{At: at(41), Kind: KindActivity, Lane: -1, What: "Activity"},
	}, Shared: []ReplayShared{{Text: `"sad"`, IRI: "http://e/event", From: at(1), To: at(2), Lanes: []int{0, 1}}}}
}

func TestTheReplayPage(t *testing.T) {
	t.Parallel()
	f := viewstest.Frame("Session", "/replay")
	d := testReplay()
	m := Replay{Data: d, Since: d.From, Until: d.To, T: d.Events[2].At, Cases: []ReplayShared{{Text: "<doubt>", Case: "/shared-context?case=1", From: d.Events[4].At, To: d.Events[5].At, Lanes: []int{1}}}}
	var times []time.Time
	for _, e := range d.Events {
		times = append(times, e.At)
	}
	m.Strip = NewReplayStrip(d, SessionScale(d.From, d.To, times, true), m.T, m.Cases)
	viewstest.Show(t, ReplayPage(f, m)).Golden("replay-controls", `class="row small controls noprint"`).Golden("replay-strip", `class="lanes"`).Golden("replay-names", `class="lane-names"`).
		Golden("replay-marks", `class="legend small marks"`).Golden("replay-feed", `class="entries"`).Holds(`
<nav class="tabs" aria-label="Views of the session">
<a href="/replay?from=2026-02-24T12:00:00Z&amp;t=2026-02-24T12:00:03Z&amp;to=2026-02-24T12:01:00Z" aria-current="page">
<section class="card stage" id="stage" aria-label="Strip" data-events="/replay/events?from=2026-02-24T12:00:00Z&amp;to=2026-02-24T12:01:00Z" data-feed="/replay/feed?from=2026-02-24T12:00:00Z&amp;to=2026-02-24T12:01:00Z">
<div class="strip" id="strip">
<svg class="head" width="100%" height="281" aria-hidden="true">
<line x1="32%" x2="32%" y1="16" y2="100%">
<input class="scripted scrub noprint" id="scrub" type="range" min="0" max="1000" step="any" value="0" aria-label="Time" disabled>
<section class="card feed" id="feed" aria-labelledby="feed-title" data-first="0">
`).Reads(`
Sessions → /reports / 24 Feb 2026, 12:00:00 to 12:00:59 UTC
# Session of 12:00, ARI and “<TIAGo>”
Replay → /replay?from=2026-02-24T12:00:00Z&t=2026-02-24T12:00:03Z&to=2026-02-24T12:01:00Z Table → /replay?from=2026-02-24T12:00:00Z&t=2026-02-24T12:00:03Z&to=2026-02-24T12:01:00Z&view=table Print → /replay?from=2026-02-24T12:00:00Z&t=2026-02-24T12:00:03Z&to=2026-02-24T12:01:00Z&view=print
Case file… → /case-file?from=2026-02-24T12:00:00Z&to=2026-02-24T12:01:00Z
ARI → /why?iri=http://e/ari , “<TIAGo>” and Maria → /why?iri=http://e/maria for 59 s · 2 messages → /replay?from=2026-02-24T12:00:00Z&kind=message&t=2026-02-24T12:00:03Z&to=2026-02-24T12:01:00Z&view=table · 1 emotion → /replay?from=2026-02-24T12:00:00Z&kind=emotion&t=2026-02-24T12:00:03Z&to=2026-02-24T12:01:00Z&view=table · 1 decision → /replay?from=2026-02-24T12:00:00Z&kind=decision&t=2026-02-24T12:00:03Z&to=2026-02-24T12:01:00Z&view=table · 1 shared event → /replay?from=2026-02-24T12:00:00Z&kind=shared&t=2026-02-24T12:00:03Z&to=2026-02-24T12:01:00Z&view=table · 1 to review → /shared-context?case=1
[] [Play] [] [1×] [10×] [100×]
24 Feb 2026, 12:00:03 UTC
Show silences → /replay?from=2026-02-24T12:00:00Z&silences=kept&t=2026-02-24T12:00:03Z&to=2026-02-24T12:01:00Z Zoom in → /replay?from=2026-02-24T12:00:00Z&since=2026-02-24T12:00:00Z&t=2026-02-24T12:00:03Z&to=2026-02-24T12:01:00Z&until=2026-02-24T12:00:15Z
ARI
<TIAGo>
No robot
Maria
12:00:00
12:00:02
12:00:04
12:00:40
12:00:59
Shared event: “\"sad\"”
To review: “<doubt>”
→ /shared-context?case=1
Nothing for 34 seconds, from 24 Feb 2026, 12:00:05 UTC to 24 Feb 2026, 12:00:39 UTC
Nothing for 17 seconds, from 24 Feb 2026, 12:00:42 UTC to 24 Feb 2026, 12:00:59 UTC
room_a, until 12:01:00
room_a
[=0]
said
heard
emotion: sadness
decision
other activity
model run
place
shared event
to review
cut silence
# What happened
12:00:01 → /replay?from=2026-02-24T12:00:00Z&t=2026-02-24T12:00:01Z&to=2026-02-24T12:01:00Z#e0
Maria → /why?iri=http://e/maria → ARI → /why?iri=http://e/ari · heard by “<TIAGo>”
I feel <sad>
ASR 0.3 shared event → /kg-graph?node=http://e/event Why? → /why?iri=http://e/heard
12:00:03 → /replay?from=2026-02-24T12:00:00Z&t=2026-02-24T12:00:03Z&to=2026-02-24T12:01:00Z#e2
Maria → /why?iri=http://e/maria sadness (confidence 92 %, strength 84 %) read by ARI → /why?iri=http://e/ari
12:00:40 → /replay?from=2026-02-24T12:00:00Z&t=2026-02-24T12:00:40Z&to=2026-02-24T12:01:00Z#e4
“ARI comforts”
decision Why? → /why?iri=http://e/decision
12:00:41 → /replay?from=2026-02-24T12:00:00Z&t=2026-02-24T12:00:41Z&to=2026-02-24T12:01:00Z#e5
“Activity”
Close-up
People
Robots
`)
	m.View, m.Since, d.Cut = "table", m.T, d.To
	viewstest.Show(t, ReplayPage(f, m)).Reads(`
Sessions → /reports / 24 Feb 2026, 12:00:00 to 12:00:59 UTC
# Session of 12:00, ARI and “<TIAGo>”
…
This session is too long for one replay
It is shown until 24 Feb 2026, 12:01:00 UTC. Show the rest → /replay?from=2026-02-24T12:01:00Z&left=before&to=2026-02-24T12:01:00Z&view=table
# Rows
Time | Robot | Kind | Who | What | Models
12:00:01 → /replay?from=2026-02-24T12:00:00Z&since=2026-02-24T12:00:03Z&t=2026-02-24T12:00:01Z&to=2026-02-24T12:01:00Z | ARI → /why?iri=http://e/ari | message | Maria → /why?iri=http://e/maria → ARI → /why?iri=http://e/ari | “I feel <sad>” → /why?iri=http://e/heard | “ASR 0.3”
12:00:02 → /replay?from=2026-02-24T12:00:00Z&since=2026-02-24T12:00:03Z&t=2026-02-24T12:00:02Z&to=2026-02-24T12:01:00Z | “<TIAGo>” | message | Maria → /why?iri=http://e/maria → ARI → /why?iri=http://e/ari | “I feel <sad>” |
12:00:03 → /replay?from=2026-02-24T12:00:00Z&since=2026-02-24T12:00:03Z&t=2026-02-24T12:00:03Z&to=2026-02-24T12:01:00Z | ARI → /why?iri=http://e/ari | emotion | Maria → /why?iri=http://e/maria | sadness (confidence 92 %, strength 84 %) |
12:00:04 → /replay?from=2026-02-24T12:00:00Z&since=2026-02-24T12:00:03Z&t=2026-02-24T12:00:04Z&to=2026-02-24T12:01:00Z | ARI → /why?iri=http://e/ari | state | | room_a · “battery level 80 %” |
12:00:40 → /replay?from=2026-02-24T12:00:00Z&since=2026-02-24T12:00:03Z&t=2026-02-24T12:00:40Z&to=2026-02-24T12:01:00Z | ARI → /why?iri=http://e/ari | decision | | “ARI comforts” → /why?iri=http://e/decision |
12:00:41 → /replay?from=2026-02-24T12:00:00Z&since=2026-02-24T12:00:03Z&t=2026-02-24T12:00:41Z&to=2026-02-24T12:01:00Z | | activity | | “Activity” |
`)
	few := *d
	few.Events = d.Events[:4]
	viewstest.Golden(t, "replay-rows", replayTable(Replay{Data: &few, Since: m.Since, Until: m.Until}))
	m.Kind = KindShared
	viewstest.Show(t, ReplayPage(f, m)).Golden("replay-shared", `aria-labelledby="table-title"`).Holds(`
kind=shared&amp;since=2026-02-24T12:00:03Z&amp;t=2026-02-24T12:00:03Z&amp;to=2026-02-24T12:01:00Z&amp;view=table" aria-current="page">
`).Reads(`
Sessions → /reports / 24 Feb 2026, 12:00:00 to 12:00:59 UTC
# Session of 12:00, ARI and “<TIAGo>”
…
This session is too long for one replay
It is shown until 24 Feb 2026, 12:01:00 UTC. Show the rest → /replay?from=2026-02-24T12:01:00Z&kind=shared&left=before&to=2026-02-24T12:01:00Z&view=table
# Rows
First | Last | Robots | Event
12:00:01 → /replay?from=2026-02-24T12:00:00Z&since=2026-02-24T12:00:03Z&t=2026-02-24T12:00:01Z&to=2026-02-24T12:01:00Z | 12:00:02 | ARI → /why?iri=http://e/ari and “<TIAGo>” | “\"sad\"” → /kg-graph?node=http://e/event
`)
	viewstest.Show(t, ReplayPage(f, Replay{Data: &ReplayData{From: d.From, To: d.To}, Since: d.From, Until: d.To})).Reads(`
Sessions → /reports / 24 Feb 2026, 12:00:00 to 12:00:59 UTC
# Session of 12:00
Replay → /replay?from=2026-02-24T12:00:00Z&to=2026-02-24T12:01:00Z Table → /replay?from=2026-02-24T12:00:00Z&to=2026-02-24T12:01:00Z&view=table Print → /replay?from=2026-02-24T12:00:00Z&to=2026-02-24T12:01:00Z&view=print
Case file… → /case-file?from=2026-02-24T12:00:00Z&to=2026-02-24T12:01:00Z
# Nothing happened here
No activity has a time in this range.
All sessions → /reports
`)
	viewstest.Show(t, NoReplayPage(f)).Reads(`
# Replay
What robots did, as it happened.
# No session yet
A session needs an activity with a time.
All sessions → /reports
`)
}

func TestAnAxisCutsLongSilences(t *testing.T) {
	t.Parallel()
	d := testReplay()
	times := []time.Time{d.Events[0].At, d.Events[3].At, d.Events[4].At}
	straight, cut := SessionScale(d.From, d.To, times, false), SessionScale(d.From, d.To, times, true)
	if len(straight.Parts) != 1 || math.Abs(straight.At(d.From.Add(30*time.Second))-0.5) > 1e-9 {
		t.Errorf("the straight axis is %+v", straight)
	}
	if len(cut.Parts) != 3 || cut.At(d.From) != 0 || cut.At(d.To) != 1 {
		t.Errorf("the cut axis is %+v", cut)
	}
	was := -1.0
	for s := range 61 {
		x := cut.At(d.From.Add(time.Duration(s) * time.Second))
		if x <= was {
			t.Errorf("after %d s the position %v does not grow", s, x)
		}
		was = x
	}
	for i := 1; i < len(cut.Parts); i++ {
		if gap := cut.At(cut.Parts[i].From) - cut.At(cut.Parts[i-1].To); math.Abs(gap-cutWide) > 1e-9 {
			t.Errorf("a silence takes %v of the axis", gap)
		}
	}
	busy := make([]time.Time, 0, 60)
	for i := range maxSilences + 1 {
		busy = append(busy, d.From.Add(time.Duration(i)*time.Hour))
	}
	if s := SessionScale(d.From, busy[len(busy)-1].Add(time.Hour), busy, true); len(s.Parts) != 1 {
		t.Errorf("%d parts of a session with a pause each hour", len(s.Parts))
	}
	if got := cut.labels(replayTicks, 0.1); len(got) < 3 || got[0].Text != "12:00:00" || got[1].At-got[0].At < 0.1 {
		t.Errorf("labels: %v", got)
	}
	if a := SessionScale(d.From, d.From, nil, true); a.At(d.From) != 0 {
		t.Errorf("the axis of a moment is %+v", a)
	}
}

func TestWordsAreTakenApart(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{"ListeningEvent": "Listening event", "battery_level": "battery level", "": "", "wasÉlan": "was élan", "TIAGo": "TIAGo", "QTrobot": "QTrobot", "LabTIAGo": "Lab TIAGo", "robotIDs": "robot IDs"} {
		if got := views.Words(name); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
	for class, want := range map[string]string{"http://e/MLSRun": "mls run", "http://e/robotIDs": "robot ids", "http://e/hasURI": "has uri"} {
		if got := views.PlainWords(class); got != want {
			t.Errorf("%q: %q, want %q", class, got, want)
		}
	}
}

func TestADurationIsLasting(t *testing.T) {
	t.Parallel()
	if got := Between(viewstest.Now.Add(-10*time.Second-900*time.Millisecond), viewstest.Now); got != "11 s" {
		t.Errorf("between 53:07.1 and 53:18 are %q", got) // pages show 53:07 and 53:18
	}
	for d, want := range map[time.Duration]string{0: "0 s", 59 * time.Second: "59 s", 4 * time.Minute: "4 min", 80 * time.Minute: "1 h 20 min", 2 * time.Hour: "2 h", 72 * time.Hour: "3 days"} {
		if got := Lasting(d); got != want {
			t.Errorf("%v: %q, want %q", d, got, want)
		}
	}
}

// TestTheLegendOfAReplayHasWhatTheStripHas looks for emotions, places and silences.
func TestTheLegendOfAReplayHasWhatTheStripHas(t *testing.T) {
	t.Parallel()
	d := testReplay()
	m := Replay{Data: d, Since: d.From, Until: d.To}
	legend := func() string {
		m.Strip = NewReplayStrip(d, SessionScale(d.From, d.To, []time.Time{d.Events[0].At, d.Events[0].At.Add(39 * time.Second)}, !m.Straight), m.T, nil)
		var b strings.Builder
		if err := replayMarks(m).Render(t.Context(), &b); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	parts := []string{`<i class="mood ` + views.ColourOf("urn:sadness") + `"></i><bdi class="said">sadness</bdi>`, `<i class="stay ` + views.ColourOf("urn:a") + `"></i> place`, "cut silence"}
	for _, want := range parts {
		if got := legend(); !strings.Contains(got, want) {
			t.Errorf("%q is not in %s", want, got)
		}
	}
	d.Events = append(d.Events[:1], ReplayEvent{At: d.To, Kind: KindDecision})
	m.Straight = true
	for _, bad := range []string{"emotion", "place", "silence"} {
		if got := legend(); strings.Contains(got, bad) {
			t.Errorf("%q is in %s", bad, got)
		}
	}
}

// TestTheCloseUpHasEachSentenceOnce checks what the script shows around the current time.
func TestTheCloseUpHasEachSentenceOnce(t *testing.T) {
	t.Parallel()
	m := Replay{Data: &ReplayData{Robots: []string{"ARI"}, Events: []ReplayEvent{
		{At: viewstest.Now, Kind: KindMessage, Who: "Maria", Text: "Taken down?", Confidence: 0.82},
		{At: viewstest.Now, Kind: KindMessage, Who: "Maria", Text: "Taken down?", Same: true},
		{At: viewstest.Now.Add(time.Second), Kind: KindEmotion, Who: "Maria", Text: "sadness"},
		{At: viewstest.Now.Add(2 * time.Second), Kind: KindMessage, Who: "ARI", ByRobot: true, Text: "Yes.", Confidence: -1},
	}}}
	var got []string
	for _, w := range m.Script(t.Context()).Words {
		got = append(got, fmt.Sprint(w.Lane, " ", *w.Who, ": ", w.Text))
	}
	if want := []string{"0 Maria: “Taken down?” (confidence 82 %)", "1 ARI: “Yes.”"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestPeopleHaveLanesOfTheirOwn draws what one of two people said, and what four said in one lane.
func TestPeopleHaveLanesOfTheirOwn(t *testing.T) {
	t.Parallel()
	d := &ReplayData{From: viewstest.Now, To: viewstest.Now.Add(time.Minute), Robots: []string{"ARI"}, People: []string{"Maria", "Otto"}, Events: []ReplayEvent{
		{At: viewstest.Now.Add(15 * time.Second), Kind: KindMessage, Who: "Maria"},
		{At: viewstest.Now.Add(15 * time.Second), Kind: KindMessage, Who: "Maria", Same: true},
		{At: viewstest.Now.Add(30 * time.Second), Kind: KindMessage, Who: "ARI", ByRobot: true},
	}}
	lanes := func() string {
		return fmt.Sprint(NewReplayStrip(d, NewScale([]views.Period{{From: d.From, To: d.To}}, false), d.From, nil).People)
	}
	if got, want := lanes(), "[{Maria  [{said M250 5v17}] [] []} {Otto  [] [] []}]"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	d.People = append(d.People, "Priya", "Rosa")
	if got, want := lanes(), "[{People  [{said M250 5v17}] [] [{25 Maria}]}]"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
