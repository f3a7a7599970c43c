package syntax_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/segraph/segraph/store/sparql/syntax"
)

// The SPARQL 1.0 syntax suite consists of the five folders syntax-sparql1 to 5, with 81 +
// 53 + 51 + 12 + 2 tests, 149 positive and 50 negative.
func TestW3CSyntax10(t *testing.T) {
	var tests []suiteTest
	for _, s := range suiteTests(t, "sparql10", "manifest-syntax.ttl") {
		if strings.HasPrefix(s.folder, "syntax-sparql") {
			tests = append(tests, s)
		}
	}
	runSyntax(t, tests, 149, 50)
}

// The SPARQL 1.1 syntax suite consists of the 94 tests of syntax-query (63 positive, 31
// negative) and the negative ones among the evaluation tests: 5 of aggregates, 2 of
// construct and 2 of grouping. The 8 of delete-insert are updates, and the 3 of
// syntax-fed do not belong to the query language: see TestW3CUpdates and TestW3CService.
func TestW3CSyntax11(t *testing.T) {
	var tests []suiteTest
	for _, s := range suiteTests(t, "sparql11", "manifest-all.ttl") {
		if strings.HasSuffix(s.kind, "iveSyntaxTest11") && s.folder != "delete-insert" && s.folder != "syntax-fed" {
			tests = append(tests, s)
		}
	}
	runSyntax(t, tests, 63, 40)
}

// The 180 SPARQL 1.2 syntax tests of queries. Updates are in TestW3CUpdates12.
func TestW3CSyntax12(t *testing.T) {
	for _, tt := range []struct {
		folder             string
		positive, negative int
	}{
		{"syntax-triple-terms-positive", 95, 0},
		{"syntax-triple-terms-negative", 0, 63},
		{"codepoint-escapes", 0, 9},
		{"lang-basedir", 0, 1},
		{"syntax", 1, 5},
		{"version", 6, 3},
	} {
		t.Run(tt.folder, func(t *testing.T) {
			var tests []suiteTest
			for _, s := range suiteTests(t, "sparql12", tt.folder, "manifest.ttl") {
				if strings.HasSuffix(s.kind, "iveSyntaxTest") {
					tests = append(tests, s)
				}
			}
			runSyntax(t, tests, tt.positive, tt.negative)
		})
	}
}

// The 23 updates of SPARQL 1.2 are refused by their word, both valid and invalid ones.
func TestW3CUpdates12(t *testing.T) {
	n := 0
	for _, s := range suiteTests(t, "sparql12", "manifest.ttl") {
		if !strings.Contains(s.kind, "Update") {
			continue
		}
		n++
		_, err := syntax.ParseQuery(s.text, syntax.Options{Base: s.base})
		var update *syntax.UpdateError
		if !errors.As(err, &update) {
			t.Errorf("%s gives %v", s.path, err)
		}
	}
	t.Logf("%d updates refused", n)
	if n != 23 {
		t.Errorf("%d updates, want 23", n)
	}
}

// The three tests of syntax-fed, and the queries of the federation tests.
func TestW3CService(t *testing.T) {
	n := 0
	for _, s := range suiteTests(t, "sparql11", "manifest-all.ttl") {
		if s.folder != "syntax-fed" && s.folder != "service" {
			continue
		}
		n++
		q := parseTest(t, s)
		if q == nil {
			continue
		}
		var refused *syntax.ServiceError
		if err := q.RefuseService(); !errors.As(err, &refused) || !strings.HasPrefix(after(s.text, refused.Line, refused.Column), "SERVICE") {
			t.Errorf("%s: refused with %v", s.path, err)
		}
	}
	if n != 10 {
		t.Errorf("%d tests, want 3 and 7", n)
	}
}

// Every query of the evaluation tests parses: 283 of SPARQL 1.0 (one that its manifest
// defines is not in its list of entries), 235 of 1.1 (without the 70 of entailment and 7
// of federation, and with the 3 of the CSV results), and 63 of 1.2.
func TestW3CEvaluationQueriesParse(t *testing.T) {
	ten, eleven, twelve := evaluationTests(t)
	for _, part := range []struct {
		tests []suiteTest
		want  int
	}{{ten, 283}, {eleven, 235}, {twelve, 63}} {
		read := 0
		for _, s := range part.tests {
			if q := parseTest(t, s); q != nil {
				read++
				if err := q.RefuseService(); err != nil {
					t.Errorf("%s: %v", s.path, err)
				}
			}
		}
		t.Logf("%d of %d queries read", read, len(part.tests))
		if len(part.tests) != part.want {
			t.Errorf("%d tests, want %d", len(part.tests), part.want)
		}
	}
}

