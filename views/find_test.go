package views

import "testing"

func TestTheSearchPage(t *testing.T) {
	f := testFrame("Search", "/search")
	golden(t, "find", FindPage(f, Find{Text: `"><script>`, Groups: []FoundGroup{{Name: "Pages", List: []Found{{"Query", "/query", "/query"}}, Total: 1}, {Name: "Robots and people", List: []Found{{"<b>Ari", "", "/kg-graph?node=x"}}, Total: 2682}, {Name: "Graph", Total: 30, More: true}}}))
	golden(t, "find-none", FoundGroups(Find{Text: "x"}))
}
