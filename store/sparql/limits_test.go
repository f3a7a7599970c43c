package sparql_test

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/segraph/segraph/internal/suite"
	"github.com/segraph/segraph/internal/suite/strategies"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql"
	"github.com/segraph/segraph/store/sparql/budget"
	"github.com/segraph/segraph/store/turtle"
)

// dense returns a dataset of 3,500 triples in which every node has a large number of
// links, so that a query without limits would run for hours.
func dense(t *testing.T) sparql.Dataset {
	t.Helper()
	var b strings.Builder
	b.WriteString(scriptPrefixes)
	for i := range 3000 {
		fmt.Fprintf(&b, ":n%d :p :n%d . ", i%500, i*7%499)
	}
	for i := range 500 {
		fmt.Fprintf(&b, ":n%d :t %d . ", i, i)
	}
	s := openStore(t)
	addText(t, s, b.String(), turtle.Turtle, "", rdf.Term{})
	return snapshot(t, s)
}

// endless lists queries that could never finish, by the operator that does the work.
var endless = map[string]string{
	"cross product": "SELECT * { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i . ?j ?k ?l }",
	"join":          "SELECT (COUNT(*) AS ?n) { ?a :p ?b . ?b :p ?c . ?c :p ?d . ?d :p ?e . ?e :p ?f . ?f :p ?g . ?g :p ?h . ?h :p ?i . ?i :p ?j . ?j :p ?k }",
	"filter":        "SELECT * { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i . ?j ?k ?l FILTER(CONCAT(STR(?a), STR(?d)) = STR(?l) && ?a != ?l) }",
	"hashjoin":      "SELECT (COUNT(*) AS ?n) { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i FILTER(STRLEN(STR(?a)) = STRLEN(STR(?d)) && STRLEN(STR(?d)) = STRLEN(STR(?g))) }",
	"bandjoin":      "SELECT (COUNT(*) AS ?n) { ?a :t ?b . ?d :t ?e . ?g :t ?h . ?j :t ?k FILTER(?b - 300 < ?e && ?b + 300 > ?e && ?e < ?h + 400 && ?e > ?h - 400 && ?h >= ?k - 200 && ?h - 450 <= ?k) }",
	"value table":   "SELECT (COUNT(*) AS ?n) { ?a :p ?b . ?b :p ?c . ?c :p ?d . ?d :p ?e . ?e :p ?f . ?g :p ?h . ?h :p ?i . ?i :p ?j . ?j :p ?k . ?k :p ?l FILTER(STR(?a) = STR(?l)) }",
	"regex":         `SELECT * { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i FILTER(REGEX(CONCAT(STR(?a), STR(?d), STR(?g)), "(a|b|ab)*c.*d")) }`,
	"path":          "SELECT (COUNT(*) AS ?n) { ?a (:p|!:p)* ?b . ?c (:p|!:p)* ?d . ?e (:p|!:p)* ?f }",
	"nested path":   "SELECT (COUNT(*) AS ?n) { ?a ((:p/:p*)*/(:p+/^:p*)*)* ?b . ?c (:p/:p*)* ?d . ?e (:p+)* ?f }",
	"order":         "SELECT * { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i } ORDER BY STR(?a) STR(?d) DESC(?g)",
	"top":           "SELECT * { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i } ORDER BY STR(?a) STR(?d) DESC(?g) LIMIT 5",
	"walk":          "SELECT * { ?a :t ?b . ?c ?d ?e . ?f ?g ?h FILTER(CONCAT(STR(?a), STR(?c)) = STR(?h) && ?c != ?h) } ORDER BY ?b LIMIT 5",
	"antijoin":      "SELECT * { ?a :t ?b . ?c :t ?d . ?e :t ?f OPTIONAL { ?g :t ?h FILTER(?h > ?b && STR(?g) = STR(?d)) } FILTER(!BOUND(?h) && CONCAT(STR(?a), STR(?c)) = STR(?f)) }",
	"semijoin":      "SELECT * { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i FILTER EXISTS { ?a :p ?z } FILTER NOT EXISTS { ?d :t ?i . ?a :p ?d } }",
	"range":         "SELECT * { ?a :t ?b . ?c :t ?d . ?e :t ?f . ?g :t ?h FILTER(?b > 20 && ?d > 20.5 && ?f >= 2e1 && ?h > 20) }",
	"group":         "SELECT ?a ?d ?g (COUNT(*) AS ?n) { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i } GROUP BY ?a ?d ?g",
	"concat":        "SELECT (GROUP_CONCAT(?a) AS ?t) { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i }",
	"distinct":      "SELECT DISTINCT ?a ?d ?g { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i }",
	"minus":         "SELECT * { ?a ?b ?c . ?d ?e ?f MINUS { { ?a ?b ?c OPTIONAL { ?d :none ?x } } UNION { ?d :none ?f } FILTER(?a = :none) } ?g ?h ?i . ?j ?k ?l }",
	"optional":      "SELECT * { ?a ?b ?c OPTIONAL { ?d ?e ?f OPTIONAL { ?g ?h ?i OPTIONAL { ?j ?k ?l } } } }",
	"exists":        "SELECT * { ?a ?b ?c . ?d ?e ?f FILTER NOT EXISTS { ?g ?h ?i . ?j ?k ?l FILTER(?g = ?a && ?j = ?d && ?i != ?i) } }",
	"union":         "SELECT (COUNT(*) AS ?n) { { ?a ?b ?c . ?d ?e ?f } UNION { ?a ?b ?c . ?g ?h ?i } { ?j ?k ?l } UNION { ?m ?n2 ?o } { ?q ?r ?s } UNION { ?t ?u ?v } }",
	"subquery":      "SELECT (COUNT(*) AS ?n) { { SELECT ?a ?d { ?a ?b ?c . ?d ?e ?f } } { SELECT ?g ?j { ?g ?h ?i . ?j ?k ?l } } }",
	"values":        "SELECT (COUNT(*) AS ?n) { VALUES ?a { 1 2 3 4 } VALUES ?b { 1 2 3 4 } ?s ?p ?o . ?x ?y ?z . ?u ?v ?w }",
	"construct":     "CONSTRUCT { ?a ?e ?i } { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i }",
	"describe":      "DESCRIBE ?a ?d ?g { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i }",
	"ask":           "ASK { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i . FILTER(CONCAT(STR(?a), STR(?d)) = STR(?i) && ?a != ?i) }",
	"extend":        `SELECT (COUNT(?x) AS ?n) { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i BIND(STRLEN(STR(?a)) + STRLEN(STR(?g)) AS ?x) }`,
	"doubling": `SELECT * { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i BIND(CONCAT(STR(?a), STR(?d), STR(?g)) AS ?x1) BIND(CONCAT(?x1, ?x1) AS ?x2) BIND(CONCAT(?x2, ?x2) AS ?x3)
		BIND(CONCAT(?x3, ?x3) AS ?x4) BIND(CONCAT(?x4, ?x4) AS ?x5) BIND(REPLACE(?x5, "n", "nnnn") AS ?x6) BIND(REPLACE(?x6, "n", "nnnn") AS ?x7)
		BIND(REPLACE(?x7, "n+", "$0$0$0$0") AS ?x8) BIND(REPLACE(?x8, ".", "$0$0") AS ?x9) FILTER(STRLEN(?x9) = 1) }`,
	"shared": `SELECT (COUNT(*) AS ?n) { { SELECT ?a ?b ?c ?d ?e ?f ?g ?h ?i { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i } LIMIT 65536 }
		UNION { SELECT ?a ?b ?c ?d ?e ?f ?g ?h ?i { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i } LIMIT 65536 } ?j ?k ?l . ?m ?o ?p }`,
	"graph": "SELECT (COUNT(*) AS ?n) { { ?a ?b ?c . ?d ?e ?f OPTIONAL { GRAPH ?x { ?y ?z ?zz } } } { ?g ?h ?i } }",
}

