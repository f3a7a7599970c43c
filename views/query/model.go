package query

import (
	"slices"
	"strconv"
	"time"

	"github.com/segraph/segraph/views"
)

// Query is the model of /query.
type Query struct {
	Text     string // text in the editor
	Key      string // key of the browser's drafts, one for each user
	Name     string // name of the saved query in the editor, or ""
	Owner    string // who saved it
	Own      []SavedQuery
	Others   []SavedQuery // saved by others
	Examples []ExampleGroup
	Result   QueryResult
	// Later waits for Result and returns it. Meanwhile the client gets the part of the
	// page above it. Later is nil if Result is complete.
	Later func() (QueryResult, error)
}

// SavedQuery is a link to a saved query.
type SavedQuery struct{ Name, Owner, Href string }

// ExampleGroup is a group of example queries.
type ExampleGroup struct {
	About string
	List  []Example
}

// Example is an example query.
type Example struct{ Name, Title, Query string }

// QueryResult is the result of a query.
type QueryResult struct {
	State   string // "" before the first query, "rows", "boolean", "graph", "plan", "problem"
	Text    string // the query
	Address string // of the page with this query; "" if too long
	Forms   []QueryForm
	Curl    string

	Chart   *QueryChart // the answer as a picture; nil for a table
	Columns []string
	Rows    [][]views.Cell
	Logs    []string // for a graph: the address of each row's logs
	Pager   views.Pager
	More    bool // there are more rows than counted
	Boolean bool
	Turtle  string // Rows as Turtle
	Picture string // address of the graph as a picture; "" if too long
	Took    time.Duration
	Views   []views.Tab

	Warnings []QueryWarning

	Plan *QueryPlan // also set for a fast empty answer, to explain it

	Kind      string // kind of problem: "wrong", "time", "memory", "busy" or "other"
	Problem   views.Problem
	Line      int // position in the query, from 1; 0 if there is none
	Column    int
	Before    string // the line up to the fault
	At, After string
	Declare   []QueryFix
}

// QueryWarning is a warning that a query may not do what its author expects.
type QueryWarning struct {
	Line, Column int // from 1; 0 if it has no position
	Message      string
}

// QueryForm is a download format of an answer.
type QueryForm struct{ Name, Label string }

// QueryFix is a suggested declaration, and the address of the query with it.
type QueryFix struct {
	views.Declaration
	Text string
}

// QueryPlan is the execution plan of a query.
type QueryPlan struct {
	Planning, Running float64 // milliseconds
	TimeLimit         time.Duration
	Memory, MaxMemory int64 // bytes
	Stopped           string
	Reason            string // why the answer is empty
	Steps             []PlanStep
	Patterns          []PlanPattern

	Server         string // the graph store that answers, if one is in use, as a heading
	Asked, Unasked string // the query sent to the graph store, or why none is sent
}

// PlanStep is an operator. Steps are in the order of the tree.
type PlanStep struct {
	Depth            int
	Operator, Detail string
	Estimated, Rows  string
	OwnMS            float64
	Share            int  // percentage of the time spent in the operator itself
	Off              bool // the estimate is off by a factor of ten or more
	Kills            bool // rows came in, but none went out
}

// PlanPattern is a pattern of a query that found nothing.
type PlanPattern struct {
	Pattern, Matches string
	Required, None   bool
	Hints            []PlanHint
}

// explains reports whether the pattern says why the answer is empty.
func (p PlanPattern) explains() bool { return p.None && p.Required && len(p.Hints) > 0 }

// PlanHint is a hint about a term that is in no triple.
type PlanHint struct {
	Text      string
	Fix, Name string // the query with the name that the author may have meant, or ""
}

// numbers says which columns have numbers alone.
func (r QueryResult) numbers() []bool {
	out := make([]bool, len(r.Columns))
	for i := range out {
		out[i] = !slices.ContainsFunc(r.Rows, func(row []views.Cell) bool { return row[i].Kind != "number" && row[i].Kind != "" })
	}
	return out
}

// count describes the number of rows and the time.
func (r QueryResult) count() string {
	noun := "row"
	if r.State == "graph" {
		noun = "triple"
	}
	text := views.Plural(r.Pager.Total, noun)
	if r.More {
		text = "more than " + text
	}
	return text + " in " + views.Milliseconds(r.Took)
}

func msText(ms float64) string { return strconv.FormatFloat(ms, 'f', 2, 64) + " ms" }

func (r QueryResult) problemWords() (kind, title, advice string) {
	switch r.Kind {
	case "wrong":
		return "bad", "The query can’t be run", ""
	case "time":
		return "warn", "Time limit reached: no result", "The query was stopped, so no rows are shown. Its plan shows where the time went."
	case "memory":
		return "warn", "Memory limit reached: no result", "The query was stopped. Its plan shows which step keeps most rows. Try a LIMIT or a narrower pattern."
	case "busy":
		return "warn", "Too many queries are waiting", "The query was not run. Try again in a few seconds."
	}
	return "bad", views.ProblemTitle(r.Problem), ""
}

// TripleLogs is the model of /query/logs: the logs that contributed a triple.
type TripleLogs struct {
	Triple [3]views.Cell
	Logs   []views.TripleLog
	Older  string // the address of the logs before, or ""
}
