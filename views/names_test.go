package views

import (
	"maps"
	"testing"
)

func TestEqualNamesAreDistinguishedByTheShortestPartOfTheIRI(t *testing.T) {
	for _, labels := range []map[string]string{
		{"http://e/ari": "ari", "http://e/tiago": "tiago"},
		{"http://lab-a.org/robots/ari": "ari (lab-a.org)", "http://lab-b.org/robots/ari": "ari (lab-b.org)"},
		{"http://e/a/x/ari": "ari (a)", "http://e/b/x/ari": "ari (b)", "http://e/c/x/tiago": "tiago"},
		{"http://e/a/ari": "ari (a)", "http://e/b/ari": "ari (b)", "http://e/c/ari": "ari (c)"},
		{"http://e/ari": "ari (e)", "https://f/ari": "ari (f)"},
		{"http://e/ari": "ari (http:)", "https://e/ari": "ari (https:)"},
		{"http://e/ari": "ari (http://e/ari)", "http://e#ari": "ari (http://e#ari)"},
		{"http://e/a/x/ari": "ari (x)", "http://e/a/y/ari": "ari (a/y/ari)", "http://e/b/y/ari": "ari (b)"},     // y and a belong to two each
		{"http://e/b/x/ari": "ari (x/ari)", "http://e/x/y/ari": "ari (x/y/ari)", "http://e/c/y/ari": "ari (c)"}, // x belongs to two, at two positions
	} {
		given := map[string]string{}
		for iri := range labels {
			given[iri] = ""
		}
		if got := TellApart(given); !maps.Equal(got, labels) {
			t.Errorf("got %v, want %v", got, labels)
		}
	}
	got := TellApart(map[string]string{"http://e/robot_1": "ARI", "http://e/robot_2": "ARI", "http://e/robot_3": "TIAGo"})
	if want := map[string]string{"http://e/robot_1": "ARI (robot_1)", "http://e/robot_2": "ARI (robot_2)", "http://e/robot_3": "TIAGo"}; !maps.Equal(got, want) {
		t.Errorf("labels: got %v, want %v", got, want)
	}
	got = TellApart(map[string]string{"http://e/a/ari": "", "http://e/b/ari": "", "http://e/c": "ari (a)"})
	if got["http://e/a/ari"] == got["http://e/c"] {
		t.Errorf("a label that looks like another's part: %v", got)
	}
}
