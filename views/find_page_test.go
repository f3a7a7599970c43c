package views_test

import (
	"testing"

	"github.com/segraph/segraph/views"
	"github.com/segraph/segraph/views/viewstest"
)

func TestTheSearchPage(t *testing.T) {
	t.Parallel()
	f := viewstest.Frame("Search", "/search")
	viewstest.Golden(t, "find", views.FindPage(f, views.Find{Text: `"><script>`, Groups: []views.FoundGroup{{Name: "Pages", List: []views.Found{{"Query", "/query", "/query"}}, Total: 1}, {Name: "Robots and people", List: []views.Found{{"<b>Ari", "", "/kg-graph?node=x"}}, Total: 2682}, {Name: "Graph", Total: 30, More: true}}}))
	viewstest.Golden(t, "find-none", views.FoundGroups(views.Find{Text: "x"}))
}
