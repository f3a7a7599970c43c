package explore

import (
	"fmt"
	"html"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/segraph/segraph/demo"
	"github.com/segraph/segraph/internal/suite"
	"github.com/segraph/segraph/views"
	"github.com/segraph/segraph/views/viewstest"
)

const (
	ofARI   = "https://gsi.upm.es/segb/robots/ari/v1/"
	ofTIAGo = "https://gsi.upm.es/segb/robots/tiago/v1/"
)

// TestEachAnswerOfTheRobotsIsExplained checks the story of each answer in the demo data:
// whose words, which emotions by which model, and which log.
func TestEachAnswerOfTheRobotsIsExplained(t *testing.T) {
	t.Parallel()
	s := openService(t)
	s.PublishDemo()
	b := s.NewVisitor()
	for iri, parts := range map[string][]string{
		ofARI + "message_ari_response_1": {"ARI said “Maria, I can see you feel sad.", "This happened on 24 Feb 2026, 12:20:57 UTC · its log", "label in the log: ARI decides to provide emotional support",
			"perhaps because ARI recognized sadness in Maria (confidence 92 %, strength 84 %), with Emotion Text Classifier 1.0", "not linked", "because ARI heard Maria say “ARI, I feel sad because I just received bad news.”, with ASR Vosk ES 0.3",
			"Who was there", "ARI did this, spoke · in location room b", "Maria spoke, showed emotions", "TIAGo logged the same event", "Consequences", "its time is before its cause’s", "ARI recognized happiness in Maria (confidence 93 %",
			"What is missing", "No log says whether this was a cause:", "No log says how well this model scored: ASR Vosk ES 0.3"},
		ofARI + "message_ari_exam_news_msg_1": {"ARI said “Here is one headline:", "because ARI heard Maria say “ARI, can you show me some news to cheer me up?”", "its time is after what it led to", "Consequences", "Thank you, ARI!", "later than its effect"},
		ofARI + "message_ari_apology_msg_1": {"ARI said “I am sorry, Maria.", "because ARI recognized fear in Maria (confidence 95 %, strength 90 %), and expressed fear (confidence 82 %, strength 46 %), with Emotion Big6 CNN 1.0", "using “Face snapshot after exam news”",
			"after ARI said “Here is one headline:", "Emotion Big6 CNN 1.0 scored 89 % in its evaluation · trained on: EmotionDataset v1", "No log says which activity produced this: “Face snapshot after exam news”"},
		ofARI + "message_ari_animal_news_msg_1":                       {"ARI said “Here is another one:", "because ARI said “I am sorry, Maria.", "because ARI recognized fear in Maria"},
		ofTIAGo + "activity_tiago_engagement_check_1":                 {"TIAGo decided: “Engagement check: Maria addressed ARI, TIAGo does not respond”", "because TIAGo heard Maria say “ARI, I feel sad", "No log says which model produced this:"},
		ofARI + "emotion_ab2b56ab39724715b7f70bc753e8bbf7":            {"ARI recognized sadness in Maria (confidence 90 %, strength 78 %), with Face Emotion CNN 1.2", "using “Maria face snapshot before ARI response”"},
		ofARI + "emotion_annotation_36bfbd8d53724791b9d6082c33c6b6e8": {"ARI expressed happiness (confidence 87 %, strength 67 %), and recognized happiness in Maria (confidence 96 %", "because ARI heard Maria say “Thank you, ARI!", "because ARI said “Here is another one"},
		ofARI + "model_emotion_big6_v1":                               {"ARI trained Emotion Big6 CNN 1.0", "using “EmotionDataset v1”"},
		viewstest.ARI:                                                 {"ARI", "Whom ARI met", "Triples", "ARI said “Here is one headline", "ARI recognized fear in Maria (confidence 95 %", "ARI said “I am sorry, Maria."},
		viewstest.Maria:                                               {"Story of Maria", "What the logs tell about Maria.", "Whom Maria met", "ARI heard Maria say “ARI, can you show me some news", "ARI noticed Maria", "TIAGo noticed Maria", "TIAGo heard Maria say “ARI, I feel sad"},
	} {
		if err := viewstest.InOrder(b.Explanation(t, iri), parts...); err != nil {
			t.Errorf("%s: %v", iri, err)
		}
	}
}

