package syntax_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/segraph/segraph/store/sparql/syntax"
)

// seeds returns the queries of testdata, and texts with various errors.
func seeds(f *testing.F) (texts []string) {
	files, err := filepath.Glob(filepath.Join("testdata", "*.txt"))
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		for block := range strings.SplitSeq(string(content), "\n==\n") {
			query, _, _ := strings.Cut(block, "\n--\n")
			texts = append(texts, withPrologue(query))
		}
	}
	return append(texts, "", "\uFEFFASK {", "SELECT (COUNT(*) AS ?n) {} GROUP BY ?", "ASK { ?s <p ?o }", "ASK { ((((", "INSERT",
		"ASK { ?s ?p \"\\u12\" }", "ASK { ?s ?p '''a''", "PREFIX a: <#> ASK { a:%4", "ASK { ?s ?p 1.2e }", "ASK { ?a << ?b }", "\xff", "ASK { ?s ?p \"a\"@en--x }",
		"ASK { FILTER(1 --1 - - 1 +-1) }", "SELECT*{}VALUES(){()()}", "# only a comment", "ASK\r\n{\r}", "ASK{_:a.b.?p _:b0.[]?p()}")
}

// FuzzParse checks that, for any text, parsing does not panic, an error has a known type
// and its position is in the text, and a query's kind is its form.
func FuzzParse(f *testing.F) {
	for _, text := range seeds(f) {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		q, err := syntax.ParseQuery(text, syntax.Options{Base: "http://e/"})
		var wrong *syntax.Error
		var update *syntax.UpdateError
		kind := syntax.Kind(text)
		switch {
		case errors.As(err, &wrong):
			checkPlace(t, text, wrong)
		case errors.As(err, &update):
			checkPlace(t, text, &syntax.Error{Line: update.Line, Column: update.Column})
			if kind != "update" {
				t.Errorf("an update is of kind %q", kind)
			}
		case err != nil:
			t.Errorf("%T: %v", err, err)
		case kind != q.Form.String():
			t.Errorf("a query of kind %q, but its form is %q", kind, q.Form)
		}
	})
}

// FuzzPrintParse checks that a query which parses is printed as text that parses to the
// same query, within the same depth, and is printed the same again.
func FuzzPrintParse(f *testing.F) {
	for _, text := range seeds(f) {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		q, err := syntax.ParseQuery(text, syntax.Options{Base: "http://e/", MaxDepth: 12})
		if err != nil {
			return
		}
		checkPrint(t, q)
		again, err := syntax.ParseQuery(q.String(), syntax.Options{MaxDepth: 12})
		if err != nil {
			t.Fatalf("%s\nis printed deeper: %v\n%s", text, err, q)
		}
		if again.String() != q.String() {
			t.Errorf("printed again as\n%s\ninstead of\n%s", again, q)
		}
	})
}
