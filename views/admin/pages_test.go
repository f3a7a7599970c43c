package admin

import (
	"testing"
	"time"

	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/views"
	"github.com/segraph/segraph/views/viewstest"
)

func TestTheLogPage(t *testing.T) {
	t.Parallel()
	f := viewstest.Frame("Server log", "/system/logs")
	f.Scripts, f.Keys = []string{"logs.js"}, []views.Key{{Press: "p", Does: "pause"}}
	m := Logs{
		Level: "INFO", Contains: `"><script>alert(1)</script>`, Request: "r-1", Limit: 200, Levels: []string{"DEBUG", "INFO"}, Limits: []int{200, 500},
		Last: 7, Place: "stderr", New: "/system/logs/new?level=INFO", Download: "/system/logs/download?level=INFO",
		Lines: []LogLine{
			{Number: 6, Time: "2026-06-04T11:53:18.001Z", Level: "INFO", Logger: "segraph.http", RequestID: "r-1", Actor: "ari", Address: "192.0.2.1",
				Text: "request", Fields: []LogField{{"path", "/<b>"}, {"status", "200"}}, Raw: "raw & line", OfRequest: "/system/logs?request=r-1"},
			{Number: 7, Time: "2026-06-04T11:53:18.002Z", Level: "CRITICAL", Text: "panic", Raw: "raw"},
		},
	}
	viewstest.Golden(t, "log-lines", LogLines(m.Lines))
	viewstest.Golden(t, "log-request", LogLines([]LogLine{{Number: 8, Time: "2026-06-04T11:53:18.003Z", Level: "INFO", Text: "request",
		Fields: []LogField{{"method", "GET"}, {"path", "/<b>"}, {"status", "200"}, {"ms", "5.043"}, {"bytes", "7"}, {"detail", "a reason"}}}}))
	viewstest.Show(t, LogsPage(f, m)).Golden("log-filter", `action="/system/logs"`).Golden("log-bar", `class="logbar scripted"`).Holds(`
<div class="card tail" tabindex="0" role="log" aria-label="Lines of the server log" aria-live="off">
<ol class="log" id="lines">
<p class="muted quiet" data-none hidden>
<span id="newest">
`).Reads(`
# Server log
What the service did and what went wrong, newest last. It keeps the newest lines of every level.
Download → /system/logs/download?level=INFO
form get /system/logs
At least [level= DEBUG; *INFO]
Text in the line [contains="><script>alert(1)</script>]
Request id [request=r-1]
Lines [limit= *200; 500]
[Show] Show all → /system/logs
Everything of request r-1. All requests → /system/logs
[Pause] Live
These are the newest lines. To the newest → #newest
…
Times are in UTC. The process also writes these lines to stderr, without dropping any.
`)
	m.Lines, m.Wrong = nil, "There is no level X."
	viewstest.Show(t, LogsPage(f, m)).Reads(`
# Server log
What the service did and what went wrong, newest last. It keeps the newest lines of every level.
Download → /system/logs/download?level=INFO
form get /system/logs
At least [level= DEBUG; *INFO]
Text in the line [contains="><script>alert(1)</script>]
Request id [request=r-1]
Lines [limit= *200; 500]
[Show] Show all → /system/logs
The filter can’t be used
There is no level X.
Everything of request r-1. All requests → /system/logs
[Pause] Live
These are the newest lines. To the newest → #newest
No line matches. Lower the level, or change the text or the time.
Times are in UTC. The process also writes these lines to stderr, without dropping any.
`)
}

