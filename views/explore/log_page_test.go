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
		Triples: 4, Left: 4, Added: 3, Parts: 2, SHA256: "ab", Page: true, Kept: true, Turtle: "<http://e/a> <http://e/b> \"</code><script>\" .", More: 2, Download: "/log/text.ttl?id=3f1e",
		Session: "/replay?at=2026-06-04T10%3A53%3A18Z", Graph: "/kg-graph", Query: "/query", Robots: []string{"ARI"}, Names: []views.LogName{{Name: "ARI", IRI: "http://e/ari", Href: "/kg-graph"}}, Withdraw: "/logs/insert?withdraw=3f1e"}
	viewstest.Show(t, LogPage(f, m)).Golden("log-head", `class="head"`).Golden("log-facts", `aria-labelledby="who-title"`).Golden("log-text", `aria-labelledby="text-title"`).Reads(`
# ARI
A log of 4 triples, from ari on behalf of “<robot 7>”.
Replay → /replay?at=2026-06-04T10%3A53%3A18Z Graph → /kg-graph Query → /query
# Who and when
Log id: 3f1e
Published: 4 Jun 2026, 10:53:18 UTC, 1 hour ago
Sent by: ari on behalf of “<robot 7>” with the page Publish a log
From: 192.0.2.7
Request: r-1 → /system/logs?request=r-1
Triples: 4: 3 new, 1 already stored
Stored in: 2 parts
Names: ARI → /kg-graph
SHA-256: ab
Prove this → /evidence?log=3f1e Case file → /case-file?log=3f1e Withdraw… → /logs/insert?withdraw=3f1e
# The text
4 triples in Turtle Download → /log/text.ttl?id=3f1e
Show it
<http://e/a> <http://e/b> "</code><script>" .
And 2 more triples. The download has all.
`)
	fact := GraphFact{Name: "said by", IRI: "http://e/by", Value: views.Cell{Kind: "iri", Text: "ARI", Href: "/kg-graph"}}
	m = Log{ID: "5", Action: "insert", Actor: "ari", Kept: true, State: "ARI was at hall", Things: []LogThing{{views.Cell{Kind: "iri", Text: "hello", Href: "/why"}, "message", []GraphFact{fact}}}}
	viewstest.Show(t, LogPage(f, m)).Holds("ARI was at hall").Golden("log-things", `aria-labelledby="things-title"`)
	m.Acts = make([]WhyAct, logActs+2)
	viewstest.Show(t, LogPage(f, m)).Holds(`<summary class="small">2 more</summary>`)
	viewstest.Show(t, LogPage(f, Log{ID: "4a", Action: "withdraw", Time: viewstest.Now, Actor: "ari", Removed: 3, Withdrew: "3f1e"})).Reads(`
# Journal entry
One change that the journal records.
# Who and when
Log id: 4a
Time: 4 Jun 2026, 11:53:18 UTC, just now
Sent by: ari
Action: withdraw
Withdrew: 3f1e → /log?id=3f1e
Removed: 3 triples
`)
}
