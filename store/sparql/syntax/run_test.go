package syntax_test

import (
	"strings"
	"testing"
	"time"

	"github.com/segraph/segraph/internal/suite"
	"github.com/segraph/segraph/store/sparql/syntax"
)

// Tokens need no white space between them if the longest possible token is a keyword or a
// number.
func TestKeywordsAndNumbersNeedNoSpaceBetween(t *testing.T) {
	for run, spaced := range map[string]string{
		"SELECT * {}LIMIT5":                        "SELECT * {} LIMIT 5",
		"SELECT*{}LIMIT5OFFSET3":                   "SELECT * {} LIMIT 5 OFFSET 3",
		"SELECT*{}limit 5offset3":                  "SELECT * {} LIMIT 5 OFFSET 3",
		"SELECT*{?s?p?o}ORDERBY?s":                 "SELECT * { ?s ?p ?o } ORDER BY ?s",
		"SELECT*{?s?p?o}ORDERBYDESC(?s)ASC(?p)":    "SELECT * { ?s ?p ?o } ORDER BY DESC(?s) ASC(?p)",
		"SELECT?s{?s?p?o}GROUPBY?s HAVING(1)":      "SELECT ?s { ?s ?p ?o } GROUP BY ?s HAVING(1)",
		"SELECTDISTINCT?s{?s?p?o}":                 "SELECT DISTINCT ?s { ?s ?p ?o }",
		"SELECTREDUCED*FROMNAMED<urn:g>WHERE{}":    "SELECT REDUCED * FROM NAMED <urn:g> WHERE {}",
		"ASKWHERE{FILTERNOTEXISTS{?s?p?o}}":        "ASK WHERE { FILTER NOT EXISTS { ?s ?p ?o } }",
		"ASK{FILTER(1NOTIN(1))}":                   "ASK { FILTER(1 NOT IN (1)) }",
		"ASK{FILTERREGEX('a','b')OPTIONAL{}}":      "ASK { FILTER REGEX('a', 'b') OPTIONAL {} }",
		"ASK{FILTERSHA1('a')}":                     "ASK { FILTER SHA1('a') }",
		"ASK{VALUES?x{UNDEFUNDEF5e3TRUEFALSE5}}":   "ASK { VALUES ?x { UNDEF UNDEF 5e3 TRUE FALSE 5 } }",
		"ASK{?s?p true.OPTIONAL{}OPTIONAL{}}":      "ASK { ?s ?p true . OPTIONAL {} OPTIONAL {} }",
		"ASK{?s?p 1OPTIONAL{}}":                    "ASK { ?s ?p 1 OPTIONAL {} }",
		"ASK{?s a?o}":                              "ASK { ?s a ?o }",
		"SELECT(1AS?x)(COUNT(DISTINCT?y)AS?z){}":   "SELECT (1 AS ?x) (COUNT(DISTINCT ?y) AS ?z) {}",
		"PREFIX LIMIT5:<urn:>ASK{LIMIT5:a?p?o}":    "PREFIX LIMIT5: <urn:> ASK { LIMIT5:a ?p ?o }", // a name is longer
		"CONSTRUCTWHERE{?s?p?o}":                   "CONSTRUCT WHERE { ?s ?p ?o }",
		"BASE<urn:a>DESCRIBE<urn:a>FROM<urn:b>":    "BASE <urn:a> DESCRIBE <urn:a> FROM <urn:b>",
		"ASK{GRAPH?g{}MINUS{}BIND(IF(1,2,3)AS?x)}": "ASK { GRAPH ?g {} MINUS {} BIND(IF(1, 2, 3) AS ?x) }",
	} {
		got, err := syntax.ParseQuery(run, syntax.Options{})
		if err != nil {
			t.Errorf("%s: %v", run, err)
			continue
		}
		want, err := syntax.ParseQuery(spaced, syntax.Options{})
		if err != nil {
			t.Fatalf("%s: %v", spaced, err)
		}
		if got.String() != want.String() {
			t.Errorf("%s:\n%s", run, got)
		}
	}
	for _, text := range []string{"SELECT * {} LIMITED5", "SELECT * {} LIMIT5x", "ASK{FILTERREGEXP('a','b')}", "SELECT * {} LIMIT+5", "SELEC T * {}"} {
		if q, err := syntax.ParseQuery(text, syntax.Options{}); err == nil {
			t.Errorf("%s is read: %s", text, q)
		}
	}
	if kind := syntax.Kind("DELETEDATA{<urn:a> <urn:b> 1}"); kind != "update" {
		t.Errorf("DELETEDATA is of kind %s", kind)
	}
}

// A long run of keywords takes linear time.
func TestALongRunOfKeywordsIsReadQuickly(t *testing.T) {
	suite.NotShort(t)
	for _, text := range []string{strings.Repeat("IN", 500_000), strings.Repeat("IN", 500_000) + "x", strings.Repeat("UNDEF5", 150_000)} {
		text = "ASK { VALUES ?x { " + text
		suite.Within(t, "reading", time.Second, func() time.Duration {
			begun := time.Now()
			if _, err := syntax.ParseQuery(text, syntax.Options{}); err == nil {
				t.Fatal("it is read")
			}
			return time.Since(begun)
		})
	}
}
