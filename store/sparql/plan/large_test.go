package plan_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/segraph/segraph/internal/suite"
	"github.com/segraph/segraph/store/sparql/plan"
)

// Planning takes an acceptable time, however large the query.
func TestPlanningLargeQueriesIsQuick(t *testing.T) {
	var star, chain strings.Builder
	for i := range 200 {
		fmt.Fprintf(&star, "?a :p%d ?v%d . ", i, i)
		fmt.Fprintf(&chain, "?v%d :mid ?v%d . ", i, i+1)
	}
	deep := "?x :mid ?y"
	for i := range 50 {
		deep = fmt.Sprintf("?x :few ?y%d . { %s } UNION { ?x :big ?w } OPTIONAL { ?y%d :mid ?z%d }", i, deep, i, i)
	}
	var branching func(depth int) string
	branching = func(depth int) string {
		if depth == 0 {
			return "{ ?a :mid ?b . ?b :few ?c . ?c :big ?d }"
		}
		below := branching(depth - 1)
		return "{ ?a :mid ?b . " + below + " UNION " + below + " ?b :few ?c OPTIONAL " + below + " }"
	}
	minus, sorted := "?a :mid ?b", "?a :mid ?b"
	for range 18 { // each level must not double the time
		minus = "?a :mid ?b MINUS { " + minus + " }"
		sorted = "{ SELECT * { ?a :mid ?b . " + sorted + " } ORDER BY ?b LIMIT 5 }"
	}
	for name, text := range map[string]string{
		"MINUS 18 deep":                         "SELECT * { " + minus + " }",
		"ORDER BY and LIMIT 18 deep":            "SELECT * { " + sorted + " }",
		"a star of 200 patterns":                "SELECT * { " + star.String() + "}",
		"a chain of 200 patterns":               "SELECT DISTINCT ?v0 { " + chain.String() + "}",
		"groups 50 deep":                        "SELECT * { " + deep + " }",
		"243 groups, three in each of the next": "SELECT * " + branching(5),
	} {
		t.Run(name, func(t *testing.T) {
			q := translate(t, text)
			suite.Within(t, "planning", time.Second, func() time.Duration {
				begun := time.Now()
				if _, err := plan.Query(q, counts{}, nil); err != nil {
					t.Fatal(err)
				}
				return time.Since(begun)
			})
		})
	}
}
