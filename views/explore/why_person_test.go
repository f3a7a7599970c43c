package explore

import (
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/segraph/segraph/views/viewstest"
)

// An admin reaches all that is kept of a person from their page, which also leads to proofs and to a case file.
func TestThePageOfAPersonLeadsToWhatIsKept(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.PublishDemo()
	page := "/why?iri=" + url.QueryEscape(viewstest.Maria)
	kept := "/personal-data?iri=" + url.QueryEscape(viewstest.Maria)
	viewstest.Want(t, s.SignedIn("admin").Get(page).Body.String(), kept, "Prove this", "Case file")
	auditor := s.SignedIn("auditor").Get(page).Body.String()
	if viewstest.Want(t, auditor, "Prove this"); strings.Contains(auditor, kept) || strings.Contains(auditor, `name="depth"`) {
		t.Error("an auditor is led to what is kept, or may choose the steps of a person")
	}
}

// What an erasure took is not missing from the logs, and each page says so; what a log never said is.
func TestWhatWasErasedIsNotBlamedOnTheLogs(t *testing.T) {
	t.Parallel()
	s := newService(t)
	const prefixes = `@prefix segb: <http://www.gsi.upm.es/ontologies/segb/ns#> . @prefix oro: <http://kb.openrobots.org#> . @prefix prov: <http://www.w3.org/ns/prov#> .
@prefix schema: <http://schema.org/> . @prefix oa: <http://www.w3.org/ns/oa#> . @prefix onyx: <http://www.gsi.upm.es/ontologies/onyx/ns#> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> . @prefix : <http://e/> .
`
	s.Publish(prefixes + `:ari a oro:Robot ; schema:name "ARI" . :zoe a oro:Human ; schema:name "Zoe" .
:hears a segb:LoggedActivity, oro:ListeningEvent ; segb:wasPerformedBy :ari ; prov:startedAtTime "2026-01-02T10:00:00Z"^^xsd:dateTime .
:ask a schema:Message ; schema:text "Is it far?" ; schema:sender :zoe ; prov:wasGeneratedBy :hears .
:reads a segb:LoggedActivity, onyx:EmotionAnalysis ; segb:wasPerformedBy :ari ; prov:startedAtTime "2026-01-02T10:00:01Z"^^xsd:dateTime ; segb:producedEntityResult :angry .
:angry a oa:Annotation ; oa:hasTarget :zoe ; onyx:hasEmotion :anger . :anger onyx:hasEmotionCategory <http://e/anger> .
:answers a segb:LoggedActivity, oro:ResponseAction ; segb:wasPerformedBy :ari ; prov:startedAtTime "2026-01-02T10:00:02Z"^^xsd:dateTime ; segb:triggeredByActivity :hears, :reads .
:no a schema:Message ; schema:text "No." ; schema:sender :ari ; schema:recipient :zoe ; prov:wasGeneratedBy :answers .`)
	answered := s.LastLog()
	s.Publish(prefixes + `:mumbles a segb:LoggedActivity, oro:ResponseAction ; segb:wasPerformedBy :ari ; prov:startedAtTime "2026-01-02T10:05:00Z"^^xsd:dateTime ; segb:triggeredByActivity :stares .
:mumble a schema:Message ; prov:wasGeneratedBy :mumbles . :stares a segb:LoggedActivity, onyx:EmotionAnalysis ; segb:wasPerformedBy :ari ; prov:startedAtTime "2026-01-02T10:04:00Z"^^xsd:dateTime ;
	segb:producedEntityResult :sad . :sad a oa:Annotation ; onyx:hasEmotion :sadness . :sadness onyx:hasEmotionCategory <http://e/sadness> .`)
	b := s.SignedIn("admin")
	const path = "/personal-data/erase"
	_, id, _ := strings.Cut(b.Post(path, url.Values{"do": {"ask"}, "iri": {"http://e/zoe"}, "reason": {"a letter"}}).Header().Get("Location"), "id=")
	viewstest.Want(t, b.Follow(b.Post(path, url.Values{"do": {"confirm"}, "id": {id}})), "Download the receipt")

	why := b.Explanation(t, "http://e/no")
	if err := viewstest.InOrder(why, "ARI said (erased)", "because ARI logged the words (erased)"); err != nil {
		t.Error(err)
	}
	for _, blamed := range []string{"No log has the words", "No log says who said this", "No log says whose emotion this is", "“”"} {
		if strings.Contains(why, blamed) {
			t.Errorf("an explanation says %q of what was erased", blamed)
		}
	}
	if err := viewstest.InOrder(b.Explanation(t, "http://e/mumble"), "logged the words “”", "No log says who said this", "No log has the words", "No log says whose emotion this is"); err != nil {
		t.Error("of what no log said:", err)
	}
	y, err := s.ui.loadWhy(t.Context(), "http://e/mumble", whySteps)
	if err != nil {
		t.Fatal(err)
	}
	for _, y.unsure = range []bool{false, true} { // whether the log was not found in time
		blames := slices.ContainsFunc((&teller{why: y, told: map[*graphNode]bool{}}).missing(), func(g WhyGap) bool { return g.Text == "No log has the words." })
		if blames == y.unsure {
			t.Errorf("the log was not found: %t; it is blamed: %t", y.unsure, blames)
		}
	}
	viewstest.Want(t, b.Get("/journal").Body.String(), "Published: ARI logged the words (erased)")
	viewstest.Want(t, b.Get("/log?id="+answered).Body.String(), "32 new, 0 already stored; 7 went when somebody was erased", ">25 triples in Turtle<")
	replay := viewstest.WordsOf(b.Get("/replay?view=table&from=2026-01-02T10:00:00Z&to=2026-01-02T11:00:00Z").Body.String())
	if err := viewstest.InOrder(replay, "emotion (erased) anger", "emotion Unknown sadness"); err != nil {
		t.Error("the replay:", err)
	}
}
