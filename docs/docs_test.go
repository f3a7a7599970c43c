package docs_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/segraph/segraph/docs"
)

var (
	codeBlock  = regexp.MustCompile("(?ms)^ *```.*?^ *```$")
	link       = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading    = regexp.MustCompile(`(?m)^#+ (.*)$`)
	notInLabel = regexp.MustCompile("[^a-z0-9 _-]+")
)

// Every link of a page to another page, or to a section of one, has a target.
func TestLinksLeadSomewhere(t *testing.T) {
	labels := map[string]map[string]bool{} // sections of each page
	texts := map[string]string{}
	for _, pattern := range []string{"../*.md", "*.md", "*/*.md"} {
		found, err := filepath.Glob(pattern)
		if err != nil || len(found) == 0 {
			t.Fatal(pattern, err)
		}
		for _, page := range found {
			text, err := os.ReadFile(page)
			if err != nil {
				t.Fatal(err)
			}
			texts[page] = codeBlock.ReplaceAllString(string(text), "")
			labels[page] = map[string]bool{"": true}
			for _, h := range heading.FindAllStringSubmatch(texts[page], -1) {
				labels[page][strings.ReplaceAll(notInLabel.ReplaceAllString(strings.ToLower(h[1]), ""), " ", "-")] = true
			}
		}
	}
	for page, text := range texts {
		for _, l := range link.FindAllStringSubmatch(text, -1) {
			if strings.Contains(l[1], "://") {
				continue
			}
			to, label, _ := strings.Cut(l[1], "#")
			path := filepath.Join(filepath.Dir(page), to)
			switch {
			case to == "":
				path = page
			case to[0] == '/': // relative to the root of the repository
				path = ".." + to
			}
			if _, err := os.Stat(path); err != nil {
				t.Errorf("%s: %v", page, err)
			} else if parts, isPage := labels[path]; isPage && !parts[label] {
				t.Errorf("%s has a link to %s, which has no part %q", page, path, label)
			}
		}
	}
}

func TestEveryQuestionStandsByItself(t *testing.T) {
	all := docs.Questions()
	if len(all) != 10 {
		t.Errorf("%d questions, want 10", len(all))
	}
	for _, q := range all {
		if q.Title == "" || strings.HasPrefix(q.Title, "#") || q.About == "" || !strings.HasPrefix(q.Query, "PREFIX ") || !strings.Contains(q.Query, "\nSELECT ") {
			t.Errorf("%+v", q)
		}
	}
	if all[0].About != "Robots and visitors" || all[9].About != "Robots at work" {
		t.Errorf("they are about %q and %q", all[0].About, all[9].About)
	}
}
