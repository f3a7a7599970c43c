package sparql_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/segraph/segraph/internal/suite/strategies"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql"
	"github.com/segraph/segraph/store/sparql/budget"
	"github.com/segraph/segraph/store/turtle"
)

// explainedRows compares the row count of Explain with the query's answer.
func explainedRows(t *testing.T, q *sparql.Query, ds sparql.Dataset, a *answer) {
	t.Helper()
	x, err := q.Explain(t.Context(), ds, budget.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	want := int64(len(a.rows) + len(a.triples))
	if a.boolean {
		want = 1
	}
	if x.Rows != want || x.Stopped != "" {
		t.Errorf("explained as %d rows, want %d:\n%s", x.Rows, want, x)
	}
	if root := x.Plan.Operands; x.Kind == "select" && *root[0].Rows != want {
		t.Errorf("the last operator gave %d rows, want %d:\n%s", *root[0].Rows, want, x)
	}
	if (x.Reason != "") != (len(x.Patterns) > 0 && want == 0) && x.Kind != "select" {
		t.Errorf("the reason is %q for %d rows", x.Reason, want)
	}
}

const acquaintances = `:a :knows :b, :c . :b :knows :c . :a :age 1 . :b :age 2 . :a a :Person . GRAPH :g { :a :in :g }`

func explained(t *testing.T, text string, strategy strategies.Strategy) *sparql.Explanation {
	t.Helper()
	s := openStore(t)
	addText(t, s, scriptPrefixes+acquaintances, turtle.TriG, "", rdf.Term{})
	return explainedOn(t, snapshot(t, s), text, strategy)
}

func explainedOn(t *testing.T, ds sparql.Dataset, text string, strategy strategies.Strategy) *sparql.Explanation {
	t.Helper()
	q, err := sparql.Prepare(context.Background(), scriptPrefixes+text, sparql.Options{Plan: strategy.Plan})
	if err != nil {
		t.Fatal(err)
	}
	x, err := q.Explain(t.Context(), ds, budget.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// outline writes the operators with their input and output rows, or - if they did not
// run.
func outline(b *strings.Builder, s *sparql.Step, depth int) {
	show := func(n *int64) string {
		if n == nil {
			return "-"
		}
		return fmt.Sprint(*n)
	}
	fmt.Fprintf(b, "%s%s %s>%s\n", strings.Repeat(" ", depth), s.Operator, show(s.RowsIn), show(s.Rows))
	for _, operand := range s.Operands {
		outline(b, operand, depth+1)
	}
}

// The plan lists every operator that ran, in order of evaluation, with its rows.
func TestExplainCountsTheRowsOfEveryOperator(t *testing.T) {
	for _, tt := range []struct{ name, query, want string }{
		{"a join", `SELECT ?x { ?x :age ?z . ?x :knows ?y FILTER(?z > 1) }`, `
select 1>1
 project 1>1
  filter 1>1
   join 1>3
    triple 1>2
    triple 2>3
`},
		{"an optional part", `SELECT ?x { ?x :knows ?y OPTIONAL { ?y :age ?z } }`, `
select 3>3
 project 1>3
  leftjoin 1>3
   triple 1>3
   triple 3>1
`},
		{"what the store has counted", `SELECT (COUNT(*) AS ?n) { ?x :knows ?y }`, `
select 1>1
 project 1>1
  extend 1>1
   group 1>1
    triple ->-
`},
		{"what is evaluated by itself", `SELECT ?x { ?x :age ?z { SELECT ?x (COUNT(*) AS ?n) { ?x :knows ?y } GROUP BY ?x } }`, `
select 2>2
 project 1>2
  join 1>2
   triple 1>2
   project 2>2
    extend 2>2
     hash join 2>2
      group 1>2
       triple 1>3
`},
		{"a negation", `SELECT ?x { ?x :knows ?y FILTER NOT EXISTS { ?y :age ?z } }`, `
select 2>2
 project 1>2
  filter 1>2
   triple 3>1
   triple 1>3
`},
		{"triples", `CONSTRUCT { ?x :k ?y, ?x } WHERE { { ?x :knows ?y } UNION { ?x :age ?y } }`, `
construct 5>7
 union 1>5
  triple 1>3
  triple 1>2
`},
		{"no pattern", `DESCRIBE :a`, "\ndescribe ->5\n"},
	} {
		x := explained(t, tt.query, strategies.InOrder)
		var got strings.Builder
		outline(&got, x.Plan, 0)
		if got.String() != tt.want[1:] {
			t.Errorf("%s: got\n%swant%s", tt.name, &got, tt.want)
		}
	}
}

// A join on values is shown with its conditions, and with its sides in order of
// evaluation.
func TestExplainShowsAJoinOnValues(t *testing.T) {
	for text, want := range map[string]string{
		"SELECT * { ?x ?p ?y . ?z ?q ?w FILTER(LCASE(STR(?y)) = LCASE(STR(?w))) }": "hashjoin =(LCASE(STR(?y)), LCASE(STR(?w)))",
		"SELECT * { ?x ?p ?y . ?z ?q ?w FILTER(?y < ?w && ?w < ?y + 2) }":          "bandjoin <(?y, ?w), >(+(?y, \"2\"^^<http://www.w3.org/2001/XMLSchema#integer>), ?w)",
	} {
		x := explained(t, text, strategies.Planned)
		if !strings.Contains(x.String(), want) {
			t.Errorf("the explanation of %s is\n%s\nwant %s", text, x, want)
		}
		join := x.Plan.Operands[0].Operands[0]
		if len(join.Operands) != 2 || *join.Operands[0].Rows != 6 || *join.Operands[1].Rows != 6 || *join.Rows != x.Rows || *join.RowsIn != 1 {
			t.Errorf("the join's rows are not reported:\n%s", x)
		}
	}
}

// If nothing is found, the reason names the pattern without a match, and each pattern has
// its own matches.
func TestExplainSaysWhyNothingIsFound(t *testing.T) {
	for _, tt := range []struct{ name, query, reason, matches, unknown string }{
		{"a misspelt predicate", `SELECT * { ?x :age ?a . ?x :knwos ?y OPTIONAL { ?x :in ?z } }`,
			"no triple matches ?x <http://example/knwos> ?y: no triple has the predicate <http://example/knwos>; did you mean <http://example/knows>?",
			"2 0 0?", "predicate knwos knows, predicate in "},
		{"another namespace", `ASK { ?x <http://example.org/knows> ?y }`, "did you mean <http://example/knows>?", "0", "predicate http://example.org/knows knows"},
		{"a misspelt class", `SELECT * { ?x a :Persn }`, "nothing is of the class <http://example/Persn>; did you mean <http://example/Person>?", "0", "class Persn Person"},
		{"a graph that is not stored", `SELECT * { GRAPH :h { ?x ?p ?o } }`, "there is no graph <http://example/h>", "0", "graph h "},
		{"a graph of the wrong triples", `SELECT * { GRAPH ?g { ?x :knows ?o } }`, "no triple has the predicate", "0", "predicate knows "},
		{"a subject", `SELECT * { :z :knows ?y }`, "the subject <http://example/z> is in no triple", "0", "subject z "},
		{"a filter", `SELECT * { ?x :age ?z FILTER(?z > 5) }`, `1 row reached triple ?x <http://example/age> ?z, ?z > "5"^^<http://www.w3.org/2001/XMLSchema#integer>, which left none`, "2", ""},
		{"a filter that no index knows", `SELECT * { ?x :age ?z FILTER(?z > ?x) }`, `2 rows reached filter >(?z, ?x), which left none`, "2", ""},
		{"a join", `SELECT * { ?x a :Person . ?y :knows ?x }`, "1 row reached triple ?y <http://example/knows> ?x, which left none", "1 3", ""},
		{"a variable twice", `SELECT * { ?x :knows ?x }`, "no triple matches ?x <http://example/knows> ?x", "0", ""},
		{"a path", `SELECT * { :c :knows+ ?x . :a :knows* ?z }`, "no triple matches <http://example/c> <http://example/knows>+ ?x", "0 3", ""},
		{"a count of nothing", `SELECT (COUNT(*) AS ?n) { ?x :foo ?y }`, "no triple has the predicate <http://example/foo>", "0", "predicate foo "},
		{"a sum of nothing", `SELECT (SUM(?y) AS ?n) { ?x :foo ?y }`, "no triple has the predicate <http://example/foo>", "0", "predicate foo "},
	} {
		x := explained(t, tt.query, strategies.Planned)
		var matches, unknown []string
		for _, p := range x.Patterns {
			n := fmt.Sprint(*p.Matches)
			if !p.Required {
				n += "?"
			}
			matches = append(matches, n)
			for _, u := range p.Unknown {
				short := strings.NewReplacer("<http://example/", "", "<", "", ">", "")
				unknown = append(unknown, short.Replace(u.Position+" "+u.Term+" "+u.Nearest))
			}
		}
		if !strings.Contains(x.Reason, tt.reason) || strings.Join(matches, " ") != tt.matches || strings.Join(unknown, ", ") != tt.unknown {
			t.Errorf("%s: %q, matches %q, unknown %q", tt.name, x.Reason, matches, unknown)
		}
		if !strings.Contains(x.String(), "Nothing was found: "+x.Reason) {
			t.Errorf("%s: the text is\n%s", tt.name, x)
		}
	}
	if x := explained(t, `SELECT * { ?x :knows ?y }`, strategies.Planned); x.Reason != "" || x.Patterns != nil {
		t.Errorf("an answer that is there: %s", x)
	}
}

// Of many graphs, only some are counted. What these lack may be in the others.
func TestExplainDoesNotDenyWhatManyGraphsHold(t *testing.T) {
	s := openStore(t)
	text := ":x a :y . :z :other :z . "
	for i := range 20 {
		text += fmt.Sprintf("GRAPH :g%d { :s :p%d :o } ", i, i)
	}
	addText(t, s, scriptPrefixes+text, turtle.TriG, "", rdf.Term{})
	ds := snapshot(t, s)
	for query, denied := range map[string]string{
		"SELECT * { GRAPH ?g { :s :p19 :z } }":   "",
		"SELECT * { GRAPH ?g { :o ?p :s } }":     "",
		"SELECT * { GRAPH ?g { ?s :p20 ?o } }":   "no triple has the predicate <http://example/p20>",
		"SELECT * { GRAPH :g19 { ?s :p18 ?o } }": "no triple has the predicate <http://example/p18>",
	} {
		q, err := sparql.Prepare(t.Context(), scriptPrefixes+query, sparql.Options{})
		if err != nil {
			t.Fatal(err)
		}
		x, err := q.Explain(t.Context(), ds, budget.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(x.Reason, "no triple matches") || !strings.Contains(x.Reason, denied) || strings.Contains(x.Reason, ": ") != (denied != "") {
			t.Errorf("%s: %q, want %q", query, x.Reason, denied)
		}
	}
}

// A query stopped at a limit is explained as far as it ran.
func TestExplainTellsWhatWasDoneBeforeALimit(t *testing.T) {
	q, err := sparql.Prepare(context.Background(), scriptPrefixes+endless["cross product"], sparql.Options{})
	if err != nil {
		t.Fatal(err)
	}
	ds := dense(t)
	stopsWithin(t, 50*time.Millisecond+250*time.Millisecond, func() {
		x, err := q.Explain(t.Context(), ds, budget.Limits{Time: 50 * time.Millisecond})
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(x.Stopped, "more time than its limit") || x.Rows == 0 || x.Plan.MS < 20 || !strings.Contains(x.String(), "STOPPED") {
			t.Errorf("got %s", x)
		}
	})
}

// The operators' times add up to that of the run, and estimates are close if counts are
// exact.
func TestExplainTakesTheTimeOfEachOperator(t *testing.T) {
	q, err := sparql.Prepare(context.Background(), scriptPrefixes+`SELECT * { ?a :p ?b . ?c :p ?b FILTER(STRLEN(STR(?a)) < 100) }`, sparql.Options{})
	if err != nil {
		t.Fatal(err)
	}
	x, err := q.Explain(t.Context(), dense(t), budget.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	var own float64
	var walk func(*sparql.Step)
	walk = func(s *sparql.Step) {
		own += s.OwnMS
		for _, operand := range s.Operands {
			walk(operand)
		}
		if s.Operator == "triple" && s.Estimated == nil {
			t.Error("a pattern is not estimated")
		}
	}
	walk(x.Plan)
	if own < 0.5*x.RunningMS || own > 1.01*x.RunningMS || own-x.Plan.MS > 0.1 || x.Plan.MS-own > 0.1 {
		t.Errorf("operators took %v ms by themselves, %v ms by the tree, the run %v ms", own, x.Plan.MS, x.RunningMS)
	}
}

func TestExplainEndsWithAHangUp(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	q, err := sparql.Prepare(context.Background(), scriptPrefixes+endless["join"], sparql.Options{})
	if err != nil {
		t.Fatal(err)
	}
	gone := errors.New("gone")
	time.AfterFunc(20*time.Millisecond, func() { cancel(gone) })
	if _, err := q.Explain(ctx, dense(t), budget.Limits{}); !errors.Is(err, gone) {
		t.Errorf("the error is %v", err)
	}
}
