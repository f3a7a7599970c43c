package webui

import (
	"fmt"
	"strings"
	"testing"
)

// Names are the labels of the graph, and differ from all other robots and people, of which
// only those with the same name are looked at.
func TestNamesAreLabelsAndDistinct(t *testing.T) {
	s := openService(t)
	var graph strings.Builder
	graph.WriteString("@prefix oro: <http://kb.openrobots.org#> . @prefix schema: <http://schema.org/> .\n")
	for iri, label := range map[string]string{"http://a.example/r1": "ARI", "http://b.example/r2": "ARI", "http://c.example/r3": "ARI (r1)", "http://d.example/r4": "TIAGo", "http://e.example/maria": ""} {
		fmt.Fprintf(&graph, "<%s> a oro:Robot .\n", iri)
		if label != "" {
			fmt.Fprintf(&graph, "<%s> schema:name %q .\n", iri, label)
		}
	}
	for i := range 300 {
		fmt.Fprintf(&graph, "<http://x.example/visitor%d> a oro:Human .\n", i)
	}
	s.publish(graph.String())
	names, err := s.ui.namesOf(t.Context(), "http://a.example/r1", "http://d.example/r4", "http://f.example/maria", "http://f.example/other")
	if err != nil {
		t.Fatal(err)
	}
	for iri, want := range map[string]string{
		"http://a.example/r1": "ARI (r1) (http://a.example/r1)", "http://d.example/r4": "TIAGo", "http://f.example/maria": "maria (f.example)", "http://f.example/other": "other",
	} {
		if got := names.Of(iri); got != want {
			t.Errorf("%s is named %q, want %q", iri, got, want)
		}
	}
	if len(names) != 7 {
		t.Errorf("%d names were computed: %v", len(names), names)
	}
}