// stopsWithin fails unless f ends in time.
func stopsWithin(t *testing.T, bound time.Duration, f func()) {
	t.Helper()
	suite.Within(t, "stopping", bound, func() time.Duration {
		begun := time.Now()
		f()
		return time.Since(begun)
	})
}

// Every operator stops soon after the time limit, with its error.
func TestTimeLimitStopsEveryOperator(t *testing.T) {
	suite.NotShort(t)
	ds := dense(t)
	for name, text := range endless {
		for _, strategy := range []strategies.Strategy{strategies.Planned, strategies.InOrder} {
			t.Run(name, func(t *testing.T) {
				stopsWithin(t, 50*time.Millisecond+250*time.Millisecond, func() {
					err := endlessly(t, context.Background(), ds, text, strategy, budget.Limits{Time: 50 * time.Millisecond, Memory: 1 << 30})
					var limit *budget.LimitError
					if !errors.As(err, &limit) || limit.Limit != "time" && limit.Limit != "memory" {
						t.Errorf("the error is %v, want a limit", err)
					}
				})
			})
		}
	}
}

// A query stops when its client disconnects, with the cause of the context.
func TestHangUpStopsEveryOperator(t *testing.T) {
	ds := dense(t)
	gone := errors.New("the client is gone")
	for name, text := range endless {
		t.Run(name, func(t *testing.T) {
			stopsWithin(t, 10*time.Millisecond+250*time.Millisecond, func() {
				ctx, cancel := context.WithCancelCause(context.Background())
				timer := time.AfterFunc(10*time.Millisecond, func() { cancel(gone) })
				defer timer.Stop()
				if err := endlessly(t, ctx, ds, text, strategies.Planned, budget.Limits{}); !errors.Is(err, gone) {
					t.Errorf("the error is %v", err)
				}
			})
		})
	}
}

