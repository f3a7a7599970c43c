package ui

import (
	_ "embed"
	"strings"
	"testing"
)

//go:embed faults.js
var faults string

// faultless fails the test for faults that a person would see at once and axe-core does not
// find; see faults.js.
func (b *tab) faultless() {
	b.t.Helper()
	for _, fault := range value[[]string](b, faults) {
		b.t.Errorf("%s: %s", b.path(), fault)
	}
}

// TestEachKindOfFaultIsFound breaks a page in each way that faultless looks for.
func TestEachKindOfFaultIsFound(t *testing.T) {
	t.Parallel()
	s := newService(t)
	for change, want := range map[string]string{
		`document.querySelector("svg.icon").style = "width: 40px; height: 40px"`:                                                  "an icon is 40 pixels wide",
		`document.styleSheets[0].insertRule(".button:hover { color: white !important; background: #eee !important }")`:            "at rest, hovered",
		`document.styleSheets[0].insertRule("button[aria-pressed=true] { color: #777 !important; background: #888 !important }")`: "pressed",
		`document.styleSheets[0].insertRule("button:disabled { opacity: 0.2 }")`:                                                  "disabled",
		`document.querySelector("h1").style = "width: 20px; overflow: hidden; white-space: nowrap"`:                               "text is cut",
		`document.querySelector(".head p").style = "margin-top: -1.5rem"`:                                                         "texts cover each other",
		`document.querySelector("h1").style = "color: inherit"`:                                                                   "",
	} {
		b := open(t, s.ui, look{})
		b.goTo("/session")
		value[any](b, change)
		found := strings.Join(value[[]string](b, faults), "\n")
		if !strings.Contains(found, want) || want == "" && found != "" {
			t.Errorf("%s\nwant %q, found %q", change, want, found)
		}
	}
}