func TestTheInsertPage(t *testing.T) {
	t.Parallel()
	f := viewstest.Frame("Publish a log", "/logs/insert")
	f.Scripts, f.Width = []string{"insert.js"}, "wide"
	known := 2
	model := func(r InsertResult) Insert {
		return Insert{Text: "</textarea><script>alert(1)</script>", User: `"<`, Actor: "ari", Result: r}
	}
	results := map[string]InsertResult{
		"insert":         {},
		"insert-valid":   {State: "checked", Valid: true, Triples: 1234, Known: &known, Ticket: "T"},
		"insert-changed": {State: "changed", Valid: true, Triples: 1, Ticket: "T", Document: `a".ttl`, Large: true, Findings: []Finding{{Code: "SEM_SUBJECT_WITHOUT_TYPE", Message: "This node has no type.", Focus: "javascript:alert(1)"}}, More: 1},
		"insert-error": {State: "checked", Findings: []Finding{{Error: true, Code: "TTL_SYNTAX_ERROR", Message: "Undeclared prefix.", Line: 2, Column: 4,
			Before: "</textarea>", At: "<", After: "script>", Declare: []views.Declaration{{Prefix: "prov:", Namespace: "http://www.w3.org/ns/prov#"}}}}},
		"insert-stored":    {State: "stored", LogID: "3f1e", Triples: 3, Added: 1, StoredAs: "robot 7"},
		"insert-withdrawn": {State: "withdrawn", LogID: "3f1e", Removed: 1, Stayed: 2, Contexts: store.WithdrawnContexts{Named: 3, Removed: 1, Stayed: 2}},
		"insert-again":     {State: "again", LogID: "3f1e", Triples: 3, Added: 1, StoredAs: "robot 7"},
		"insert-problem":   {State: "problem", Problem: views.Problem{Status: 507, Title: "Insufficient Storage", Detail: "The disk is full.", RequestID: "r-1"}},
	}
	for name, r := range results {
		viewstest.Golden(t, name, Inserted(r))
	}
	viewstest.Show(t, InsertPage(f, model(results["insert-stored"]))).Golden("insert-form", `class="card stack tight"`).Holds(`
<form id="insert" class="work" action="/logs/insert#result" method="post" enctype="multipart/form-data">
<div id="result" aria-live="polite">
`).Reads(`
# Publish a log
The service checks the Turtle first, and stores exactly what it checked.
form post /logs/insert#result
Turtle Start from a minimal log → /logs/insert?start=minimal
[ttl= </textarea><script>alert(1)</script>]
Or a file [file=]
On behalf of (optional) [user="<]
Paste Turtle, or drop a file here, up to 16 MiB. A file is stored unchanged; pasted text gets Unix line endings. The journal also records your own name, ari.
[Check: action=check] [Tidy up: action=tidy] Tidying up drops comments.
The log is stored
It is on disk.
Log id: 3f1e → /log?id=3f1e
Triples: 3: 1 new, 2 already stored
On behalf of: robot 7
Log → /log?id=3f1e Another log → /logs/insert Undo… log 3f1e →
`)
	viewstest.Show(t, InsertPage(f, Insert{Actor: "ari", Last: []StoredLog{{LogID: "3f1e", Time: f.Now.Add(-time.Minute), Triples: 4, Claimed: "robot 7", Withdraw: "/logs/insert?withdraw=3f1e"}}})).
		Golden("insert-last", `aria-labelledby="last-title"`).Reads(`
# Publish a log
The service checks the Turtle first, and stores exactly what it checked.
form post /logs/insert#result
…
# Not checked yet
Check lists errors with their lines and offers missing prefixes. It stores nothing.
# Your last logs from this page
1 minute ago, 4 triples , as robot 7 3f1e → /log?id=3f1e Undo… log 3f1e → /logs/insert?withdraw=3f1e
`)
}

