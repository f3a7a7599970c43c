package views_test

import (
	"html"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/segraph/segraph/internal/suite"
	"github.com/segraph/segraph/views"
	"github.com/segraph/segraph/views/viewstest"
)

// belowSeg returns a service below /seg with data for every page.
func belowSeg(t *testing.T) *fixture {
	t.Helper()
	s := startWith(t, viewstest.Secret, func(c *viewstest.Settings) { c.BasePath = "/seg" })
	s.Publish(`@prefix ex: <http://e/> . @prefix prov: <http://www.w3.org/ns/prov#> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
		ex:listen a prov:Activity ; prov:startedAtTime "2026-02-11T09:00:00Z"^^xsd:dateTime ; prov:wasAssociatedWith ex:ari .
		ex:ari a prov:Agent . ex:said a ex:Message ; prov:wasGeneratedBy ex:listen ; ex:text "a href=\"/query\" in a text", " href=\"/" .`)
	s.AddCases(3)
	return s
}

var attribute = regexp.MustCompile(` ([a-z][a-z0-9-]*)="(/[^"]*)"`)

// TestEveryLinkOfAPageLeadsBelowTheBasePath follows all links from the start page, one
// page of each kind, and checks all attributes that contain a path.
func TestEveryLinkOfAPageLeadsBelowTheBasePath(t *testing.T) {
	t.Parallel()
	suite.NotShort(t)
	suite.OneGoroutine(t)
	s := belowSeg(t)
	b := s.NewVisitor()
	w := b.Post("/seg/session", url.Values{"token": {s.Token("admin")}, "next": {"/query"}})
	if got := w.Header().Get("Location"); w.Code != 303 || got != "/seg/query" {
		t.Fatalf("signing in: %d %s", w.Code, got)
	}
	// Only an empty store links to /demo.
	seen, waiting, kinds, pages := map[string]bool{}, []string{"/seg", "/seg/", "/seg/demo"}, map[string]int{}, map[string]bool{}
	for len(waiting) > 0 {
		at := waiting[0]
		waiting = waiting[1:]
		kind, _, _ := strings.Cut(at, "=")
		if seen[at] || kinds[kind] > 5 {
			continue
		}
		seen[at] = true
		kinds[kind]++
		page, _, _ := strings.Cut(at, "?")
		pages[page] = true
		w := b.Get(at)
		if to := w.Header().Get("Location"); w.Code == http.StatusSeeOther && strings.HasPrefix(to, "/seg/") {
			waiting = append(waiting, to)
			continue
		}
		if w.Code != 200 {
			t.Errorf("%s: %d %s", at, w.Code, w.Body)
			continue
		}
		if !strings.HasPrefix(w.Header().Get("Content-Type"), "text/html") {
			continue
		}
		for _, m := range attribute.FindAllStringSubmatch(w.Body.String(), -1) {
			name, to := m[1], html.UnescapeString(m[2])
			if name == "value" { // fields of forms contain paths of this service without the base path
				continue
			}
			if !slices.Contains(views.AddressAttributes, name) || !strings.HasPrefix(to, "/seg/") {
				t.Errorf("%s has %s", at, m[0])
			}
			to, _, _ = strings.Cut(to, "#")
			if name != "action" && name != "formaction" && name != "hx-post" && name != "data-tail" {
				waiting = append(waiting, to)
			}
		}
	}
	for _, p := range s.UI.Pages {
		if !pages["/seg"+p.Path] {
			t.Errorf("no link leads to %s", p.Path)
		}
	}
	if len(seen) < 60 {
		t.Errorf("only %d addresses were found", len(seen))
	}
}

// TestWhatPagesSayIsNotTakenForALink publishes a text that looks like a link in HTML.
func TestWhatPagesSayIsNotTakenForALink(t *testing.T) {
	t.Parallel()
	s := belowSeg(t)
	b := s.NewVisitor()
	b.Post("/seg/session", url.Values{"token": {s.Token("admin")}})
	w := b.Get("/seg/query?query=" + url.QueryEscape("SELECT ?t { ?s <http://e/text> ?t }"))
	for _, text := range []string{`a href="/query" in a text`, ` href="/`} {
		if !strings.Contains(html.UnescapeString(w.Body.String()), text) {
			t.Errorf("%q is not on the page: %s", text, w.Body)
		}
	}
	if !strings.Contains(html.UnescapeString(w.Body.String()), "http://example.com/seg/api/query") {
		t.Error("the command for a shell leads elsewhere")
	}
}

// TestAVisitWithoutASessionStaysBelowTheBasePath is redirected to sign in, and back.
func TestAVisitWithoutASessionStaysBelowTheBasePath(t *testing.T) {
	t.Parallel()
	s := belowSeg(t)
	b := s.NewVisitor()
	w := b.Get("/seg/query?query=ASK%7B%7D")
	if got := w.Header().Get("Location"); got != "/seg/session?next="+url.QueryEscape("/query?query=ASK%7B%7D") {
		t.Errorf("Location %s", got)
	}
	b.Header.Set("HX-Request", "true")
	if got := b.Get("/seg/query").Header().Get("HX-Redirect"); got != "/seg/session?next=%2Fquery" {
		t.Errorf("HX-Redirect %s", got)
	}
}

func TestTheCookieIsForWhatIsBelowTheBasePath(t *testing.T) {
	t.Parallel()
	s := belowSeg(t)
	for _, c := range []struct{ scheme, name string }{{"http", "segraph_session"}, {"https", "__Secure-segraph_session"}} {
		b := s.NewVisitor()
		b.From = "10.0.0.1:1000" // a trusted proxy
		b.Header.Set("X-Forwarded-Proto", c.scheme)
		b.Post("/seg/session", url.Values{"token": {s.Token("admin")}})
		got := b.Cookies[c.name]
		if got == nil || got.Path != "/seg" || got.Secure != (c.scheme == "https") || !got.HttpOnly {
			t.Errorf("%s: %v", c.scheme, b.Cookies)
		}
		if w := b.Get("/seg/query"); w.Code != 200 {
			t.Errorf("%s: the session opens nothing: %d", c.scheme, w.Code)
		}
		if b.Post("/seg/session/end", nil); len(b.Cookies) != 0 {
			t.Errorf("%s: left is %v", c.scheme, b.Cookies)
		}
	}
}

// TestOnlyOneFunctionRedirects makes sure that no redirect loses the base path. The listener
// of guests has none.
func TestOnlyOneFunctionRedirects(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	inRooms, err := filepath.Glob("*/*.go")
	if files = append(files, inRooms...); err != nil || len(inRooms) < 50 {
		t.Fatal(len(inRooms), err)
	}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasSuffix(name, "_test.go") && name != "addresses.go" && strings.Contains(string(text), "http.Redirect(") {
			t.Errorf("%s calls http.Redirect; redirect adds the base path", name)
		}
	}
}