// TestTheMostTellingCauseComesFirst has the causes of an emotion, a decision and an answer
// in the wrong order of time and of predicates.
func TestTheMostTellingCauseComesFirst(t *testing.T) {
	t.Parallel()
	s := openService(t)
	s.Publish(`@prefix segb: <http://www.gsi.upm.es/ontologies/segb/ns#> . @prefix oro: <http://kb.openrobots.org#> . @prefix prov: <http://www.w3.org/ns/prov#> .
@prefix schema: <http://schema.org/> . @prefix oa: <http://www.w3.org/ns/oa#> . @prefix onyx: <http://www.gsi.upm.es/ontologies/onyx/ns#> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> . @prefix : <http://e/> .
:ari a oro:Robot ; schema:name "ARI" . :maria a oro:Human ; schema:name "Maria" .
:told a segb:LoggedActivity, oro:ResponseAction ; segb:wasPerformedBy :ari ; prov:startedAtTime "2026-01-02T10:00:00Z"^^xsd:dateTime ; prov:generated :bad .
:bad a schema:Message ; schema:text "It is gone." ; schema:sender :ari .
:came a segb:LoggedActivity, oro:DetectedHumanEvent ; segb:wasPerformedBy :ari ; rdfs:label "ARI sees Maria" ; prov:startedAtTime "2026-01-02T10:00:09Z"^^xsd:dateTime .
:hears a segb:LoggedActivity, oro:ListeningEvent ; segb:wasPerformedBy :ari ; prov:startedAtTime "2026-01-02T10:00:10Z"^^xsd:dateTime ; prov:generated :ask .
:ask a schema:Message ; schema:text "Where is it?" ; schema:sender :maria .
:reads a segb:LoggedActivity, onyx:EmotionAnalysis ; segb:wasPerformedBy :ari ; prov:startedAtTime "2026-01-02T10:00:10Z"^^xsd:dateTime ;
	segb:triggeredByActivity :came, :hears ; prov:wasInformedBy :told ; prov:generated :sad .
:sad a oa:Annotation ; oa:hasTarget :maria ; onyx:hasEmotion [ onyx:hasEmotionCategory onyx:sadness ] .
:decides a segb:LoggedActivity, oro:DecisionMakingAction ; segb:wasPerformedBy :ari ; rdfs:label "comfort Maria" ; prov:startedAtTime "2026-01-02T10:00:11Z"^^xsd:dateTime ;
	segb:triggeredByActivity :hears, :came ; prov:used :sad ; schema:actionStatus schema:CompletedActionStatus ; schema:additionalProperty :reason .
:reason schema:propertyID "why" ; schema:value "she is sad" . :ask schema:additionalProperty :sure . :sure schema:propertyID "confidence" ; schema:value 0.8 .
:answers a segb:LoggedActivity, oro:ResponseAction ; segb:wasPerformedBy :ari ; prov:startedAtTime "2026-01-02T10:00:12Z"^^xsd:dateTime ; segb:triggeredByActivity :decides ; prov:generated :sorry .
:sorry a schema:Message ; schema:text "I am sorry." ; schema:sender :ari ; prov:wasDerivedFrom :ask .`)
	told, own, came := "because ARI said “It is gone.”", "because ARI heard Maria say “Where is it?” (confidence 80 %)", "because ARI logged “ARI sees Maria”"
	for iri, parts := range map[string][]string{
		"http://e/reads":   {"Story", "because ARI said “It is gone.”", own, came},
		"http://e/sad":     {"Story", told, own, came},
		"http://e/decides": {"Story", "because ARI recognized sadness in Maria (strength not logged)", told, own, came},
		"http://e/sorry":   {"Story", "because ARI decided: “comfort Maria” (status “completed”, reason “she is sad”)", "because ARI recognized sadness in Maria", told, own},
	} {
		text := s.NewVisitor().Explanation(t, iri)
		if err := viewstest.InOrder(text, parts...); err != nil {
			t.Errorf("%s: %v", iri, err)
		}
		if first, _, _ := strings.Cut(text[strings.Index(text, "because"):], " UTC"); !strings.HasPrefix(first, viewstest.Unmarked.Replace(parts[1])) {
			t.Errorf("%s: the first cause is %s", iri, first)
		}
	}
}

