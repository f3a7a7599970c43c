package sparql_test

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"github.com/segraph/segraph/internal/suite"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/turtle"
)

// Generated queries that compare computed values have the same answer with hash
// joins, band joins and the pairing of all rows. The data has values of all types.
// Many of them can't be compared.
func TestJoinsOnValuesAgree(t *testing.T) {
	suite.NotShort(t)
	suite.OneGoroutine(t)
	seeds, queries := suite.Times(60, 5), 60
	reached, rows := map[string]int{`leftjoin .*\((.*\n){2} *materialize`: 0, `semijoin .*\(`: 0, `antijoin .*\(`: 0, `hashjoin`: 0, `bandjoin`: 0, `(hash|band)join(.*\n)*.*/k>.*(.*\n)*.*/k>`: 0}, 0
	patterns := map[string]*regexp.Regexp{}
	for operator := range reached {
		patterns[operator] = regexp.MustCompile(operator)
	}
	for seed := range uint64(seeds) {
		g := &values{generator{rand.New(rand.NewPCG(seed, 11))}}
		s := openStore(t)
		addText(t, s, scriptPrefixes+g.data(), turtle.TriG, "", rdf.Term{})
		ds := snapshot(t, s)
		for range queries {
			first, plan := agree(t, ds, seed, g.query())
			if first == nil {
				continue
			}
			rows += len(first.rows)
			for operator := range reached {
				if patterns[operator].MatchString(plan) {
					reached[operator]++
				}
			}
		}
	}
	t.Logf("%d queries with %d rows, plans with %v", seeds*queries, rows, reached)
	for operator, n := range reached {
		if n < seeds*queries/100 {
			t.Errorf("only %d of %d plans have a %s", n, seeds*queries, operator)
		}
	}
	if rows < seeds*queries {
		t.Errorf("%d rows: too few to tell anything", rows)
	}
}

// A join of many rows on values caches the keys of stored terms. It has the same
// answer as the pairing of all rows. This includes integers whose keys take another
// form once a row has an xsd:float.
func TestJoinsOnValuesOfManyRowsAgree(t *testing.T) {
	suite.OneGoroutine(t)
	forms := []string{`:n%d`, `"%d"`, `%d`, `%d.0`, `"%d"@en`, `"0%d"^^xsd:integer`, `"%d"^^:own`, `"%d"^^xsd:float`}
	for _, kinds := range []int{len(forms) - 1, len(forms)} {
		var b strings.Builder
		b.WriteString(scriptPrefixes)
		for i := range 1500 {
			fmt.Fprintf(&b, ":s%d :p "+forms[i%kinds]+" .\n", i, i%29)
		}
		for i := range 40 {
			fmt.Fprintf(&b, ":t%d :q "+forms[i*3%(len(forms)-1)]+" .\n", i, i%11)
		}
		s := openStore(t)
		addText(t, s, b.String(), turtle.Turtle, "", rdf.Term{})
		for _, condition := range []string{`?x = ?y`, `sameTerm(?x, ?y)`} {
			first, plan := agree(t, snapshot(t, s), 0, `SELECT ?y (COUNT(?a) AS ?n) { ?a :p ?x . ?b :q ?y FILTER(`+condition+`) } GROUP BY ?y`)
			if len(first.rows) < 10 || !strings.Contains(plan, "hashjoin") {
				t.Errorf("%s: %d rows with the plan\n%s", condition, len(first.rows), plan)
			}
		}
	}
}

// values generates data with values of all types, and queries that compare them.
type values struct{ generator }

func (g *values) data() string {
	var b strings.Builder
	triples := func(n int) {
		for range n {
			fmt.Fprintf(&b, ":s%d %s %s . ", g.IntN(12), g.pick(":p", ":q", ":p", ":q", ":r"), g.value())
		}
	}
	triples(60)
	for i := range 12 {
		fmt.Fprintf(&b, ":s%d :k :k%d . ", i, i%2)
	}
	for _, graph := range []string{":g", ":h"} {
		b.WriteString("GRAPH " + graph + " { ")
		triples(20)
		b.WriteString("}\n")
	}
	return b.String()
}

