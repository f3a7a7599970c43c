package sparql_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"github.com/segraph/segraph/internal/suite"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql"
	"github.com/segraph/segraph/store/sparql/budget"
	"github.com/segraph/segraph/store/turtle"
)

// Generated queries over generated data have the same answer with every strategy:
// planned, in text order, and bottom-up as the standard defines it.
func TestStrategiesAgree(t *testing.T) {
	suite.NotShort(t)
	suite.OneGoroutine(t)
	seeds, queries := suite.Times(60, 20), 60
	answers, rows := 0, 0
	// Parts of plans that only the planner produces.
	reached := map[string]int{`semijoin`: 0, `antijoin`: 0, `materialize`: 0, `by a walk`: 0, `triple .*, \?. [<>]`: 0, `triple .*, \?. =`: 0, `triple .*, \?. != `: 0}
	for seed := range uint64(seeds) {
		g := &generator{rand.New(rand.NewPCG(seed, 7))}
		s := openStore(t)
		addText(t, s, scriptPrefixes+g.data(), turtle.TriG, "", rdf.Term{})
		ds := snapshot(t, s)
		for range queries {
			text := g.query()
			first, plan := agree(t, ds, seed, text)
			if first == nil {
				continue
			}
			answers++
			rows += len(first.rows)
			for operator := range reached {
				if regexp.MustCompile(operator).MatchString(plan) {
					reached[operator]++
				}
			}
		}
	}
	t.Logf("%d answers with %d rows, plans with %v", answers, rows, reached)
	for operator, n := range reached {
		if n < suite.Times(10, 3) {
			t.Errorf("only %d plans have %s", n, operator)
		}
	}
	if answers < seeds*queries/2 || rows < answers {
		t.Errorf("%d answers with %d rows: too few to tell anything", answers, rows)
	}
}