func TestThePageWithdrawsALog(t *testing.T) {
	t.Parallel()
	f := viewstest.Frame("Withdraw a log", "/logs/insert")
	viewstest.Show(t, WithdrawPage(f, Withdrawal{Other: true, Texts: []string{"<hello>"}, Emotions: 1, Read: 4, Removed: 3, Stayed: 1, Begin: f.Now.Add(-time.Hour), End: f.Now, Turtle: "<http://e/a> <http://e/b> \"</code><script>\" .", More: 3,
		Log: StoredLog{LogID: "3f1e", Time: f.Now.Add(-time.Minute), Triples: 4, Actor: "robot", Claimed: "<robot 7>", Address: "192.0.2.7"}})).Golden("withdraw-facts", `class="facts"`).Golden("withdraw-form", `class="tools"`).Reads(`
# Withdraw this log?
# What it tells
1 message:
“<hello>”
Emotions: 1 emotion
Events: 4 Jun 2026, 10:53:18 UTC to 4 Jun 2026, 11:53:18 UTC
Goes: 3 triples (1 more stays, because other logs say it too)
Sent: 1 minute ago by robot on behalf of “<robot 7>”, from 192.0.2.7
Log id: 3f1e → /log?id=3f1e
Its triples
<http://e/a> <http://e/b> "</code><script>" .
And 3 more triples.
not yours You did not publish this log on this page: robot sent it.
What only this log says leaves the graph, the search and the reports. The journal keeps that it was published, and that you withdrew it.
form post /logs/insert#result [log=3f1e]
On behalf of (optional) [user=]
[Withdraw this log: action=withdraw] Keep it → /log?id=3f1e
`)
}

