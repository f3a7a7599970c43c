package syntax_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/segraph/segraph/store/sparql/syntax"
)

func TestBindNeedsANewVariable(t *testing.T) {
	const used = "BIND can't set ?x: a pattern before it in its group binds it"
	runErrors(t, []errorCase{
		{"SELECT * { ?x ?p ?o BIND(1 AS ?x) }", "line 1, column 31: " + used},
		{"SELECT * { BIND(1 AS ?x) BIND(2 AS ?x) }", "line 1, column 36: " + used},
		{"SELECT * { { ?x ?p ?o } BIND(1 AS ?x) }", "line 1, column 35: " + used},
		{"SELECT * { OPTIONAL { ?x ?p ?o } BIND(1 AS ?x) }", "line 1, column 44: " + used},
		{"SELECT * { { } UNION { ?x ?p ?o } BIND(1 AS ?x) }", "line 1, column 45: " + used},
		{"SELECT * { GRAPH ?x { } BIND(1 AS ?x) }", "line 1, column 35: " + used},
		{"SELECT * { SERVICE ?x { } BIND(1 AS ?x) }", "line 1, column 37: " + used},
		{"SELECT * { VALUES ?x { 1 } BIND(1 AS ?x) }", "line 1, column 38: " + used},
		{"SELECT * { { SELECT ?x { } } BIND(1 AS ?x) }", "line 1, column 40: " + used},
		{"SELECT * { { SELECT * { ?s ?x ?o } } BIND(1 AS ?x) }", "line 1, column 48: " + used},
		{"SELECT * { FILTER EXISTS { ?x ?p ?o BIND(1 AS ?x) } }", "line 1, column 47: " + used},
	})
	runRight(t,
		"SELECT * { BIND(1 AS ?x) ?x ?p ?o }",
		"SELECT * { ?x ?p ?o { BIND(1 AS ?x) } }",
		"SELECT * { MINUS { ?x ?p ?o } BIND(1 AS ?x) }",
		"SELECT * { FILTER(?x) BIND(1 AS ?x) }",
		"SELECT * { FILTER EXISTS { ?x ?p ?o } BIND(1 AS ?x) }",
		"SELECT * { { SELECT ?s { ?s ?p ?x } } BIND(1 AS ?x) }",
		"SELECT * { _:x ?p ?o BIND(1 AS ?x) }",
		"SELECT * { BIND(?x AS ?y) BIND(1 AS ?x) }",
	)
}

func TestSelectNeedsANewVariable(t *testing.T) {
	runErrors(t, []errorCase{
		{"SELECT (1 AS ?x) { ?x ?p ?o }", "line 1, column 14: SELECT can't set ?x: it has a value from the pattern"},
		{"SELECT (1 AS ?x) { } VALUES ?x { 1 }", "line 1, column 14: SELECT can't set ?x: it has a value from the pattern"},
		{"SELECT (1 AS ?x) (2 AS ?x) { }", "line 1, column 24: SELECT has the variable ?x already"},
		{"SELECT ?x (1 AS ?x) { }", "line 1, column 17: SELECT has the variable ?x already"},
		{"SELECT * { { SELECT (1 AS ?x) { ?x ?p ?o } } }", "line 1, column 27: SELECT can't set ?x: it has a value from the pattern"},
		{"SELECT (1 AS ?x) { ?s ?p ?o } GROUP BY (STR(?s) AS ?x)", "line 1, column 14: SELECT can't set ?x: it has a value from the pattern"},
		{"SELECT ?s { ?s ?p ?o } GROUP BY (STR(?s) AS ?s)", "line 1, column 45: GROUP BY can't set ?s: it has a value already"},
		{"SELECT ?x { ?s ?p ?o } GROUP BY (STR(?s) AS ?x) (STR(?p) AS ?x)", "line 1, column 61: GROUP BY can't set ?x: it has a value already"},
	})
	runRight(t,
		"SELECT (1 AS ?x) { FILTER(?x) }",
		"SELECT (1 AS ?x) { MINUS { ?x ?p ?o } }",
		"SELECT (COUNT(?x) AS ?x) { ?x ?p ?o }",
		"SELECT (1 AS ?x) (?x + 1 AS ?y) { }",
		"SELECT ?x ?x { ?x ?p ?o }",
	)
}

