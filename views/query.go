package views

import (
	"fmt"
	"strconv"
	"time"
)

// Query is what /query shows.
type Query struct {
	Text     string // of the editor
	Key      string // under which the browser keeps drafts, one for each user
	Examples []ExampleGroup
	Result   QueryResult
}

// ExampleGroup are queries to begin with that belong together.
type ExampleGroup struct {
	About string
	List  []Example
}

// Example is a query to begin with.
type Example struct{ Name, Title, Query string }

// QueryResult is what came of a query.
type QueryResult struct {
	State   string // "" nothing was asked, "rows", "boolean", "graph", "plan", "problem"
	Text    string // the query
	Address string // of the page with this query; "" where it is too long for one
	Forms   []QueryForm
	Curl    string

	Columns []string
	Rows    [][]Cell
	Logs    []string // of a graph: the address of each row's logs
	Pager   Pager
	More    bool // there are more rows than were counted
	Boolean bool
	Turtle  string // the triples of Rows
	Picture string // the address of a graph as a picture; "" where it would be too long
	Took    time.Duration
	Views   []Tab

	Warnings []QueryWarning

	Plan *QueryPlan // also of an empty answer that was soon there, to say why

	Kind      string // of the problem: "wrong", "time", "memory", "busy" or "other"
	Problem   Problem
	Line      int // in the query, from 1; 0 where it has no place
	Column    int
	Before    string // of the line, up to the place
	At, After string
	Declare   []QueryFix
}

// QueryWarning says what in a query may not do what its author expects.
type QueryWarning struct {
	Line, Column int // from 1; 0 where it is not about a place in the text
	Message      string
}

// QueryForm is a form in which an answer can be had as a file.
type QueryForm struct{ Name, Label string }

// QueryFix is a declaration that may be missing, and the address of the query with it.
type QueryFix struct {
	Declaration
	Text string
}

// Cell is a term as a table shows it.
type Cell struct {
	Kind string // "iri", "blank", "number", "text" or "" for what is unbound
	Text string // short
	Note string // of a literal: its language or datatype
	Full string // the whole where Text is cut, or the full IRI
	Href string // the service's own page about it
}

// QueryPlan is how a query was gone about.
type QueryPlan struct {
	Planning, Running float64 // milliseconds
	TimeLimit         time.Duration
	Memory, MaxMemory int64 // bytes
	Stopped           string
	Reason            string // why nothing was found
	Steps             []PlanStep
	Patterns          []PlanPattern

	Server         string // who answers, where a graph store is in use, as a heading
	Asked, Unasked string // what the graph store is asked, or why it is not
}

// PlanStep is an operator, in the order of the tree.
type PlanStep struct {
	Depth            int
	Operator, Detail string
	Estimated, Rows  string
	OwnMS            float64
	Share            int  // percent of the time that is its own
	Off              bool // the estimate is wrong tenfold or more
	Kills            bool // rows came to it, and none was left
}

// PlanPattern is a pattern of a query that found nothing.
type PlanPattern struct {
	Pattern, Matches string
	Required, None   bool
	Hints            []string
}

// count returns how many rows there are and how long they took.
func (r QueryResult) count() string {
	noun := "row"
	if r.State == "graph" {
		noun = "triple"
	}
	text := plural(r.Pager.Total, noun)
	if r.More {
		text = "more than " + text
	}
	return text + " in " + milliseconds(r.Took)
}

// size writes bytes as people do.
func size(n int64) string {
	switch {
	case n >= 1<<30:
		return fmt.Sprintf("%.3g GiB", float64(n)/(1<<30))
	case n >= 1<<20:
		return fmt.Sprintf("%.3g MiB", float64(n)/(1<<20))
	}
	return fmt.Sprintf("%.3g KiB", float64(n)/(1<<10))
}

func msText(ms float64) string { return strconv.FormatFloat(ms, 'f', 2, 64) + " ms" }

// problemWords returns the title and the advice of a query's problem, by its kind.
func (r QueryResult) problemWords() (kind, title, advice string) {
	switch r.Kind {
	case "wrong":
		return "bad", "The query can't be run", ""
	case "time":
		return "warn", "Time is up: this is not an empty answer", "The query was stopped, so no rows are shown. Its plan shows how far it came and what took the time."
	case "memory":
		return "warn", "The query needs too much memory: this is not an empty answer", "It was stopped before it was done. Its plan shows what keeps most rows; a LIMIT, a narrower pattern or a shorter time helps."
	case "busy":
		return "warn", "Too many queries wait", "The query was not begun. Run it again in a few seconds."
	}
	return "bad", problemTitle(r.Problem), ""
}

// TripleLogs is what /query/logs shows: the logs that brought a triple.
type TripleLogs struct {
	Triple [3]Cell
	Logs   []TripleLog
	More   bool
}

// TripleLog is one of them.
type TripleLog struct {
	Time           time.Time
	Actor, Claimed string
	LogID          string
	Triples, Added int
}
