package views_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/segraph/segraph/views/viewstest"
)

// Names are the labels of the graph, and differ from all other robots and people, of which
// only those with the same name are looked at.
func TestNamesAreLabelsAndDistinct(t *testing.T) {
	t.Parallel()
	s := openService(t)
	var graph strings.Builder
	graph.WriteString("@prefix oro: <http://kb.openrobots.org#> . @prefix schema: <http://schema.org/> .\n")
	s.Publish(`<http://b.example/r2> a <http://kb.openrobots.org#Robot> .`) // the first ARI
	for _, node := range [][2]string{{"http://a.example/r1", "ARI"}, {"http://b.example/r2", "ARI"}, {"http://c.example/r3", "ARI (r1)"}, {"http://d.example/r4", "TIAGo"}, {"http://e.example/maria", ""}} {
		iri, label := node[0], node[1] // in the order of their age
		fmt.Fprintf(&graph, "<%s> a oro:Robot .\n", iri)
		if label != "" {
			fmt.Fprintf(&graph, "<%s> schema:name %q .\n", iri, label)
		}
	}
	for i := range 300 {
		fmt.Fprintf(&graph, "<http://x.example/visitor%d> a oro:Human .\n", i)
	}
	s.Publish(graph.String())
	names, err := s.UI.NamesOf(t.Context(), "http://a.example/r1", "http://d.example/r4", "http://f.example/maria", "http://f.example/other")
	if err != nil {
		t.Fatal(err)
	}
	for iri, want := range map[string]string{
		"http://a.example/r1": "ARI (r1)", "http://b.example/r2": "ARI", "http://c.example/r3": "ARI (r1) (r3)", "http://d.example/r4": "TIAGo", "http://f.example/maria": "maria (f.example)", "http://f.example/other": "other",
	} {
		if got := names.Of(iri); got != want {
			t.Errorf("%s is named %q, want %q", iri, got, want)
		}
	}
	if len(names) != 7 {
		t.Errorf("%d names were computed: %v", len(names), names)
	}
}

// TestANewcomerRenamesNobody has a robot whose name comes later in the order of IRIs than that
// of another, which is logged after it.
func TestANewcomerRenamesNobody(t *testing.T) {
	t.Parallel()
	s := openService(t)
	log := func(robot, hour string) {
		s.Publish(fmt.Sprintf(`@prefix oro: <http://kb.openrobots.org#> . @prefix prov: <http://www.w3.org/ns/prov#> . @prefix segb: <http://www.gsi.upm.es/ontologies/segb/ns#> .
@prefix schema: <http://schema.org/> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
<%[1]s> a oro:Robot ; schema:name "ARI" . <%[1]s/act> a segb:LoggedActivity ; segb:wasPerformedBy <%[1]s> ; prov:startedAtTime "2026-02-01T%[2]s:00:00Z"^^xsd:dateTime .`, robot, hour))
	}
	log("https://lab.example/robot_1", "09")
	log("https://example.org/robot", "12")
	b := s.NewVisitor()
	for _, path := range []string{"/kg-graph", "/reports?section=activity", "/search?q=ARI", "/replay?from=2026-02-01T12:00:00Z&to=2026-02-01T12:00:01Z", "/log?id=" + s.LastLog()} {
		page := b.Get(path).Body.String()
		viewstest.Want(t, page, "ARI (robot)")
		if strings.Contains(page, "(robot_1)") || strings.Contains(page, "(lab.example)") {
			t.Errorf("%s renames the robot that was there before", path)
		}
	}
}
