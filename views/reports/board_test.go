package reports

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/views"
	"github.com/segraph/segraph/views/viewstest"
)

// read returns a row of strong emotions, sorted as emotion-extremes.rq sorts them.
func read(at, who, emotion, intensity, robot string) []rdf.Term {
	return []rdf.Term{rdf.NewLiteral("2026-02-01T12:"+at+"Z", rdf.XSD+"dateTime"), rdf.NewIRI("http://e/" + who), rdf.NewIRI("http://e/big6_" + emotion),
		rdf.NewString(intensity), {}, rdf.NewIRI("http://e/" + robot), {}, rdf.NewIRI("http://e/activity")}
}

// TestRobotsThatReadOneEmotionShareARow has readings that differ in who, what and when.
func TestRobotsThatReadOneEmotionShareARow(t *testing.T) {
	t.Parallel()
	r := reportOf(t, someActivities)
	if _, err := r.names(t.Context()); err != nil {
		t.Fatal(err)
	}
	got := r.strongest([][]rdf.Term{
		read("00:00", "maria", "joy", "0.95", "ari"), read("00:04", "maria", "joy", "0.9", "tiago"),
		read("00:04", "maria", "fear", "0.85", "tiago"), read("00:20", "maria", "joy", "0.8", "ari"), read("00:01", "zoe", "joy", "0.78", "ari"),
	})
	if len(got) != cardStrong || got[0].Strength != "95 %" || len(got[0].Robots) != 2 || got[1].Emotion != "fear" || got[2].Strength != "80 %" {
		t.Errorf("the rows are %+v", got)
	}
}

// TestCasesAreMostLikelyFirst has two cases, of which the later one is the likelier.
func TestCasesAreMostLikelyFirst(t *testing.T) {
	t.Parallel()
	doubt := func(n int, posterior, status string) string {
		return fmt.Sprintf(`<urn:o:%d> sc:observedAt "2026-03-01T08:00:0%[1]dZ"^^xsd:dateTime ; prov:specializationOf <urn:c:%[1]d> ; sc:text "text %[1]d" .
			<urn:r:%[1]d> sc:caseId "case-%[1]d" ; sc:caseStatus "%[3]s" ; sc:source <urn:c:%[1]d> ; sc:candidate <urn:k:%[1]d>, <urn:l:%[1]d> .
			<urn:k:%[1]d> sc:posterior %[2]s . <urn:l:%[1]d> sc:posterior 0.1e0 .`+"\n", n, posterior, status)
	}
	r := reportOf(t, "GRAPH <urn:segraph:contexts> {"+doubt(1, "0.5e0", "pending")+doubt(2, "0.8973e0", "pending")+doubt(3, "0.89e0", "accepted")+"}")
	r.MayCount = true
	s := ReportSection{}
	if err := r.reviewCard(t.Context(), &s); err != nil || len(s.Card.Cases) != 2 || s.About == "" {
		t.Fatalf("%+v, %q, %v", s.Card, s.About, err)
	}
	first, second := s.Card.Cases[0], s.Card.Cases[1]
	if first.ID != "case-2" || views.Likelihood(first.Share) != "99.7 %" || views.Likelihood(second.Share) != "60 %" || first.Href != "/shared-context?case=case-2&order=sure" {
		t.Errorf("the cases are %+v", s.Card.Cases)
	}
}

// TestCardsSayWhatTheirNumbersAre has messages of one hour, and no case.
func TestCardsSayWhatTheirNumbersAre(t *testing.T) {
	t.Parallel()
	r := reportOf(t, `<urn:a> a segb:LoggedActivity ; segb:wasPerformedBy <urn:ari> ; prov:startedAtTime "2026-03-01T23:10:00Z"^^xsd:dateTime . <urn:m> a schema:Message ; prov:wasGeneratedBy <urn:a> .`)
	for name, want := range map[string]string{"overview-hours": "23:00 to 24:00 UTC", "overview-review": ""} {
		if s, err := r.Section(t.Context(), name); err != nil || s.About != want {
			t.Errorf("%s says %q, %v", name, s.About, err)
		}
	}
}