// TestTheDemoSaysWhatUpsetMaria follows the links of the demo's questions.
func TestTheDemoSaysWhatUpsetMaria(t *testing.T) {
	t.Parallel()
	suite.NotShort(t)
	s := openService(t)
	s.PlayDemo()
	emotion, response := demo.Sadness()
	news := "because ARI said “I am sorry, Maria. The Lighthouse was taken down last week"
	if err := viewstest.InOrder(s.NewVisitor().Explanation(t, emotion), "Story", news, "because ARI heard Maria say “Taken down?"); err != nil {
		t.Error(err)
	}
	story := s.NewVisitor().Get(views.WhyAddress("https://example.org/human/maria")).Body.String()
	if signs, acts := strings.Count(story, `class="sign"`), strings.Count(story, `<span class="note">`); acts < 10 || signs != acts+1 {
		t.Errorf("Maria's story has %d activities and %d signs", acts, signs)
	}
	page := s.NewVisitor().Explanation(t, response)
	if err := viewstest.InOrder(page, "Story", "because ARI decided: “ARI comforts Maria”", "because ARI recognized sadness in Maria", news); err != nil {
		t.Error(err)
	}
	if strings.Contains(s.NewVisitor().Explanation(t, response, "view", "diagram"), "hyper parameter") {
		t.Error("the diagram has boxes for the settings of model runs")
	}
}

func TestTheTitleOfAStoryNamesItsSubject(t *testing.T) {
	t.Parallel()
	s := openService(t)
	s.PublishDemo()
	for iri, want := range map[string][2]string{viewstest.Maria: {"Story of Maria ·", "Story of Maria"}, heard: {"Why? ARI heard Maria say", "ARI heard Maria say ARI, I feel sad"}} {
		page := viewstest.Unmarked.Replace(s.NewVisitor().Get(views.WhyAddress(iri)).Body.String())
		if !strings.Contains(page, "<title>"+want[0]) || !strings.Contains(page, "<h1>"+want[1]) {
			t.Errorf("%s: %.800s", iri, page)
		}
	}
}

// The first thing that anybody says has a message and no cause: a diagram of it has nothing to draw. Words in a diagram are those
// that were said, also if they look like the end of a sentence of ours.
func TestADiagramNeedsTwoBoxes(t *testing.T) {
	t.Parallel()
	s := openService(t)
	const prefix = "@prefix segb: <http://www.gsi.upm.es/ontologies/segb/ns#> . @prefix prov: <http://www.w3.org/ns/prov#> . @prefix schema: <http://schema.org/> . @prefix oro: <http://kb.openrobots.org#> . "
	s.Publish(prefix + `<http://e/heard> a oro:ListeningEvent, segb:LoggedActivity ; segb:wasPerformedBy <http://e/ari> .
<http://e/text> a schema:Message ; schema:text "Coffee, with milk" ; prov:wasGeneratedBy <http://e/heard> .`)
	b := s.NewVisitor()
	page := b.Get(views.WhyAddress("http://e/heard") + "&view=diagram").Body.String()
	if strings.Contains(page, "view=diagram") || !strings.Contains(viewstest.Unmarked.Replace(page), "Coffee, with milk") {
		t.Errorf("an empty diagram: %.3000s", page)
	}
	s.Publish(prefix + `<http://e/said> a oro:ResponseEvent, segb:LoggedActivity ; segb:wasPerformedBy <http://e/ari> ; segb:triggeredByActivity <http://e/heard> .`)
	page = b.Get(views.WhyAddress("http://e/said") + "&view=diagram").Body.String()
	if !strings.Contains(page, `name="view" value="diagram"`) || !strings.Contains(page, ">“Coffee, with milk”</tspan>") {
		t.Errorf("the diagram: %.6000s", page)
	}
}

