package reports

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/views"
)

// hall is a conversation that two robots hear, with all that a replay shows. One event has two
// IRIs that were merged; the sentence of Maria is logged twice.
const hall = `
<http://e/ari> a oro:Robot ; schema:name "ARI" . <http://e/tiago> a oro:Robot ; schema:name "TIAGo" .
<http://e/maria> a oro:Human ; schema:name "Maria" . <http://e/juan> a oro:Human ; schema:name "Juan" .
<http://e/heard1> schema:about <http://e/maria> ; schema:description "news?" . <http://e/heard2> sc:mergedInto <http://e/heard1> .

<http://e/a1> a segb:LoggedActivity, prov:Activity, oro:ListeningEvent ; segb:wasPerformedBy <http://e/ari> ; schema:about <http://e/heard1> ;
	prov:startedAtTime "2026-03-01T08:00:00Z"^^xsd:dateTime ; prov:endedAtTime "2026-03-01T08:00:02Z"^^xsd:dateTime ; segb:usedMLModel <http://e/asr> .
<http://e/asr> rdfs:label "ASR" ; schema:version "1.2" .
<http://e/m1> a schema:Message ; prov:wasGeneratedBy <http://e/a1> ; schema:sender <http://e/maria> ; schema:text "News?"@en .
<http://e/a2> a segb:LoggedActivity, oro:ListeningEvent ; segb:wasPerformedBy <http://e/tiago> ; schema:about <http://e/heard2> ; prov:startedAtTime "2026-03-01T08:00:00.5Z"^^xsd:dateTime .
<http://e/m2> a schema:Message ; prov:wasGeneratedBy <http://e/a2> ; schema:sender <http://e/maria> ; schema:text "News?" .
<http://e/a3> a segb:LoggedActivity, oro:ResponseAction ; segb:wasPerformedBy <http://e/ari> ; prov:startedAtTime "2026-03-01T08:00:05Z"^^xsd:dateTime .
<http://e/m3> a schema:Message ; prov:wasGeneratedBy <http://e/a3> ; schema:sender <http://e/ari> ; prov:wasDerivedFrom <http://e/m1> ; schema:text "Here." .
<http://e/a4> a segb:LoggedActivity, onyx:EmotionAnalysis ; segb:wasPerformedBy <http://e/ari> ; prov:startedAtTime "2026-03-01T08:00:07Z"^^xsd:dateTime ;
	segb:producedEntityResult [ oa:hasTarget <http://e/maria> ; onyx:hasEmotion [ onyx:hasEmotionCategory <http://e/big6_joy> ; onyx:hasEmotionIntensity 0.75 ; onyx:algorithmConfidence "high" ] ] .
<http://e/a5> a segb:LoggedActivity, oro:DecisionMakingAction ; rdfs:label "ARI waits" ; segb:wasPerformedBy <http://e/ari> ; prov:startedAtTime "2026-03-01T08:00:08Z"^^xsd:dateTime .
<http://e/m5> a schema:Message ; prov:wasGeneratedBy <http://e/a5> ; schema:text "?" .
[] a segb:LoggedActivity ; prov:startedAtTime "2026-03-01T08:00:09Z"^^xsd:dateTime .
<http://e/a6> a segb:LoggedActivity, oro:ListeningEvent ; segb:wasPerformedBy <http://e/ari> ; prov:startedAtTime "2026-03-01T08:00:10Z"^^xsd:dateTime .
<http://e/m6> a schema:Message ; prov:wasGeneratedBy <http://e/a6> ; schema:sender <http://e/maria> ; schema:text "News?" .
<http://e/s1> prov:wasAttributedTo <http://e/ari> ; prov:generatedAtTime "2026-03-01T08:00:01Z"^^xsd:dateTime ; prov:atLocation <http://e/room_a> ;
	schema:additionalProperty [ schema:propertyID "battery_level" ; schema:value 80 ; schema:unitCode "PERCENT" ] .
<http://e/later> a segb:LoggedActivity ; segb:wasPerformedBy <http://e/ari> ; prov:startedAtTime "2026-03-01T09:00:00Z"^^xsd:dateTime .
`