// agree runs a query with every strategy, and fails if the answers differ. It returns the
// answer and the plan, or nil if comparing the answers would take long. seed is that of
// the data.
func agree(t *testing.T, ds sparql.Dataset, seed uint64, text string) (first *answer, plan string) {
	t.Helper()
	for _, strategy := range allStrategies {
		q, err := sparql.Prepare(context.Background(), scriptPrefixes+text, sparql.Options{Plan: strategy.Plan})
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		got, err := run(t.Context(), q, ds, budget.Limits{})
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if len(got.rows) > 2000 {
			return first, plan
		}
		if first != nil {
			if !sameRows(first, got) || strings.Contains(text, "ORDER BY") && fmt.Sprint(first.rows) != fmt.Sprint(got.rows) {
				t.Fatalf("seed %d: %s\nstrategy %d gives\n%s\nand strategy %d\n%s", seed, text, allStrategies[0], first, strategy, got)
			}
			continue
		}
		planned, err := q.Plan(context.Background(), ds, budget.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		first, plan = got, planned.String()
		if every := uint64(suite.Times(1, 3)); seed%every == 0 {
			sameOnProcessors(t, q, ds, got, 4, []int{2, 8}[seed/every%2])
		}
	}
	return first, plan
}

// sameRows compares answers without blank nodes, ignoring order.
func sameRows(a, b *answer) bool {
	count := map[string]int{}
	for _, row := range a.rows {
		count[fmt.Sprint(row)]++
	}
	for _, row := range b.rows {
		count[fmt.Sprint(row)]--
	}
	for _, n := range count {
		if n != 0 {
			return false
		}
	}
	return true
}

// generator makes small graphs, and queries with all operators over them. It uses few
// variables, so that they interact in different ways.
type generator struct{ *rand.Rand }

func (g *generator) pick(list ...string) string { return list[g.IntN(len(list))] }

func (g *generator) data() string {
	var b strings.Builder
	triple := func() {
		fmt.Fprintf(&b, "%s %s %s . ", g.pick(":a", ":b", ":c", ":d"), g.property(), g.pick(":a", ":b", ":c", "1", "2", "1.0", `"x"`, `"x"@en`, `"x"@EN`))
	}
	for range 25 {
		triple()
	}
	for range 12 {
		fmt.Fprintf(&b, "%s :t %s . ", g.pick(":a", ":b", ":c", ":d"), g.value())
	}
	for range 6 { // objects that are never literals
		fmt.Fprintf(&b, "%s :n %s . ", g.pick(":a", ":b", ":c", ":d"), g.pick(":a", ":b", ":c"))
	}
	for _, name := range []string{":g", ":h"} {
		b.WriteString("GRAPH " + name + " { ")
		for range 12 {
			triple()
		}
		fmt.Fprintf(&b, ":a :n %s . }\n", g.pick(":a", ":b", "1"))
	}
	return b.String()
}

// value returns a number, a date or a time, of any datatype and in any form: values that
// indexes look up by range, and others.
func (g *generator) value() string {
	return g.pick("1", "2", "3", "-2", "02", "1.0", "1.5", "2.50", "2.5e0", "1e0", "\"2\"^^xsd:double", "\"1.5\"^^xsd:float", "\"2\"^^xsd:int", "\"NaN\"^^xsd:double",
		"12345678901234567890123", "0.12345678", "\"2025-01-06T08:00:00Z\"^^xsd:dateTime", "\"2025-01-06T08:00:00\"^^xsd:dateTime", "\"2025-01-06T10:00:00.0+02:00\"^^xsd:dateTime",
		"\"2025-01-06T08:00:00.5Z\"^^xsd:dateTime", "\"2025-01-07T09:00:00\"^^xsd:dateTime", "\"2025-01-06\"^^xsd:date", "\"2025-01-06Z\"^^xsd:date", "\"2025-01-07\"^^xsd:date", "\"x\"", "true", ":a")
}

// bound returns a comparison of a variable with a constant.
func (g *generator) bound() string {
	return g.variable() + g.pick(" < ", " <= ", " > ", " >= ", " = ") + g.value()
}

func (g *generator) property() string { return g.pick(":p", ":q", ":r") }
func (g *generator) variable() string { return g.pick("?v", "?w", "?x", "?y") }

func (g *generator) query() string {
	switch g.IntN(10) {
	case 8:
		return "SELECT (" + g.pick("MIN", "MAX") + "(?x) AS ?m) " + g.dataset() + "{ ?v " + g.pick(":t", ":p") + " ?x FILTER(" + g.bound() + ") }"
	case 9:
		// A total order makes the answer unique.
		return "SELECT ?x " + g.dataset() + "{ ?v " + g.pick(":t", ":t", ":p") + " ?x . " + g.element(2, nil) + " } ORDER BY " + g.pick("", "", "("+g.exists()+") ") + g.pick("", "DESC") +
			fmt.Sprintf("(?x) STR(?x) STR(DATATYPE(?x)) LANG(?x) LIMIT %d OFFSET %d", 1+g.IntN(8), g.IntN(4))
	case 0:
		return "SELECT DISTINCT ?v ?w " + g.dataset() + g.group(3)
	case 1:
		return "SELECT DISTINCT ?x " + g.dataset() + g.group(3)
	case 2:
		group := g.pick(g.group(3), g.group(2), "{ "+g.triple()+" }", "{ GRAPH "+g.pick(":g", "?v", "?x")+" { "+g.triple()+" } }", "{ "+g.triple()+g.element(1, nil)+" }")
		return "SELECT ?v (COUNT(*) AS ?n) (COUNT(DISTINCT ?w) AS ?d) (COUNT(DISTINCT *) AS ?e) (MAX(DISTINCT ?w) AS ?m) " + g.dataset() + group + " GROUP BY ?v"
	case 3:
		if g.IntN(3) == 0 {
			return "SELECT (COUNT(*) AS ?n) " + g.dataset() + fmt.Sprintf("{ { SELECT ?v %s LIMIT %d } UNION { SELECT ?w %s LIMIT %d } UNION %s }", g.group(2), g.IntN(9), g.group(2), g.IntN(9), g.group(1))
		}
		return "SELECT (COUNT(?x) AS ?n) " + g.dataset() + g.group(3)
	case 4:
		return "SELECT ?v ?w ?x ?y (" + g.exists() + " AS ?e) " + g.dataset() + g.group(3)
	}
	return "SELECT * " + g.dataset() + g.group(3)
}

// dataset sometimes returns FROM and FROM NAMED.
func (g *generator) dataset() string {
	if g.IntN(8) > 0 {
		return ""
	}
	return g.pick("FROM :g ", "FROM :g FROM :h FROM NAMED :g ", "FROM :h FROM NAMED :h ")
}

// group returns a group of some elements.
func (g *generator) group(depth int) string {
	var b strings.Builder
	b.WriteString("{ ")
	bound := map[string]bool{}
	for range 1 + g.IntN(3) {
		b.WriteString(g.element(depth-1, bound) + " ")
	}
	if g.IntN(3) == 0 {
		b.WriteString("FILTER(" + g.condition(depth-1) + ") ")
	}
	return b.String() + "}"
}

func (g *generator) element(depth int, bound map[string]bool) string {
	if depth <= 0 {
		return g.triple()
	}
	switch g.IntN(22) {
	case 21:
		return g.pick("FILTER("+g.exists()+" || "+g.bound()+")", "OPTIONAL { "+g.triple()+" FILTER "+g.exists()+" }")
	case 20:
		return fmt.Sprintf("BIND(%s AS ?b%d)", g.pick(g.exists(), "IF("+g.exists()+", ?v, ?w)"), g.IntN(1_000_000))
	case 19:
		return g.twice(depth)
	case 18: // a variable that two groups compute, and both may leave unbound
		computed := func() string {
			return "{ " + g.triple() + " BIND(" + g.pick("?x + 1", "STR(?y)", "?v", "COALESCE(?w, 1)", "1/0") + " AS ?both) } "
		}
		return computed() + computed()
	case 16:
		return "FILTER " + g.exists()
	case 17:
		return g.triple() + " FILTER(" + g.pick(g.bound(), g.bound(), g.variable()+" != :a") + ")"
	case 14:
		return "MINUS { " + g.triple() + " }"
	case 15:
		name := fmt.Sprintf("?o%d", g.IntN(1_000_000))
		return fmt.Sprintf("OPTIONAL { ?v %s %s . %s FILTER(%s %s %s) } FILTER(!BOUND(%s))", g.property(), name, g.triple(), name, g.pick("<", "=", "!="), g.variable(), name)
	case 0, 1:
		return "OPTIONAL " + g.group(depth)
	case 2:
		return g.group(depth) + " UNION " + g.group(depth)
	case 3:
		return "MINUS " + g.group(depth)
	case 4:
		return g.group(depth)
	case 5:
		return "GRAPH " + g.pick("?v", "?w", ":g", ":h") + " " + g.group(depth)
	case 6:
		return fmt.Sprintf("VALUES (%s ?y) { (:a 1) (UNDEF :b) (:c UNDEF) }", g.pick("?v", "?w", "?x"))
	case 7:
		// A new variable each time, because BIND must not set one in scope.
		name := fmt.Sprintf("?b%d", g.IntN(1_000_000))
		return fmt.Sprintf("BIND(%s AS %s)", g.pick("?v", "?w", "COALESCE(?x, 1)", "1 + 1", "STR(?y)"), name)
	case 8:
		return fmt.Sprintf("{ SELECT %s %s %s }", g.pick("?v", "DISTINCT ?w", "?v ?x"), g.group(depth), g.pick("", "", "LIMIT 1000000"))
	case 9:
		return fmt.Sprintf("{ SELECT ?w (COUNT(*) AS ?c%d) %s GROUP BY ?w }", g.IntN(1_000_000), g.group(depth))
	}
	return g.triple()
}

// twice returns a subquery and an equal one, in which some variables have other names.
func (g *generator) twice(depth int) string {
	count := fmt.Sprintf("?c%d", g.IntN(1_000_000))
	group := g.group(depth)
	first := "{ SELECT " + g.pick("?w (COUNT(*) AS "+count+") "+group+" GROUP BY ?w", "?w (COUNT(DISTINCT ?v) AS "+count+") "+group+" GROUP BY ?w",
		"(COUNT(?x) AS "+count+") "+group, "DISTINCT ?v ?w "+group, "?w ?x "+group+" order by ?w LIMIT 1000000") + " }"
	second := strings.NewReplacer([][]string{{"?v", "?w", "?w", "?v"}, {"?w", "?x", "?x", "?w"}, {"?x", "?y", "?y", "?x"}, {count, count + "b"}}[g.IntN(4)]...).Replace(first)
	if strings.Contains(first, "AS "+count) && g.IntN(3) == 0 {
		first = "{ SELECT ?w (MAX(" + count + ") AS " + count + "m) " + first + " GROUP BY ?w }"
	}
	return first + g.pick(" ", " ", " UNION ", " OPTIONAL ", " MINUS ") + second
}

func (g *generator) triple() string {
	subject := g.pick("?v", "?w", "?x", "?y", "?v", "?w", ":a", ":b")
	predicate := g.pick(":p", ":q", ":r", ":n", ":n", ":t", ":t", "?z", ":p*", ":q+", "(:p|^:q)", ":p/:q", "!:p", ":r?")
	object := g.pick("?v", "?w", "?x", "?y", "?x", "?y", ":a", ":b", "1", `"x"@en`)
	return subject + " " + predicate + " " + object + " ."
}

// exists returns an EXISTS of a triple, or of paths from variable to variable.
func (g *generator) exists() string {
	text := g.triple()
	if g.IntN(2) == 0 {
		ends := []string{"?v", "?w", "?x", "?y"}
		g.Shuffle(len(ends), func(i, j int) { ends[i], ends[j] = ends[j], ends[i] })
		text = ""
		for i := range 1 + g.IntN(3) {
			text += ends[i] + " " + g.pick(":p+", ":q*", ":r?", "(:n|:t)+", "^:p+", ":n") + " " + ends[i+1] + " . "
		}
		if g.IntN(4) == 0 {
			text += "FILTER " + g.exists()
		}
	}
	return g.pick("EXISTS { ", "NOT EXISTS { ") + text + " }"
}

func (g *generator) condition(depth int) string {
	switch g.IntN(12) {
	case 8:
		return g.bound()
	case 9:
		return g.bound() + " && " + g.bound()
	case 10:
		return g.value() + g.pick(" < ", " >= ", " = ") + g.variable()
	case 0:
		return "BOUND(" + g.variable() + ")"
	case 1:
		return "!BOUND(" + g.variable() + ")"
	case 2:
		return g.condition(depth) + " && " + g.variable() + " != " + g.pick(":a", "1", `"x"`)
	case 3:
		return g.variable() + " = 1 || " + g.condition(depth)
	case 4, 11:
		if depth > 0 {
			return g.pick(g.exists(), g.pick("EXISTS ", "NOT EXISTS ")+g.group(depth))
		}
	case 5:
		return "isIRI(" + g.variable() + ")"
	}
	return g.variable() + g.pick(" = ", " = ", " != ", " < ") + g.variable()
}
