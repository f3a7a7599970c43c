package views_test

import (
	"testing"

	"github.com/segraph/segraph/views"
	"github.com/segraph/segraph/views/viewstest"
)

func TestTheSearchPage(t *testing.T) {
	t.Parallel()
	f := viewstest.Frame("Search", "/search")
	viewstest.Show(t, views.FindPage(f, views.Find{Text: `"><script>`, Groups: []views.FoundGroup{{Name: "Pages", List: []views.Found{{"Query", "/query", "/query"}}, Total: 1}, {Name: "Robots and people", List: []views.Found{{"<b>Ari", "", "/kg-graph?node=x"}}, Total: 2682}, {Name: "Graph", Total: 30, More: true}}})).Golden("find-form", `role="search"`).Golden("found", `class="card after"`).Reads(`
# Search
Pages, robots, people, sessions, logs and saved queries.
form get /search
Search [q="><script>]
[Search]
# Pages
Query /query → /query
# Robots and people (1 of 2,682)
<b>Ari → /kg-graph?node=x
# Graph (0 of more than 30)
`)
	viewstest.Golden(t, "find-none", views.FoundGroups(views.Find{Text: "x"}))
}
