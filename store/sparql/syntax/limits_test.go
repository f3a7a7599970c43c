package syntax_test

import (
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/segraph/segraph/internal/suite"
	"github.com/segraph/segraph/store/sparql/syntax"
)

// nests lists ways to nest: a start, the opening of a level, the middle, the closing of a
// level, and an end. extra is the number of levels added by the rest of the query.
var nests = map[string]struct {
	start, open, middle, close, end string
	extra                           int
}{
	"groups":      {"ASK ", "{", "", "}", "", 0},
	"optionals":   {"ASK {", "OPTIONAL {", "", "}", "}", 1},
	"unions":      {"ASK {", "{} UNION {", "", "}", "}", 1},
	"subqueries":  {"ASK ", "{ SELECT * ", "{}", "}", "", 1},
	"exists":      {"ASK {", "FILTER EXISTS {", "", "}", "}", 1},
	"brackets":    {"ASK { FILTER ", "(", "?x", ")", "}", 1},
	"not":         {"ASK { FILTER (", "!", "?x", "", ")}", 2},
	"functions":   {"ASK { FILTER (", "STR(", "?x", ")", ")}", 2},
	"calls":       {"ASK { FILTER (", "<x:f>(", "?x", ")", ")}", 2},
	"in":          {"ASK { FILTER (", "?x IN (", "?x", ")", ")}", 2},
	"sums":        {"ASK { FILTER (?x", "", "", "+1", ")}", 2},
	"differences": {"ASK { FILTER (?x", "", "", " - ?y", ")}", 2},
	"products":    {"ASK { FILTER (?x", "", "", "*?x", ")}", 2},
	"lists":       {"ASK { ?s ?p ", "(", "1", ")", "}", 1},
	"blank nodes": {"ASK { ?s ?p ", "[?p ", "1", "]", "}", 1},
	"paths":       {"ASK { ?s ", "(", "<x:p>|<x:q>", ")", " ?o }", 1},
	"inverses":    {"ASK { ?s ", "^(", "<x:p>", ")", " ?o }", 1},
	"repeats":     {"ASK { ?s ", "(", "<x:p>", "*)", " ?o }", 1},
	"terms":       {"ASK { ?s ?p ", "<<( ?a ?b ", "1", ")>>", "}", 1},
	"subjects":    {"ASK { ?s ?p ", "<<( ", "?a", "?b 1 )>>", "}", 1},
	"reified":     {"ASK { ?s ?p ", "<< ?a ?b ", "1", ">>", "}", 1},
	"annotations": {"ASK { ?s ?p ?o ", "{| ?p ?o ", "", "|}", "}", 1},
	"data":        {"ASK { VALUES ?x { ", "<<( <x:s> <x:p> ", "1", ")>>", "} }", 1},
	"calls <<":    {"ASK { BIND( ", "<<( ?s ?p ", "1", ")>>", " AS ?x) }", 2},
	"templates":   {"CONSTRUCT { ?s ?p ", "[?p ", "1", "]", "} {}", 0},
}

// TestNestingIsLimited checks that the limit is exact, that a tree of that depth prints
// as text within the limit, and that four megabytes of levels are refused with a small
// stack.
func TestNestingIsLimited(t *testing.T) {
	suite.NotShort(t)
	defer debug.SetMaxStack(debug.SetMaxStack(4 << 20))
	for name, n := range nests {
		t.Run(name, func(t *testing.T) {
			nest := func(levels int) string {
				return n.start + strings.Repeat(n.open, levels) + n.middle + strings.Repeat(n.close, levels) + n.end
			}
			limits := []int{20, syntax.DefaultMaxDepth}
			if name == "data" { // terms have a lower limit of their own
				limits = limits[:1]
				if _, err := syntax.ParseQuery(nest(50), syntax.Options{}); err != nil {
					t.Error(err)
				}
				if _, err := syntax.ParseQuery(nest(51), syntax.Options{}); err == nil || !strings.Contains(err.Error(), "triple terms are nested deeper than 50") {
					t.Errorf("51 levels: the error is %v", err)
				}
			}
			for _, limit := range limits {
				options := syntax.Options{MaxDepth: limit}
				q, err := syntax.ParseQuery(nest(limit-n.extra), options)
				if err != nil {
					t.Fatalf("%d levels: %v", limit, err)
				}
				if _, err := syntax.ParseQuery(q.String(), options); err != nil {
					t.Errorf("%d levels, printed: %v", limit, err)
				}
				wantTooDeep(t, nest(limit-n.extra+1), options)
			}
			size := suite.Size(4<<20, 1<<18)
			wantTooDeep(t, nest(size/len(n.open+n.close)), syntax.Options{})
			if n.open != "" {
				wantTooDeep(t, n.start+strings.Repeat(n.open, size/len(n.open)), syntax.Options{})
			}
		})
	}
}

