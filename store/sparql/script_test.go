package sparql_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/segraph/segraph/internal/suite"
	"github.com/segraph/segraph/internal/suite/strategies"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql"
	"github.com/segraph/segraph/store/sparql/budget"
	"github.com/segraph/segraph/store/sparql/syntax"
	"github.com/segraph/segraph/store/turtle"
)

// scriptPrefixes applies to all parts of a script.
const scriptPrefixes = `PREFIX : <http://example/>
PREFIX xsd: <http://www.w3.org/2001/XMLSchema#>
`

// TestScripts runs the scripts in testdata: data in TriG, then queries with their
// expected answers. A line "=== …" begins a part:
//
//	=== data             TriG; replaces earlier data
//	=== query: name      a query
//	=== rows             its answer: the variables, then one row per line, as in VALUES
//	=== rows in order    likewise, in this order
//	=== true, === false  the answer to an ASK
//	=== graph            the triples of a CONSTRUCT or DESCRIBE, in Turtle
//	=== error: words     Prepare fails with an error that contains these words
//
// Every query runs with every strategy, over every kind of dataset, and on 1, 2 and 8
// processors.
func TestScripts(t *testing.T) {
	suite.NotShort(t)
	paths, err := filepath.Glob("testdata/*.test")
	if err != nil || len(paths) == 0 {
		t.Fatalf("%d scripts, %v", len(paths), err)
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".test"), func(t *testing.T) { runScript(t, path) })
	}
}

func runScript(t *testing.T, path string) {
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var datasets map[string]sparql.Dataset
	var name, query string
	for _, part := range strings.Split("\n"+string(text), "\n=== ")[1:] {
		head, body, _ := strings.Cut(part, "\n")
		kind, rest, _ := strings.Cut(head, ": ")
		switch kind {
		case "data":
			var d documents
			d.read(t, scriptPrefixes+body, turtle.TriG, "", rdf.Term{})
			datasets = d.datasets(t)
		case "query":
			name, query = rest, body
		default:
			t.Run(name, func(t *testing.T) {
				if kind == "error" {
					if _, err := sparql.Prepare(context.Background(), scriptPrefixes+query, sparql.Options{}); err == nil || !strings.Contains(err.Error(), rest) {
						t.Errorf("the error is %v, want one with %q", err, rest)
					}
					return
				}
				for name, ds := range datasets {
					t.Run(name, func(t *testing.T) { runScriptQuery(t, ds, query, kind, body) })
				}
			})
		}
	}
}

func runScriptQuery(t *testing.T, ds sparql.Dataset, query, kind, expected string) {
	want, ordered := scriptAnswer(t, kind, expected)
	for _, strategy := range allStrategies {
		q, err := sparql.Prepare(context.Background(), scriptPrefixes+query, sparql.Options{Plan: strategy.Plan})
		if err != nil {
			t.Fatal(err)
		}
		got, err := run(t.Context(), q, ds, budget.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		if !got.same(want, ordered) {
			t.Errorf("strategy %d: got\n%s\nwant\n%s", strategy, got, want)
		}
		explainedRows(t, q, ds, got)
		if strategy == strategies.Planned {
			sameOnProcessors(t, q, ds, got, 2, 2, 8)
		}
	}
}

// scriptAnswer parses an expected answer.
func scriptAnswer(t *testing.T, kind, text string) (a *answer, ordered bool) {
	t.Helper()
	switch kind {
	case "true", "false":
		return &answer{isBoolean: true, boolean: kind == "true"}, false
	case "graph":
		quads, err := turtle.Parse([]byte(scriptPrefixes+text), turtle.Turtle, turtle.Options{})
		if err != nil {
			t.Fatal(err)
		}
		a := &answer{}
		for _, q := range quads {
			a.triples = append(a.triples, q.Triple())
		}
		return a, false
	case "rows", "rows in order":
	default:
		t.Fatalf("unknown part %q", kind)
	}
	vars, rows, _ := strings.Cut(strings.TrimSpace(text), "\n")
	var values strings.Builder
	for _, row := range strings.Split(rows, "\n") {
		if row != "" {
			values.WriteString("(" + row + ")\n")
		}
	}
	q, err := syntax.ParseQuery(scriptPrefixes+"SELECT * {} VALUES ("+vars+") {"+values.String()+"}", syntax.Options{})
	if err != nil {
		t.Fatalf("the rows %s: %v", text, err)
	}
	a = &answer{rows: q.Values.Rows}
	for _, v := range q.Values.Vars {
		a.vars = append(a.vars, v.Name)
	}
	return a, kind == "rows in order"
}
