package explore

import (
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/segraph/segraph/store/turtle"
	"github.com/segraph/segraph/views/viewstest"
)

// metLog has a sentence that two robots heard and one answered, which is older than a sentence of another session.
const metLog = `
@prefix schema: <http://schema.org/> . @prefix prov: <http://www.w3.org/ns/prov#> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
@prefix segb: <http://www.gsi.upm.es/ontologies/segb/ns#> . @prefix oro: <http://kb.openrobots.org#> . @prefix : <http://e/> .
:ari a oro:Robot ; schema:name "ARI" . :tiago a oro:Robot ; schema:name "TIAGo" . :zoe a oro:Human ; schema:name "Zoe" .
:model a <http://www.w3.org/ns/mls#Model> ; schema:name "Ears" ; schema:version "1.4" .
:event a schema:Event ; schema:description "You got it!" ; schema:about :zoe .
:hears1 a oro:ListeningEvent ; segb:wasPerformedBy :ari ; schema:about :event ; segb:usedMLModel :model ; prov:startedAtTime "2026-02-24T12:00:00Z"^^xsd:dateTime .
:hears2 a oro:ListeningEvent ; segb:wasPerformedBy :tiago ; schema:about :event ; prov:startedAtTime "2026-02-24T12:00:01Z"^^xsd:dateTime .
:answers a oro:ResponseAction ; segb:wasPerformedBy :tiago ; schema:about :event ; prov:startedAtTime "2026-02-24T12:00:03Z"^^xsd:dateTime .
:heard a schema:Message ; schema:sender :zoe ; prov:wasGeneratedBy :hears1 . :said a schema:Message ; schema:sender :tiago ; schema:text "Here you are." ; prov:wasGeneratedBy :answers .
:decides a oro:DecisionMakingAction ; segb:wasPerformedBy :tiago ; segb:triggeredByActivity :hears2 ; prov:wasInformedBy :hears2 ; prov:startedAtTime "2026-02-24T12:00:02Z"^^xsd:dateTime .
:old a schema:Event ; schema:description "Long ago." . :hears0 segb:wasPerformedBy :ari ; schema:about :old ; prov:startedAtTime "2026-02-24T11:00:00Z"^^xsd:dateTime .
:hears00 segb:wasPerformedBy :tiago ; schema:about :old ; prov:startedAtTime "2026-02-24T11:00:00Z"^^xsd:dateTime .`

func TestTheGraphOpensWithWhatTheLastSessionShared(t *testing.T) {
	t.Parallel()
	s := openService(t)
	s.Publish(metLog)
	b := s.NewVisitor()
	for show, want := range map[string][]string{
		"":             {"Zoe said You got it!", "ARI heard You got it!", "TIAGo answered You got it!"},
		"?show=met":    {"Zoe met ARI"},
		"?show=models": {"ARI used Ears 1.4"},
		"?show=causes": {"heard led to decision"},
	} {
		page := b.Get("/kg-graph" + show).Body.String()
		if n := strings.Count(page, `<a class="edge`); n != len(want) || strings.Contains(page, "Long ago") {
			t.Errorf("%q has %d lines, want %d", show, n, len(want))
		}
		for _, line := range want {
			if !strings.Contains(strings.NewReplacer("“", "", "”", "", "&#34;", "").Replace(page), "<title>"+line+"</title>") {
				t.Errorf("%q has no line %s", show, line)
			}
		}
	}
	viewstest.Want(t, b.Get("/kg-graph?show=causes").Body.String(), "<title>:hears2 · heard by TIAGo</title>", "<title>:decides · decided by TIAGo</title>")
	viewstest.Want(t, b.Get("/kg-graph").Body.String(), "<span>person</span>", "<span>robot</span>", `aria-current="page">Last session`)
	in, n := turtle.NewReader(b.Get("/kg-graph/picture.ttl?show=session").Body, turtle.Turtle, turtle.Options{}), 0
	_, err := in.Read()
	for ; err == nil; n++ {
		_, err = in.Read()
	}
	if n != 9 || err != io.EOF { // types, names, and whom the event is about
		t.Errorf("the Turtle has %d triples, want 9 that are stored: %v", n, err)
	}
	viewstest.Want(t, b.Get("/kg-graph?show=%3Cscript%3E").Body.String(), `aria-current="page">Last session`)
	viewstest.Want(t, b.Get("/kg-graph?v=%2B+http://e/answers&v=%2B+http://e/tiago").Body.String(), ">Here you are.</tspan>")
	viewstest.Want(t, b.Get("/kg-graph?v=%2B+http://e/answers&v=%2B+http://e/said").Body.String(), ">said 12:00:03</tspan>", ">Here you are.</tspan>")
}

// Who met whom is told of the newest activities only, and the page says so if there are more without a pause.
func TestTheGraphSaysThatItCountsTheNewestActivities(t *testing.T) {
	t.Parallel()
	s := openService(t)
	s.Publish(metLog)
	b, says := s.NewVisitor(), "in the newest 1,000 activities"
	if page := b.Get("/kg-graph?show=met").Body.String(); strings.Contains(page, says) {
		t.Error("it says so of seven activities")
	}
	var text strings.Builder
	text.WriteString("@prefix prov: <http://www.w3.org/ns/prov#> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .\n")
	for i := range lastActivities - 2 {
		fmt.Fprintf(&text, "<http://e/later%d> prov:startedAtTime \"2026-02-24T12:10:00.%04dZ\"^^xsd:dateTime .\n", i, i)
	}
	s.Publish(text.String())
	viewstest.Want(t, b.Get("/kg-graph?show=met").Body.String(), says)
}

// TestAFullPictureCountsBothEndsOfWhatItLeavesOut tells of more people and robots than the picture has room for.
func TestAFullPictureCountsBothEndsOfWhatItLeavesOut(t *testing.T) {
	const more = 5
	p := &picture{index: map[string]int{}, sides: map[string]map[string]bool{}}
	for i := range mostInRows + more {
		p.tell(fmt.Sprintf("http://e/person%d", i), "met", fmt.Sprintf("http://e/robot%d", i), time.Time{})
	}
	if left := p.left(); left != 2*more || len(p.nodes) != 2*mostInRows {
		t.Errorf("%d nodes are drawn and %d left out; want %d and %d", len(p.nodes), left, 2*mostInRows, 2*more)
	}
}
