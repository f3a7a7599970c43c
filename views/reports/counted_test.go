package reports

import (
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/segraph/segraph/store/rdf"
)

// deeds are activities of two robots with all that reports look at.
const deeds = `
<http://e/ari> a oro:Robot ; schema:name "ARI" . <http://e/tiago> a oro:Robot . <http://e/maria> a oro:Human .
<http://e/1> a segb:LoggedActivity, <http://a.example/Hears> ; segb:wasPerformedBy <http://e/ari> ; prov:startedAtTime "2026-03-01T08:00:00Z"^^xsd:dateTime ;
	schema:about <http://e/event> ; segb:usedMLModel <http://e/model> ; rdfs:label "heard" .
<http://e/2> a segb:LoggedActivity, oro:DecisionMakingAction ; segb:wasPerformedBy <http://e/tiago> ; prov:startedAtTime "2026-03-01T08:01:00"^^xsd:dateTime ; schema:about <http://e/event> .
<http://e/3> a segb:LoggedActivity, <http://a.example/Sees> ; segb:wasPerformedBy <http://e/ari> ; prov:startedAtTime "2026-03-01T09:00:00Z"^^xsd:dateTime ; segb:producedEntityResult <http://e/annotation> .
<http://e/event> a schema:Event ; schema:about <http://e/maria> ; schema:description "Maria speaks" .
<http://e/message> a schema:Message ; schema:text "Hello" ; schema:sender <http://e/maria> ; prov:wasGeneratedBy <http://e/1> .
<http://e/annotation> onyx:hasEmotion <http://e/emotion> ; oa:hasTarget <http://e/maria> .
<http://e/emotion> onyx:hasEmotionCategory <http://e/joy> ; onyx:hasEmotionIntensity 0.9 .
<http://e/model> rdfs:label "CNN" .
`

// foreign says the same in a vocabulary of its own.
var foreign = strings.NewReplacer("segb:LoggedActivity", "<http://z.example/Deed>", "segb:wasPerformedBy", "<http://z.example/by>", "prov:startedAtTime", "<http://z.example/at>")

var countDeeds = []Counted{{Class: "http://z.example/Deed", Time: "http://z.example/at", Robot: "http://z.example/by"}}

// TestEveryQueryCountsAClassLikeActivities runs each query on the same log in the
// vocabulary of reports and in another one.
func TestEveryQueryCountsAClassLikeActivities(t *testing.T) {
	t.Parallel()
	known, other := reportOf(t, deeds), reportOf(t, foreign.Replace(deeds))
	other.Classes = countDeeds
	files, err := fs.Glob(queries, "queries/*.rq")
	if err != nil || len(files) < 50 {
		t.Fatal(files, err)
	}
	compared := 0
	for _, file := range files {
		name := strings.TrimSuffix(strings.TrimPrefix(file, "queries/"), ".rq")
		if strings.HasPrefix(name, "triple") || strings.HasPrefix(name, "class") || strings.HasPrefix(name, "term") || strings.HasPrefix(name, "resolver-c") {
			continue // these show the vocabulary itself, or another graph
		}
		for _, r := range []*Report{known, other} {
			r.From, r.To = noon.AddDate(0, 0, -1), noon
		}
		rows := func(r *Report) map[string]bool {
			found, err := r.rows(t.Context(), name)
			if err != nil {
				t.Fatal(err)
			}
			set := map[string]bool{}
			for _, row := range found {
				if text := fmt.Sprint(row); !strings.Contains(text, "Deed>") { // it is a class of the activity too
					set[text] = true
				}
			}
			return set
		}
		want, got := rows(known), rows(other)
		if !maps.Equal(got, want) {
			t.Errorf("%s: %v, want %v\n%s", name, got, want, other.Query(name))
		}
		if len(want) > 0 && other.Query(name) != known.Query(name) {
			compared++
		}
	}
	if compared < 35 {
		t.Errorf("only %d queries look at activities and have rows", compared)
	}
}

func TestOtherClassesAreThoseThatReportsDoNotKnow(t *testing.T) {
	t.Parallel()
	names := func(r *Report) (out []string) {
		list, err := r.OtherClasses(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range list {
			out = append(out, fmt.Sprint(local(c.Class), " ", c.Things, " ", c.As != nil))
		}
		return out
	}
	if got := names(reportOf(t, deeds)); got != nil {
		t.Errorf("of the known vocabulary: %q", got)
	}
	r := reportOf(t, foreign.Replace(deeds)+`<http://e/o> a sosa:Observation . _:b a _:c .`)
	if got, want := names(r), []string{"Deed 3 false", "Hears 1 false", "Sees 1 false", "DecisionMakingAction 1 false", "Observation 1 false"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	r.Classes = append(countDeeds, Counted{Class: "urn:gone", Time: "urn:at"})
	if got := names(r); got[0] != "Deed 3 true" || got[len(got)-1] != "urn:gone 0 true" {
		t.Errorf("counted: %q", got)
	}
}

func TestTheBestPropertiesComeFirst(t *testing.T) {
	t.Parallel()
	r := reportOf(t, `<urn:1> a sosa:Observation ; <urn:made> "2026-03-01T08:00:00Z"^^xsd:dateTime ; sosa:resultTime "2026-03-01T08:00:00Z"^^xsd:dateTime ; <urn:a> <urn:x> ; sosa:madeBySensor <urn:s> ; <urn:n> 1 .
<urn:2> a sosa:Observation ; <urn:made> "2026-03-01T08:00:00Z"^^xsd:dateTime ; <urn:b> <urn:x>, <urn:y> . <urn:3> a sosa:Observation ; <urn:b> <urn:x> .`)
	times, robots, of, err := r.Choices(t.Context(), rdf.NewIRI("http://www.w3.org/ns/sosa/Observation"))
	got := fmt.Sprint(times, robots, of, err)
	if want := "[{http://www.w3.org/ns/sosa/resultTime 1} {urn:made 2}] [{http://www.w3.org/ns/sosa/madeBySensor 1} {urn:b 2} {urn:a 1}] 3 <nil>"; got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
}
