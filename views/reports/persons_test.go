package reports

import (
	"context"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/segraph/segraph/resolver"
	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/views"
	"github.com/segraph/segraph/views/viewstest"
)

// mariaTwice is what two robots log of Maria, each with a name of its own.
const mariaTwice = `
@prefix segb: <http://www.w3.org/ns/segb#> .
@prefix prov: <http://www.w3.org/ns/prov#> .
@prefix schema: <http://schema.org/> .
@prefix oro: <http://kb.openrobots.org#> .
@prefix oa: <http://www.w3.org/ns/oa#> .
@prefix onyx: <http://www.gsi.upm.es/ontologies/onyx/ns#> .
@prefix emoml: <http://www.gsi.upm.es/ontologies/onyx/vocabularies/emotionml/ns#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
<http://e/ari> a oro:Robot ; schema:name "Ari" .
<http://e/tiago> a oro:Robot ; schema:name "Tiago" .
<http://e/ari/maria> a oro:Human ; schema:name "Maria" .
<http://e/tiago/maria> a oro:Human ; schema:name "Maria" .
<http://e/paul> a oro:Human ; schema:name "Paul" .
<http://e/a1> a segb:LoggedActivity, oro:ListeningEvent ; segb:wasPerformedBy <http://e/ari> ; prov:startedAtTime "2026-03-01T08:00:00Z"^^xsd:dateTime ; segb:producedEntityResult <http://e/n1> .
<http://e/m1> a schema:Message ; schema:text "Where is the exit?" ; schema:sender <http://e/ari/maria> ; prov:wasGeneratedBy <http://e/a1> .
<http://e/a2> a segb:LoggedActivity, oro:ListeningEvent ; segb:wasPerformedBy <http://e/tiago> ; prov:startedAtTime "2026-03-01T08:00:01Z"^^xsd:dateTime ; segb:producedEntityResult <http://e/n2> .
<http://e/m2> a schema:Message ; schema:text "Where is the exit?" ; schema:sender <http://e/tiago/maria> ; prov:wasGeneratedBy <http://e/a2> .
<http://e/a3> a segb:LoggedActivity, oro:ResponseAction ; segb:wasPerformedBy <http://e/ari> ; prov:startedAtTime "2026-03-01T08:00:02Z"^^xsd:dateTime ; segb:triggeredByActivity <http://e/a1> ; segb:triggeredByEntity <http://e/m2> .
<http://e/m3> a schema:Message ; schema:text "Over there." ; schema:sender <http://e/ari> ; prov:wasGeneratedBy <http://e/a3> ; prov:wasDerivedFrom <http://e/m1>, <http://e/m2> .
<http://e/n1> a oa:Annotation ; oa:hasTarget <http://e/ari/maria> ; onyx:hasEmotion [ onyx:hasEmotionCategory emoml:big6_fear ; onyx:hasEmotionIntensity 0.5 ] .
<http://e/n2> a oa:Annotation ; oa:hasTarget <http://e/tiago/maria> ; onyx:hasEmotion [ onyx:hasEmotionCategory emoml:big6_fear ; onyx:hasEmotionIntensity 0.9 ] .
`