func TestGroupsShowOnlyWhatTheyHave(t *testing.T) {
	const loose = " has no single value in a group: name it in GROUP BY, or put it into an aggregate such as SAMPLE("
	runErrors(t, []errorCase{
		{"SELECT ?o { ?s ?p ?o } GROUP BY ?s", "line 1, column 8: ?o" + loose + "?o)"},
		{"SELECT ?s (COUNT(*) AS ?n) { ?s ?p ?o }", "line 1, column 8: ?s" + loose + "?s)"},
		{"SELECT (COUNT(?o) + ?o AS ?n) { ?s ?p ?o } GROUP BY ?s", "line 1, column 21: ?o" + loose + "?o)"},
		{"SELECT (?n AS ?m) (COUNT(*) AS ?n) { }", "line 1, column 9: ?n" + loose + "?n)"},
		{"SELECT ?s { ?s ?p ?o } HAVING (COUNT(*) > 1)", "line 1, column 8: ?s" + loose + "?s)"},
		{"SELECT ?s { ?s ?p ?o } ORDER BY COUNT(*)", "line 1, column 8: ?s" + loose + "?s)"},
		{"SELECT (IF(?s IN (?o), 1, 2) AS ?n) { ?s ?p ?o } GROUP BY ?s", "line 1, column 19: ?o" + loose + "?o)"},
		{"SELECT (<x:f>(?o) AS ?n) { ?s ?p ?o } GROUP BY ?s", "line 1, column 15: ?o" + loose + "?o)"},
		{"SELECT ?s { ?s ?p ?o } GROUP BY (?s + 1)", "line 1, column 8: ?s" + loose + "?s)"},
		{"SELECT ?v { ?s ?p ?o } GROUP BY ?s VALUES ?v { 1 }", "line 1, column 8: ?v" + loose + "?v)"},
		{"SELECT * { ?s ?p ?o } GROUP BY ?s", "line 1, column 1: SELECT * is not allowed with groups: name the variables of GROUP BY, and aggregates"},
		{"ASK { SELECT * { ?s ?p ?o } ORDER BY COUNT(*) }", "line 1, column 7: SELECT * is not allowed with groups: name the variables of GROUP BY, and aggregates"},
	})
	runRight(t,
		"SELECT ?s (COUNT(?o) AS ?n) (?n + 1 AS ?m) ?n { ?s ?p ?o } GROUP BY ?s",
		"SELECT ?k (SUM(?o + ?p) AS ?n) { ?s ?p ?o } GROUP BY (STR(?s) AS ?k)",
		"SELECT (EXISTS { ?s ?q ?r } AS ?x) { ?s ?p ?o } GROUP BY ?s",
		"SELECT (<x:f>(DISTINCT ?o) AS ?n) { ?s ?p ?o } GROUP BY ?s",
		"SELECT ?s { ?s ?p ?o } HAVING (?o > 1)",
	)
}

func TestAggregatesStandWhereTheyMay(t *testing.T) {
	const where = " is an aggregate, which is allowed only in SELECT, HAVING and ORDER BY, not in "
	runErrors(t, []errorCase{
		{"ASK { FILTER(COUNT(*) > 1) }", "line 1, column 14: COUNT" + where + "FILTER"},
		{"ASK { BIND(1 + SUM(?x) AS ?y) }", "line 1, column 16: SUM" + where + "BIND"},
		{"ASK { } GROUP BY COUNT(?x)", "line 1, column 18: COUNT" + where + "GROUP BY"},
		{"ASK { FILTER <x:f>(DISTINCT ?x) }", "line 1, column 14: a function with DISTINCT" + where + "FILTER"},
		{"SELECT (COUNT(1 + SUM(?x)) AS ?y) { }", "line 1, column 19: SUM is not allowed inside another aggregate"},
		{"SELECT (<x:f>(DISTINCT COUNT(?x)) AS ?y) { }", "line 1, column 24: COUNT is not allowed inside another aggregate"},
		{"ASK { } HAVING EXISTS { FILTER(MAX(?x)) }", "line 1, column 32: MAX" + where + "FILTER"},
		{"SELECT (SUM(EXISTS { FILTER(MAX(?x)) }) AS ?y) { }", "line 1, column 29: MAX" + where + "FILTER"},
	})
}