// TestEmotionsThatWereReadSeldomAreWords has three readings of joy and one of fear.
func TestEmotionsThatWereReadSeldomAreWords(t *testing.T) {
	t.Parallel()
	document := ""
	for i, emotion := range []string{"joy", "fear", "joy", "joy"} {
		document += fmt.Sprintf(`<urn:a:%d> segb:producedEntityResult <urn:n:%[1]d> ; prov:startedAtTime "2026-03-01T08:00:0%[1]dZ"^^xsd:dateTime .
			<urn:n:%[1]d> onyx:hasEmotion <urn:e:%[1]d> ; oa:hasTarget <urn:maria> . <urn:e:%[1]d> onyx:hasEmotionCategory <urn:big6_%[2]s> .`+"\n", i, emotion)
	}
	s := ReportSection{}
	r := reportOf(t, document+"<urn:n:9> onyx:hasEmotion <urn:e:9> ; oa:hasTarget <urn:maria> . <urn:e:9> onyx:hasEmotionCategory <urn:big6_joy> .\n"+ // at no time
		`<urn:a:10> segb:producedEntityResult <urn:n:10> ; prov:startedAtTime "29999999999-01-01T00:00:00Z"^^xsd:dateTime . <urn:n:10> onyx:hasEmotion <urn:e:10> . <urn:e:10> onyx:hasEmotionCategory <urn:not_angry> .
<urn:a:11> segb:producedEntityResult <urn:n:10> ; prov:startedAtTime "0001-01-01T00:00:00Z"^^xsd:dateTime .`) // of clocks that were never set
	if err := r.emotionCard(t.Context(), &s); err != nil {
		t.Fatal(err)
	}
	if c := s.Card; len(c.Small) != 1 || c.Small[0].Name != "joy" || len(c.Rare) != 1 || c.Rare[0].Name != "fear" || c.Rare[0].Sum != 1 {
		t.Errorf("drawn are %+v, told %+v", c.Small, c.Rare)
	}
	part := *r
	part.From, part.To = noon.Add(-4*time.Hour+time.Second), noon.Add(-4*time.Hour+3*time.Second) // with the second joy alone
	some := ReportSection{}
	if err := part.emotionCard(t.Context(), &some); err != nil {
		t.Fatal(err)
	}
	for _, c := range []SmallChart{s.Card.Small[0], some.Card.Rare[0], some.Card.Rare[1]} {
		for _, href := range []string{c.Href, c.Bars[0].Href} {
			if n := len(followed(t, r, href)); n != c.Sum {
				t.Errorf("%s has %d readings of %d", href, n, c.Sum)
			}
		}
	}
}

func TestASessionOverMidnightSaysItsDays(t *testing.T) {
	t.Parallel()
	begin := time.Date(2026, 11, 29, 10, 0, 0, 0, time.UTC)
	viewstest.Show(t, cardSessionRows(&Card{Sessions: []CardSession{{From: begin, To: begin.Add(30 * time.Hour)}, {From: begin, To: begin.Add(time.Hour)}}})).Reads(`
When UTC | Robots and people | Messages | Emotions | Decisions | Shared events
10:00 to 16:00 → 29 Nov 2026 to 30 Nov 2026 · 30 h | | 0 | 0 | 0 | 0
10:00 to 11:00 → 29 Nov 2026 · 1 h | | 0 | 0 | 0 | 0
`)
}

// TestABoardOfARangeSaysWhatIsOfAllTime has a range without an activity, and a case outside it.
func TestABoardOfARangeSaysWhatIsOfAllTime(t *testing.T) {
	t.Parallel()
	r := reportOf(t, someActivities+`GRAPH <urn:segraph:contexts> { <urn:o> sc:observedAt "2026-03-01T08:00:00Z"^^xsd:dateTime ; prov:specializationOf <urn:c> .
		<urn:r> sc:caseId "case-1" ; sc:caseStatus "pending" ; sc:source <urn:c> ; sc:candidate <urn:k> . <urn:k> sc:posterior 0.5e0 . }`)
	for _, ranged := range []bool{false, true} {
		if ranged {
			r.From, r.To = noon.AddDate(1, 0, 0), noon.AddDate(2, 0, 0)
		}
		in := map[string]bool{}
		for _, c := range cards {
			s, err := r.Section(t.Context(), c.name)
			if err != nil {
				t.Fatal(err)
			}
			if len(s.Card.Cases) > 0 {
				in["case"] = true
			}
			if in["nothing"] = in["nothing"] || strings.HasSuffix(s.Card.Nothing, "in this range"); strings.Contains(s.Card.Nothing, "decision in") {
				t.Error("cases are said to have a range")
			}
			for _, f := range s.Card.Tiles {
				in[strings.TrimSuffix(f.What, " in all")] = strings.HasSuffix(f.What, " in all")
			}
		}
		if !in["case"] || in["nothing"] != ranged || in["robots"] != ranged || in["messages"] || in["to review"] != ranged {
			t.Errorf("with a range %t: %v", ranged, in)
		}
	}
}

// TestABoardShowsNoScoreOfSeveral has two of one model, which may be of two measures.
func TestABoardShowsNoScoreOfSeveral(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]string{1: "0.91", 2: ""} {
		document := `<urn:a> a segb:LoggedActivity ; segb:usedMLModel <urn:m> ; prov:startedAtTime "2026-03-01T08:00:00Z"^^xsd:dateTime . <urn:m> a mls:Model .`
		for i, score := range []string{"0.91", "0.12"}[:n] {
			document += fmt.Sprintf("<urn:t> mls:hasOutput <urn:m>, <urn:e%d> . <urn:e%[1]d> a mls:ModelEvaluation ; mls:hasValue %s .\n", i, score)
		}
		s := ReportSection{}
		if err := reportOf(t, document).modelCard(t.Context(), &s); err != nil || len(s.Card.Models) != 1 || s.Card.Models[0].Score != want {
			t.Errorf("of %d scores it shows %+v, %v", n, s.Card, err)
		}
	}
}
