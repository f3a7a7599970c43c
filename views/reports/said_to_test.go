package reports

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/segraph/segraph/auth"
	"github.com/segraph/segraph/evidence"
	"github.com/segraph/segraph/service"
	"github.com/segraph/segraph/views/viewstest"
)

// provingService returns a service without authentication that makes evidence bundles.
func provingService(t *testing.T) *fixture {
	return startWith(t, "", func(c *viewstest.Settings) {
		c.Bundles = &evidence.Source{Journal: c.Journal.(evidence.Journal), Log: c.Translog.(evidence.Log)}
	})
}

// caseOf returns the document of a case file.
func caseOf(t *testing.T, s *fixture, scope service.CaseFileScope) CaseDocument {
	t.Helper()
	made, err := s.ui.Service.MakeCaseFile(t.Context(), auth.Actor{Username: "ari"}, scope, "a test")
	if err != nil {
		t.Fatal(err)
	}
	m, err := s.ui.caseDocument(t.Context(), made)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestWhatIsSaidToSomebodyReachesThem has a sentence with a recipient, who said nothing and is in no event.
func TestWhatIsSaidToSomebodyReachesThem(t *testing.T) {
	t.Parallel()
	s := provingService(t)
	s.Publish(searchPrefixes + `ex:says a segb:LoggedActivity, oro:ResponseAction ; segb:wasPerformedBy ex:tiago ; prov:startedAtTime "2026-03-01T09:00:00Z"^^xsd:dateTime .
		ex:stuck a schema:Message ; schema:text "Ari is stuck" ; schema:sender ex:tiago ; schema:recipient ex:maria ; prov:wasGeneratedBy ex:says .`)
	b := s.NewVisitor()
	for path, want := range map[string][]string{
		"/replay?view=table&from=2026-03-01T08:30:00Z&to=2026-03-01T09:30:00Z": {"TIAGo → María Ari is stuck"},
		"/reports?section=people":           {"TIAGo Robot 1 0 María –"},
		"/search?q=stuck":                   {"TIAGo to María", "stuck"},
		"/why?iri=http://e/says":            {"Who was there", "María was spoken to"},
		"/why?iri=http://e/maria":           {"Story of María", "TIAGo said", "Ari is stuck"},
		"/personal-data?iri=http://e/maria": {"Heard 1", "Ari is stuck"},
	} {
		if err := viewstest.InOrder(viewstest.WordsOf(b.Get(path).Body.String()), want...); err != nil {
			t.Errorf("%s: %v", path, err)
		}
	}
	if m := caseOf(t, s, service.CaseFileScope{IRI: "http://e/maria"}); len(m.Rows) != 1 || !slices.Equal(m.Rows[0].To, []string{"María"}) {
		t.Errorf("the case file: %v", m.Rows)
	}
}

// TestTheSameWordsAtTwoEventsAreTwoSentences has a greeting of one robot, then of another within two minutes, which the
// resolver took for two events, and one that both heard under two events that were merged.
func TestTheSameWordsAtTwoEventsAreTwoSentences(t *testing.T) {
	t.Parallel()
	s := provingService(t)
	log := strings.ReplaceAll(
		saidAt(1, "2026-03-01T09:00:00Z", "ex:ari", "ex:maria", "ex:e1", `"Hello!"`)+saidAt(2, "2026-03-01T09:01:30Z", "ex:tiago", "ex:maria", "ex:e2", `"Hello!"`)+
			saidAt(3, "2026-03-01T10:00:00Z", "ex:ari", "ex:maria", "ex:e3", `"Bye!"`)+saidAt(4, "2026-03-01T10:00:01Z", "ex:tiago", "ex:maria", "ex:e4", `"Bye!"`), "schema:text", "a schema:Message ; schema:text")
	s.Publish(searchPrefixes + log + `ex:e4 <urn:segraph:ns#mergedInto> ex:e3 .`)
	b := s.NewVisitor()
	if got := wordsOf(b.Get("/search?q=hello").Body.String()); len(got) != 2 || strings.Contains(got[0], "ARI") || strings.Contains(got[1], "TIAGo") {
		t.Errorf("found %q", got)
	}
	if got := wordsOf(b.Get("/search?q=bye").Body.String()); len(got) != 1 {
		t.Errorf("found %q", got)
	}
	report := reportOf(t, "")
	report.Ask = s.ui.Ask
	section, err := report.Section(t.Context(), "conversations")
	var said []string
	for _, thread := range section.Threads {
		for _, bubble := range thread.Bubbles {
			said = append(said, bubble.Text+" "+bubble.Note)
		}
	}
	if want := []string{"Bye! heard by ARI and TIAGo", "Hello! heard by ARI", "Hello! heard by TIAGo"}; err != nil || !slices.Equal(said, want) {
		t.Errorf("the conversations have %q, %v", said, err)
	}
	report.From, report.To = noon.Add(-4*time.Hour), noon
	d, err := report.Replay(t.Context(), nil)
	var same []string
	for _, e := range d.Events {
		same = append(same, fmt.Sprint(e.Text, e.Same))
	}
	if want := []string{"Hello!false", "Hello!false", "Bye!false", "Bye!true"}; err != nil || !slices.Equal(same, want) {
		t.Errorf("the replay has %q, %v", same, err)
	}
	if m := caseOf(t, s, service.CaseFileScope{IRI: "http://e/maria"}); len(m.Rows) != 3 {
		t.Errorf("the case file: %v", m.Rows)
	}
}

// TestACaseFileOfAPersonHasWhatRobotsDecided has one log for what she says, for the decision that this triggers, for its
// end, and for a cause that is not about her.
func TestACaseFileOfAPersonHasWhatRobotsDecided(t *testing.T) {
	t.Parallel()
	s := provingService(t)
	s.Publish(searchPrefixes + saidAt(1, "2026-03-01T09:00:00Z", "ex:ari", "ex:maria", "", `"Help!"`))
	prefixes, _, _ := strings.Cut(searchPrefixes, "ex:ari a")
	s.Publish(prefixes + `ex:d a segb:LoggedActivity, oro:DecisionMakingAction ; segb:wasPerformedBy ex:ari ; prov:startedAtTime "2026-03-01T09:00:01Z"^^xsd:dateTime ;
		<http://www.w3.org/2000/01/rdf-schema#label> "call a nurse" ; segb:triggeredByActivity ex:a1, ex:wait, ex:lost .`)
	s.Publish(prefixes + `ex:d schema:actionStatus schema:FailedActionStatus .`)
	s.Publish(prefixes + `ex:wait a segb:LoggedActivity ; segb:wasPerformedBy ex:ari ; prov:startedAtTime "2026-03-01T08:00:00Z"^^xsd:dateTime .`)
	for _, scope := range []service.CaseFileScope{{IRI: "http://e/maria"}, {Why: "http://e/d"}, {From: noon.Add(-4 * time.Hour), To: noon}} {
		m := caseOf(t, s, scope)
		i := slices.IndexFunc(m.Rows, func(r CaseFileRow) bool { return r.Words == "decided: “call a nurse”" })
		if i < 0 || !slices.Equal(m.Rows[i].Notes, []string{"status “failed”"}) {
			t.Errorf("%+v: the decision or its end is missing: %+v", scope, m.Rows)
		}
		outside := slices.Contains(m.Missing, "One cause is in logs outside this case file.")
		if outside != (scope.IRI != "") || !slices.Contains(m.Missing, "The logs name one cause that none of them describes.") {
			t.Errorf("%+v: %q", scope, m.Missing)
		}
	}
}