// Operators that keep rows stop at the memory limit, with its error.
func TestMemoryLimit(t *testing.T) {
	suite.NotShort(t)
	ds := dense(t)
	for _, name := range []string{"order", "group", "concat", "distinct", "value table", "shared"} {
		t.Run(name, func(t *testing.T) {
			l := budget.Limits{Time: 20 * time.Second, Memory: 4 << 20}
			err := endlessly(t, context.Background(), ds, endless[name], strategies.Planned, l)
			var limit *budget.LimitError
			if !errors.As(err, &limit) || limit.Limit != "memory" || !strings.Contains(err.Error(), "4 MiB") {
				t.Errorf("the error is %v", err)
			}
		})
	}
}

// A streamed answer needs no more memory for millions of computed terms than for a few.
func TestComputedTermsOfAStreamAreLetGo(t *testing.T) {
	suite.NotShort(t)
	ds := dense(t)
	q, err := sparql.Prepare(context.Background(), `SELECT ?a ?c ?d ?f ?x ?n ?m { ?a ?b ?c . ?d ?e ?f BIND(CONCAT(STR(?a), STR(?c), STR(?d), STR(?f)) AS ?x)
		BIND(STRLEN(?x) AS ?n) FILTER(?n > 3) BIND(?n + 2000 AS ?m) } OFFSET 100 LIMIT 100000`, sparql.Options{})
	if err != nil {
		t.Fatal(err)
	}
	rows := &computed{t: t}
	if err := q.Run(context.Background(), ds, budget.Limits{Memory: 8 << 20}, rows); err != nil {
		t.Fatal(err)
	}
	if rows.n != 100_000 {
		t.Errorf("%d rows", rows.n)
	}
}

// computed checks the rows of a query with computed terms.
type computed struct {
	counting
	t *testing.T
	n int
}

func (c *computed) Row(row []rdf.Term) error {
	c.n++
	text := row[0].Value() + row[1].Value() + row[2].Value() + row[3].Value()
	if row[4].Value() != text || row[5].Value() != strconv.Itoa(len(text)) || row[6].Value() != strconv.Itoa(len(text)+2000) {
		c.t.Fatalf("row %d is %v", c.n, row)
	}
	return nil
}

// A string that doubles repeatedly reaches the length limit.
func TestStringLengthLimit(t *testing.T) {
	text := `SELECT ?z { BIND("0123456789" AS ?a0) `
	for i := range 40 {
		text += fmt.Sprintf("BIND(CONCAT(?a%d, ?a%d) AS ?a%d) ", i, i, i+1)
	}
	err := endlessly(t, context.Background(), dense(t), text+"BIND(?a40 AS ?z) }", strategies.Planned, budget.Limits{})
	var limit *budget.LimitError
	if !errors.As(err, &limit) || limit.Limit != "string length" {
		t.Errorf("the error is %v", err)
	}
}

