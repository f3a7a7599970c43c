package sparql_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/segraph/segraph/internal/suite"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql"
	"github.com/segraph/segraph/store/sparql/budget"
	"github.com/segraph/segraph/store/sparql/value"
	"github.com/segraph/segraph/store/turtle"
)

// orderedData returns 600 subjects with a value each. few is the percentage of values of
// any kind. The others are times or numbers of one type.
func (g *generator) orderedData(few int) string {
	var b strings.Builder
	times := g.IntN(2) == 0
	for i := range 600 {
		v := fmt.Sprintf("%d.%d", g.IntN(40)-20, g.IntN(10))
		if times {
			v = fmt.Sprintf(`"2025-01-%02dT%02d:00:00%s"^^xsd:dateTime`, 1+g.IntN(3), g.IntN(24), g.pick("", "Z", ".5Z", ".50", "+00:00"))
		}
		if g.IntN(100) < few {
			v = g.value()
		}
		graph := g.pick("", "", ":g", ":h")
		triples := fmt.Sprintf(":s%d :t %s ; :p :%s . ", i, v, g.pick("a", "b", "c"))
		if g.IntN(3) == 0 {
			triples += fmt.Sprintf(":s%d :q :s%d . ", i, g.IntN(600))
		}
		if graph != "" {
			triples = "GRAPH " + graph + " { " + triples + "}"
		}
		b.WriteString(triples + "\n")
	}
	return b.String()
}

// orderedQuery returns a query for the first few rows of a total order.
func (g *generator) orderedQuery() string {
	var from string
	pattern := "?s :t ?t ."
	for _, more := range []string{"?s :p :a .", "?s :q ?o .", "OPTIONAL { ?s :q ?o }", "FILTER(?t > " + g.value() + ")", "FILTER(?t <= " + g.value() + ")",
		"MINUS { ?s :p :b }", "FILTER EXISTS { ?s :q ?z }", "BIND(STR(?s) AS ?n)", "?s :q ?o . ?o :t ?u ."} {
		if g.IntN(4) == 0 {
			pattern += " " + more
		}
	}
	switch g.IntN(6) {
	case 0:
		from = "FROM :g "
	case 1:
		from = "FROM :g FROM :h FROM NAMED :g "
	case 2:
		pattern = "GRAPH " + g.pick(":g", "?g") + " { " + pattern + " }"
	}
	first := g.pick("?t", "DESC(?t)")
	if g.IntN(3) == 0 {
		first += " " + g.pick("DESC(?o)", "?o")
	}
	limit := fmt.Sprintf(" LIMIT %d", 1+g.IntN(30))
	if g.IntN(2) == 0 {
		limit += fmt.Sprintf(" OFFSET %d", g.IntN(100))
	}
	return "SELECT * " + from + "{ " + pattern + " } ORDER BY " + first + " STR(DATATYPE(?t)) STR(?t) STR(?s) STR(?o) STR(?u) STR(DATATYPE(?u)) STR(?g)" + limit
}

// The first rows of an order are the same whether a walk of an index or a sort finds
// them.
func TestFirstRowsOfAnOrder(t *testing.T) {
	suite.NotShort(t)
	suite.OneGoroutine(t)
	walks, plans, rows := 0, 0, 0
	for seed := range uint64(suite.Times(16, 3)) {
		g := &generator{rand.New(rand.NewPCG(seed, 11))}
		s := openStore(t)
		addText(t, s, scriptPrefixes+g.orderedData(int(seed%3)*5), turtle.TriG, "", rdf.Term{})
		ds := snapshot(t, s)
		for range 25 {
			text := g.orderedQuery()
			var first *answer
			for _, strategy := range allStrategies {
				q, err := sparql.Prepare(context.Background(), scriptPrefixes+text, sparql.Options{Plan: strategy.Plan})
				if err != nil {
					t.Fatalf("%s: %v", text, err)
				}
				got, err := run(t.Context(), q, ds, budget.Limits{})
				if err != nil {
					t.Fatalf("%s: %v", text, err)
				}
				if first == nil {
					first = got
					plan, err := q.Plan(context.Background(), ds, budget.Limits{})
					if err != nil {
						t.Fatal(err)
					}
					plans++
					rows += len(got.rows)
					if strings.Contains(plan.String(), "walk") {
						walks++
					}
				} else if !got.same(first, true) {
					t.Fatalf("seed %d: %s\nstrategy %d gives\n%s\nand strategy %d\n%s", seed, text, allStrategies[0], first, strategy, got)
				}
			}
		}
	}
	t.Logf("%d of %d plans walk an index; %d rows", walks, plans, rows)
	if walks < plans/10 || rows < plans {
		t.Errorf("%d of %d plans walk an index, and there are %d rows: too few to tell anything", walks, plans, rows)
	}
}

