package sparql_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/segraph/segraph/internal/suite"
	"github.com/segraph/segraph/store/sparql"
	"github.com/segraph/segraph/store/sparql/budget"
)

// A query that can never find anything is refused, with the name and position of the
// cause.
func TestUnknownFunctionsAndWrongPatternsAreRefusedByName(t *testing.T) {
	for _, tt := range []struct {
		text, name, want string
	}{
		{"SELECT * { ?s ?p ?o FILTER(@<urn:f>(?o)) }", "urn:f", "there is no function <urn:f>"},
		{"SELECT (@<urn:f>(?o) AS ?x) { ?s ?p ?o }", "urn:f", "there is no function <urn:f>"},
		{"SELECT (SUM(1 + @<urn:f>(?o)) AS ?x) { ?s ?p ?o }", "urn:f", "there is no function <urn:f>"},
		{"SELECT * { ?s ?p ?o } ORDER BY @<urn:f>(?o)", "urn:f", "there is no function <urn:f>"},
		{"SELECT (COUNT(*) AS ?n) { ?s ?p ?o } GROUP BY @<urn:f>(?o)", "urn:f", "there is no function <urn:f>"},
		{"SELECT (COUNT(*) AS ?n) { ?s ?p ?o } HAVING @<urn:f>(1)", "urn:f", "there is no function <urn:f>"},
		{"ASK { OPTIONAL { ?s ?p ?o FILTER EXISTS { { SELECT * { BIND(IF(1 IN (2, @<urn:f>(?o)), 3, 4) AS ?x) } } } } }", "urn:f", "there is no function <urn:f>"},
		{"ASK { { } UNION { GRAPH ?g { ?s ?p ?o MINUS { FILTER(!@<urn:f>(?o)) } } } }", "urn:f", "there is no function <urn:f>"},
		{"ASK { FILTER(@<http://www.w3.org/2001/XMLSchema#integer>(1, 2)) }", "http://www.w3.org/2001/XMLSchema#integer", "takes one argument, not 2"},
		{`ASK { ?s ?p ?o FILTER REGEX(?o, @"a(b") }`, "a(b", "missing closing )"},
		{`ASK { ?s ?p ?o FILTER REGEX(?o, @"(?=b)", "i") }`, "(?=b)", "look-ahead"},
		{`ASK { ?s ?p ?o FILTER REGEX(?o, @"a", "g") }`, "a", "unknown flag"},
		{`ASK { ?s ?p ?o BIND(REPLACE(?o, @"[", "x") AS ?x) }`, "[", "[ without ]"},
		{`ASK { ?s ?p ?o BIND(REPLACE(?o, @"([0-9.]*).*", "$1") AS ?x) }`, "([0-9.]*).*", "matches the empty text"},
		{`ASK { ?s ?p ?o FILTER(REGEX(?o, "a?") && REPLACE(?o, @"a?", ?y) = "") }`, "a?", "matches the empty text"},
		{`ASK { ?s ?p ?o FILTER(REPLACE(?o, @"^", "x", "m") = "") }`, "^", "matches the empty text"},
		{`ASK { ?s ?p ?o FILTER(REPLACE(?o, @"", "x", "q") = "") }`, "", "matches the empty text"},
		{`ASK { ?s ?p ?o FILTER(REPLACE(?o, @" ( ) | b", "x", "x") = "") }`, " ( ) | b", "matches the empty text"},
		{`ASK { ?s ?p ?o FILTER(REPLACE(?o, "a", "$0") = REPLACE(?o, "a", @"$")) }`, "$", "$ must come before a digit"},
	} {
		column := strings.Index(tt.text, "@") + 1
		text := strings.Replace(tt.text, "@", "", 1)
		_, err := sparql.Prepare(context.Background(), "# a line\n"+text, sparql.Options{})
		var refused *sparql.CheckError
		if !errors.As(err, &refused) {
			t.Errorf("%s: %v", text, err)
			continue
		}
		w := refused.Warnings[0]
		place := fmt.Sprintf("line 2, column %d: ", column)
		if len(refused.Warnings) != 1 || w.Name != tt.name || w.Line != 2 || w.Column != column || !strings.Contains(w.Message, tt.want) || !strings.HasPrefix(err.Error(), place) {
			t.Errorf("%s: %+v, %v", text, refused.Warnings, err)
		}
	}
}