// The depth of a chain is the depth of its deepest operand, plus the number of
// operators after it.
func TestChainsInOneAnotherAreLimited(t *testing.T) {
	text := "?x"
	for range 10 {
		text = "(" + text + strings.Repeat("+1", 50) + ")"
	}
	wantTooDeep(t, "ASK { FILTER "+text+"}", syntax.Options{})
	if _, err := syntax.ParseQuery("ASK { FILTER "+text+"}", syntax.Options{MaxDepth: 520}); err != nil {
		t.Error(err)
	}
	exists := "EXISTS {}"
	for range 3 {
		exists = "EXISTS { FILTER(" + exists + strings.Repeat("*1", 200) + ") }"
	}
	wantTooDeep(t, "ASK { FILTER "+exists+"}", syntax.Options{})
}

// Only the length of the text limits the width of a query.
func TestWidthIsNotLimited(t *testing.T) {
	for name, text := range map[string]string{
		"or":           "ASK { FILTER(?x" + strings.Repeat(" || ?x", 5000) + ") }",
		"and":          "ASK { FILTER(?x" + strings.Repeat(" && ?x = 1 + 2", 5000) + ") }",
		"in":           "ASK { FILTER(?x IN (1" + strings.Repeat(", 1", 5000) + ")) }",
		"unions":       "ASK { {}" + strings.Repeat(" UNION {}", 5000) + " }",
		"triples":      "ASK { " + strings.Repeat("?s ?p ?o .", 5000) + " }",
		"lists":        "ASK { ?s ?p (" + strings.Repeat("1 ", 5000) + ") }",
		"sequences":    "ASK { ?s <x:p>" + strings.Repeat("/<x:p>", 5000) + " ?o }",
		"alternatives": "ASK { ?s <x:p>" + strings.Repeat("|<x:p>", 5000) + " ?o }",
		"filters":      "ASK { " + strings.Repeat("FILTER(?x)", 5000) + " }",
		"values":       "ASK { VALUES ?x {" + strings.Repeat("1 ", 5000) + "} }",
	} {
		q, err := syntax.ParseQuery(text, syntax.Options{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		checkPrint(t, q)
	}
}

// Nested SELECT * repeat the same columns. The total number of columns has a limit.
func TestColumnsOfStarsAreLimited(t *testing.T) {
	suite.NotShort(t)
	var b strings.Builder
	for n := range 20_000 {
		fmt.Fprintf(&b, "?v%d <x:p> 1 .", n)
	}
	nest := func(levels int) string {
		return strings.Repeat("SELECT * { ", levels) + b.String() + strings.Repeat("}", levels)
	}
	q, err := syntax.ParseQuery(nest(13), syntax.Options{})
	if err != nil || len(q.Variables) != 20_000 {
		t.Errorf("13 stars: %v", err)
	}
	if _, err := syntax.ParseQuery(nest(14), syntax.Options{}); err == nil || !strings.Contains(err.Error(), "more than 262144 columns") {
		t.Errorf("14 stars: %v", err)
	}
}

func wantTooDeep(t *testing.T, text string, o syntax.Options) {
	t.Helper()
	limit := o.MaxDepth
	if limit == 0 {
		limit = syntax.DefaultMaxDepth
	}
	_, err := syntax.ParseQuery(text, o)
	var e *syntax.Error
	if !errors.As(err, &e) || e.Msg != fmt.Sprintf("the query nests deeper than %d levels", limit) {
		t.Errorf("%d bytes give %v", len(text), err)
		return
	}
	checkPlace(t, text, e)
}
