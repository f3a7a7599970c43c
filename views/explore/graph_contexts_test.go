package explore

import (
	"fmt"
	"html"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/segraph/segraph/resolver"
	"github.com/segraph/segraph/views"
	"github.com/segraph/segraph/views/viewstest"
)

// hears lets robots resolve observations, as they do before publishing, and returns the
// answered contexts.
func (s *fixture) hears(list ...resolver.Observation) (events []string) {
	s.T.Helper()
	for _, o := range list {
		x, err := s.Contexts.Resolve(s.T.Context(), o, "tester")
		if err != nil {
			s.T.Fatal(err)
		}
		events = append(events, x.SharedContextURI)
	}
	return events
}

func heardAt(robot, second, text, subject string) resolver.Observation {
	return resolver.Observation{EventKind: "human_utterance", ObservedAt: "2026-02-11T09:12:" + second + "Z", Modality: "speech", Text: text,
		SubjectURI: subject, RobotURI: "https://ex/robot/" + robot, ObservationURI: "https://ex/" + robot + "/heard/" + second}
}

func TestObservationsOfOneEventShareAHullAndAPendingCaseIsALine(t *testing.T) {
	t.Parallel()
	s := newService(t)
	const maria, text = "https://ex/human/maria", "Could you show me climate news?"
	events := s.hears(heardAt("ari", "13.150", text, maria), heardAt("tiago", "13.950", text, maria), heardAt("pepper", "13.650", text, ""),
		heardAt("ari", "55.000", "Where is the cloakroom, please?", maria))
	if events[0] != events[1] || events[0] == events[2] {
		t.Fatalf("%v", events)
	}
	s.Publish("<https://ex/a> <http://schema.org/about> <" + events[0] + "> . <https://ex/b> <http://schema.org/about> <" + maria + "> .")
	admin, auditor := s.SignedIn("admin"), s.SignedIn("auditor")
	var shown []string
	for _, iri := range []string{"https://ex/ari/heard/13.150", "https://ex/tiago/heard/13.950", "https://ex/pepper/heard/13.650", "https://ex/ari/heard/55.000", "https://ex/a", "https://ex/b"} {
		shown = append(shown, "v", "+ "+iri)
	}
	page := admin.Get(graphAt(shown...)).Body.String()
	if n := strings.Count(page, `class="hull`) - strings.Count(page, `class="hull-name`); n != 1 || !strings.Contains(page, ">human utterance of maria</text>") {
		t.Errorf("%d hulls", n)
	}
	if strings.Count(page, `class="doubt `) != 1 || !strings.Contains(page, "1 shared event, 1 case to review") {
		t.Error("one case is not shown")
	}
	p := s.picture(graphAt(shown...))
	if got := fmt.Sprint(p.hulls[0].members); got != "[0 1 4]" {
		t.Errorf("the hull has %s", got)
	}
	if d := p.doubts[0]; d.from+d.to != 2 {
		t.Errorf("the case is between %d and %d", d.from, d.to)
	}
	link := regexp.MustCompile(`<a href="(/shared-context\?case=[^"]*)" aria-label="same event\?"><title>These may be one event`).FindStringSubmatch(admin.Get(graphAt(shown...)).Body.String())
	if link == nil {
		t.Fatal("an admin can't go on to the case")
	}
	if w := admin.Get(link[1]); w.Code != 200 {
		t.Errorf("the case: %d", w.Code)
	}
	if page := auditor.Get(graphAt(shown...)).Body.String(); strings.Contains(page, "/shared-context") || !strings.Contains(page, `class="doubt `) {
		t.Error("an auditor is sent to a page that they may not see, or does not see the case")
	}

	// A merge makes them one event.
	caseID := regexp.MustCompile(`case=([^"&]*)`).FindStringSubmatch(link[1])[1]
	if _, err := s.Contexts.Accept(t.Context(), caseID, events[0], false, acceptance()); err != nil {
		t.Fatal(err)
	}
	p = s.picture(graphAt(shown...))
	if len(p.hulls) != 1 || len(p.hulls[0].members) != 4 || len(p.doubts) != 0 {
		t.Errorf("once they are merged: %+v, %+v", p.hulls, p.doubts)
	}
}

func TestTheCardOfAnEventTellsOfItsCases(t *testing.T) {
	t.Parallel()
	s := openService(t)
	const text = "Could you show me climate news?"
	events := s.hears(heardAt("ari", "13.150", text, "https://ex/human/maria"), heardAt("pepper", "13.650", text, ""))
	b := s.NewVisitor()
	for i, e := range events {
		page := b.Get(graphAt("node", e)).Body.String()
		if !strings.Contains(page, "May be the same event as") || !strings.Contains(page, ">shared event</span>") {
			t.Fatalf("the card of %s tells nothing", e)
		}
		viewstest.Want(t, page, html.EscapeString(views.ContextAddress(e)))
		_, doubts, _ := strings.Cut(page, "May be the same event as")
		show := regexp.MustCompile(`<a class="button mini" href="([^"]*)">Show</a>`).FindStringSubmatch(doubts)
		if show == nil || !strings.Contains(show[1], events[1-i]) {
			t.Fatalf("%v", show)
		}
		if page := b.Get(strings.ReplaceAll(show[1], "&amp;", "&")).Body.String(); strings.Count(page, `class="doubt `) != 1 {
			t.Error("the other event and the case between them are not shown")
		}
	}
}