// Once two names are one person's, every page shows that person once, and leads to the other name. After an undo all
// pages are as before.
func TestTwoNamesOfOnePersonAreOneOnEveryPage(t *testing.T) {
	t.Parallel()
	s := openService(t)
	b := s.NewVisitor()
	s.Publish(mariaTwice)
	const replay = "/replay?from=2026-03-01T08:00:00Z&to=2026-03-01T08:00:10Z"
	first, second := "/why?iri=http://e/ari/maria", "/why?iri=http://e/tiago/maria"
	people := "/reports?section=people&who=" + url.QueryEscape("http://e/tiago/maria")
	paths := []string{"/reports", "/reports?section=people", people, "/reports?section=emotions", "/reports?section=conversations",
		"/reports?section=sessions", replay, replay + "&view=table", "/search?q=maria", first, second, "/why?iri=http://e/a3"}
	varies := regexp.MustCompile(`nonce="[^"]*"|data-built="[^"]*"`)
	read := func() map[string]string {
		out := map[string]string{}
		for _, path := range paths {
			w := b.Get(path)
			if w.Code != 200 {
				t.Fatalf("%s: %d %s", path, w.Code, w.Body)
			}
			out[path] = varies.ReplaceAllString(w.Body.String(), "")
		}
		return out
	}
	decide := func(one bool) {
		t.Helper()
		d := resolver.PersonDecision{Subjects: []string{"http://e/tiago/maria", "http://e/ari/maria"}, One: one}
		if _, err := s.Contexts.DecidePerson(context.Background(), d, journal.Entry{Action: journal.Subject, Actor: "eva"}); err != nil {
			t.Fatal(err)
		}
	}
	before := read()
	for path, text := range before {
		if path != second && path != first && path != "/reports" && !strings.Contains(text, "Maria (") {
			t.Errorf("%s does not tell the two apart: %s", path, text)
		}
	}
	decide(true)
	after := read()
	for path, text := range after {
		if strings.Contains(text, "Maria (") || strings.Contains(text, "Maria, Maria") {
			t.Errorf("%s shows two persons: %s", path, text)
		}
	}
	viewstest.Want(t, after["/reports"], `<b>2</b>`)
	viewstest.Want(t, after["/reports?section=emotions"], ">70 %<", ">90 %<", "2 times")
	viewstest.Want(t, after["/search?q=maria"], "person, 2 names")
	viewstest.Want(t, after[first], "Other names of this person", ">http://e/tiago/maria</a>", "tiago", "ari")
	viewstest.Want(t, after[second], "Other names of this person", ">http://e/ari/maria</a>")
	rows := b.Get("/reports/rows?q=sent-rows&who=http://e/ari/maria").Header().Get("Location")
	if !strings.Contains(rows, "http%3A%2F%2Fe%2Fari%2Fmaria%3E+%29+%28+%3Chttp%3A%2F%2Fe%2Ftiago%2Fmaria%3E") {
		t.Errorf("the rows of Maria are those of one name: %s", rows)
	}
	decide(false)
	for path, text := range read() {
		if text != before[path] {
			t.Errorf("after the undo, %s is\n%s\nand was\n%s", path, text, before[path])
		}
	}
	decide(true)
	// One message with both names of its sender counts once.
	s.Publish(`<http://e/m1> <http://schema.org/sender> <http://e/tiago/maria> . <http://e/m2> <http://schema.org/sender> <http://e/ari/maria> .`)
	persons, err := s.UI.Persons(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	r := &Report{Ask: s.UI.Ask, Limit: mostRows, Persons: persons}
	for _, name := range []string{"sent", "said", "emotion-distribution"} {
		rows, err := r.rows(t.Context(), name)
		var got []string
		for _, row := range rows {
			if at := row[0].Value() + " "; strings.HasSuffix(at, "maria ") {
				got = append(got, fmt.Sprint(row[len(row)-1].Value()))
			}
		}
		if err != nil || !slices.Equal(got, []string{"2"}) {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
}

// A replay that begins with a robot's first activity shows where the robot was then, by its last state before.
func TestAReplayBeginsWhereRobotsWere(t *testing.T) {
	t.Parallel()
	state := func(at, place string) string {
		return `[] prov:wasAttributedTo <http://e/ari> ; prov:generatedAtTime "2026-03-01T0` + at + `Z"^^xsd:dateTime ; prov:atLocation <http://e/place/` + place + "> .\n"
	}
	r := reportOf(t, someActivities+"<http://e/ari> a oro:Robot . <http://e/tiago> a oro:Robot .\n"+strings.Replace(state("1:00:00", "attic"), "ari", "tiago", 1)+state("6:30:00", "cellar")+state("7:58:00", "cafe")+state("7:59:00", "hall")+state("8:30:00", "gallery"))
	if moves := tablesOf(t, r, "states")["moves"]; len(moves.Rows) != 3 {
		t.Errorf("the moves are %+v", moves)
	}
	r.Limit = 1 // the newest state alone would show no move
	if moves := tablesOf(t, r, "states")["moves"]; len(moves.Rows) != 1 || moves.Rows[0][3].Text != "gallery" || !moves.More {
		t.Errorf("the moves are %+v", moves)
	}
	r.From, r.To = noon.Add(-4*time.Hour), noon.Add(-3*time.Hour)
	d, err := r.Replay(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	stays := d.stays(0, NewScale([]views.Period{{From: r.From, To: r.To}}, true))
	if len(stays) != 2 || stays[0].name != "hall" || stays[0].from != 0 || stays[1].name != "gallery" {
		t.Errorf("the stays are %+v", stays)
	}
	r.From, r.To = noon.Add(-3*time.Hour), noon.Add(-2*time.Hour)
	if d, err = r.Replay(t.Context(), nil); err != nil || d.Before[0].What != "gallery" {
		t.Errorf("before: %+v, %v", d.Before, err)
	}
}