// value returns a term of any kind. Some are equal to others of another type or form.
func (g *values) value() string {
	number := g.pick("1", "1", "2", "3", "-2", "1.5", "16777216", "16777217", "9007199254740993", "9007199254740992")
	switch g.IntN(9) {
	case 0:
		return number
	case 1:
		return "\"" + number + "\"^^xsd:" + g.pick("float", "double", "decimal", "double")
	case 2:
		return "\"" + number + "\"" + g.pick("", "@en", "@EN", "@de", "^^:unknown")
	case 3, 4, 5:
		return fmt.Sprintf("\"2025-01-%02dT%02d:%02d:00%s\"^^xsd:dateTime", 6+g.IntN(2), 8+g.IntN(3), 10*g.IntN(3), g.pick("Z", "Z", "Z", "+01:00", ".5Z", "", ".12345678901Z"))
	case 6:
		return g.pick(`"NaN"^^xsd:double`, `"INF"^^xsd:float`, `"NaN"^^xsd:float`, "-0.0", "0", `"-0"^^xsd:double`, "true", "false", `"1"^^xsd:boolean`, `"x"^^xsd:integer`, `"x"^^xsd:dateTime`)
	case 7:
		return g.pick(":s1", ":s2", ":s3", ":p") + g.pick("", "")
	}
	return g.pick(`"2025-01-06"^^xsd:date`, `"2025-01-06Z"^^xsd:date`, `"2025-01-07"^^xsd:date`, `"PT10M"^^xsd:dayTimeDuration`, `"PT600S"^^xsd:duration`, `"P1M"^^xsd:yearMonthDuration`,
		`"P30D"^^xsd:duration`, `"a"`, `"A"`, `"a"@en`, `"A"@EN`, `"b"`, `""`)
}

// compared returns a condition on two variables.
func (g *values) compared(a, b string) string {
	step := g.pick(`"PT10M"^^xsd:dayTimeDuration`, `"PT1H"^^xsd:duration`, "1", "0.5", "1e0", `"1"^^xsd:float`)
	band := func(below, above, middle string) string {
		return below + g.pick(" < ", " <= ") + middle + " && " + middle + g.pick(" < ", " <= ") + above
	}
	switch g.IntN(12) {
	case 0, 1:
		return band(a, a+" + "+step, b)
	case 2:
		return band(b+" - "+step, b+" + "+step, a)
	case 3:
		return a + g.pick(" < ", " <= ", " > ", " >= ") + b
	case 4:
		return a + " + " + step + g.pick(" < ", " >= ") + b
	case 5:
		f := g.pick("YEAR", "DAY", "HOURS", "MINUTES", "LCASE", "STRLEN", "STR", "FLOOR", "DATATYPE", "TZ", "xsd:float", "xsd:integer")
		return f + "(" + a + ") = " + f + "(" + b + ")"
	case 6:
		return "SUBSTR(STR(" + a + "), 1, 13) = SUBSTR(STR(" + b + "), 1, 13)"
	case 7:
		return "sameTerm(" + a + ", " + b + ")"
	case 8:
		return a + " + 1 = " + b + " + 1 && " + g.compared(a, b)
	case 9:
		return "HOURS(" + a + ") = HOURS(" + b + ") && " + band(a, a+" + "+step, b)
	case 10:
		return "COALESCE(" + a + " * 2, 2) = " + b + " && " + g.pick("STR("+a+") != STR("+b+")", "?v != ?w", "isLiteral("+a+")")
	}
	return a + " = " + b
}