func TestPublishedEventsHaveHullsToo(t *testing.T) {
	t.Parallel()
	s := openService(t)
	s.PublishDemo()
	p := s.picture(graphAt("v", "+ "+viewstest.ARI, "v", "< 25 http://www.gsi.upm.es/ontologies/segb/ns#wasPerformedBy "+viewstest.ARI))
	if len(p.hulls) != 2 || len(p.hulls[0].members) < 5 || !strings.Contains(p.hulls[0].name+p.hulls[1].name, "news to cheer me up") {
		t.Errorf("%+v", p.hulls)
	}
}

// TestReportsOfSharedEventsAreInRows has a third report, of another event, between two of one event.
func TestReportsOfSharedEventsAreInRows(t *testing.T) {
	t.Parallel()
	s := openService(t)
	const text, robot = "Could you show me climate news?", "https://ex/robot/ari"
	s.hears(heardAt("ari", "13.150", text, "https://ex/human/maria"), heardAt("tiago", "13.950", text, "https://ex/human/maria"), heardAt("pepper", "13.650", text, ""))
	s.Publish("<" + robot + "> a <http://kb.openrobots.org#Robot> . <https://ex/ari/heard/13.150> <http://www.gsi.upm.es/ontologies/segb/ns#wasPerformedBy> <" + robot + "> .")
	var shown []string
	for _, iri := range []string{"https://ex/ari/heard/13.150", "https://ex/pepper/heard/13.650", "https://ex/tiago/heard/13.950", robot} {
		shown = append(shown, "v", "+ "+iri)
	}
	d := s.drawn(graphAt(shown...))
	at := map[string]GraphPoint{}
	for _, n := range d.Nodes {
		at[n.IRI] = n
	}
	ari, pepper, tiago := at["https://ex/ari/heard/13.150"], at["https://ex/pepper/heard/13.650"], at["https://ex/tiago/heard/13.950"]
	if ari.X != pepper.X || ari.X != tiago.X || at[robot].X >= ari.X || at[robot].Y != ari.Y || (pepper.Y-ari.Y)*(pepper.Y-tiago.Y) <= 0 {
		t.Errorf("%v,%v %v,%v %v,%v; the robot at %v,%v", ari.X, ari.Y, pepper.X, pepper.Y, tiago.X, tiago.Y, at[robot].X, at[robot].Y)
	}
}

// TestALineBeginsBelowWhereOthersEnd has two causes in a row: the middle one has a line to each side.
func TestALineBeginsBelowWhereOthersEnd(t *testing.T) {
	t.Parallel()
	s := openService(t)
	s.PublishDemo()
	d := s.drawn(graphAt("v", "+ "+viewstest.ARI, "v", "< 25 http://www.gsi.upm.es/ontologies/segb/ns#wasPerformedBy "+viewstest.ARI))
	begins, ends := map[string]bool{}, map[string]bool{}
	for _, l := range d.Lines {
		if points := regexp.MustCompile(`-?[0-9.]+`).FindAllString(l.Path, -1); d.Nodes[l.Ends[0]].Ring == 1 && d.Nodes[l.Ends[1]].Ring == 1 {
			begins[points[1]], ends[points[len(points)-1]] = true, true
		}
	}
	for y := range begins {
		if ends[y] {
			t.Errorf("a line begins at the height %s, where another ends", y)
		}
	}
	if len(begins) == 0 {
		t.Error("no line runs beside the nodes")
	}
}

// TestRowsOfReportsAreUnderTheirEvents has an event of two reports, one that may be the same, one of no event, and two that may be one event.
func TestRowsOfReportsAreUnderTheirEvents(t *testing.T) {
	t.Parallel()
	d := GraphDrawing{Events: true, Rings: 1, Nodes: make([]GraphPoint, 7), Hulls: []GraphHull{{Members: []int{0, 2}, Name: "news"}},
		Doubts: []GraphDoubt{{Ends: [2]int{1, 2}, Href: "/case"}, {Ends: [2]int{5, 4}}}}
	for i := range 6 {
		d.Nodes[i].Name, d.Nodes[i].Ring = string(rune('a'+i)), 1
		d.Lines = append(d.Lines, GraphLine{Ends: [2]int{6, i}, Words: []string{"heard"}})
	}
	var got []string
	for _, part := range d.byStep(d.rows()) {
		words := part.Title + " |"
		for _, r := range part.Rows {
			words += " " + r.Name
			for _, told := range r.Told {
				words += told.Path
			}
		}
		got = append(got, words)
	}
	want := []string{"One event: news | a c", "Maybe the same event: to review | b/case", "In no shared event | d", "Maybe one event: to review | e f"}
	if !slices.Equal(got, want) {
		t.Errorf("it says %q", got)
	}
}