// TestEachLinkOfAnExplanationHasItsLog has a link in the log of its effect, which needs no
// second link to it, and one in a third log.
func TestEachLinkOfAnExplanationHasItsLog(t *testing.T) {
	t.Parallel()
	s := openService(t)
	const prefix = "@prefix segb: <http://www.gsi.upm.es/ontologies/segb/ns#> . "
	s.Publish(prefix + `<http://e/effect> a segb:LoggedActivity ; segb:triggeredByActivity <http://e/cause> .`)
	first := s.LastLog()
	s.Publish(prefix + `<http://e/cause> a segb:LoggedActivity .`)
	second := s.LastLog()
	s.Publish(prefix + `<http://e/cause> segb:triggeredByActivity <http://e/root>, <http://e/other> . <http://e/other> segb:wasPerformedBy <http://e/ari> .`)
	third := s.LastLog()
	s.Publish(prefix + `<http://e/root> a segb:LoggedActivity .`)
	fourth := s.LastLog()
	page := s.NewVisitor().Get(views.WhyAddress("http://e/effect")).Body.String()
	steps := map[string]string{}
	for _, step := range strings.Split(page, `<li class="level-`)[1:] {
		step, _, _ = strings.Cut(step, "</li>")
		for _, name := range []string{"cause", "root"} {
			if strings.Contains(step, "/why?iri=http://e/"+name) {
				steps[name] = step
			}
		}
	}
	if err := viewstest.InOrder(steps["cause"], `href="/log?id=`+second, ">log<"); err != nil || strings.Contains(steps["cause"], "linked by") || !strings.Contains(page, `href="/log?id=`+first) {
		t.Errorf("%v %s", err, steps["cause"])
	}
	if err := viewstest.InOrder(steps["root"], `href="/log?id=`+fourth, ">log<", "linked by", `href="/log?id=`+third, ">another log<"); err != nil {
		t.Error(err)
	}
	text := s.NewVisitor().Explanation(t, "http://e/effect")
	if err := viewstest.InOrder(text, "What is missing", "No log says who did this:", "No log says when this happened:"); err != nil {
		t.Error(err)
	}
}

// TestOthersReportMergedEvents has three robots hear one event. A person merged their contexts, and one activity has many results.
func TestOthersReportMergedEvents(t *testing.T) {
	t.Parallel()
	s := openService(t)
	text := `@prefix segb: <http://www.gsi.upm.es/ontologies/segb/ns#> . @prefix prov: <http://www.w3.org/ns/prov#> . @prefix schema: <http://schema.org/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . @prefix oro: <http://kb.openrobots.org#> . @prefix sc: <urn:segraph:ns#> . @prefix : <http://e/> .
:e1 sc:mergedInto :e2 . :e3 sc:mergedInto :e2 . :e5 sc:mergedInto :e4 .
`
	for i, robot := range []string{"Ari", "Tiago", "Pepper", "Spot"} {
		text += fmt.Sprintf(":h%d a segb:LoggedActivity, oro:ListeningEvent ; segb:wasPerformedBy :r%[1]d ; rdfs:label \"hears the door\" ; schema:about :e%[1]d . :r%[1]d a oro:Robot ; schema:name \"%s\" .\n", i+1, robot)
	}
	s.Publish(text)
	page := s.NewVisitor().Explanation(t, "http://e/h1")
	if err := viewstest.InOrder(page, "Tiago", "logged the same event"); err != nil || !strings.Contains(page, "Pepper") || strings.Contains(page, "Spot") || strings.Contains(page, "There may be more") {
		t.Errorf("%v: %s", err, page)
	}
	for i := range 200 {
		text += fmt.Sprintf(":h2 prov:generated :made%d .\n", i)
	}
	s.Publish(text)
	if page := s.NewVisitor().Explanation(t, "http://e/h1"); !strings.Contains(page, "activities about the same event are shown. There may be more.") {
		t.Error("the page does not say what it cuts")
	}
}

