package views

import (
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/segraph/segraph/static"
)

// TestTheSpriteHasTheIconsOfThePages compares the icons that templates name with the symbols
// of the sprite: an icon that is not there would show nothing.
func TestTheSpriteHasTheIconsOfThePages(t *testing.T) {
	t.Parallel()
	names := append(allTemplates(t), "pages.go", "ui.go")
	tables, err := filepath.Glob("*/pages.go")
	if names = append(names, tables...); err != nil || len(tables) == 0 {
		t.Fatalf("%d tables of pages, %v", len(tables), err)
	}
	var templates []byte
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		templates = append(templates, text...)
	}
	sprite, _, _ := static.File(path.Base(static.URL("icons.svg")), "")
	used, drawn := found(templates, `(?:@(?:views\.)?Icon\(|Icon: )"([^"]+)"`), found(sprite, `<symbol id="([^"]+)"`)
	if len(used) < 20 || !slices.Equal(used, drawn) {
		t.Errorf("templates use %q, and the sprite has %q", used, drawn)
	}
}

// found returns what the group of a pattern matches, sorted, each once.
func found(text []byte, pattern string) []string {
	out := map[string]bool{}
	for _, m := range regexp.MustCompile(pattern).FindAllSubmatch(text, -1) {
		out[string(m[1])] = true
	}
	return slices.Sorted(maps.Keys(out))
}
