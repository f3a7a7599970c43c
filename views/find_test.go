package views

import "testing"

func TestTheSearchPage(t *testing.T) {
	f := testFrame("Search", "/search")
	golden(t, "find", FindPage(f, Find{Text: `"><script>`, Groups: []FoundGroup{{"Pages", []Found{{"Query", "/query", "/query"}}}, {"Robots and people", []Found{{"<b>Ari", "", "/kg-graph?node=x"}}}}}))
	golden(t, "find-none", FoundGroups(Find{Text: "x"}))
}