func (g *values) query() string {
	two := func() string {
		first := g.pick("?v :p ?x .", "?v :p ?x .", "?v :q ?x . ?v ?p1 ?x .", "{ SELECT DISTINCT ?x { ?v ?p1 ?x } }", "?v :p ?x OPTIONAL { ?v :r ?z }", "VALUES ?x { 1 2.0 \"1\" \"a\" UNDEF }", "?v :p ?x . BIND(STR(?x) AS ?k)", "?v :p ?x . BIND(HOURS(?x) AS ?k)", "?v :p ?x MINUS { ?v :r ?z }", "{ ?v :p ?x } UNION { ?x :r ?v }")
		second := g.pick("?w :q ?y .", "?w :q ?y .", "?w :p ?y .", "?w :p ?y . ?w :q ?u .", "?w :p|:q ?y .", "{ SELECT ?y (COUNT(*) AS ?n) { ?w :q ?y } GROUP BY ?y }", "?v :q ?y .", "?w :q ?y OPTIONAL { ?w :r ?z }", "?w :q ?y FILTER(isLiteral(?y)) BIND(STR(?y) AS ?l)", "?w :q ?y BIND(HOURS(?y) AS ?l)", "?w :q ?y BIND(?y + 1 AS ?l0) BIND(HOURS(?y) + 0 AS ?l)")
		condition := g.compared("?x", "?y")
		if strings.Contains(first, "?k") && strings.Contains(second, "?l") && g.IntN(4) > 0 {
			condition = g.pick("?k = ?l", "?k = ?l", "?k < ?l", "sameTerm(?k, ?l)", "?k < ?l && ?l <= ?k + 1")
		}
		if g.IntN(5) == 0 {
			condition += " && " + g.pick("STR(?x) > \"1\"", "!(?y = 1)", "BOUND(?z)", "?v != ?w", "EXISTS { ?v :r ?w2 }", "(?x < 3 || ?y > 1)")
		}
		return first + " " + second + " FILTER(" + condition + ")"
	}
	switch g.IntN(12) {
	case 0:
		return "SELECT * { ?v0 :r ?x0 OPTIONAL { " + two() + " } }"
	case 1:
		return "SELECT * { ?v :p ?x OPTIONAL { ?w :q ?y FILTER(" + g.compared("?x", "?y") + ") } }"
	case 2:
		return "SELECT * { ?v :r ?x0 MINUS { " + two() + " } }"
	case 3:
		return "SELECT * { ?v :p ?x FILTER " + g.pick("NOT ", "") + "EXISTS { " + g.pick("", "", "?v :k ?h . ?w :k ?h . ") + "?w :q ?y FILTER(" + g.compared("?x", "?y") + g.pick("", " && STR(?y) > \"1\"", " && ?w != ?v") + ") } }"
	case 4:
		return "SELECT * { GRAPH ?g { " + two() + " } }"
	case 5:
		return "SELECT DISTINCT ?x ?y { " + two() + " }"
	case 6:
		return "SELECT * " + g.dataset() + "{ { " + two() + " } UNION { " + two() + " } }"
	case 7:
		return "SELECT ?v (COUNT(*) AS ?n) { " + two() + " } GROUP BY ?v"
	case 8:
		return "SELECT * { ?v :p ?x . ?v :q ?x1 . ?w :p ?y . ?w :q ?y1 FILTER(" + g.compared("?x", "?y") + " && " + g.compared("?x1", "?y1") + ") }"
	case 9:
		return "SELECT * { ?v :p ?x . ?v :k ?h . ?w :q ?y . ?w :k ?h FILTER(" + g.compared("?x", "?y") + ") }"
	case 10:
		return "SELECT * { ?v :p ?x . ?w :q ?y . ?u :r ?z FILTER(" + g.compared("?x", "?y") + " && " + g.compared("?y", "?z") + ") }"
	}
	return "SELECT * { " + two() + " }"
}

// Objects that must be equal become one variable if one of them belongs to a
// predicate with only IRIs and blank nodes as objects. Other terms may be equal
// without being the same.
func TestEqualObjectsAreOneVariable(t *testing.T) {
	objects := []string{":z", "[]", "1", `"z"`, `"z"@en`, `"2025-01-06"^^xsd:date`, `"z"^^:type`, "<<( :a :b :c )>>"}
	data := scriptPrefixes + ":c :q 1.0, :x, :y . "
	for i, object := range objects {
		data += fmt.Sprintf(":a :p%d :x, :y . :b :p%d :y, %s . ", i, i, object)
	}
	s := openStore(t)
	addText(t, s, data, turtle.Turtle, "", rdf.Term{})
	ds := snapshot(t, s)
	for i, object := range objects {
		for _, text := range []string{"SELECT * { ?s :p%d ?a . ?t :q ?b FILTER(?a = ?b) }", "SELECT * { ?t :q ?b OPTIONAL { ?s :p%d ?a FILTER(?a = ?b) } }"} {
			_, plan := agree(t, ds, 1, fmt.Sprintf(text, i))
			if one := !strings.Contains(plan, "=(?a, ?b)") && !strings.Contains(plan, "=(?b, ?a)"); one != (i < 2) {
				t.Errorf("with an object %s, the plan is\n%s", object, plan)
			}
		}
	}
}