func TestAnExplanationSaysWhatItCuts(t *testing.T) {
	t.Parallel()
	s := openService(t)
	var text strings.Builder
	text.WriteString("@prefix segb: <http://www.gsi.upm.es/ontologies/segb/ns#> . @prefix prov: <http://www.w3.org/ns/prov#> . @prefix schema: <http://schema.org/> .\n")
	for i := range 200 {
		fmt.Fprintf(&text, "<http://e/hub> segb:triggeredByActivity <http://e/a%d> . <http://e/a%[1]d> a segb:LoggedActivity ; schema:about <http://e/event> . <http://e/b%[1]d> segb:triggeredByActivity <http://e/hub> .\n", i)
	}
	for i := range 30 {
		fmt.Fprintf(&text, "<http://e/c%d> a segb:LoggedActivity ; segb:triggeredByActivity <http://e/c%d> .\n", i, i+1)
	}
	text.WriteString("<http://e/hub> a segb:LoggedActivity ; schema:about <http://e/event> . @prefix oro: <http://kb.openrobots.org#> .\n<http://e/a0> a oro:ResponseAction . ")
	for i := range 5 {
		fmt.Fprintf(&text, "<http://e/d%d> a oro:ResponseAction ; segb:triggeredByActivity <http://e/d%d> . <http://e/d%[2]d> a oro:ResponseAction .\n", i, i+1)
	}
	s.Publish(text.String())
	b := s.NewVisitor()
	if err := viewstest.InOrder(b.Explanation(t, "http://e/hub"), "Only the nearest 80 causes are shown.", "Only 40 activities about the same event are shown.", "Consequences", "Only the nearest 40 consequences are shown."); err != nil {
		t.Error(err)
	}
	if err := viewstest.InOrder(b.Explanation(t, "http://e/hub", "view", "diagram"), "not drawn"); err != nil {
		t.Error(err)
	}
	if err := viewstest.InOrder(b.Explanation(t, "http://e/c0", "depth", "4"), "(http://e/c4)"); err != nil {
		t.Error(err)
	}
	for path, want := range map[string]bool{"d0 depth 4": false, "d0 depth 5": true, "hub depth 5": false} { // d4 has a cause that is not loaded, d5 none
		words := strings.Fields(path)
		if got := b.Explanation(t, "http://e/"+words[0], words[1:]...); strings.Contains(got, "No log says what triggered this:") != want {
			t.Errorf("%s: %s", path, got)
		}
	}
	// The chain of c20 has 10 steps.
	if got := b.Explanation(t, "http://e/c20", "depth", "10"); strings.Contains(got, "causes more than") || !strings.Contains(got, "http://e/c30") {
		t.Errorf("a complete chain: %s", got)
	}
	if got := b.Get("/why?iri=http://e/c20&depth=8").Body.String(); !strings.Contains(got, `href="/why?depth=10&amp;iri=http://e/c20">Show 10 steps`) {
		t.Error("nothing leads to the two steps that are not shown")
	}
	if got := b.Explanation(t, "http://e/c0", "depth", "4"); !strings.Contains(got, "There are causes more than 4 steps away.") || strings.Contains(got, "http://e/c5)") {
		t.Errorf("at depth 4: %s", got)
	}
	if got := b.Explanation(t, "http://e/c0", "depth", "999"); !strings.Contains(got, "http://e/c12)") || strings.Contains(got, "http://e/c13)") {
		t.Error("depth 999 is not cut to 12")
	}
}