// TestNobodyIsNotAPersonCalledUnknown has words of nobody, and a person with the name that the replay gives to nobody.
func TestNobodyIsNotAPersonCalledUnknown(t *testing.T) {
	t.Parallel()
	d, err := oneHour(t, strings.ReplaceAll(hall, `"Maria"`, `"Unknown"`)).Replay(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if d.IRIs["Unknown"] != "" || d.IRIs["“Unknown”"] != "http://e/maria" {
		t.Error(d.IRIs)
	}
}

// oneHour returns the report on a document from 8 to 9 o'clock.
func oneHour(t *testing.T, document string) *Report {
	r := reportOf(t, document)
	r.From, r.To = noon.Add(-4*time.Hour), noon.Add(-3*time.Hour)
	return r
}

// eventLines returns the events of a replay, one per line.
func eventLines(d *ReplayData) (lines []string) {
	for _, e := range d.Events {
		line := fmt.Sprintf("%s %s %d", e.At.Format("05.0"), e.Kind, e.Lane)
		for _, part := range []string{e.Who, strings.Join(e.To, "+"), strings.Join(e.Heard, "+"), e.Text, e.What, strings.Join(e.Models, "+")} {
			line += "|" + part
		}
		if e.Same {
			line += "|same"
		}
		lines = append(lines, fmt.Sprint(line, "|", e.Events))
	}
	return lines
}

func TestAReplayTellsWhatRobotsLogged(t *testing.T) {
	t.Parallel()
	d, err := oneHour(t, hall).Replay(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"00.0 message 0|Maria|ARI|TIAGo|News?|heard|ASR 1.2|[0]",
		"00.5 message 1|Maria|ARI|TIAGo|News?|heard||same|[0]",
		"01.0 state 0||||Battery level 80 %|room a||[]",
		"05.0 message 0|ARI|Maria||Here.|said||[]",
		"07.0 emotion 0|Maria|||joy|emotion read||[]",
		"08.0 decision 0|||||ARI waits||[]",
		"08.0 message 0|Unknown||ARI|?|ARI waits||[]",
		"09.0 activity -1|||||activity||[]",
		"10.0 message 0|Maria||ARI|News?|heard||[]", // said again: one robot does not log a sentence twice
	}
	if got := eventLines(d); !slices.EqualFunc(got, want, strings.EqualFold) {
		t.Errorf("%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if !slices.Equal(d.Robots, []string{"ARI", "TIAGo"}) || !slices.Equal(d.People, []string{"Maria"}) || !d.Cut.IsZero() {
		t.Errorf("robots %q, people %q, cut at %s", d.Robots, d.People, d.Cut)
	}
	first, feels, blank := d.Events[0], d.Events[4], d.Events[7]
	if first.IRI != "http://e/a1" || first.Language != "en" || !first.End.Equal(first.At.Add(2*time.Second)) || first.Intensity != -1 {
		t.Errorf("the first message: %+v", first)
	}
	if feels.Intensity != 0.75 || feels.Confidence != -1 || feels.Category != "http://e/big6_joy" || blank.IRI != "" {
		t.Errorf("the emotion: %+v; the activity without IRI: %+v", feels, blank)
	}
	if len(d.Shared) != 1 || d.Shared[0].IRI != "http://e/heard1" || !slices.Equal(d.Shared[0].Lanes, []int{0, 1}) || !d.Shared[0].To.After(d.Shared[0].From) {
		t.Errorf("shared events: %+v", d.Shared)
	}
}

// An activity about two events that were merged into one is linked to that once.
func TestWhatIsDrawnIsLinkedOnceToAnEvent(t *testing.T) {
	t.Parallel()
	event := rdf.NewIRI("http://e/event")
	b := &replayBuilder{out: ReplayData{Events: []ReplayEvent{{IRI: "http://e/a"}}}, about: map[string][]rdf.Term{"http://e/a": {event, event}}}
	b.linkShared(map[rdf.Term]*ReplayShared{event: {Lanes: []int{0, 1}}}, []rdf.Term{event})
	if got := b.out.Events[0].Events; len(b.out.Shared) != 1 || !slices.Equal(got, []int{0}) {
		t.Errorf("%v", got)
	}
}

// A list of sessions counts what the replays of these show: not a message without a text, nor an emotion without a category.
func TestASessionCountsWhatItsReplayShows(t *testing.T) {
	t.Parallel()
	r := oneHour(t, hall+`<http://e/m7> a schema:Message ; prov:wasGeneratedBy <http://e/a1> . <http://e/a4> segb:producedEntityResult [ onyx:hasEmotion [ onyx:hasEmotionIntensity 1 ] ] .
		<http://e/m1> schema:text "¿Noticias?"@es .`)
	r.Gap = time.Minute
	list, err := r.Sessions(t.Context())
	if err != nil || len(list.List) != 1 {
		t.Fatal(list, err)
	}
	d, err := r.Replay(t.Context(), nil)
	if s := list.List[0]; err != nil || s.Messages != d.Count(KindMessage) || s.Emotions != d.Count(KindEmotion) || s.Messages != 5 {
		t.Errorf("%d messages and %d emotions, but the replay has %d and %d; %v", s.Messages, s.Emotions, d.Count(KindMessage), d.Count(KindEmotion), err)
	}
}

// A replay has the first states of its range, and ends before those that it does not read.
func TestAReplayOfTooManyStatesIsCut(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	at := func(i int) time.Time { return noon.Add(-4*time.Hour + time.Duration(i)*300*time.Millisecond) }
	for i := range replayRows + 2 {
		fmt.Fprintf(&text, "<urn:s%d> prov:wasAttributedTo <http://e/ari> ; prov:generatedAtTime %q^^xsd:dateTime ; prov:atLocation <http://e/room_%d> .\n", i, at(i).Format(time.RFC3339Nano), i/5000)
	}
	r := oneHour(t, hall+text.String()+fmt.Sprintf(`<http://e/a9> a segb:LoggedActivity ; segb:wasPerformedBy <http://e/ari> ; prov:startedAtTime %q^^xsd:dateTime .`, at(replayRows+1).Format(time.RFC3339Nano)))
	d, err := r.Replay(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	first, last := d.Events[slices.IndexFunc(d.Events, func(e ReplayEvent) bool { return e.Kind == KindState })], d.Events[len(d.Events)-1]
	if !d.Cut.Equal(at(replayRows-1)) || first.What != "room 0" || last.Kind != KindState || !last.At.Before(d.Cut) { // hall has a state too
		t.Errorf("cut at %s, from %+v to %+v", d.Cut, first, last)
	}
}

func TestAReplayOfSomeRobotsLeavesTheOthersOut(t *testing.T) {
	t.Parallel()
	r := oneHour(t, hall)
	d, err := r.Replay(t.Context(), []rdf.Term{rdf.NewIRI("http://e/tiago")})
	if err != nil {
		t.Fatal(err)
	}
	if got := eventLines(d); len(got) != 1 || len(d.Robots) != 1 || len(d.Shared) != 0 || d.Events[0].Same {
		t.Errorf("%q, robots %q, shared %v", got, d.Robots, d.Shared)
	}
	if d, err := r.Replay(t.Context(), []rdf.Term{rdf.NewIRI("http://e/nobody")}); err != nil || len(d.Events) > 0 {
		t.Errorf("of an unknown robot: %v, %v", eventLines(d), err)
	}
}

// Logs come from anybody: chains of merges may be circles, and times may be none.
func TestAReplayOfFaultyLogsEnds(t *testing.T) {
	t.Parallel()
	d, err := oneHour(t, `
<http://e/x> sc:mergedInto <http://e/y> . <http://e/y> sc:mergedInto <http://e/x>, "text" . <http://e/z> sc:mergedInto <http://e/z> .
<http://e/a1> a segb:LoggedActivity ; segb:wasPerformedBy <http://e/ari>, "ari", <http://e/tiago> ; schema:about <http://e/x>, <http://e/z>, "text" ; prov:startedAtTime "2026-03-01T08:00:00Z"^^xsd:dateTime .
<http://e/a2> a segb:LoggedActivity ; segb:wasPerformedBy <http://e/tiago> ; schema:about <http://e/y> ; prov:startedAtTime "2026-03-01T08:00:00Z"^^xsd:dateTime, "yesterday"^^xsd:dateTime, "2026-03-01T08:00:00Z" .
<http://e/m> a schema:Message ; prov:wasGeneratedBy <http://e/a1>, <http://e/a2> ; schema:sender <http://e/m>, "x" ; schema:text "a", "b" .
<http://e/a1> segb:producedEntityResult [ onyx:hasEmotion [ onyx:hasEmotionCategory "glad" ; onyx:hasEmotionIntensity "much" ] ] .
`).Replay(t.Context(), nil)
	if err != nil || len(d.Events) == 0 {
		t.Fatalf("%v, %v", d, err)
	}
	for _, e := range d.Events {
		if e.Lane < -1 || e.Lane >= len(d.Robots) || slices.ContainsFunc(e.Events, func(n int) bool { return n >= len(d.Shared) }) {
			t.Errorf("an event of no lane or no shared event: %+v of %d and %d", e, len(d.Robots), len(d.Shared))
		}
	}
}

func TestPendingCasesJoinTheLanesOfTheirObservations(t *testing.T) {
	t.Parallel()
	doubt := func(n int, at, robot, case_, status, text string) string {
		return fmt.Sprintf(`<urn:o:%d> sc:observedAt "2026-03-01T%sZ"^^xsd:dateTime ; prov:specializationOf <urn:c:%[1]d> ; sc:observedBy <http://e/%[3]s> ; sc:text "%[4]s" .
			<urn:r:%[1]d> sc:caseId "%[5]s" ; sc:caseStatus "%[6]s" ; sc:source <urn:c:%[1]d> .`+"\n", n, at, robot, text, case_, status)
	}
	r := oneHour(t, hall+"GRAPH <urn:segraph:contexts> {"+
		doubt(1, "08:00:03", "tiago", "case 1&2", "pending", "")+
		doubt(2, "08:00:04", "ari", "case 1&2", "pending", "hello")+
		doubt(3, "08:00:06", "pepper", "case-3", "pending", "bye")+
		doubt(4, "08:00:07", "ari", "case-4", "accepted", "done")+
		doubt(5, "10:00:00", "ari", "case-5", "pending", "later")+"}")
	d, err := r.Replay(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	cases, err := r.Cases(t.Context(), d)
	if err != nil || len(cases) != 2 {
		t.Fatalf("%+v, %v", cases, err)
	}
	both, alone := cases[0], cases[1]
	if both.Case != "/shared-context?case=case+1%262" || both.Text != "hello" || !slices.Equal(both.Lanes, []int{0, 1}) || both.To.Sub(both.From) != time.Second {
		t.Errorf("the case of two robots: %+v", both)
	}
	if alone.Text != "bye" || len(alone.Lanes) > 0 {
		t.Errorf("the case of a robot without a lane: %+v", alone)
	}
}

// A robot's state lasts as long as its log goes on without a long pause.
func TestALogEndsBeforeALongPause(t *testing.T) {
	t.Parallel()
	at := func(minutes ...int) (l log) {
		for i := 0; i < len(minutes); i += 2 {
			l = append(l, views.Period{From: noon.Add(time.Duration(minutes[i]) * time.Minute), To: noon.Add(time.Duration(minutes[i+1]) * time.Minute)})
		}
		return l
	}
	for _, x := range []struct {
		what     string
		in, want log
	}{
		{"nothing", nil, nil},
		{"one period", at(0, 5), at(0, 5)},
		{"overlapping ones", at(0, 5, 3, 8, 4, 6), at(0, 8)},
		{"ten minutes apart", at(0, 5, 15, 20), at(0, 20)},
		{"more than ten minutes apart", at(0, 5, 16, 20), at(0, 5, 16, 20)},
		{"out of order", at(16, 20, 0, 5, 30, 40), at(0, 5, 16, 40)},
		{"one within another", at(0, 100, 10, 20, 110, 110), at(0, 110)},
	} {
		got := x.in.join()
		if !slices.Equal(got, x.want) {
			t.Errorf("%s: %v, want %v", x.what, got, x.want)
		}
		for _, p := range got {
			if end := got.end(p.From); !end.Equal(p.To) {
				t.Errorf("%s: what begins at %s ends at %s", x.what, p.From, end)
			}
		}
		if before := noon.Add(-time.Minute); !got.end(before).Equal(before) {
			t.Errorf("%s: a time outside of the log ends at %s", x.what, got.end(before))
		}
	}
}

// A replay says how a decision ended and why it was made, what failed, how sure a robot was of
// words, and nothing of an intensity that nobody logged.
func TestAReplayHasTheFactsOfActivities(t *testing.T) {
	t.Parallel()
	r := oneHour(t, `<http://e/ari> a oro:Robot ; schema:name "ARI" . <http://e/maria> a oro:Human ; schema:name "Maria" .
<http://e/d> a segb:LoggedActivity, oro:DecisionMakingAction ; rdfs:label "wait" ; segb:wasPerformedBy <http://e/ari> ; prov:startedAtTime "2026-03-01T08:00:01Z"^^xsd:dateTime ;
	schema:actionStatus schema:FailedActionStatus ; schema:additionalProperty <http://e/d/why>, <http://e/d/option1>, <http://e/d/option2> .
<http://e/d/why> schema:propertyID "why" ; schema:value "She spoke" . <http://e/d/option1> schema:propertyID "option1" ; schema:value "wait" .
<http://e/d/option2> schema:propertyID "option2" ; schema:value "go" .
<http://e/stop> a segb:LoggedActivity, sc:EmergencyStop ; rdfs:label "emergency stop" ; segb:wasPerformedBy <http://e/ari> ; prov:startedAtTime "2026-03-01T08:00:02Z"^^xsd:dateTime .
<http://e/broke> a segb:LoggedActivity, sc:Incident ; rdfs:label "no arm" ; segb:wasPerformedBy <http://e/ari> ; prov:startedAtTime "2026-03-01T08:00:03Z"^^xsd:dateTime ;
	schema:additionalProperty [ schema:propertyID "level" ; schema:value "error" ] .
<http://e/h> a segb:LoggedActivity, oro:ListeningEvent ; segb:wasPerformedBy <http://e/ari> ; prov:startedAtTime "2026-03-01T08:00:04Z"^^xsd:dateTime .
<http://e/m> a schema:Message ; prov:wasGeneratedBy <http://e/h> ; schema:sender <http://e/maria> ; schema:text "Hi" ;
	schema:additionalProperty [ schema:propertyID "confidence" ; schema:value 0.8 ] .
<http://e/f> a segb:LoggedActivity, onyx:EmotionAnalysis ; segb:wasPerformedBy <http://e/ari> ; prov:startedAtTime "2026-03-01T08:00:05Z"^^xsd:dateTime ;
	segb:producedEntityResult [ oa:hasTarget <http://e/maria> ; onyx:hasEmotion [ onyx:hasEmotionCategory <http://e/joy> ; onyx:algorithmConfidence 0.9 ] ] .`)
	d, err := r.Replay(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range d.Events {
		got = append(got, fmt.Sprint(e.Kind, "|", e.sentence(), "|", e.Confidence, "|", e.Intensity))
	}
	want := []string{
		"decision|“wait” · status “failed” · options “wait, go” · reason “She spoke”|-1|-1", "incident|“emergency stop”|-1|-1", "incident|“no arm” · level “error”|-1|-1",
		"message|“Hi” (confidence " + views.Percentage(0.8) + ")|0.8|-1", "emotion|joy (confidence " + views.Percentage(0.9) + ", strength not logged)|0.9|-1",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	tables, err := r.Section(t.Context(), "emotions")
	if err != nil {
		t.Fatal(err)
	}
	for _, table := range tables.Tables {
		if table.Title != "Extreme emotions" && (len(table.Rows) != 1 || !slices.ContainsFunc(table.Rows[0], func(c ReportCell) bool { return c.Text == "not logged" })) {
			t.Errorf("%s has %v", table.Title, table.Rows)
		}
	}
}

// TestAReplayShowsARobotThatLoggedOnlyStates has another one that did something.
func TestAReplayShowsARobotThatLoggedOnlyStates(t *testing.T) {
	t.Parallel()
	d, err := oneHour(t, hall+`<http://e/s2> prov:wasAttributedTo <http://e/tina> ; prov:generatedAtTime "2026-03-01T08:00:02Z"^^xsd:dateTime ; prov:atLocation <http://e/room_b> .
<http://e/tina> a oro:Robot ; schema:name "Tina" .`).Replay(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if n := slices.Index(d.Robots, "Tina"); n < 0 || !slices.ContainsFunc(d.Events, func(e ReplayEvent) bool { return e.Kind == KindState && e.Lane == n }) {
		t.Errorf("the robots are %v, and what they did is\n%s", d.Robots, strings.Join(eventLines(d), "\n"))
	}
}
