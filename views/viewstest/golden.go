package viewstest

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/a-h/templ"

	"github.com/segraph/segraph/views"
)

var update = flag.Bool("update", false, "write the golden files of testdata again")

// maxGolden is the longest golden file, in lines. A longer one is a page: test its components, and assert its facts.
const maxGolden = 120

// Now is the time at which golden files show their components.
var Now = time.Date(2026, 6, 4, 11, 53, 18, 0, time.UTC)

// Frame returns the frame of a page for an admin.
func Frame(title, path string) views.Frame {
	return views.Frame{
		Title: title, Path: path, Marked: path, Version: "test", Now: Now,
		Nav: []views.Link{{Path: "/query", Name: "Query", Icon: "terminal"}}, Admin: []views.Link{{Path: "/health", Name: "Health", Icon: "activity"}},
		Who: views.Who{Name: "ari", Roles: []string{"admin"}, Expires: Now.Add(2 * time.Hour)},
	}
}

var hashed = regexp.MustCompile(`-[A-Z0-9]{8}\.(js|css|svg)`)

// render returns the markup of a component, with one element per line and without the hashes of loaded
// files. It checks the rules for the markup of every page.
func render(t *testing.T, c templ.Component) string {
	t.Helper()
	var b bytes.Buffer
	if err := c.Render(t.Context(), &b); err != nil {
		t.Fatal(err)
	}
	got := hashed.ReplaceAllString(strings.ReplaceAll(b.String(), "><", ">\n<"), ".$1") + "\n"
	for what, found := range map[string]bool{
		"a style attribute":     regexp.MustCompile(`<[^>]+\sstyle=`).MatchString(got),
		"a style element":       strings.Contains(got, "<style"),
		"a script in itself":    regexp.MustCompile(`<script[^>]*>[^<\n]`).MatchString(got),
		"an inline handler":     regexp.MustCompile(`<[^>]+\son[a-z]+=`).MatchString(got),
		"a link out":            regexp.MustCompile(`(href|src|action)="(https?:)?//`).MatchString(got),
		"a javascript: address": strings.Contains(got, `"javascript:`),
		"evaluated htmx":        regexp.MustCompile(`hx-(on|vals="js|vars)`).MatchString(got),
	} {
		if found {
			t.Errorf("there is %s in %s", what, got)
		}
	}
	return got
}

// Golden compares the markup of a component with testdata/NAME.html.
func Golden(t *testing.T, name string, c templ.Component) {
	t.Helper()
	golden(t, name, render(t, c))
}

// golden compares a component with testdata/NAME.html, which -update writes.
func golden(t *testing.T, name, got string) {
	t.Helper()
	if n := strings.Count(got, "\n"); n > maxGolden || strings.Contains(got, "<html") {
		t.Fatalf("%s: %d lines are more than a component", name, n)
	}
	path := filepath.Join("testdata", name+".html")
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		g, w := strings.Split(got, "\n"), strings.Split(string(want), "\n")
		for i := range max(len(g), len(w)) {
			if i >= len(g) || i >= len(w) || g[i] != w[i] {
				t.Fatalf("%s differs at line %d; go test ./views/... -update\n got: %s\nwant: %s", path, i+1, at(g, i), at(w, i))
			}
		}
	}
}

func at(lines []string, i int) string {
	if i < len(lines) {
		return lines[i]
	}
	return "(the end)"
}
