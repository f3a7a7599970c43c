package reports

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/segraph/segraph/evidence"
	"github.com/segraph/segraph/store/turtle"
)

// Lines without a time come first, and say nothing of when a session was.
func TestNotesOfOtherSessionsAreInNoCaseFile(t *testing.T) {
	t.Parallel()
	at := func(minute int) time.Time { return time.Date(2026, 2, 24, 12, minute, 0, 0, time.UTC) }
	f := caseFacts{rows: []CaseFileRow{{}, {At: at(20)}, {At: at(25)}}}
	for minute, want := range map[int]bool{0: false, 18: false, 20: true, 24: true, 25: false, 40: false} {
		if got := f.during(at(minute)); got != want {
			t.Errorf("minute %d: %t, want %t", minute, got, want)
		}
	}
	if f = (caseFacts{rows: []CaseFileRow{{}}}); f.during(at(20)) {
		t.Error("no line has a time")
	}
}

// ARI says one sentence twice and reads one emotion twice; TIAGo logs each once. No line has a later
// one as its cause. Each has its date, since they are of two days.
func TestARobotThatLoggedTheSameTwiceHasTwoLines(t *testing.T) {
	t.Parallel()
	said := func(n int, at, robot, text, more string) string {
		return saidAt(n, "2026-03-01T"+at+"Z", robot, "ex:ari", "ex:e", text) + fmt.Sprintf("ex:a%d segb:producedEntityResult ex:m%d %s .\n", n, n, more)
	}
	feels := func(n int, at, robot string) string {
		return fmt.Sprintf(`ex:f%d prov:startedAtTime "2026-03-02T%sZ"^^xsd:dateTime ; segb:wasPerformedBy %s ; schema:about ex:e ; segb:producedEntityResult ex:n%[1]d .
			ex:n%[1]d oa:hasTarget ex:maria ; onyx:hasEmotion [ onyx:hasEmotionCategory ex:big6_joy ] .`, n, at, robot)
	}
	log := func(text string) evidence.RecordLog {
		quads, err := turtle.Parse([]byte(searchPrefixes+text), turtle.Turtle, turtle.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return evidence.RecordLog{Quads: quads}
	}
	f := readFacts(&evidence.Record{Logs: []evidence.RecordLog{
		log(said(1, "10:00:05", "ex:ari", `"Please step back."`, "") + said(2, "10:01:10", "ex:ari", `"Please step back."`, "; segb:triggeredByActivity ex:a4") + said(4, "10:01:08", "ex:ari", `"Why?"`, "")),
		log(said(3, "10:00:06", "ex:tiago", `"Please step back."`, "")), log(feels(5, "10:00:00", "ex:ari") + feels(6, "10:00:01", "ex:ari")), log(feels(7, "10:00:02", "ex:tiago"))}})
	f.nameAll(nil)
	f.read()
	m := CaseDocument{Rows: f.rows}
	var got []string
	for _, r := range m.Rows {
		got = append(got, fmt.Sprint(m.clock(r.At), " ", r.Clause(), " ", r.Because))
	}
	want := []string{"1 Mar 2026, 10:00:05 ARI said “Please step back.” []", "1 Mar 2026, 10:01:08 ARI said “Why?” []", "1 Mar 2026, 10:01:10 ARI said “Please step back.” [2]",
		"2 Mar 2026, 10:00:00 ARI: read joy in María []", "2 Mar 2026, 10:00:01 ARI, TIAGo: read joy in María []"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want\n%q", got, want)
	}
	m.Rows = append(m.Rows, CaseFileRow{Number: 6, Who: "ARI", Words: "decided: wait", Because: []int{2, 4}})
	tells := "From 1 Mar 2026, 10:00 to 2 Mar 2026, 10:00 UTC, ARI said 3 sentences. ARI read joy in María once. ARI and TIAGo read joy in María once. ARI decided “wait” (line 6), because of lines 2 and 4."
	if got := strings.NewReplacer("\u2068", "", "\u2069", "").Replace(m.summary()); got != tells {
		t.Errorf("it tells %q, want %q", got, tells)
	}
}
