package e2e

import (
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/segraph/segraph/internal/suite"
)

// museumMap is the map of the museum's robots.
func museumMap(t testing.TB) string {
	return filepath.Join(suite.Root(t), "docs", "examples", "museum.map.yaml")
}

// TestAnImportOfTheMuseum imports a recording into a running service and into a file, twice each. Of the sentences that
// both robots heard, those of people with a name are one event, and a case asks for the others.
func TestAnImportOfTheMuseum(t *testing.T) {
	t.Parallel()
	bag, dir := suite.Shared(t, "data", "mcap", "museum.mcap"), t.TempDir()
	s := serve(t, dir, nil)
	if got := command(t, dir, nil, "", "import", "--url", s.api, "--map", museumMap(t), bag); got.code != 0 || got.stdout != museumTold || got.stderr != "" {
		t.Fatalf("%+v; want %s", got, museumTold)
	}
	s.museumIsTold()
	if got := command(t, dir, nil, "", "import", "--url", s.api, "--map", museumMap(t), bag); got.stdout != "0 logs stored, 0 triples new; 161 stored before\n" {
		t.Errorf("a second import: %+v", got)
	}
	other := t.TempDir()
	for _, want := range []string{museumTold, "0 logs stored, 0 triples new; 161 stored before\n"} {
		if got := command(t, other, nil, "", "import", "--map", museumMap(t), bag); got.code != 0 || got.stdout != want {
			t.Fatalf("into a file: %+v; want %s", got, want)
		}
	}
	serve(t, other, nil).museumIsTold()
}

const robotPrefixes = "PREFIX oro: <http://kb.openrobots.org#>\nPREFIX prov: <http://www.w3.org/ns/prov#>\nPREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>\n" +
	"PREFIX schema: <http://schema.org/>\nPREFIX segb: <http://www.gsi.upm.es/ontologies/segb/ns#>\n"

// museumIsTold checks what the service has of the museum's recording.
func (s *service) museumIsTold() {
	s.t.Helper()
	if matched, asked, cases := s.museumPairs(); matched != 6 || asked != 5 || cases != 8 {
		s.t.Errorf("of 11 pairs %d matched, %d are to review, and there are %d cases", matched, asked, cases)
	}
	heard := s.rows(robotPrefixes + `SELECT ?text ?by { ?d rdfs:label "stop" ; segb:triggeredByEntity ?m . ?m schema:text ?text ; schema:sender ?by }`)
	if want := []string{"Otto, stop, you are too close to the case! https://museum.example/person/otto/vol2"}; fmt.Sprint(heard) != fmt.Sprint(want) {
		s.t.Errorf("the cause of otto's stop is %q", heard)
	}
	if n := s.count(robotPrefixes + `SELECT (COUNT(*) AS ?n) { ?stop a <urn:segraph:ns#EmergencyStop> ; rdfs:label "emergency stop" MINUS { ?stop segb:triggeredByActivity|segb:triggeredByEntity ?any } }`); n != 3 {
		s.t.Errorf("%d emergency stops have no cause", n)
	}
}

// TestThePagesOfAnImport checks what a person looks for: why otto stopped, why its button was pressed, and the replay.
func TestThePagesOfAnImport(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := serve(t, dir, nil)
	if got := command(t, dir, nil, "", "import", "--url", s.api, "--map", museumMap(t), suite.Shared(t, "data", "mcap", "museum.mcap")); got.code != 0 {
		t.Fatalf("%+v", got)
	}
	find := func(label string) string {
		return url.QueryEscape(s.rows(robotPrefixes + `SELECT ?a { ?a rdfs:label "` + label + `" ; segb:wasPerformedBy/schema:name "Otto" } LIMIT 1`)[0])
	}
	for path, wants := range map[string][]string{
		"/why?iri=" + find("stop"):                                             {"Otto, stop, you are too close to the case!", "vol2"},
		"/why?iri=" + find("emergency stop"):                                   {"No log says what triggered this"},
		"/replay?view=table&from=2026-03-14T10:00:00Z&to=2026-03-14T10:10:00Z": {"Iris", "Otto", "Good morning, both of you!", "6 shared events", "8 to review"},
	} {
		page := string(request(t, "GET", s.ui+path, nil).body)
		for _, want := range wants {
			if !strings.Contains(page, want) {
				t.Errorf("%s lacks %q", path, want)
			}
		}
	}
}

// museumPairs returns how many of the kit's 11 pairs of sentences are one event, how many a case asks about, and how
// many cases there are.
func (s *service) museumPairs() (matched, asked, cases int) {
	s.t.Helper()
	text, err := os.ReadFile(suite.Shared(s.t, "data", "mcap", "expected.json"))
	if err != nil {
		s.t.Fatal(err)
	}
	var kit struct {
		Start time.Time
		Same  []struct{ Iris, Otto float64 }
	}
	if err := json.Unmarshal(text, &kit); err != nil {
		s.t.Fatal(err)
	}
	events := map[string]string{} // by robot and millisecond
	for _, row := range s.rows(robotPrefixes + `SELECT ?robot ?at ?event { ?a a oro:ListeningEvent ; segb:wasPerformedBy/schema:name ?robot ; prov:startedAtTime ?at ; schema:about ?event }`) {
		f := strings.Fields(row)
		at, err := time.Parse(time.RFC3339Nano, f[1])
		if err != nil {
			s.t.Fatal(err)
		}
		events[fmt.Sprint(strings.ToLower(f[0]), at.Sub(kit.Start).Milliseconds())] = f[2]
	}
	asks := map[string]bool{}
	sources := map[string]bool{}
	for _, row := range s.rows(robotPrefixes + `SELECT ?s ?t { GRAPH <urn:segraph:contexts> { ?k <urn:segraph:ns#caseStatus> "pending" ; <urn:segraph:ns#source> ?s ; <urn:segraph:ns#candidate>/<urn:segraph:ns#target> ?t } }`) {
		f := strings.Fields(row)
		asks[row], asks[f[1]+" "+f[0]], sources[f[0]] = true, true, true
	}
	for _, p := range kit.Same {
		a, b := events[fmt.Sprint("iris", int64(p.Iris*1000+.5))], events[fmt.Sprint("otto", int64(p.Otto*1000+.5))]
		switch {
		case a == "" || b == "":
			s.t.Errorf("the sentences at %v and %v are of no event", p.Iris, p.Otto)
		case a == b:
			matched++
		case asks[a+" "+b]:
			asked++
		}
	}
	return matched, asked, len(sources)
}
