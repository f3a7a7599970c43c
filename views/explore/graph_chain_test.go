package explore

import (
	"slices"
	"strings"
	"testing"

	"github.com/segraph/segraph/views/viewstest"
)

// chainLog has an answer whose only cause is a sentence, which another answer made because of what a robot saw and read in it.
const chainLog = `
@prefix schema: <http://schema.org/> . @prefix prov: <http://www.w3.org/ns/prov#> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix segb: <http://www.gsi.upm.es/ontologies/segb/ns#> . @prefix oro: <http://kb.openrobots.org#> . @prefix : <http://e/> .
:ari a oro:Robot ; schema:name "ARI" . :zoe a oro:Human ; schema:name "Zoe" .
:last a oro:ResponseAction ; segb:wasPerformedBy :ari ; segb:triggeredByEntity :sorry ; prov:startedAtTime "2026-02-24T12:00:04Z"^^xsd:dateTime .
:puppies a oro:ResponseMessage ; schema:sender :ari ; schema:text "Puppies found homes." ; prov:wasGeneratedBy :last .
:sorry a oro:ResponseMessage ; schema:sender :ari ; schema:text "I am sorry." ; prov:wasGeneratedBy :first .
:first a oro:ResponseAction ; segb:wasPerformedBy :ari ; segb:triggeredByActivity :reads ; segb:triggeredByEntity :face ; prov:wasInfluencedBy :face ; prov:startedAtTime "2026-02-24T12:00:03Z"^^xsd:dateTime .
:reads a oro:EmotionRecognitionEvent ; rdfs:label "ARI reads fear" ; segb:wasPerformedBy :ari ; segb:triggeredByEntity :face ; prov:used :face ; prov:startedAtTime "2026-02-24T12:00:02Z"^^xsd:dateTime .
:face a segb:Result ; rdfs:label "A face" .`

func TestCausesAreAChainInTheOrderOfTime(t *testing.T) {
	t.Parallel()
	s := openService(t)
	s.Publish(chainLog)
	address := graphAt("v", "+ http://e/last", "v", "*> 4 http://e/last "+strings.Join(causing, " "))
	d := s.drawn(address)
	var names []string
	for _, i := range []int{0, 1, 2, 3}[:len(d.Nodes)] {
		names = append(names, strings.Join(d.Nodes[i].Label, " ")+" "+d.Nodes[i].Clock+d.Nodes[i].Tag)
	}
	slices.Sort(names)
	if got := strings.Join(names, ", "); len(d.Nodes) != 4 || got != "A face , ARI reads fear 12:00:02ARI, “I am sorry.” 12:00:03ARI, “Puppies found homes.” 12:00:04ARI" {
		t.Errorf("the boxes are %s", got)
	}
	var lines []string
	for _, l := range d.Lines {
		from, to := d.Nodes[l.Ends[0]], d.Nodes[l.Ends[1]]
		if from.X+from.Wide/2 >= to.X-to.Wide/2 {
			t.Errorf("%s leads back", l.Title)
		}
		if l.Named < d.Level {
			t.Errorf("%s has no word", l.Title)
		}
		lines = append(lines, l.Title)
	}
	slices.Sort(lines)
	want := []string{"“A face” led to “ARI reads fear”", "“A face” led to “I am sorry.”", "“ARI reads fear” led to “I am sorry.”", "“I am sorry.” led to “Puppies found homes.”"}
	if !slices.Equal(lines, want) || d.Beside > 0 {
		t.Errorf("%d lines beside %q, want %q", d.Beside, lines, want)
	}
	line := s.NewVisitor().Get(address + "&edge=" + nodeKey("http://e/last") + "-" + nodeKey("http://e/first")).Body.String()
	viewstest.Want(t, line, "Path between two nodes", "because of")
	if many := s.drawn(address + "&v=%2B+http://e/zoe"); len(many.Nodes) != 5 || many.Nodes[0].Wide == 0 || many.Nodes[0].X != d.Nodes[0].X {
		t.Errorf("with one node more, the chain changes: %+v", many.Nodes)
	}
}
