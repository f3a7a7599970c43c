package reports

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/segraph/segraph/store/rdf"
)

// TestSessionsAreSummarized has two robots that report one event, a person, a robot as a
// partner, and a second session that overlaps another.
func TestSessionsAreSummarized(t *testing.T) {
	t.Parallel()
	const m = time.Minute
	event, maria, robot := rdf.NewIRI("http://e/event"), rdf.NewIRI("http://e/maria"), rdf.NewIRI("http://e/tiago")
	p := &sessionParts{
		moments: []Moment{
			after(0, "ari", "maria"), after(m, "tiago", "maria"), after(2*m, "ari", "tiago"),
			after(90*time.Second, "temi"), after(20*m, "ari"),
		},
		events:   [][]rdf.Term{{event}, {event}, {event}, nil, nil},
		messages: []int{1, 0, 2, 0, 0},
		feelings: []int{0, 3, 0, 0, 0},
		decided:  []bool{true, false, true, false, false},
		people:   map[string]person{maria.String(): {term: maria}, robot.String(): {term: robot, robot: true}},
	}
	if oldest, newest := p.span(); !oldest.Equal(noon) || !newest.Equal(noon.Add(20*m)) {
		t.Errorf("from %v to %v", oldest, newest)
	}
	out := &Sessions{Gap: 5 * m}
	p.list(out, noon, false)
	if len(out.List) != 3 || !out.Before.IsZero() {
		t.Fatalf("%+v", out)
	}
	last, temi, first := out.List[0], out.List[1], out.List[2]
	if first.Messages != 3 || first.Emotions != 3 || first.Decisions != 2 || first.Shared != 1 || len(first.People) != 1 || first.People[0] != maria {
		t.Errorf("the first is %+v", first)
	}
	if !first.Overlaps || !temi.Overlaps || last.Overlaps {
		t.Errorf("overlaps: %t %t %t", first.Overlaps, temi.Overlaps, last.Overlaps)
	}
	counted := counting{sessions: out.List, of: map[int]int{}}
	for _, at := range []time.Duration{30 * time.Second, 90 * time.Second, 2 * m, 5 * m} {
		counted.add(&finding{}, &sentence{at: noon.Add(at)})
	}
	if !maps.Equal(counted.of, map[int]int{1: 1, 2: 3}) { // the second sentence is in both that overlap
		t.Errorf("the sentences of the sessions are %v", counted.of)
	}
	cut := &Sessions{Gap: 5 * m}
	p.list(cut, noon, true)
	if len(cut.List) != 1 || !cut.Before.Equal(noon.Add(20*m)) {
		t.Errorf("with more before: %+v", cut)
	}
	p.from, p.to = noon.Add(30*time.Second), noon.Add(m)
	s := p.summary(first.Session)
	if !s.Since.Equal(p.from) || !s.Until.Equal(p.to) {
		t.Errorf("clipped to %v and %v", s.Since, s.Until)
	}
}

// TestAFileHasAllSessions has more activities than a list of sessions reads.
func TestAFileHasAllSessions(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	for i := range 3 * 4000 {
		fmt.Fprintf(&text, "<urn:a%d> segb:wasPerformedBy <http://e/ari> ; prov:startedAtTime %q^^xsd:dateTime .\n", i, noon.Add(time.Duration(i/4000-4)*time.Hour+time.Duration(i%4000)*time.Millisecond).Format(time.RFC3339Nano))
	}
	r := reportOf(t, text.String())
	r.Limit = fileRows
	if table := tablesOf(t, r, "sessions")["sessions"]; len(table.Rows) != 3 || table.More {
		t.Errorf("%d sessions, more: %t", len(table.Rows), table.More)
	}
}

// TestRobotsWithoutATypeHaveNames has a robot with a label but no type, one without either,
// and a session with more people than its row has room for.
func TestRobotsWithoutATypeHaveNames(t *testing.T) {
	t.Parallel()
	var people strings.Builder
	for i := range 9 {
		fmt.Fprintf(&people, "<http://e/p%d> a oro:Human . <http://e/event> schema:about <http://e/p%d> .\n", i, i)
	}
	r := reportOf(t, someActivities+people.String()+`<http://e/ari> rdfs:label "The guide" .
<http://e/a2> schema:about <http://e/event> .`)
	s, err := r.Section(t.Context(), "sessions")
	if err != nil {
		t.Fatal(err)
	}
	var robots []string
	for _, row := range s.Tables[0].Rows {
		robots = append(robots, row[2].Value)
	}
	if want := []string{"tiago", "The guide"}; !slices.Equal(robots, want) {
		t.Errorf("the robots are %q, want %q", robots, want)
	}
	first := s.Tables[0].Rows[1]
	if who := first[3]; !strings.HasSuffix(who.Text, " and 3 more") || len(who.Names) != 6 || who.Names[0].Path != "/why?iri=http://e/p0" || who.More.Path != first[0].Href {
		t.Errorf("the people are %+v, want links to their stories, then to %s", who, first[0].Href)
	}
	r.From, r.To = noon.Add(-5*time.Hour), noon
	replay, err := r.Replay(t.Context(), nil)
	if err != nil || !slices.Equal(replay.Robots, []string{"The guide", "tiago"}) {
		t.Errorf("the lanes are %v, %v", replay, err)
	}
}

// TestEmotionsNameTheirModels has two versions of a model that read one emotion each.
func TestEmotionsNameTheirModels(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	for i, version := range []string{"1.2", "1.4"} {
		fmt.Fprintf(&text, `<http://e/m%[1]d> rdfs:label "Face Reader" ; schema:version "%[2]s" .
<http://e/read%[1]d> prov:startedAtTime "2026-03-01T08:00:0%[1]dZ"^^xsd:dateTime ; segb:usedMLModel <http://e/m%[1]d> ; segb:producedEntityResult [ onyx:hasEmotion <http://e/emotion%[1]d> ; oa:hasTarget <http://e/maria> ] .
<http://e/emotion%[1]d> onyx:hasEmotionCategory <http://e/sadness> ; onyx:hasEmotionIntensity 0.8 .
`, i, version)
	}
	s, err := reportOf(t, text.String()).Section(t.Context(), "emotions")
	if err != nil {
		t.Fatal(err)
	}
	for _, table := range s.Tables {
		i := slices.IndexFunc(table.Columns, func(c ReportColumn) bool { return c.Name == "Model" })
		if i < 0 {
			continue
		}
		if len(table.Rows) != 2 || table.Rows[0][i].Text != "Face Reader 1.4" || table.Rows[1][i].Text != "Face Reader 1.2" {
			t.Errorf("%s has %+v", table.Name, table.Rows)
		}
	}
}
