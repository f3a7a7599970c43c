package syntax_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/segraph/segraph/store/sparql/syntax"
)

var update = flag.Bool("update", false, "write the trees of testdata anew, to be looked at before they are kept")

// TestTrees compares the trees of the queries in testdata. A case is a query, a line of
// "--", its tree, and a line of "==". Queries are parsed with the base <http://e/> and,
// unless they have a prologue, with "PREFIX : <http://e/>".
func TestTrees(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("testdata", "*.txt"))
	if err != nil || len(files) < 6 {
		t.Fatalf("%d files of trees, %v", len(files), err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			content, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			var out strings.Builder
			for block := range strings.SplitSeq(strings.TrimSuffix(string(content), "\n==\n"), "\n==\n") {
				query, want, _ := strings.Cut(block+"\n", "\n--\n")
				want = strings.TrimSuffix(want, "\n")
				q, err := syntax.ParseQuery(withPrologue(query), syntax.Options{Base: "http://e/"})
				if err != nil {
					t.Errorf("%s\n%v", query, err)
					continue
				}
				checkPrint(t, q)
				got := strings.Replace(dump(q)+"\n", "\n  base http://e/\n", "\n", 1)
				if !strings.HasPrefix(query, "PREFIX") && !strings.HasPrefix(query, "BASE") {
					got = strings.Replace(got, "\n  prefix : http://e/\n", "\n", 1)
				}
				got = strings.TrimSuffix(got, "\n")
				if got != want && !*update {
					t.Errorf("%s\nis\n%s\nwant\n%s", query, got, want)
				}
				out.WriteString(query + "\n--\n" + got + "\n==\n")
			}
			if *update && !t.Failed() {
				if err := os.WriteFile(file, []byte(out.String()), 0o600); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

func withPrologue(query string) string {
	for _, word := range []string{"PREFIX", "BASE", "VERSION"} {
		if strings.HasPrefix(query, word) {
			return query
		}
	}
	return "PREFIX : <http://e/>\n" + query
}
