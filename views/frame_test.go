package views_test

import (
	"testing"

	"github.com/segraph/segraph/views"
	"github.com/segraph/segraph/views/viewstest"
)

// TestTheFrameOfAPage has everything that a frame can have, and then each kind of visitor.
func TestTheFrameOfAPage(t *testing.T) {
	t.Parallel()
	n := 3
	f := viewstest.Frame("Error <1>", "/query")
	f.Scripts, f.Styles, f.Width, f.Refresh, f.Follow = []string{"query.js"}, []string{"query.css"}, "wide", 10, "/follow"
	f.Pending, f.Keys = &n, []views.Key{{Press: "j", Does: "down"}}
	f.Nav = append(f.Nav, views.Link{Path: "/shared-context", Name: "Review", Icon: "git-merge"})
	viewstest.Show(t, views.Layout(f)).Golden("frame-head", "<head").Golden("frame-bar", "<header").Golden("frame-main", "<main").Golden("frame-foot", "<footer").Golden("frame-keys", "<dialog")
	viewstest.Show(t, views.Layout(f)).Holds(`
<!doctype html>
<html lang="en">
`)
	f.Marked, f.Path, f.Who = "/health", "/search", views.Who{}
	viewstest.Show(t, views.Layout(f)).Golden("frame-guest", `class="who"`).Golden("frame-menu", "<nav").Golden("frame-find", `data-palette`)
	f.Who = views.Who{AuthOff: true, Name: "anonymous_user", Roles: []string{"admin"}}
	viewstest.Show(t, views.Layout(f)).Golden("frame-open", `class="who"`)
	viewstest.Show(t, views.Layout(views.Frame{})).Lacks("<nav>", "data-palette", "<dialog", "noscript", "follow.js", "data-follow").Golden("frame-plain", "<body")
}