// MIN and MAX return the same whether evaluation reads the ends of an index or
// compares all values. If values are not ordered, either may be returned.
func TestLeastAndGreatest(t *testing.T) {
	suite.NotShort(t)
	suite.OneGoroutine(t)
	for seed := range uint64(suite.Times(24, 9)) {
		g := &generator{rand.New(rand.NewPCG(seed, 13))}
		s := openStore(t)
		addText(t, s, scriptPrefixes+g.orderedData(int(seed%3)*5), turtle.TriG, "", rdf.Term{})
		ds := snapshot(t, s)
		for range 10 {
			from := g.pick("", "FROM :g ", "FROM :g FROM :h ")
			pattern := "?s :t ?t " + g.pick("", "FILTER(?t > "+g.value()+")", "FILTER(?t <= "+g.value()+")")
			var answers [2]*answer
			for i, more := range []string{"", " BIND(?t AS ?u)"} { // a pattern alone, and one whose solutions are extended
				q, err := sparql.Prepare(context.Background(), scriptPrefixes+"SELECT (MIN(?t) AS ?a) (MAX(?t) AS ?b) "+from+"{ "+pattern+more+" }", sparql.Options{})
				if err != nil {
					t.Fatal(err)
				}
				if answers[i], err = run(t.Context(), q, ds, budget.Limits{}); err != nil {
					t.Fatal(err)
				}
			}
			for i, term := range answers[0].rows[0] {
				if value.Order(value.FromTerm(term), value.FromTerm(answers[1].rows[0][i])) != 0 {
					t.Fatalf("seed %d: %s{ %s } gives\n%s\nand of all\n%s", seed, from, pattern, answers[0], answers[1])
				}
			}
		}
	}
}

// If all results are at the far end, the walk is abandoned before it costs much more than
// sorting.
func TestWalkIsAbandoned(t *testing.T) {
	suite.OneGoroutine(t)
	var b strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&b, ":s%d :t %d . ", i, i)
		if i >= 18_000 {
			fmt.Fprintf(&b, ":s%d :p :a . ", i)
		}
	}
	s := openStore(t)
	addText(t, s, scriptPrefixes+b.String(), turtle.Turtle, "", rdf.Term{})
	ds := snapshot(t, s)
	for text, want := range map[string]struct {
		rows   []string
		walked int64 // upper bound
	}{
		"SELECT ?t { ?s :p :a ; :t ?t } ORDER BY ?t LIMIT 2":                          {[]string{"18000", "18001"}, 8000},
		"SELECT ?t { ?s :p :a ; :t ?t } ORDER BY DESC(?t) LIMIT 2":                    {[]string{"19999", "19998"}, 100},
		"SELECT ?t { ?s :p :a ; :t ?t FILTER(?t < 19000) } ORDER BY DESC(?t) LIMIT 1": {[]string{"18999"}, 100},
	} {
		q := prepare(t, text)
		got, err := run(t.Context(), q, ds, budget.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		var values []string
		for _, row := range got.rows {
			values = append(values, row[0].Value())
		}
		if fmt.Sprint(values) != fmt.Sprint(want.rows) {
			t.Errorf("%s gives %v, want %v", text, values, want.rows)
		}
		x, err := q.Explain(t.Context(), ds, budget.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		if walked := walkedRows(x.Plan); walked < 1 || walked > want.walked {
			t.Errorf("%s walks %d triples, want at most %d:\n%s", text, walked, want.walked, x)
		}
	}
}

// walkedRows returns the number of rows from the walks of a plan.
func walkedRows(s *sparql.Step) (n int64) {
	if s.Operator == "walk" && s.Rows != nil {
		n = *s.Rows
	}
	for _, operand := range s.Operands {
		n += walkedRows(operand)
	}
	return n
}
