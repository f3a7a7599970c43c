package cli

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/segraph/segraph/internal/suite"
)

// The queries of docs/queries.md have the answers that it says. go test -update writes them anew.
func TestTheQueriesOfTheDocumentationHaveTheirAnswers(t *testing.T) {
	shared := suite.Shared(t, "data")
	checkQuestions(t, "queries.md", 10, func(name string) string {
		data := name + ".db"
		if got := segraph("", nil, "load", "--data", data, filepath.Join(shared, name)); got.code != 0 {
			t.Fatalf("%+v", got)
		}
		return data
	})
}

// checkQuestions asks the questions of a page of the documentation, each of the store that store makes
// of the data named above it, in a folder of its own.
func checkQuestions(t *testing.T, page string, want int, store func(name string) (path string)) {
	t.Helper()
	path := filepath.Join(suite.Root(t), "docs", page)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	first := regexp.MustCompile("(?s)```sparql\n(PREFIX.*?)```").FindSubmatch(text)
	if first == nil {
		t.Fatal("there are no prefixes")
	}
	prefixes := string(first[1])
	t.Chdir(t.TempDir())
	questions := 0
	part := regexp.MustCompile("(?s)<!-- data: ([a-z.-]+) -->|### ([^\n]*)\n((?:[^`]*\n)?)```sparql\n(.*?)```\n\n```text\n(.*?)```")
	data := ""
	anew := part.ReplaceAllFunc(text, func(found []byte) []byte {
		m := part.FindSubmatch(found)
		if len(m[1]) > 0 {
			data = store(string(m[1]))
			return found
		}
		questions++
		query, want := string(m[4]), string(m[5])
		got := segraph(prefixes+query, nil, "query", "--data", data, "--file=-", "--format=table")
		if got.code != 0 || got.stderr != "" {
			t.Errorf("%s: %+v", m[2], got)
			return found
		}
		if got.stdout != want && !*update {
			t.Errorf("%s\n%s, want\n%s", m[2], got.stdout, want)
		}
		if strings.HasSuffix(got.stdout, "\n0 rows\n") {
			t.Errorf("%s has no answer", m[2])
		}
		return []byte(strings.Replace(string(found), "```text\n"+want+"```", "```text\n"+got.stdout+"```", 1))
	})
	if questions != want {
		t.Errorf("%d questions are asked, want %d", questions, want)
	}
	if *update {
		if err := os.WriteFile(path, anew, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
