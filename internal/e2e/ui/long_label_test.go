package ui

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
)

// A robot's incident and decision may say 2,000 characters, with and without spaces. Pages show them without harm.
func TestALongLabelBreaksNoPage(t *testing.T) {
	t.Parallel()
	s := openService(t)
	words, block := strings.Repeat("motor seven is too hot ", 90), strings.Repeat("x", 2000)
	text := `@prefix segb: <http://www.gsi.upm.es/ontologies/segb/ns#> . @prefix prov: <http://www.w3.org/ns/prov#> . @prefix oro: <http://kb.openrobots.org#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . @prefix schema: <http://schema.org/> .
<http://e/robot/iris> a oro:Robot ; schema:name "Iris" .
`
	for i, label := range []string{words, block, words, block} {
		class, cause := "<urn:segraph:ns#Incident>", ""
		if i > 1 {
			class = "oro:DecisionMakingAction"
		}
		if i > 0 {
			cause = fmt.Sprintf(" ; segb:triggeredByActivity <http://e/a%d>", i-1)
		}
		text += fmt.Sprintf("<http://e/a%d> a segb:LoggedActivity, %s ; rdfs:label %q ; segb:wasPerformedBy <http://e/robot/iris> ; prov:startedAtTime \"2026-03-01T10:00:0%dZ\"^^<http://www.w3.org/2001/XMLSchema#dateTime>%s .\n", i, class, label, i, cause)
	}
	s.publish(text)
	for _, l := range []look{{}, {phone: true}} {
		b := open(t, s.ui, l)
		for _, page := range []string{"/reports", "/reports?section=activity", "/replay?at=2026-03-01T10:00:01Z", "/search?q=motor", "/search?q=xxx", "/why?iri=" + url.QueryEscape("http://e/a3"), "/why?iri=" + url.QueryEscape("http://e/a0"), "/kg-graph?iri=" + url.QueryEscape("http://e/a3"), "/why"} {
			b.goTo(page)
			b.faultless()
			if wide := value[float64](b, `document.documentElement.scrollWidth - innerWidth`); wide > 0 {
				t.Errorf("%s: %s is %v pixels too wide", l, page, wide)
			}
			b.shot(strings.NewReplacer("/", "-", "?", "-", "%", "", "=", "-").Replace("long"+page), l)
		}
	}
}
