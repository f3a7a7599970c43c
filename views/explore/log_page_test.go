package explore

import (
	"testing"
	"time"

	"github.com/segraph/segraph/views"
	"github.com/segraph/segraph/views/viewstest"
)

func TestThePageOfOneLog(t *testing.T) {
	t.Parallel()
	f := viewstest.Frame("Log", "/log")
	m := Log{ID: "3f1e", Action: "insert", Time: viewstest.Now.Add(-time.Hour), Actor: "ari", Claimed: "<robot 7>", Address: "192.0.2.7", RequestID: "r-1", OfRequest: "/system/logs?request=r-1",
		Triples: 4, Added: 3, Parts: 2, SHA256: "ab", Page: true, Kept: true, Turtle: "<http://e/a> <http://e/b> \"</code><script>\" .", More: 2, Download: "/log/text.ttl?id=3f1e",
		Session: "/replay?at=2026-06-04T10%3A53%3A18Z", Graph: "/kg-graph", Query: "/query", Robots: []views.LogName{{Name: "ARI", IRI: "http://e/ari", Href: "/kg-graph"}}, Withdraw: "/logs/insert?withdraw=3f1e"}
	viewstest.Golden(t, "log", LogPage(f, m))
	viewstest.Golden(t, "log-withdrawal", LogPage(f, Log{ID: "4a", Action: "withdraw", Time: viewstest.Now, Actor: "ari", Removed: 3, Withdrew: "3f1e"}))
}