func TestTheDeletePage(t *testing.T) {
	t.Parallel()
	f := viewstest.Frame("Delete the graph", "/logs/delete")
	viewstest.Show(t, DeletePage(f, Delete{Triples: 5_000_000, Messages: 2, Robots: 1, People: 1, Derived: 12, Actor: "ari"})).Golden("delete-extent", `class="columns extent three"`).Holds(`
<section class="card danger">
<a class="button mini" href="/logs/delete/graph.ttl" download>
<a class="button mini" href="/logs/delete/graph.nt" download>
<input id="also" type="checkbox" name="contexts" value="yes" form="delete">
<input id="confirm" name="confirm" type="text" autocomplete="off" spellcheck="false" required>
`).Reads(`
# Delete all
Empties the graph. Shared events, cases and decisions stay unless you tick the box.
# Goes
2 messages, what is known of 1 robot and 1 person, and all else that logs tell
5,000,000 triples, and which log published which
# [contexts=yes] Goes too, if you tick this
0 shared events
0 review cases, 0 undecided
all decisions on them
# Stays
the journal: who published and deleted what, when, and from where
what was learned about robots’ clocks
settings, tokens, keys, backups, and the server log
# Delete
This service makes no backup before it deletes (--snapshot-keep is 0), so this cannot be undone here. The copy is the graph as text, and can be published again.
Keep a copy first Turtle, to read → /logs/delete/graph.ttl N-Triples, for programs → /logs/delete/graph.nt
form post /logs/delete
Type DELETE to confirm [confirm=]
On behalf of (optional) [user=]
[Delete 5,000,000 triples]
The journal keeps your own name, ari, and the user that you give.
`)
	viewstest.Show(t, DeletePage(f, Delete{Triples: 1, Actor: "ari", User: "x", Wrong: "The word was not typed."})).Golden("delete-form", `action="/logs/delete"`).Holds(`
<p id="wrong">
`).Reads(`
# Delete all
Empties the graph. Shared events, cases and decisions stay unless you tick the box.
Nothing was deleted
The word was not typed.
# Goes
0 messages, what is known of 0 robots and 0 people, and all else that logs tell
1 triple, and which log published which
# Stays
the journal: who published and deleted what, when, and from where
…
# Delete
This service makes no backup before it deletes (--snapshot-keep is 0), so this cannot be undone here. The copy is the graph as text, and can be published again.
Keep a copy first Turtle, to read → /logs/delete/graph.ttl N-Triples, for programs → /logs/delete/graph.nt
form post /logs/delete
Type DELETE to confirm [confirm=]
On behalf of (optional) [user=x]
[Delete 1 triple]
The journal keeps your own name, ari, and the user that you give.
`)
	viewstest.Show(t, DeletePage(f, Delete{Actor: "ari", Done: &Deleted{Removed: 3, By: "ari", User: "operator", RequestID: "r-1"}})).Golden("delete-done", `aria-label="Result"`).Reads(`
# The graph was emptied
Deleted: 3 triples
By: ari as operator
Request: r-1 → /system/logs?request=r-1
No backup was made before
This can’t be undone here. A copy that you downloaded can be published again.
Publish a log → /logs/insert
`)
	viewstest.Show(t, DeletePage(f, Delete{Actor: "ari", Done: &Deleted{Removed: 3, Contexts: true, By: "ari", RequestID: "r-1"}})).Reads(`
# The graph was emptied, and shared events deleted
Deleted: 3 triples , and all shared events with cases and decisions
By: ari
Request: r-1 → /system/logs?request=r-1
No backup was made before
This can’t be undone here. A copy that you downloaded can be published again; that brings no shared events, cases and decisions back.
Publish a log → /logs/insert
`)
	viewstest.Show(t, DeletePage(f, Delete{Actor: "ari", Done: &Deleted{Contexts: true, By: "ari", RequestID: "r-1"}})).Reads(`
…
No backup was made before
This can’t be undone here.
Publish a log → /logs/insert
`)
	viewstest.Show(t, DeletePage(f, Delete{Triples: 2, Messages: unknown, Robots: unknown, People: unknown})).Reads(`
…
# Goes
many messages, what is known of many robots and many people, and all else that logs tell
2 triples, and which log published which
…
`)
	viewstest.Show(t, DeletePage(f, Delete{Derived: 287, Contexts: 6, Cases: 3, Pending: 2, Actor: "ari", AlsoContexts: true})).Golden("delete-also", `class="check"`).Reads(`
# Delete all
Empties the graph. Shared events, cases and decisions stay unless you tick the box.
# Goes
0 messages, what is known of 0 robots and 0 people, and all else that logs tell
0 triples, and which log published which
# [*contexts=yes] Goes too, if you tick this
6 shared events
3 review cases, 2 undecided
all decisions on them
# Stays
the journal: who published and deleted what, when, and from where
…
# Delete
form post /logs/delete
Type DELETE to confirm [confirm=]
On behalf of (optional) [user=]
[Delete]
The journal keeps your own name, ari, and the user that you give.
`)
	viewstest.Show(t, DeletePage(f, Delete{Actor: "ari"})).Reads(`
# Delete all
Empties the graph. Shared events, cases and decisions stay unless you tick the box.
# The graph is empty
Nothing to delete. The service is healthy and has no data yet.
Publish a log → /logs/insert
`)
	backups := []DeleteBackup{{Name: `segraph-"<b>.db`, Time: f.Now.Add(-time.Hour), Triples: 914, Size: 184 << 10}}
	viewstest.Show(t, DeletePage(f, Delete{Triples: 627, Derived: 287, Contexts: 6, Cases: 3, Pending: 2, Keeps: true, Actor: "ari", Backups: backups})).Golden("delete-backups", `class="rows"`).Reads(`
# Delete all
Empties the graph. Shared events, cases and decisions stay unless you tick the box.
# Goes
0 messages, what is known of 0 robots and 0 people, and all else that logs tell
627 triples, and which log published which
# [contexts=yes] Goes too, if you tick this
6 shared events
3 review cases, 2 undecided
all decisions on them
# Stays
the journal: who published and deleted what, when, and from where
…
# Delete
The service backs up everything before it deletes, and this page can restore that. A copy is the graph as text, to keep elsewhere.
Keep a copy first Turtle, to read → /logs/delete/graph.ttl N-Triples, for programs → /logs/delete/graph.nt
form post /logs/delete
Type DELETE to confirm [confirm=]
On behalf of (optional) [user=]
[Delete 627 triples and 6 events]
The journal keeps your own name, ari, and the user that you give.
# Backups made before “Delete all”
Restoring a backup replaces the whole file, as it was then. The present file, with all that was sent since, is kept beside it.
1 hour ago 914 triples, 184 KiB Restore…: segraph-"<b>.db → /backups/restore?name=segraph-%22%3Cb%3E.db
`)
}
