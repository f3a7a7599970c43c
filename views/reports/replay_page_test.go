package reports

import (
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
	viewstest.Golden(t, "replay", ReplayPage(f, m))
	m.View, m.Since, d.Cut = "table", m.T, d.To
	viewstest.Golden(t, "replay-table", ReplayPage(f, m))
	m.Kind = KindShared
	viewstest.Golden(t, "replay-shared", ReplayPage(f, m))
	viewstest.Golden(t, "replay-empty", ReplayPage(f, Replay{Data: &ReplayData{From: d.From, To: d.To}, Since: d.From, Until: d.To}))
	viewstest.Golden(t, "replay-none", NoReplayPage(f))
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
	for name, want := range map[string]string{"ListeningEvent": "Listening event", "battery_level": "battery level", "": "", "MLSRun": "MLSRun", "wasÉlan": "was élan"} {
		if got := views.Words(name); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
}

func TestADurationIsLasting(t *testing.T) {
	t.Parallel()
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
	parts := []string{`<i class="mood ` + views.ColourOf("urn:sadness") + `"></i><bdi class="said">“sadness”</bdi>`, `<i class="stay ` + views.ColourOf("urn:a") + `"></i> place`, "cut silence"}
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

// TestAReplayNamesTheEmotionAtItsMoment checks what the script shows at the current time.
func TestAReplayNamesTheEmotionAtItsMoment(t *testing.T) {
	t.Parallel()
	m := Replay{Data: &ReplayData{Robots: []string{"ARI"}, Events: []ReplayEvent{
		{At: viewstest.Now, Kind: KindMessage, Who: "Maria", Text: "Taken down?", Confidence: 0.82},
		{At: viewstest.Now.Add(time.Second), Kind: KindEmotion, Who: "Maria", Text: "sadness", Confidence: 0.93, Intensity: -1},
		{At: viewstest.Now.Add(2 * time.Second), Kind: KindEmotion, Text: "joy", Confidence: -1, Intensity: -1},
	}}}
	var got []string
	for _, w := range m.Script().Words {
		got = append(got, *w.Who+": "+w.Text)
	}
	if want := []string{"“Maria”: “Taken down?” (confidence 82 %)", "Emotion of “Maria”: “sadness” (confidence 93 %, strength not logged)", "Emotion: “joy” (strength not logged)"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