// Triple terms are nested no deeper than readers of the answer allow.
func TestTripleTermNestingLimit(t *testing.T) {
	for _, n := range []int{50, 51} {
		text := `SELECT ?z { BIND(1 AS ?a0) `
		for i := range n {
			text += fmt.Sprintf("BIND(TRIPLE(<http://e/s>, <http://e/p>, ?a%d) AS ?a%d) ", i, i+1)
		}
		err := endlessly(t, context.Background(), dense(t), text+fmt.Sprintf("BIND(?a%d AS ?z) }", n), strategies.Planned, budget.Limits{})
		var limit *budget.LimitError
		if refused := errors.As(err, &limit) && limit.Limit == "nesting of triple terms"; refused != (n > 50) {
			t.Errorf("nested %d deep, the error is %v", n, err)
		}
	}
}

// All parts of an expression keep their texts for a row, and all constants for the query.
func TestTextsOfOneRowCount(t *testing.T) {
	for _, args := range []string{"?a, \"a\", ?b", `"` + strings.Repeat("a", 4000) + `", "a", "` + strings.Repeat("b", 1000) + `"`} {
		text := `SELECT (CONCAT(` + strings.Repeat(`SUBSTR(REPLACE(`+args+`), 1, 1), IF(?a = "", "", "x"), `, 40) + `"") AS ?v) { VALUES (?a ?b) { ("` + strings.Repeat("a", 4000) + `" "` + strings.Repeat("b", 1000) + `") } }`
		err := endlessly(t, t.Context(), dense(t), text, strategies.Planned, budget.Limits{Memory: 64 << 20})
		var limit *budget.LimitError
		if !errors.As(err, &limit) || limit.Limit != "memory" {
			t.Errorf("160 MB of texts: %v", err)
		}
	}
}

// Numbers of 30,000 digits take a millisecond for each product, and 12 kB.
func TestArithmeticOnLongNumbersStops(t *testing.T) {
	product := "0." + strings.Repeat("3", 30_000) + strings.Repeat(" * ?x", 100)
	text := `SELECT (SUM(` + product + `) AS ?n) { ?s :p ?o BIND(IF(isIRI(?o), 2, 3) AS ?x) }`
	stopsWithin(t, 500*time.Millisecond, func() {
		var limit *budget.LimitError
		if err := endlessly(t, t.Context(), dense(t), text, strategies.Planned, budget.Limits{Time: 50 * time.Millisecond}); !errors.As(err, &limit) || limit.Limit != "time" {
			t.Error(err)
		}
	})
}

// An error of the receiver ends the query and is returned unchanged.
func TestErrorOfTheReceiverEndsTheQuery(t *testing.T) {
	full := errors.New("no more room")
	q, err := sparql.Prepare(context.Background(), endless["cross product"], sparql.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := q.Run(context.Background(), dense(t), budget.Limits{}, &refusing{after: 5000, err: full}); !errors.Is(err, full) {
		t.Errorf("the error is %v", err)
	}
}

type refusing struct {
	counting
	after int
	err   error
}

func (r *refusing) Row([]rdf.Term) error {
	if r.after--; r.after < 0 {
		return r.err
	}
	return nil
}

// LIMIT and ASK stop the operators before them once they have enough.
func TestLimitStopsWhatIsBeforeIt(t *testing.T) {
	ds := dense(t)
	for _, text := range []string{
		"SELECT * { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i . ?j ?k ?l } LIMIT 10",
		"SELECT DISTINCT ?a { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i . ?j ?k ?l } LIMIT 1",
		"ASK { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i . ?j ?k ?l }",
		"ASK { ?a ?b ?c OPTIONAL { ?d ?e ?f OPTIONAL { ?g ?h ?i } } }",
		"ASK { { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i } UNION { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i } }",
		"SELECT * { { SELECT * { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i } LIMIT 7 } ?a ?b ?x } LIMIT 3",
		"SELECT * { ?a :p+ ?b . ?c :p+ ?d . ?e :p+ ?f } LIMIT 10",
	} {
		q := prepare(t, text)
		if _, err := run(context.Background(), q, ds, budget.Limits{Time: 5 * time.Second}); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func endlessly(t *testing.T, ctx context.Context, ds sparql.Dataset, text string, s strategies.Strategy, l budget.Limits) error {
	t.Helper()
	q, err := sparql.Prepare(context.Background(), scriptPrefixes+text, sparql.Options{Plan: s.Plan})
	if err != nil {
		t.Fatal(err)
	}
	if f := q.Form().String(); f == "construct" || f == "describe" {
		for _, err = range q.Graph(ctx, ds, l) { // the last one has the error
		}
		return err
	}
	var n counting
	return q.Run(ctx, ds, l, &n)
}
