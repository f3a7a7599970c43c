package demo_test

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/segraph/segraph/demo"
	"github.com/segraph/segraph/internal/semcheck"
	"github.com/segraph/segraph/resolver"
	resolved "github.com/segraph/segraph/resolver/memory"
	"github.com/segraph/segraph/store/format"
	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/store/memory"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql"
	"github.com/segraph/segraph/store/sparql/budget"
	"github.com/segraph/segraph/store/turtle"
)

var end = time.Date(2026, 11, 23, 10, 40, 12, 345, time.UTC)

// played is the story after a resolver and a store have received it.
type played struct {
	reports []demo.Report
	logs    []string
	graph   *memory.Store
	cases   *resolver.Statistics
	reasons map[string]int // how many cases wait, by reason
	groups  map[string]int // how many cases wait, by the event that they are about
}

// story returns the played story, which tests share.
func story(t *testing.T) *played {
	t.Helper()
	once.Do(func() { shared = play(t) })
	if shared == nil {
		t.Fatal("the story can't be played")
	}
	return shared
}

var (
	once   sync.Once
	shared *played
)

func play(t *testing.T) *played {
	t.Helper()
	r, err := resolver.Open(&resolved.Store{}, resolver.Options{Settings: resolver.Defaults(), Random: strings.NewReader("a museum at nine" + strings.Repeat("secret", 6000)), Now: func() time.Time { return end }})
	if err != nil {
		t.Fatal(err)
	}
	ctx, p, events := t.Context(), &played{reports: demo.Morning(end), reasons: map[string]int{}, groups: map[string]int{}}, demo.Events{}
	var quads []rdf.Quad
	for i, report := range p.reports {
		var last *resolver.Resolution
		for _, o := range report.Observations {
			if last, err = r.Resolve(ctx, o, report.Robot); err != nil {
				t.Fatal(err)
			}
			events[o.ObservationURI] = last.SharedContextURI
		}
		if (report.Verdict != "" || report.Ask || report.Note != "") && last.CaseID == nil {
			t.Fatalf("%q opens no case", report.Line.Text)
		}
		switch report.Verdict {
		case "accept":
			_, err = r.Accept(ctx, *last.CaseID, "", false, journal.Entry{Actor: "eva"})
		case "reject":
			_, err = r.Reject(ctx, *last.CaseID, journal.Entry{Actor: "eva"})
		}
		log := report.Turtle(events)
		said, invalid := turtle.Parse([]byte(log), turtle.Turtle, turtle.Options{Scope: fmt.Sprint("log", i)})
		if cmp.Or(err, invalid) != nil {
			t.Fatal(err, invalid, log)
		}
		quads = append(quads, said...)
		p.logs = append(p.logs, log)
	}
	p.graph = memory.New(quads)
	if p.cases, err = r.Stats(ctx); err != nil {
		t.Fatal(err)
	}
	waiting, err := r.Waiting(ctx, 1000)
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range waiting {
		p.reasons[string(w.Reason)]++
		p.groups[w.GroupID]++
	}
	return p
}