// A variable that SELECT sets has no value in HAVING, of any query in the text.
func TestVariablesOfSelectInHavingAreWarnedOf(t *testing.T) {
	const count = "SELECT ?s (COUNT(?o) AS ?n) { ?s ?p ?o } GROUP BY ?s HAVING "
	for text, want := range map[string]int{
		count + "(@?n > 1)": 1, count + "(COUNT(?o) > 1)": 0, count + "(?s != <urn:a>)": 0, "SELECT * { { " + count + "(1 < @?n) } }": 1, count + "(COUNT(?o) > 1) ORDER BY ?n": 0,
		count + "(EXISTS { ?s ?p ?n FILTER(?n > 3) })": 0,
	} {
		q, err := sparql.Prepare(context.Background(), strings.Replace(text, "@", "", 1), sparql.Options{})
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		w := q.Warnings()
		if len(w) != want || want > 0 && (w[0].Name != "?n" || w[0].Line != 1 || w[0].Column != strings.Index(text, "@")+1) {
			t.Errorf("%s: %+v", text, w)
		}
	}
}

// Many variables in HAVING are compared with many of SELECT at once.
func TestHavingIsCheckedInNoTime(t *testing.T) {
	var items strings.Builder
	for i := range 40_000 {
		fmt.Fprintf(&items, "(1 AS ?a%d)", i)
	}
	text := "SELECT " + items.String() + " {} HAVING(1 IN(?z" + strings.Repeat(",?z", 150_000) + "))"
	suite.Within(t, "preparing", 2*time.Second, func() time.Duration {
		begun := time.Now()
		_, _ = sparql.Prepare(t.Context(), text, sparql.Options{})
		return time.Since(begun)
	})
}

// Constructs that other engines may refuse work, and cause a warning with name and
// position.
func TestForeignRegularExpressionsAreWarnedOf(t *testing.T) {
	const text = `SELECT * {
  VALUES ?o { "A cat" "concat" }
  FILTER(REGEX(?o, "(?i)\\bCAT\\b") || REGEX(?o, CONCAT("\\b", "x")))
}`
	q, err := sparql.Prepare(context.Background(), text, sparql.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, w := range q.Warnings() {
		names = append(names, w.Name)
		if w.Line != 3 || w.Column != 20 || !strings.Contains(w.Message, w.Name) {
			t.Errorf("%+v", w)
		}
	}
	if got := strings.Join(names, " "); got != `(?i) \b` {
		t.Errorf("warnings about %s", got)
	}
	ds := snapshot(t, openStore(t))
	a, err := run(context.Background(), q, ds, budget.Limits{})
	if err != nil || len(a.rows) != 1 || a.rows[0][0].Value() != "A cat" {
		t.Errorf("%v, %v", a, err)
	}
	x, err := q.Explain(context.Background(), ds, budget.Limits{})
	if err != nil || len(x.Warnings) != 2 || !strings.Contains(x.String(), "WARNING: line 3, column 20: ") {
		t.Errorf("%+v, %v", x, err)
	}
}

// Valid constructs, and those that are not constant, cause no warning.
func TestRightFunctionsAndPatternsAreNotWarnedOf(t *testing.T) {
	for _, text := range []string{
		`ASK { FILTER REGEX(?o, "^\\p{L}+\\s(a|b)*?$", "i") }`, `ASK { FILTER REGEX(?o, ?p) }`, `ASK { FILTER REGEX(?o, "(", ?flags) }`,
		`ASK { FILTER REGEX(?o, "(", "q") }`, `ASK { FILTER REGEX(?o, CONCAT("(", ?x)) }`,
		`ASK { FILTER(<http://www.w3.org/2001/XMLSchema#dateTime>(?o) > 1) }`, `ASK { FILTER CONTAINS(?o, "\\b(?i)") }`,
		`ASK { FILTER(REPLACE(?o, "^.+$", "$1$0") = REPLACE(?o, "a", "$", "q")) }`, `ASK { FILTER(REPLACE(?o, ?p, "") = REPLACE(?o, CONCAT("a", "*"), "")) }`,
	} {
		q, err := sparql.Prepare(context.Background(), text, sparql.Options{})
		if err != nil || len(q.Warnings()) > 0 {
			t.Errorf("%s: %v, %v", text, q, err)
		}
	}
}

// Checking patterns that are slow to compile stops at the deadline.
func TestCheckingPatternsStopsAtTheDeadline(t *testing.T) {
	for _, pattern := range []struct{ text, flags string }{{strings.Repeat(`\\w`, 100), ""}, {strings.Repeat("[B-\U0001E941]", 900), "i"}} {
		var b strings.Builder
		b.WriteString("ASK { ")
		for i := range 1500 {
			fmt.Fprintf(&b, `FILTER REGEX(?o, "%s%d", "%s") `, pattern.text, i, pattern.flags)
		}
		b.WriteString("}")
		stopsWithin(t, 260*time.Millisecond, func() {
			var over *budget.LimitError
			_, err := sparql.Prepare(context.Background(), b.String(), sparql.Options{Limits: budget.Limits{Time: 10 * time.Millisecond}})
			if !errors.As(err, &over) {
				t.Fatal(err)
			}
		})
	}
}
