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

// TestAClockThatWasAheadHasNotTheLastWord publishes one activity of each kind that is five years ahead of now.
func TestAClockThatWasAheadHasNotTheLastWord(t *testing.T) {
	t.Parallel()
	s := openService(t)
	ahead := strings.NewReplacer("2026-02-24", s.Now.AddDate(5, 0, 0).Format(time.DateOnly), ":hears", ":aheadhears", ":heard", ":aheadheard", ":answers", ":aheadanswers", ":decides", ":aheaddecides", ":said", ":aheadsaid",
		":event", ":aheadevent", "You got it!", "Ahead", "Here you are.", "Ahead", ":zoe", ":aheadzoe", `"Zoe"`, `"Ahead"`, ":model", ":aheadmodel", "Ears", "Ahead")
	s.Publish(metLog)
	s.Publish(ahead.Replace(metLog))
	b := s.NewVisitor()
	for page, want := range map[string]string{"/kg-graph": "You got it!", "/kg-graph?show=met": "Zoe", "/kg-graph?show=models": "Ears", "/kg-graph?show=causes": "decision", "/why": "Here you are."} {
		text := b.Get(page).Body.String()
		_, text, _ = strings.Cut(text, "<main")
		text = strings.ReplaceAll(text, "aheadzoe", "") // whom Where to begin names
		viewstest.Want(t, text, want)
		if drawing, _, _ := strings.Cut(text, "Start elsewhere"); strings.Contains(drawing, "Ahead") || strings.Contains(text, "aheadhears") {
			t.Errorf("%s has what is ahead of now: %s", page, text)
		}
	}
}

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

// The picture of who met whom reads the newest activities only. If there are more before a pause, the page says so.
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
	p.tell(fmt.Sprintf("http://e/person%d", mostInRows), "used", "http://e/model", time.Time{}) // the picture shows this person by another word
	if left := p.left(); left != 2*more-1 || len(p.nodes) != 2*mostInRows+2 {
		t.Errorf("%d nodes are drawn and %d left out; want %d and %d", len(p.nodes), left, 2*mostInRows+2, 2*more-1)
	}
}

// TestThePictureOfTheLastSessionSaysWhatAndWhen has more sentences than it shows.
func TestThePictureOfTheLastSessionSaysWhatAndWhen(t *testing.T) {
	t.Parallel()
	s := openService(t)
	head, _, _ := strings.Cut(metLog, ":event a")
	for i := range maxShared + 3 {
		head += fmt.Sprintf(`:event%d a schema:Event ; schema:description "Sentence %[1]d" .
			:hear%[1]d segb:wasPerformedBy :ari ; schema:about :event%[1]d ; prov:startedAtTime "2026-02-24T12:00:%02[1]dZ"^^xsd:dateTime .
			:too%[1]d segb:wasPerformedBy :tiago ; schema:about :event%[1]d ; prov:startedAtTime "2026-02-24T12:00:%02[1]dZ"^^xsd:dateTime .`+"\n", i)
	}
	s.Publish(head)
	page := s.NewVisitor().Get("/kg-graph").Body.String()
	viewstest.Want(t, page, "The last session, 24\u00a0Feb\u00a02026: who said what", "3 sentences not drawn")
	if strings.Contains(page, "that took part") {
		t.Error("it leaves a robot out")
	}
}

// TestRobotsThatMetEachOtherAreOneLine has two sentences of one robot that another heard, and one back.
func TestRobotsThatMetEachOtherAreOneLine(t *testing.T) {
	t.Parallel()
	s := openService(t)
	text, _, _ := strings.Cut(metLog, ":event a")
	for i, who := range []string{"ari", "tiago", "ari"} {
		to := map[string]string{"ari": "tiago", "tiago": "ari"}[who]
		text += fmt.Sprintf(`:hears%d segb:wasPerformedBy :%s ; prov:startedAtTime "2026-02-24T12:00:%02dZ"^^xsd:dateTime . :m%[1]d schema:sender :%[4]s ; prov:wasGeneratedBy :hears%[1]d .`+"\n", i, to, i, who)
	}
	s.Publish(text)
	page := s.NewVisitor().Get("/kg-graph?show=met").Body.String()
	if n := strings.Count(page, `<a class="edge`); n != 1 {
		t.Errorf("%d lines", n)
	}
	viewstest.Want(t, page, metBoth, "3 sentences, last 12:00:02")
}