// rows returns the answer to a query, one line a row.
func (p *played) rows(t *testing.T, query string) []string {
	t.Helper()
	const prefixes = `PREFIX prov: <http://www.w3.org/ns/prov#> PREFIX segb: <http://www.gsi.upm.es/ontologies/segb/ns#> PREFIX oro: <http://kb.openrobots.org#>
		PREFIX schema: <http://schema.org/> PREFIX onyx: <http://www.gsi.upm.es/ontologies/onyx/ns#> PREFIX oa: <http://www.w3.org/ns/oa#>
		PREFIX mls: <http://www.w3.org/ns/mls#> PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#> PREFIX human: <https://example.org/human/> PREFIX robot: <https://example.org/robot/> `
	q, err := sparql.Prepare(context.Background(), prefixes+query, sparql.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for s, err := range q.Select(t.Context(), p.graph, budget.Limits{}) {
		if err != nil {
			t.Fatal(err)
		}
		var row []string
		for _, term := range s.Terms() {
			row = append(row, term.Value())
		}
		out = append(out, strings.Join(row, " "))
	}
	return out
}

func TestTheMorningHasWhatItPromises(t *testing.T) {
	p := story(t)
	if names := p.rows(t, "SELECT ?p { ?p a oro:Human }"); len(names) != demo.People+1 {
		t.Errorf("%d names of people, want %d and a second one", len(names), demo.People)
	}
	if p.cases.PendingReviews != demo.Cases || p.cases.AcceptedReviews == 0 || p.cases.RejectedReviews == 0 {
		t.Errorf("%d cases wait, want %d: %+v", p.cases.PendingReviews, demo.Cases, p.cases)
	}
	for _, reason := range []string{"subject_missing", "subject_generic", "gap", "text_weak", "modality_differs"} {
		if p.reasons[reason] == 0 {
			t.Errorf("no case waits for %s: %v", reason, p.reasons)
		}
	}
	if most := slices.Max(slices.Collect(maps.Values(p.groups))); most != 2 {
		t.Errorf("the largest group has %d cases, want 2", most)
	}
	shared := p.rows(t, "SELECT ?e { ?a schema:about ?e ; segb:wasPerformedBy ?r . ?e schema:about ?who } GROUP BY ?e HAVING(COUNT(DISTINCT ?r) > 1)")
	if len(shared) < 10 || int64(len(shared)) != p.cases.Outcomes.Matched {
		t.Errorf("two robots saw %d events, and the resolver matched %d", len(shared), p.cases.Outcomes.Matched)
	}
	if versions := p.rows(t, `SELECT ?v { ?m a mls:Model ; rdfs:label "Face Reader"@en ; schema:version ?v } ORDER BY ?v`); !slices.Equal(versions, []string{"1.2", "1.4"}) {
		t.Errorf("versions of the face reader: %v", versions)
	}
	for _, kind := range []string{"mls:ModelEvaluation", "mls:Dataset", "onyx:Emotion", "oro:Robot", "oro:DetectedHumanEvent", "prov:Location"} {
		if len(p.rows(t, "SELECT ?x { ?x a "+kind+" }")) < 3 {
			t.Errorf("fewer than three %s", kind)
		}
	}
	if states := p.rows(t, "SELECT DISTINCT ?r ?place { ?s prov:generatedAtTime ?t ; prov:atLocation ?place ; prov:wasAttributedTo ?r ; schema:additionalProperty/schema:value ?v }"); len(states) != 9 {
		t.Errorf("states of three robots in three places: %v", states)
	}
}

func TestTheMorningIsThreeSessionsUpToNow(t *testing.T) {
	reports := demo.Morning(end)
	gaps := 0
	for i, r := range reports[1:] {
		switch gap := r.At.Sub(reports[i].At); {
		case gap > 30*time.Minute:
			gaps++
		case gap > time.Minute || gap < 0:
			t.Errorf("%s follows after %s", r.At, gap)
		}
		if r.Session != gaps {
			t.Errorf("the report at %s is of session %d, want %d", r.At, r.Session, gaps)
		}
	}
	if gaps != demo.Sessions-1 {
		t.Errorf("%d sessions", gaps+1)
	}
	if last := reports[len(reports)-1].At; last.After(end) || end.Sub(last) > time.Minute {
		t.Errorf("the morning ends at %s, and it is %s", last, end)
	}
}

func TestTheSameTimeGivesTheSameMorning(t *testing.T) {
	a, b := story(t), play(t)
	if !slices.Equal(a.logs, b.logs) {
		t.Error("the logs differ")
	}
	if later := demo.Morning(end.Add(time.Hour)); later[0].Turtle(nil) == a.reports[0].Turtle(nil) {
		t.Error("an hour later, the log is unchanged")
	}
}

func TestNoLogHasAFinding(t *testing.T) {
	for _, log := range story(t).logs {
		report, n, err := semcheck.Check(t.Context(), func() format.Reader {
			return turtle.NewReader(strings.NewReader(log), turtle.Turtle, turtle.Options{CheckIRIs: true, StrictIRIs: true})
		}, 10)
		if err != nil || report.Total != 0 || n < 5 {
			t.Errorf("%v %+v %d triples\n%s", err, report.Issues, n, log)
		}
	}
}

// Each answer of a robot leads to the sentence that it heard, its speaker, the model, the
// confidence, and the people who were there.
func TestEachAnswerOfARobotIsExplained(t *testing.T) {
	p := story(t)
	answers := p.rows(t, "SELECT ?answer { ?answer a oro:ResponseMessage } ORDER BY ?answer")
	explained := p.rows(t, `SELECT DISTINCT ?answer {
		?answer a oro:ResponseMessage ; prov:wasGeneratedBy ?response ; prov:wasDerivedFrom ?heard .
		?response segb:triggeredByActivity ?decision .
		?decision a oro:DecisionMakingAction ; rdfs:label ?what ; segb:triggeredByActivity ?listening ; segb:usedMLModel ?planner .
		?listening a oro:ListeningEvent ; segb:usedMLModel ?ears ; segb:producedEntityResult ?heard ; segb:triggeredByActivity+ ?sight .
		?heard schema:text ?words ; schema:sender ?person ; schema:additionalProperty/schema:value ?sure .
		?person a oro:Human .
		?sight a oro:DetectedHumanEvent ; schema:about/schema:about ?person .
		?ears schema:version ?version . ?training mls:hasOutput ?ears, ?evaluation . ?evaluation mls:hasValue ?score
	} ORDER BY ?answer`)
	if len(answers) < 45 || !slices.Equal(answers, explained) {
		t.Errorf("%d answers, and %d are explained", len(answers), len(explained))
	}
	if missing := p.rows(t, `SELECT ?a { ?a segb:triggeredByActivity|segb:triggeredByEntity|prov:used|segb:usedMLModel|segb:producedEntityResult ?b FILTER NOT EXISTS { ?b a ?class } }`); len(missing) > 0 {
		t.Errorf("these refer to something that no log describes: %v", missing)
	}
}

// The questions in the tour of the demo have answers.
func TestTheMorningAnswersItsQuestions(t *testing.T) {
	p := story(t)
	for _, c := range []struct{ question, query, want string }{
		{"what upset Maria?", `SELECT ?text { ?e a onyx:EmotionAnalysis ; segb:wasPerformedBy robot:ari ; segb:producedEntityResult ?n ; segb:triggeredByActivity ?said .
			?n oa:hasTarget human:maria ; onyx:hasEmotion/onyx:hasEmotionCategory ?c FILTER(STRENDS(STR(?c), "sadness")) ?said segb:producedEntityResult ?m . ?m a oro:ResponseMessage ; schema:text ?text }`,
			"I am sorry, Maria. The Lighthouse was taken down last week, after water ran into this room."},
		{"which models said so, and how sure?", `SELECT (GROUP_CONCAT(?x ; SEPARATOR=" and ") AS ?all) { { SELECT (CONCAT(?robot, ": ", ?label, " ", ?version, " ", STR(?sure)) AS ?x) { ?e a onyx:EmotionAnalysis ; segb:usedMLModel ?model ;
			segb:wasPerformedBy/schema:name ?robot ; segb:producedEntityResult ?n . ?n oa:hasTarget human:maria ; onyx:hasEmotion ?m .
			?m onyx:hasEmotionCategory ?c ; onyx:algorithmConfidence ?sure FILTER(STRENDS(STR(?c), "sadness")) ?model rdfs:label ?label ; schema:version ?version } ORDER BY ?robot } }`,
			"ARI: Face Reader 1.4 0.93 and TIAGo: Face Reader 1.2 0.81"},
		{"is it one event?", `SELECT (COUNT(DISTINCT ?event) AS ?n) { ?e a onyx:EmotionAnalysis ; schema:about ?event ; segb:producedEntityResult ?n2 . ?n2 oa:hasTarget human:maria ;
			onyx:hasEmotion/onyx:hasEmotionCategory ?c FILTER(STRENDS(STR(?c), "sadness")) }`, "1"},
		{"who did ARI talk to?", `SELECT (COUNT(DISTINCT ?who) AS ?n) { ?m a oro:ResponseMessage ; schema:sender robot:ari ; prov:wasDerivedFrom/schema:sender ?who }`, "19"},
	} {
		if got := p.rows(t, c.query); !slices.Equal(got, []string{c.want}) {
			t.Errorf("%s %q, want %q", c.question, got, c.want)
		}
	}
}
