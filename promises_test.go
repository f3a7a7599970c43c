package main_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/segraph/segraph/internal/suite"
)

// TestEveryPromiseHasItsTests checks that docs/promises.md names only existing tests and
// all fuzz targets, and that each fuzz target has a corpus.
func TestEveryPromiseHasItsTests(t *testing.T) {
	suite.OneGoroutine(t)
	there := map[string]bool{}
	var fuzzed []string
	declared := regexp.MustCompile(`(?m)^func ((?:Test|Fuzz)\w+)\(`)
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		for _, m := range declared.FindAllSubmatch(text, -1) {
			there[string(m[1])] = true
			if name := string(m[1]); strings.HasPrefix(name, "Fuzz") {
				if corpus, _ := filepath.Glob(filepath.Join(filepath.Dir(path), "testdata", "fuzz", name, "*")); len(corpus) < 10 {
					t.Errorf("%s of %s has a corpus of %d", name, path, len(corpus))
				}
				fuzzed = append(fuzzed, name)
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile("docs/promises.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range fuzzed {
		if !strings.Contains(string(page), "`"+name+"`") {
			t.Errorf("%s is not in docs/promises.md", name)
		}
	}
	lines := 0
	named := regexp.MustCompile("`((?:Test|Fuzz)\\w+)`")
	for line := range strings.Lines(string(page)) {
		if !strings.HasPrefix(line, "- ") {
			continue
		}
		lines++
		tests := named.FindAllStringSubmatch(line, -1)
		if len(tests) == 0 && !strings.Contains(line, "`.ci/run`") && !strings.Contains(line, "`.ci/release`") {
			t.Errorf("no test proves: %s", line)
		}
		for _, m := range tests {
			if !there[m[1]] {
				t.Errorf("there is no %s", m[1])
			}
		}
	}
	if lines < 30 {
		t.Errorf("%d promises", lines)
	}
}
