package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/segraph/segraph/docs"
	"github.com/segraph/segraph/internal/suite"
)

// The queries in the documentation return the answers printed there on its examples,
// and each is a file in docs/examples. go test -update writes both.
func TestTheQueriesOfTheDocumentationHaveTheirAnswers(t *testing.T) {
	data := filepath.Join(t.TempDir(), "examples.db")
	fillExamples(t, data)
	files := map[string]bool{}
	for name, questions := range map[string]int{"queries.md": 10, "contexts-in-sparql.md": 7} {
		page := filepath.Join(suite.Root(t), "docs", name)
		text := readFile(t, page)
		all := docs.QuestionsOf(text)
		if len(all) != questions {
			t.Errorf("%s asks %d questions, want %d", name, len(all), questions)
		}
		for _, q := range all {
			file := docs.Name(q.Title) + ".rq"
			if files[file] {
				t.Errorf("two questions are called %s", file)
			}
			files[file] = true
			path := filepath.Join(suite.Root(t), "docs", "examples", file)
			if *update {
				writeFile(t, path, q.File)
			}
			if readFile(t, path) != q.File {
				t.Errorf("%s is not the question %q of %s", path, q.Title, name)
			}
			got := segraph("", nil, "query", "--data", data, "--file", path, "--format=table")
			if got.code != 0 || got.stderr != "" || strings.HasSuffix(got.stdout, "\n0 rows\n") {
				t.Errorf("%s: %+v", q.Title, got)
				continue
			}
			if *update {
				before := q.Query[strings.Index(q.Query, "SELECT"):] + "```\n\n```text\n"
				text = strings.Replace(text, before+q.Answer+"```", before+got.stdout+"```", 1)
			} else if got.stdout != q.Answer {
				t.Errorf("%s\n%s, want\n%s", q.Title, got.stdout, q.Answer)
			}
		}
		if *update {
			writeFile(t, page, text)
		}
	}
	found, err := filepath.Glob(filepath.Join(suite.Root(t), "docs", "examples", "*.rq"))
	if err != nil || len(found) != len(files) {
		t.Errorf("docs/examples has %d queries, and the pages ask %d: %v", len(found), len(files), err)
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
