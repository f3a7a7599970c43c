package views

import (
	"bytes"
	"go/format"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/a-h/templ/generator"
	parser "github.com/a-h/templ/parser/v2"

	"github.com/segraph/segraph/internal/suite"
)

// allTemplates returns the paths of the templates of the core and the rooms.
func allTemplates(t *testing.T) []string {
	t.Helper()
	core, err := filepath.Glob("*.templ")
	if err != nil {
		t.Fatal(err)
	}
	rooms, err := filepath.Glob("*/*.templ")
	if err != nil || len(core) == 0 || len(rooms) == 0 {
		t.Fatalf("%d templates of the core, %d of rooms, %v", len(core), len(rooms), err)
	}
	return append(core, rooms...)
}

// TestGeneratedFilesAreUpToDate compares each *_templ.go with its template.
func TestGeneratedFilesAreUpToDate(t *testing.T) {
	t.Parallel()
	suite.NotShort(t)
	for _, name := range allTemplates(t) {
		template, err := parser.Parse(name)
		if err != nil {
			t.Fatal(err)
		}
		var code bytes.Buffer
		if _, err := generator.Generate(template, &code, generator.WithFileName(name)); err != nil {
			t.Fatal(err)
		}
		want, err := format.Source(code.Bytes())
		if err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(strings.TrimSuffix(name, ".templ") + "_templ.go")
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("the generated code of %s is out of date: run go generate ./views", name)
		}
	}
}