// TestTheNewestActivitiesThatTakeTooLongAreNotCalledThat has a pattern with too many rows to sort in time. Without an order,
// one of them is found at once.
func TestTheNewestActivitiesThatTakeTooLongAreNotCalledThat(t *testing.T) {
	t.Parallel()
	s := openService(t)
	s.PublishDemo()
	const any = "?a a <http://www.gsi.upm.es/ontologies/segb/ns#LoggedActivity> "
	for pattern, want := range map[string]bool{any: true, any + ". ?b ?p ?o . ?c ?q ?r . ?d ?s ?t FILTER(STRLEN(CONCAT(STR(?a), STR(?o), STR(?r), STR(?t))) > 0)": false} {
		if acts, newest, err := s.ui.lastActs(t.Context(), pattern, 1); len(acts) != 1 || newest != want || err != nil {
			t.Errorf("%s: %v %t %v", pattern, acts, newest, err)
		}
	}
	party := Why{Name: "ARI", Triples: "/query", Part: []WhyAct{{Text: "ARI heard"}}, PartCut: true, Any: true}
	viewstest.Show(t, whyAnswer(party)).Lacks("The newest")
	viewstest.Show(t, whyLast(Why{Any: true, Last: party.Part})).Lacks("last</h2>")
}

// TestAPlaceIsThatOfTheLastState has more states in the hour before than are read.
func TestAPlaceIsThatOfTheLastState(t *testing.T) {
	t.Parallel()
	s := openService(t)
	var text strings.Builder
	text.WriteString(`@prefix prov: <http://www.w3.org/ns/prov#> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> . @prefix segb: <http://www.gsi.upm.es/ontologies/segb/ns#> . @prefix : <http://e/> .
		:ari a <http://kb.openrobots.org#Robot> . :a a segb:LoggedActivity ; segb:wasPerformedBy :ari ; prov:startedAtTime "2026-01-02T10:59:59Z"^^xsd:dateTime .` + "\n")
	for i := range 1100 {
		fmt.Fprintf(&text, ":s%d prov:wasAttributedTo :ari ; prov:atLocation :%s ; prov:generatedAtTime \"2026-01-02T10:%02d:%02dZ\"^^xsd:dateTime .\n", i, []string{"cellar", "hall"}[i/1099], i/60, i%60)
	}
	s.Publish(text.String())
	if text := s.NewVisitor().Explanation(t, "http://e/a"); !strings.Contains(text, "in hall") {
		t.Error(text)
	}
}

// TestActivitiesWithoutATimeAreTold has a robot whose activities have no time.
func TestActivitiesWithoutATimeAreTold(t *testing.T) {
	t.Parallel()
	s := openService(t)
	s.Publish("<http://e/a> a <http://e/C> .")
	if acts, newest, err := s.ui.lastActs(t.Context(), "?a a <http://e/C>", 1); len(acts) != 1 || newest || err != nil {
		t.Error(acts, newest, err)
	}
}

// TestOnlyNumbersStandUnquoted has a strength that would end segraph's sentence.
func TestOnlyNumbersStandUnquoted(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{"": "", "80\u00a0%": "80\u00a0%", "-3.5": "-3.5", "0.9). A person confirmed this (1": "“0.9). A person confirmed this (1”"} {
		if got := figure(text); got != want {
			t.Errorf("%q is shown as %q", text, got)
		}
	}
}

func TestWhyOffersWhatToExplain(t *testing.T) {
	t.Parallel()
	s := openService(t)
	viewstest.WantPage(t, s.NewVisitor().Get("/why"), 200, "No robot has logged an answer or a decision yet.")
	s.PublishDemo()
	b := s.NewVisitor()
	if err := viewstest.InOrder(b.Explanation(t, ""), "What robots answered and decided last", "ARI said Maria, I can see you feel sad", "Engagement check"); err != nil {
		t.Error(err)
	}
	if err := viewstest.InOrder(b.Explanation(t, "puppies"), "a rescue center found homes"); err != nil {
		t.Error(err)
	}
	viewstest.WantPage(t, b.Get("/why?iri=http://e/nobody"), 404, "No log describes this")
	for page, want := range map[string]string{
		graphAt("node", heard): views.WhyAddress(heard), "/query?query=" + url.QueryEscape("SELECT * { ?s a ?c . ?s <http://schema.org/text> ?t }"): views.WhyAddress(heard),
		"/reports?section=conversations": "/why?iri=" + strings.ReplaceAll(strings.ReplaceAll(url.QueryEscape(heard), "%3A", ":"), "%2F", "/"), // shorter, and the same
	} {
		if !strings.Contains(b.Get(page).Body.String(), `href="`+html.EscapeString(want)+`"`) {
			t.Errorf("%s does not ask why", page)
		}
	}
}

