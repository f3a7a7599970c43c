package webui

import (
	"net/url"
	"strings"
	"testing"
)

// TestAnAnswerIsDrawn checks which charts fit an answer, and what the first one draws.
func TestAnAnswerIsDrawn(t *testing.T) {
	s := openService(t)
	s.publish(`@prefix ex: <http://e/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> . @prefix geo: <http://www.opengis.net/ont/geosparql#> .
		ex:a rdfs:label "Ari" ; ex:n 3 ; ex:m 1.5 ; ex:at "2026-05-31T10:00:00Z"^^xsd:dateTime ; ex:until "2026-05-31T10:10:00Z"^^xsd:dateTime ; ex:where "POINT(4.8 45.7)"^^geo:wktLiteral .
		ex:b rdfs:label "<Tiago>" ; ex:n -1 ; ex:m 2.5 ; ex:at "2026-05-31T11:00:00Z"^^xsd:dateTime ; ex:where "POINT(5 46)"^^geo:wktLiteral .`)
	b := s.visitor()
	for _, c := range []struct{ query, kinds, part string }{
		{"SELECT ?who ?n { ?who <http://e/n> ?n }", "Bar", `<rect class="`},
		{"SELECT ?who ?at ?n { ?who <http://e/n> ?n ; <http://e/at> ?at }", "Line Bar Timeline", `vector-effect="non-scaling-stroke"`},
		{"SELECT ?who ?at ?until { ?who <http://e/at> ?at OPTIONAL { ?who <http://e/until> ?until } }", "Timeline", `<circle class="`},
		{"SELECT ?lat ?long { ?who <http://e/n> ?lat ; <http://e/m> ?long }", "Scatter", "lat by long"},
		{"SELECT ?who ?where { ?who <http://e/where> ?where }", "Scatter", "latitude by longitude"},
		{"SELECT ?n ?m { ?who <http://e/n> ?n ; <http://e/m> ?m }", "Scatter", "m by n"},
	} {
		address := "/query?view=chart&query=" + url.QueryEscape(c.query)
		page := b.get(address).Body.String()
		tabs := ""
		if _, rest, ok := strings.Cut(page, `aria-label="Kinds of chart"`); ok {
			tabs, _, _ = strings.Cut(rest, "</nav>")
		}
		for _, kind := range []string{"Bar", "Line", "Scatter", "Timeline"} {
			several := strings.Contains(c.kinds, " ")
			if offered := strings.Contains(tabs, ">"+kind+"<"); offered != (several && strings.Contains(c.kinds, kind)) {
				t.Errorf("%s: %s is offered: %v", c.query, kind, offered)
			}
		}
		if !strings.Contains(page, c.part) || !strings.Contains(page, ">Chart</a>") {
			t.Errorf("%s: no %q in %s", c.query, c.part, page)
		}
	}
	if page := b.get("/query?view=chart&query=" + url.QueryEscape("SELECT ?p { ?s ?p ?o }")).Body.String(); strings.Contains(page, ">Chart</a>") || !strings.Contains(page, "<td") {
		t.Errorf("an answer of names has a chart: %s", page)
	}
	bar := b.get("/query?view=chart&as=bar&query=" + url.QueryEscape("SELECT ?who ?n { ?who <http://e/n> ?n }")).Body.String()
	want(t, bar, "<bdi>Ari</bdi>", "<bdi>&lt;Tiago&gt;</bdi>", `width="75%"`, `x="0%" width="25%"`)
}

func TestIRIsHaveLabelsBesideThem(t *testing.T) {
	s := openService(t)
	s.publish(`@prefix ex: <http://e/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . ex:a rdfs:label "Ari <3" ; ex:knows ex:b .`)
	want(t, s.visitor().get("/query?query="+url.QueryEscape("SELECT ?s ?o { ?s <http://e/knows> ?o }")).Body.String(), `<bdi class="note">Ari &lt;3</bdi>`)
}

func TestDidYouMeanMendsTheQuery(t *testing.T) {
	s := openService(t)
	s.publish(`@prefix ex: <http://e/> . ex:a ex:knows ex:b .`)
	page := s.visitor().get("/query?query=" + url.QueryEscape("PREFIX ex: <http://e/>\nSELECT * { ?s ex:knowz ?o }")).Body.String()
	want(t, page, "data-declare", "SELECT * { ?s ex:knows ?o }</textarea>", "Use&nbsp;<code>ex:knows</code>")
}