func TestBlankNodeLabelsBelongToOneBasicGraphPattern(t *testing.T) {
	const twice = "the blank node _:a is also in the basic graph pattern at line 1, column 12; a label may occur in only one of them"
	runErrors(t, []errorCase{
		{"SELECT * { _:a ?p ?o . { _:a ?q 1 } }", "line 1, column 26: " + twice},
		{"SELECT * { _:a ?p ?o OPTIONAL { } ?s ?q _:a }", "line 1, column 41: " + twice},
		{"SELECT * { _:a ?p ?o BIND(1 AS ?x) _:a ?q 1 }", "line 1, column 36: " + twice},
		{"SELECT * { _:a ?p ?o VALUES ?x { } _:a ?q 1 }", "line 1, column 36: " + twice},
		{"SELECT * { _:a ?p ?o FILTER EXISTS { _:a ?q 1 } }", "line 1, column 38: " + twice},
		{"SELECT * { _:a ?p ?o { SELECT * { _:a ?q 1 } } }", "line 1, column 35: " + twice},
	})
	runRight(t,
		"SELECT * { _:a ?p ?o FILTER(?o) _:a ?q 1 }",
		"SELECT * { _:a <x:p>* ?o . _:a ?q 1 }",
		"CONSTRUCT { _:a ?p ?o } { _:a ?p ?o }",
	)
}

func TestValuesNamesAVariableOnce(t *testing.T) {
	runErrors(t, []errorCase{
		{"ASK { VALUES (?x ?y ?x) { } }", "line 1, column 21: VALUES has the variable ?x twice"},
		{"ASK { } VALUES (?x ?x) { }", "line 1, column 20: VALUES has the variable ?x twice"},
	})
}

func TestStarShowsWhatIsInScopeInTheOrderOfTheText(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"SELECT * { ?b ?a _:x . ?c <x:p>/<x:q> [] FILTER(?f) }", "b a c"},
		{"SELECT * { OPTIONAL { ?z ?y ?x } GRAPH ?g { ?a ?x ?b } MINUS { ?m ?n ?o } }", "z y x g a b"},
		{"SELECT * { { ?l ?l ?l } UNION { ?r ?s ?t ; ?u ?v } BIND(1 AS ?w) VALUES (?i ?h) { } } VALUES ?j { }", "l r s t u v w i h j"},
		{"SELECT * { ?a ?b ?c { SELECT ?z (1 AS ?y) { ?x ?z ?c } } ?d ?e ?f }", "a b c z y d e f"},
		{"SELECT * { SELECT * { ?c ?b ?a } }", "c b a"},
		{"DESCRIBE * { ?c ?b ?a } VALUES ?d { }", "c b a d"},
		{"SELECT ?q ?a ?q { ?a ?b ?c }", "q a"},
	} {
		q, err := syntax.ParseQuery(tt.text, syntax.Options{})
		if err != nil {
			t.Errorf("%s: %v", tt.text, err)
			continue
		}
		if !slices.Equal(q.Variables, strings.Fields(tt.want)) {
			t.Errorf("%s shows %v, want %s", tt.text, q.Variables, tt.want)
		}
	}
}

func runRight(t *testing.T, texts ...string) {
	t.Helper()
	for _, text := range texts {
		q, err := syntax.ParseQuery(text, syntax.Options{})
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		checkPrint(t, q)
	}
}