// TestAnEventOfTwoRobotsIsToldOnce checks the page of the demo's second question: what came
// before the emotion, the models of both robots, and that each fact is there once.
func TestAnEventOfTwoRobotsIsToldOnce(t *testing.T) {
	t.Parallel()
	suite.NotShort(t)
	s := openService(t)
	s.PlayDemo()
	emotion, _ := demo.Sadness()
	text := s.NewVisitor().Explanation(t, emotion)
	if err := viewstest.InOrder(text, "One event, logged 2 times", "ARI recognized sadness", "TIAGo recognized sadness in Maria",
		"This happened on", "What came before it", "because ARI said “I am sorry, Maria.", "Why ARI recognized it", "because ARI heard Maria say “Taken down?", "using “A picture of the face”",
		"ARI did this", "TIAGo logged the same event", "Face Reader 1.4 used by ARI · scored 91 % in its evaluation", "Face Reader 1.2 used by TIAGo · scored 83 % in its evaluation",
		"At the same event What else robots logged about this event.", "Consequences", "What is missing"); err != nil {
		t.Error(err)
	}
	for part, want := range map[string]int{"TIAGo recognized sadness": 1, "label in the log": 0, "linked by": 0, "on behalf of ari": 1, "something else": 0, "may be more": 0, "hyper": 0} {
		if got := strings.Count(text, part); got != want {
			t.Errorf("%q is there %d times, want %d, in %s", part, got, want, text)
		}
	}
	page := s.NewVisitor().Get(views.WhyAddress(emotion)).Body.String()
	if err := viewstest.InOrder(page, `<ul class="gaps"><li class="">`, "A picture of the face", `<li class="calm">`, "trained Face Reader 1.4"); err != nil {
		t.Error("what is missing about the models is not apart: ", err)
	}
	diagram := s.NewVisitor().Explanation(t, emotion, "view", "diagram")
	for _, technical := range []string{"hyper", "duration", "trained", "Evaluation", "dataset"} {
		if _, drawing, _ := strings.Cut(diagram, "of models."); strings.Contains(drawing, technical) {
			t.Errorf("the diagram has %q", technical)
		}
	}
}

func TestALabelIsShownIfItSaysMore(t *testing.T) {
	t.Parallel()
	const sentence = "ARI heard Maria say “Taken down?”, with Museum Ears 2.3"
	for label, want := range map[string]bool{"": false, "ARI hears Maria": false, "ARI reads sadness in the face of Maria": true, "ARI answers Maria": false, "ARI decides to help": true} {
		if got := saysMore(label, sentence); got != want {
			t.Errorf("%q: %t", label, got)
		}
	}
}

// TestTheReplayOfAnEmotionIsAtIt follows the link to the replay. The page knows only the second
// of the emotion.
func TestTheReplayOfAnEmotionIsAtIt(t *testing.T) {
	t.Parallel()
	suite.NotShort(t)
	s := openService(t)
	s.PlayDemo()
	emotion, _ := demo.Sadness()
	b := s.NewVisitor()
	link := regexp.MustCompile(`href="(/replay[?]at=[^"]*)"`).FindStringSubmatch(b.Get(views.WhyAddress(emotion)).Body.String())
	if link == nil {
		t.Fatal("there is no link to the replay")
	}
	to, err := url.Parse(b.Get(html.UnescapeString(link[1])).Header().Get("Location"))
	if err != nil {
		t.Fatal(err)
	}
	viewstest.Want(t, b.Get("/replay?"+to.RawQuery).Body.String(), `class="entry emotion" aria-current="step"`)
}
