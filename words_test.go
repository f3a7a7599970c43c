package main_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/segraph/segraph/internal/suite"
)

// stilted lists phrases that no page, help text, API document, error or log message may
// contain, with the plain words for each.
var stilted = []struct{ phrase, plain string }{
	{`\banew\b`, "again, or a verb with re-"},
	{`\bgone about\b`, "executed, or plan"},
	{`\b(what|that) (is|are|was) late\b`, "deferred"},
	{`\bsettling\b`, "flushing"},
	{`\b(heirs?|bequeath\w*)\b`, "inherited counts, transfer"},
	{`\bbrought\b`, "contributed, or imported"},
	{`\b(bring|brings|bringing) (\w+ )?back\b`, "restore the backup"},
	{`\b(draft|casefile|merit key)\b`, "unit of work, case detail, verdict key"},
	{`\btaken to be right\b`, "the majority wins"},
	{`\bneeds another design\b`, "use another store"},
	{`\bwent on between\b`, "did"},
	{`\bsay who it was\b`, "the speaker is missing"},
	{`\ba person is asked\b|\basks? a person\b`, "needs review"},
	{`\bgo on by\b|\bask now\b|\bnothing is asked yet\b`, "expand, check now, no query run yet"},
	{`\byou may not do this\b|\bto mend\b|\bmend it\b`, "name the role, fix"},
	{`\bspared\b|\bevents lost\b`, "correctly skipped, missed matches"},
	{`\bwhoever\b`, "name the person"},
	{`\b(is|are|was|were|being|been) told\b`, "name the event: sent, received, reported"},
	{`\b(let|lets|letting) go of\b`, "close, release"},
	{`\bgives? the answer to\b`, "passes the answer to"},
	{`\bso many of\b|\bat most so many\b`, "name the limit"},
}

// texts calls f with all texts of the project that people read, except comments and docs.
func texts(t *testing.T, f func(at, text string)) {
	fset := token.NewFileSet()
	read := func(path string) {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for i, line := range strings.Split(string(b), "\n") {
			f(path+":"+strconv.Itoa(i+1), line)
		}
	}
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		switch slashed := filepath.ToSlash(path); {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "node_modules" || d.Name() == ".git" || slashed == "internal/suite" || slashed == "internal/powercut"):
			return filepath.SkipDir
		case strings.HasPrefix(slashed, "views/") && strings.Contains(slashed, "/testdata/"), strings.HasPrefix(slashed, "cli/testdata/help"), slashed == "httpapi/schemas.json":
			if !d.IsDir() {
				read(path)
			}
		case strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go"):
			file, err := parser.ParseFile(fset, path, nil, parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			ast.Inspect(file, func(n ast.Node) bool {
				if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
					if text, err := strconv.Unquote(lit.Value); err == nil && strings.Contains(text, " ") {
						f(fset.Position(lit.Pos()).String(), text)
					}
				}
				return true
			})
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestTextsAreInPlainEnglish checks golden files of components, help texts, the API document and all
// messages.
func TestTextsAreInPlainEnglish(t *testing.T) {
	suite.OneGoroutine(t)
	phrases := make([]*regexp.Regexp, len(stilted))
	all := make([]string, len(stilted))
	for i, s := range stilted {
		phrases[i], all[i] = regexp.MustCompile("(?i)"+s.phrase), s.phrase
	}
	anyOf, n := regexp.MustCompile("(?i)"+strings.Join(all, "|")), 0
	texts(t, func(at, text string) {
		n++
		if !anyOf.MatchString(text) {
			return
		}
		for i, p := range phrases {
			if found := p.FindString(text); found != "" {
				t.Errorf("%s: %q in %.200q; write: %s", at, found, text, stilted[i].plain)
			}
		}
	})
	if n < 10_000 {
		t.Errorf("only %d texts were read", n)
	}
}
