package httpapi

import (
	"bytes"
	"compress/gzip"
	"io"
	"regexp"
	"strings"
	"testing"
)

func TestTheDocumentationIsOfTheBinaryAlone(t *testing.T) {
	t.Parallel()
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
			if strings.HasPrefix(match[1], "data:") {
				continue
			}
			if got := s.do(t, call{method: "GET", path: c.prefix + "/" + match[1], ui: c.ui}); got.Code != 200 {
				t.Errorf("%s: %d %s", match[1], got.Code, got.Body)
			}
		}
	}
	// TestTheDocumentationShowsAndTriesEveryGroup checks in a browser what its script
	// requests.
	body := s.do(t, call{method: "GET", path: "/docs"}).Body.String()
	body = strings.ReplaceAll(body, "xmlns='http://www.w3.org/2000/svg'", "") // of the icon, which is within the page
	for _, outside := range []string{"http://", "https://", `"//`, " style=", " onclick="} {
		if strings.Contains(body, outside) {
			t.Errorf("/docs holds %s", outside)
		}
	}
}

func TestFilesOfTheDocumentationAreSentCompressed(t *testing.T) {
	t.Parallel()
	s := newService(t)
	for _, name := range []string{"docs.js", "docs.css"} {
		plain := s.do(t, call{method: "GET", path: "/docs/" + name})
		w := s.do(t, call{method: "GET", path: "/docs/" + name, header: map[string]string{"Accept-Encoding": "gzip, br"}})
		z, err := gzip.NewReader(w.Body)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		got, err := io.ReadAll(z)
		if err != nil || !bytes.Equal(got, plain.Body.Bytes()) || w.Header().Get("Content-Encoding") != "gzip" {
			t.Errorf("%s: %d bytes of %d, %v, %v", name, len(got), plain.Body.Len(), err, w.Header())
		}
		if plain.Header().Get("Content-Encoding") != "" || plain.Header().Get("ETag") == w.Header().Get("ETag") || plain.Header().Get("Vary") != "Accept-Encoding" {
			t.Errorf("%s, not compressed: %v", name, plain.Header())
		}
	}
}

func TestFilesOfTheDocumentationAreFetchedOnceAndCached(t *testing.T) {
	t.Parallel()
	s := newService(t)
	for _, path := range []string{"/docs", "/docs/docs.js", "/docs/docs.css", "/openapi.json", "/context.jsonld"} {
		first := s.do(t, call{method: "GET", path: path})
		tag := first.Header().Get("ETag")
		w := s.do(t, call{method: "GET", path: path, header: map[string]string{"If-None-Match": tag}})
		if first.Code != 200 || w.Code != 304 || w.Body.Len() > 0 || first.Header().Get("Cache-Control") != "no-cache" {
			t.Errorf("%s: %d, then %d with %d bytes", path, first.Code, w.Code, w.Body.Len())
		}
	}
}

func TestWithoutPagesTheUIsListenerServesTheAPIAlone(t *testing.T) {
	t.Parallel()
	s := newService(t)
	for _, path := range []string{"/", "/nowhere", "/events"} {
		wantProblem(t, s.do(t, call{method: "GET", path: path, ui: true}), 404, "/api/docs")
	}
}
