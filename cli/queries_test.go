package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/segraph/segraph/docs"
	"github.com/segraph/segraph/internal/suite"
)

// Each query that the documentation lists is a file in docs/examples, named after its title,
// and returns the answer that is beside it. go test -update writes the answers.
func TestTheQueriesOfTheDocumentationHaveTheirAnswers(t *testing.T) {
	data := filepath.Join(t.TempDir(), "examples.db")
	fillExamples(t, data)
	folder := filepath.Join(suite.Root(t), "docs")
	files := map[string]bool{}
	for name, questions := range map[string]int{"queries.md": 10, "contexts-in-sparql.md": 7} {
		all := docs.QuestionsOf(readFile(t, filepath.Join(folder, name)))
		if len(all) != questions {
			t.Errorf("%s asks %d questions, want %d", name, len(all), questions)
		}
		for _, q := range all {
			if q.File != "examples/"+docs.Name(q.Title)+".rq" || files[q.File] {
				t.Errorf("the file of %q is %s", q.Title, q.File)
			}
			files[q.File] = true
			path := filepath.Join(folder, q.File)
			got := segraph("", nil, "query", "--data", data, "--file", path, "--format=table")
			if got.code != 0 || got.stderr != "" || strings.HasSuffix(got.stdout, "\n0 rows\n") {
				t.Errorf("%s: %+v", q.Title, got)
				continue
			}
			answer := strings.TrimSuffix(path, ".rq") + ".txt"
			if *update {
				writeFile(t, answer, got.stdout)
			}
			if want := readFile(t, answer); got.stdout != want {
				t.Errorf("%s\n%s, want\n%s", q.Title, got.stdout, want)
			}
		}
	}
	for _, kind := range []string{"*.rq", "*.txt"} {
		found, err := filepath.Glob(filepath.Join(folder, "examples", kind))
		if err != nil || len(found) != len(files) {
			t.Errorf("docs/examples has %d of %s, and the pages list %d: %v", len(found), kind, len(files), err)
		}
	}
}

func readFile(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func writeFile(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
