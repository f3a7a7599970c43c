package httpapi

import (
	"regexp"
	"strings"
	"testing"

	"github.com/segraph/segraph/store"
)

func TestTheDocumentationIsOfTheBinaryAlone(t *testing.T) {
	s := newService(t)
	reference := regexp.MustCompile(`(?:href|src)="([^"]*)"`)
	for _, c := range []struct {
		prefix string
		ui     bool
	}{{"", false}, {"/api", true}} {
		w := s.do(t, call{method: "GET", path: c.prefix + "/docs", ui: c.ui})
		if w.Code != 200 || w.Header().Get("Content-Type") != "text/html; charset=utf-8" {
			t.Fatalf("%d %s", w.Code, w.Header().Get("Content-Type"))
		}
		references := reference.FindAllStringSubmatch(w.Body.String(), -1)
		if len(references) < 3 {
			t.Errorf("only %d references: %s", len(references), w.Body)
		}
		for _, match := range references {
			if match[1] == "data:," {
				continue
			}
			if got := s.do(t, call{method: "GET", path: c.prefix + "/" + match[1], ui: c.ui}); got.Code != 200 {
				t.Errorf("%s: %d %s", match[1], got.Code, got.Body)
			}
		}
	}
	for _, name := range []string{"", "/docs.js", "/docs.css"} {
		body := s.do(t, call{method: "GET", path: "/docs" + name}).Body.String()
		for _, outside := range []string{"http://", "https://", `"//`, "@import", " url(", ":url(", "innerHTML", "eval(", " style=", " onclick="} {
			if strings.Contains(body, outside) {
				t.Errorf("/docs%s holds %s", name, outside)
			}
		}
	}
}

func TestFilesOfTheDocumentationAreAskedForOnceAndKept(t *testing.T) {
	s := newService(t)
	for _, path := range []string{"/docs", "/docs/docs.js", "/docs/docs.css", "/openapi.json"} {
		first := s.do(t, call{method: "GET", path: path})
		tag := first.Header().Get("ETag")
		w := s.do(t, call{method: "GET", path: path, header: map[string]string{"If-None-Match": tag}})
		if first.Code != 200 || w.Code != 304 || w.Body.Len() > 0 || first.Header().Get("Cache-Control") != "no-cache" {
			t.Errorf("%s: %d, then %d with %d bytes", path, first.Code, w.Code, w.Body.Len())
		}
	}
}

func TestTheUIsPageSaysWhatRunsAndLinksToTheDocumentation(t *testing.T) {
	on, off := newService(t), newOpenService(t, func(c *Config) { c.Version = "<script>" })
	page := func(s *service) string {
		w := s.do(t, call{method: "GET", path: "/", ui: true})
		if w.Code != 200 || w.Header().Get("Content-Type") != "text/html; charset=utf-8" ||
			!strings.Contains(w.Header().Get("Content-Security-Policy"), "default-src 'none'") {
			t.Fatalf("%d %v", w.Code, w.Header())
		}
		return w.Body.String()
	}
	for _, part := range []string{"cayley, ready", "on: requests need a token", `href="api/docs"`, "<code>GET /api/events</code>"} {
		if !strings.Contains(page(on), part) {
			t.Errorf("%q is not in %s", part, page(on))
		}
	}
	off.graph.err = store.ErrUnavailable
	for _, part := range []string{"cayley, not ready", "off: every request has every role", `href="api/events"`, "&lt;script&gt;"} {
		if !strings.Contains(page(off), part) {
			t.Errorf("%q is not in %s", part, page(off))
		}
	}
	if strings.Contains(page(off), "<script") || strings.Contains(page(off), " style=") {
		t.Errorf("there is script or style in %s", page(off))
	}
	wantProblem(t, on.do(t, call{method: "GET", path: "/nowhere", ui: true}), 404, "/api/docs")
	wantProblem(t, on.do(t, call{method: "GET", path: "/events", ui: true}), 404, "/api/docs")
}
