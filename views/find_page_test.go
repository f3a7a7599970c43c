package views_test

import (
	"testing"

	"github.com/segraph/segraph/views"
	"github.com/segraph/segraph/views/viewstest"
)

func TestTheThingsFoundByName(t *testing.T) {
	t.Parallel()
	viewstest.Show(t, views.FoundGroups(views.Find{Text: "x", Groups: []views.FoundGroup{{Name: "Pages", List: []views.Found{{Name: "Query", Note: "/query", Href: "/query"}}, Total: 1}, {Name: "Robots and people", List: []views.Found{{Name: "<b>Ari", Href: "/kg-graph?node=x"}}, Total: 2682, All: "/reports?section=people"}, {Name: "Graph", Total: 30, More: true}}})).Reads(`
# Pages
Query /query → /query
# Robots and people (1 of 2,682) → /reports?section=people
<b>Ari → /kg-graph?node=x
# Graph (0 of more than 30)
`)
	viewstest.Golden(t, "find-none", views.FoundGroups(views.Find{Text: "x"}))
}
