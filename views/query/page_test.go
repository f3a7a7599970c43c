package query

import (
	"testing"
	"time"

	"github.com/segraph/segraph/views"
	"github.com/segraph/segraph/views/viewstest"
)

func TestTheQueryPage(t *testing.T) {
	f := viewstest.Frame("Query", "/query")
	f.Scripts, f.Styles, f.Width = []string{"query.js"}, []string{"query.css"}, "wide"
	m := Query{Text: "SELECT * { ?s ?p </textarea><script>alert(1)</script> }", Key: "ari", Name: "mine", Owner: "ari",
		Own: []SavedQuery{{"mine", "ari", "/query?saved=mine"}}, Others: []SavedQuery{{"<b>", "tiago", "/query?saved=b"}}, Examples: []ExampleGroup{
			{"Any graph", []Example{{"what", "What?", "ASK {}"}}}, {"A robot", []Example{{"who", "Who?", "ASK { ?who ?did ?it }"}}},
		}}
	viewstest.Show(t, QueryPage(f, m)).Golden("query-ask", `id="ask"`).Golden("query-shelf", `class="card shelf"`).Golden("query-cancelled", `id="cancelled"`).Holds(`
<div class="stack tight" id="bench">
<div class="sheets" role="group" aria-label="Queries" hidden>
<div id="answer" aria-busy="false">
<template id="gone">
`).Reads(`
# Query
SPARQL 1.2 over a read snapshot of the graph.
form get /query SPARQL query
[query=SELECT * { ?s ?p </textarea><script>alert(1)</script> }]
[Run] [Plan: view=plan]
Save
Name [name=mine]
Kept on the server. Others can open it by its address.
[Save]
# No query run yet
Run the query, or start with an example. The editor completes names of this graph as you type.
# Saved
mine → /query?saved=mine
form post /query/forget [×: name=mine]
Saved by others
<b> → /query?saved=b tiago
# Examples
Any graph
What? → /query?example=what
A robot
Who? → /query?example=who
Cancelled: no result
The query was stopped on the server. No rows are shown.
The service does not answer
The query stays in the editor. See the service’s health → /health , and run it again.
`)
}

func TestAnswersToQueries(t *testing.T) {
	asked := QueryResult{Text: "SELECT …", Address: "/query?query=SELECT", Curl: "curl 'http://h/api/query'", Forms: []QueryForm{{"csv", "CSV"}}, Took: 1500 * time.Microsecond,
		Views: []views.Tab{{Name: "Table", Href: "/query?query=SELECT", Current: true}, {Name: "Plan", Href: "/query?query=SELECT&view=plan", Current: false}}}
	rows := asked
	rows.State, rows.Columns, rows.Pager = "rows", []string{"who", "what"}, views.Pager{First: 101, Last: 103, Total: 5000, Before: "/query?from=0", After: "/query?from=200"}
	rows.Rows = [][]views.Cell{
		{{Kind: "iri", Text: "ex:a", Full: "http://e/a", Href: "/query?query=DESCRIBE"}, {Kind: "text", Text: "\u202eevil<script>", Note: "en"}},
		{{Kind: "blank", Text: "_:b0"}, {}},
		{{Kind: "number", Text: "1"}, {Kind: "text", Text: "long…", Full: "long and longer"}},
	}
	viewstest.Golden(t, "query-rows", QueryAnswer(rows))

	plan := &QueryPlan{Planning: 0.1, Running: 2, TimeLimit: 30 * time.Second, Memory: 2048, MaxMemory: 1 << 30, Reason: "No triple matches.",
		Steps:    []PlanStep{{Operator: "select", Rows: "0", Estimated: "–"}, {Depth: 1, Operator: "triple", Detail: "?s ex:p ?o", Estimated: "1,000", Rows: "0", OwnMS: 1.5, Share: 75, Off: true, Kills: true}},
		Patterns: []PlanPattern{{Pattern: "?s ex:p ?o", Matches: "0", Required: true, None: true, Hints: []PlanHint{{Text: "Did you mean ex:q?", Fix: "ASK { ?s ex:q ?o }", Name: "ex:q"}}}, {Pattern: `?s ex:r "a  \"b"@en`, Matches: "7"}}}
	empty := asked
	empty.State, empty.Plan = "rows", plan
	viewstest.Golden(t, "query-empty", QueryAnswer(empty))
	shown := asked
	shown.State, shown.Plan = "plan", plan
	viewstest.Golden(t, "query-plan", QueryAnswer(shown))
	served := *plan
	served.Reason, served.Patterns = "", nil
	served.Server, served.Asked = "Virtuoso answers this query", "SELECT * { ?s ?p \"</code><script>alert(1)</script>\" }"
	viewstest.Golden(t, "query-plan-asked", queryPlan(&served))
	served.Server, served.Asked, served.Unasked = "segraph’s own engine answers this query, not Virtuoso", "", "It has the function <urn:f>."
	viewstest.Golden(t, "query-plan-unasked", queryPlan(&served))
	yes := asked
	yes.State, yes.Boolean = "boolean", true
	viewstest.Golden(t, "query-boolean", QueryAnswer(yes))
	graph := asked
	graph.State, graph.Turtle, graph.Pager = "graph", "ex:a ex:b ex:c .\n", views.Pager{First: 1, Last: 1, Total: 1}
	viewstest.Golden(t, "query-graph", QueryAnswer(graph))

	wrong := QueryResult{State: "problem", Kind: "wrong", Text: "…", Problem: views.Problem{Status: 400, Detail: "The prefix ex: is not declared.", RequestID: "r-1"},
		Line: 2, Column: 5, Before: "  ?s ", At: "e", After: "x:p ?o", Declare: []QueryFix{{views.Declaration{Prefix: "ex:", Namespace: "http://e/"}, "PREFIX ex: <http://e/>\n…"}}}
	viewstest.Golden(t, "query-wrong", QueryAnswer(wrong))
	titles := map[string]bool{}
	for _, kind := range []string{"wrong", "time", "memory", "busy", "other"} {
		_, title, _ := QueryResult{Kind: kind, Problem: views.Problem{Status: 500}}.problemWords()
		titles[title] = true
	}
	if len(titles) != 5 {
		t.Errorf("the problems have the titles %v", titles)
	}
	viewstest.Golden(t, "query-time", QueryAnswer(QueryResult{State: "problem", Kind: "time", Address: "/query?query=x", Problem: views.Problem{Status: 504, Detail: "The query needs more time.", RequestID: "r-2"}}))
	viewstest.Show(t, TripleLogsPage(viewstest.Frame("Logs of a triple", "/query/logs"), TripleLogs{
		Triple: [3]views.Cell{{Kind: "iri", Text: "ex:a", Href: "/query?query=x"}, {Kind: "iri", Text: "ex:b"}, {Kind: "text", Text: "c"}},
		Logs:   []views.TripleLog{{Time: viewstest.Now, Actor: "ari", Claimed: "robot", LogID: "id-1", Triples: 1200, Added: 3}}, Older: "/query/logs?before=7",
	})).Golden("query-triple", `class="card facts"`).Golden("query-logs", `class="card after scroll"`).Reads(`
# Logs of a triple
Who published this triple, newest first. A repeated log is listed again.
Subject: ex:a → /query?query=x
Predicate: ex:b
Object: c
Time | By | Log | Triples | New
4 Jun 2026, 11:53:18 UTC | ari on behalf of robot | id-1 → /log?id=id-1 | 1,200 | 3
Older logs → /query/logs?before=7
`)
}
