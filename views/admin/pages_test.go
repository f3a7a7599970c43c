package admin

import (
	"testing"
	"time"

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
	viewstest.Golden(t, "logs", LogsPage(f, m))
	m.Lines, m.Wrong = nil, "There is no level X."
	viewstest.Golden(t, "logs-wrong", LogsPage(f, m))
}

func TestTheInsertPage(t *testing.T) {
	t.Parallel()
	f := viewstest.Frame("Insert a log", "/logs/insert")
	f.Scripts, f.Width = []string{"insert.js"}, "wide"
	known := 2
	for name, r := range map[string]InsertResult{
		"insert":         {},
		"insert-valid":   {State: "checked", Valid: true, Triples: 1234, Known: &known, Ticket: "T"},
		"insert-changed": {State: "changed", Valid: true, Triples: 1, Ticket: "T", Document: `a".ttl`, Large: true, Findings: []Finding{{Code: "SEM_SUBJECT_WITHOUT_TYPE", Message: "This node has no type.", Focus: "javascript:alert(1)"}}, More: 1},
		"insert-error": {State: "checked", Findings: []Finding{{Error: true, Code: "TTL_SYNTAX_ERROR", Message: "Undeclared prefix.", Line: 2, Column: 4,
			Before: "</textarea>", At: "<", After: "script>", Declare: []views.Declaration{{Prefix: "prov:", Namespace: "http://www.w3.org/ns/prov#"}}}}},
		"insert-stored":    {State: "stored", LogID: "3f1e", Triples: 3, Added: 1, StoredAs: "robot 7"},
		"insert-withdrawn": {State: "withdrawn", LogID: "3f1e", Removed: 1, Stayed: 2},
		"insert-again":     {State: "again", LogID: "3f1e", Triples: 3, Added: 1, StoredAs: "robot 7"},
		"insert-problem":   {State: "problem", Problem: views.Problem{Status: 507, Title: "Insufficient Storage", Detail: "The disk is full.", RequestID: "r-1"}},
	} {
		viewstest.Golden(t, name, InsertPage(f, Insert{Text: "</textarea><script>alert(1)</script>", User: `"<`, Actor: "ari", Result: r}))
	}
	viewstest.Golden(t, "insert-last", InsertPage(f, Insert{Actor: "ari", Last: []StoredLog{{LogID: "3f1e", Time: f.Now.Add(-time.Minute), Triples: 4, Claimed: "robot 7", Withdraw: "/logs/insert?withdraw=3f1e"}}}))
	viewstest.Golden(t, "insert-withdraw", WithdrawPage(f, Withdrawal{Other: true, Turtle: "<http://e/a> <http://e/b> \"</code><script>\" .", More: 3,
		Log: StoredLog{LogID: "3f1e", Time: f.Now.Add(-time.Minute), Triples: 4, Actor: "robot", Claimed: "<robot 7>", Address: "192.0.2.7"}}))
}

func TestTheDeletePage(t *testing.T) {
	t.Parallel()
	f := viewstest.Frame("Delete the graph", "/logs/delete")
	viewstest.Golden(t, "delete", DeletePage(f, Delete{Triples: 5_000_000, Derived: 12, Actor: "ari"}))
	viewstest.Golden(t, "delete-wrong", DeletePage(f, Delete{Triples: 1, Actor: "ari", User: "x", Wrong: "The word was not typed."}))
	viewstest.Golden(t, "delete-done", DeletePage(f, Delete{Actor: "ari", Done: &Deleted{Removed: 3, By: "ari", User: "operator", RequestID: "r-1"}}))
	viewstest.Golden(t, "delete-done-contexts", DeletePage(f, Delete{Actor: "ari", Done: &Deleted{Removed: 3, Contexts: 2, By: "ari", RequestID: "r-1"}}))
	viewstest.Golden(t, "delete-kept", DeletePage(f, Delete{Derived: 287, Contexts: 6, Cases: 3, Pending: 2, Actor: "ari", AlsoContexts: true,
		Back: &ImportedBackup{Name: "segraph.db", Triples: 627, Kept: true}}))
	viewstest.Golden(t, "delete-empty", DeletePage(f, Delete{Actor: "ari"}))
	backups := []DeleteBackup{{Name: `segraph-"<b>.db`, Time: f.Now.Add(-time.Hour), Triples: 914, Size: 184 << 10}}
	viewstest.Golden(t, "delete-backups", DeletePage(f, Delete{Triples: 627, Derived: 287, Contexts: 6, Cases: 3, Pending: 2, Keeps: true, Actor: "ari", Backups: backups,
		Back: &ImportedBackup{Name: backups[0].Name, Triples: 627, Added: 620}}))
}