// Every update of the SPARQL 1.1 suites is refused: 94 of evaluation tests, 55 of
// syntax-update-1 and 2 (13 of them invalid), and 8 invalid ones of delete-insert.
// Three valid ones are an empty text or only a prologue, so the error can name no
// word. As queries, they end too early.
func TestW3CUpdates(t *testing.T) {
	n, named := 0, 0
	empty := []string{"syntax-update-38.ru", "syntax-update-39.ru", "syntax-update-40.ru"}
	for _, s := range suiteTests(t, "sparql11", "manifest-all.ttl") {
		if !strings.Contains(s.kind, "Update") && s.folder != "delete-insert" {
			continue
		}
		n++
		_, err := syntax.ParseQuery(s.text, syntax.Options{Base: s.base})
		var update *syntax.UpdateError
		var wrong *syntax.Error
		switch {
		case errors.As(err, &update):
			named++
			if word := after(s.text, update.Line, update.Column); !strings.EqualFold(word[:len(update.Word)], update.Word) {
				t.Errorf("%s: %v, but there stands %q", s.path, err, word)
			}
			if kind := syntax.Kind(s.text); kind != "update" {
				t.Errorf("%s is of kind %q", s.path, kind)
			}
		case errors.As(err, &wrong) && slices.ContainsFunc(empty, func(name string) bool { return strings.HasSuffix(s.path, name) }):
		default:
			t.Errorf("%s gives %v", s.path, err)
		}
	}
	t.Logf("%d updates refused, %d of them by their word", n, named)
	if n != 157 || named != 154 {
		t.Errorf("%d updates, %d of them by their word; want 157 and 154", n, named)
	}
}

// evaluationTests returns the evaluation tests of each suite.
func evaluationTests(t testing.TB) (ten, eleven, twelve []suiteTest) {
	for _, s := range suiteTests(t, "sparql10", "manifest.ttl") {
		if s.kind == "QueryEvaluationTest" {
			ten = append(ten, s)
		}
	}
	for _, s := range suiteTests(t, "sparql11", "manifest-all.ttl") {
		if (s.kind == "QueryEvaluationTest" || s.kind == "CSVResultFormatTest") && s.folder != "entailment" && s.folder != "service" {
			eleven = append(eleven, s)
		}
	}
	for _, s := range suiteTests(t, "sparql12", "manifest.ttl") {
		if s.kind == "QueryEvaluationTest" {
			twelve = append(twelve, s)
		}
	}
	return ten, eleven, twelve
}

// runSyntax runs positive and negative syntax tests, and checks their numbers.
func runSyntax(t *testing.T, tests []suiteTest, positive, negative int) {
	t.Helper()
	passed, right, wrong := 0, 0, 0
	for _, s := range tests {
		if strings.HasPrefix(s.kind, "Positive") {
			right++
			if parseTest(t, s) != nil {
				passed++
			}
			continue
		}
		wrong++
		_, err := syntax.ParseQuery(s.text, syntax.Options{Base: s.base})
		var e *syntax.Error
		if !errors.As(err, &e) {
			t.Errorf("%s (%s) gives %v, want an *Error:\n%s", s.name, s.path, err, s.text)
			continue
		}
		checkPlace(t, s.text, e)
		t.Logf("%s: %v", s.name, err)
		passed++
	}
	t.Logf("%d of %d passed: %d positive, %d negative", passed, len(tests), right, wrong)
	if right != positive || wrong != negative {
		t.Errorf("%d positive and %d negative tests, want %d and %d", right, wrong, positive, negative)
	}
}

// parseTest parses a valid query, and checks how it prints.
func parseTest(t *testing.T, s suiteTest) *syntax.Query {
	t.Helper()
	q, err := syntax.ParseQuery(s.text, syntax.Options{Base: s.base})
	if err != nil {
		t.Errorf("%s (%s): %v\n%s", s.name, s.path, err, s.text)
		return nil
	}
	checkPrint(t, q)
	if kind := syntax.Kind(s.text); kind != q.Form.String() {
		t.Errorf("%s is of kind %q, want %q", s.path, kind, q.Form)
	}
	return q
}

// after returns the text from a position on.
func after(text string, line, column int) string {
	lines := strings.SplitAfter(text, "\n")
	rest := []rune(strings.Join(lines[line-1:], ""))
	return string(rest[column-1:])
}
