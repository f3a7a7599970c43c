package cli

import (
	"fmt"
	"strings"
	"testing"
)

const visit = `@prefix schema: <http://schema.org/> . @prefix prov: <http://www.w3.org/ns/prov#> . @prefix segb: <http://www.gsi.upm.es/ontologies/segb/ns#> .
@prefix oa: <http://www.w3.org/ns/oa#> . @prefix onyx: <http://www.gsi.upm.es/ontologies/onyx/ns#> . @prefix oro: <http://kb.openrobots.org#> . @prefix : <urn:x:> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
:maria schema:name "Maria" .
:hears segb:wasPerformedBy :ari ; prov:startedAtTime "2026-11-26T20:15:40Z"^^xsd:dateTime ; schema:about :event .
:event schema:about :maria .
:m1 schema:sender :maria ; schema:text "Will it hang here?" ; prov:wasGeneratedBy :hears .
:m2 schema:sender :ari ; schema:text "Yes, Maria." ; prov:wasDerivedFrom :m1 .
:sees segb:producedEntityResult :note ; segb:wasPerformedBy :ari ; prov:startedAtTime "2026-11-26T20:15:50Z"^^xsd:dateTime .
:note oa:hasTarget :maria ; onyx:hasEmotion :joy .
:joy onyx:hasEmotionCategory <http://ex/big6_happiness> ; onyx:hasEmotionIntensity 0.9 .
:decides a oro:DecisionMakingAction ; segb:triggeredByEntity :m1 .
:comforts a oro:DecisionMakingAction ; segb:triggeredByActivity :sees .
:m3 schema:recipient :maria ; schema:sender :ari ; schema:text "This way." .
<urn:x:maria#face> schema:text "a face" .
:marianne schema:name "Marianne" .
`

// TestAPersonIsShownAndExported reads all that is kept of a person from a file.
func TestAPersonIsShownAndExported(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, text := range []string{visit, "<urn:x:other> <urn:p> 1 ."} {
		if got := segraph(text, nil, "load", "--format", "turtle", "-"); got.code != 0 {
			t.Fatalf("%+v", got)
		}
	}
	if got := segraph("", nil, "hold", "add", "--iri", "urn:x:maria", "--reason", "court"); got.code != 0 {
		t.Fatalf("%+v", got)
	}
	got := segraph("", nil, "person", "urn:x:maria")
	for _, want := range []string{
		"IRIs: 1\n  urn:x:maria\n", "names: 1\n  Maria\n", "other IRIs that contain one of these: 1\n  urn:x:maria#face\n",
		"messages sent: 1\n  2026-11-26T20:15:40Z  urn:x:m1  urn:x:ari  Will it hang here?\n", "messages received: 2\n  -  urn:x:m2  urn:x:ari  Yes, Maria.\n  -  urn:x:m3  urn:x:ari  This way.\n",
		"emotions read: 1\n  2026-11-26T20:15:50Z  urn:x:joy  urn:x:ari  happiness 0.9\n", "decisions: 2\n  -  urn:x:comforts  -  \n  -  urn:x:decides  -  \n",
		"shared contexts: 0\n", "review cases: 0\n", "logs: 1\n", "legal holds: 1\n", ": court\n", "looks: 1\n",
	} {
		if !strings.Contains(got.stdout, want) {
			t.Errorf("%q is missing from:\n%s%s", want, got.stdout, got.stderr)
		}
	}
	if got := segraph("", nil, "person", "--format", "ntriples", "urn:x:maria"); got.code != 0 || !strings.Contains(got.stdout, "<urn:x:m1> <http://schema.org/text>") ||
		!strings.Contains(got.stdout, "<urn:x:joy>") || !strings.Contains(got.stdout, "<urn:x:comforts>") || strings.Contains(got.stdout, "Marianne") {
		t.Errorf("%+v", got)
	}
	if got := segraph("", nil, "person", "--format", "json", "urn:x:maria"); got.code != 0 || strings.Count(got.stdout, `"by": "`+operator()) != 5 { // the hold, the log, and this look after two others
		t.Errorf("%+v", got)
	}
	if got := segraph("", nil, "person", "Maria"); got.code != 1 || !strings.Contains(got.stderr, "absolute IRI") {
		t.Errorf("%+v", got)
	}
	if got := segraph("", nil, "erase", "--reason", "asked for", "--yes", "urn:x:maria"); got.code != 1 || !strings.Contains(got.stderr, "legal hold") {
		t.Errorf("erased in spite of a legal hold: %+v", got)
	}
	if got := segraph("", nil, "check"); got.code != 0 {
		t.Errorf("%+v", got)
	}
}

// All facts are shown, also those that the service returns in a second page.
func TestAPersonIsShownToTheLastFact(t *testing.T) {
	t.Chdir(t.TempDir())
	var said strings.Builder
	said.WriteString("@prefix schema: <http://schema.org/> . @prefix : <urn:x:> .\n")
	for i := range personPage + 1 {
		fmt.Fprintf(&said, ":m%d schema:sender :maria ; schema:text \"word %d.\" .\n", i, i)
	}
	if got := segraph(said.String(), nil, "load", "--format", "turtle", "-"); got.code != 0 {
		t.Fatalf("%+v", got)
	}
	for _, format := range []string{"text", "json"} {
		if got := segraph("", nil, "person", "--format", format, "urn:x:maria"); got.code != 0 || strings.Count(got.stdout, "word ") != personPage+1 {
			t.Errorf("%s: %d messages, %s", format, strings.Count(got.stdout, "word "), got.stderr)
		}
	}
}
