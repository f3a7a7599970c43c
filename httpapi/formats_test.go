package httpapi

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/segraph/segraph/vocabulary"
)

// A log in any format is stored as the same triples.
func TestLogsArriveInEveryFormat(t *testing.T) {
	t.Parallel()
	for kind, text := range map[string]string{
		"text/turtle":           `<http://e/ari> <http://e/says> "hi"@en .`,
		"application/n-triples": `<http://e/ari> <http://e/says> "hi"@en .`,
		"application/rdf+xml":   `<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:e="http://e/"><rdf:Description rdf:about="http://e/ari" e:says="hi" xml:lang="en"/></rdf:RDF>`,
		"application/ld+json":   `{"@context": {"says": {"@id": "http://e/says", "@language": "en"}}, "@id": "http://e/ari", "says": "hi"}`,
	} {
		s := newOpenService(t)
		header := map[string]string{"Content-Type": kind}
		if w := s.do(t, call{method: "POST", path: "/ttl?user=ari", body: text, header: header}); w.Code != 201 || !strings.Contains(w.Body.String(), `"triples":1`) {
			t.Errorf("%s: %d %s", kind, w.Code, w.Body)
		}
		w := s.do(t, call{method: "GET", path: "/events", header: map[string]string{"Accept": "application/n-triples"}})
		if got := strings.TrimSpace(w.Body.String()); got != `<http://e/ari> <http://e/says> "hi"@en .` {
			t.Errorf("%s: the graph is %s", kind, got)
		}
	}
}

// A log may name the built-in context by its path, or by its address on either listener.
func TestOnlyTheBuiltInContextCanBeNamed(t *testing.T) {
	t.Parallel()
	s := newOpenService(t)
	header := map[string]string{"Content-Type": "application/ld+json"}
	for i, c := range []struct {
		context string
		status  int
	}{
		{"/context.jsonld", 201}, {"http://example.com/context.jsonld", 201}, {"https://example.com/api/context.jsonld", 201},
		{"http://elsewhere.example/context.jsonld", 400}, {"https://schema.org/", 400}, {"context.jsonld", 400}, {"/context.json", 400},
	} {
		text := fmt.Sprintf(`{"@context": %q, "id": "http://e/%d", "type": "Robot", "startedAtTime": "2026-02-11T09:12:13Z", "about": "oro:x"}`, c.context, i)
		w := s.do(t, call{method: "POST", path: "/ttl?user=ari", body: text, header: header})
		if w.Code != c.status || c.status == 201 && !strings.Contains(w.Body.String(), `"added":3`) ||
			c.status == 400 && !strings.Contains(w.Body.String(), "the context "+c.context+" is not built in") {
			t.Errorf("%s: %d %s", c.context, w.Code, w.Body)
		}
	}
	example, err := os.ReadFile("../docs/examples/reports.jsonld")
	if err != nil {
		t.Fatal(err)
	}
	w := s.do(t, call{method: "POST", path: "/ttl?user=ari", body: string(example), header: header})
	if w.Code != 201 || !strings.Contains(w.Body.String(), `"triples":128`) {
		t.Errorf("docs/examples/reports.jsonld: %d %s", w.Code, w.Body)
	}
	w = s.do(t, call{method: "GET", path: "/context.jsonld"})
	if w.Code != 200 || w.Header().Get("Content-Type") != "application/ld+json" || !bytes.Equal(w.Body.Bytes(), vocabulary.Context) {
		t.Errorf("%d %v", w.Code, w.Header())
	}
}

func TestJSONLDThatCanNotBeStoredIsRefused(t *testing.T) {
	t.Parallel()
	s := newOpenService(t)
	header := map[string]string{"Content-Type": "application/ld+json"}
	for text, detail := range map[string]string{
		`{"@context": "https://schema.org/", "name": "x"}`:                                             "is not built in",
		`{"@id": "http://e/a", "name": "x"}`:                                                           `no context maps the member \"name\" to an IRI, at $['name']`,
		`{"@id": "urn:segraph:contexts", "@graph": [{"@id": "http://e/a", "http://e/p": "injected"}]}`: "a log has no named graph",
		"{\n  oops": "ine 2, column 3: loading document failed: expected the name of a member in quotes",
	} {
		for _, path := range []string{"/ttl?user=ari", "/ttl/validate?user=ari"} {
			w := s.do(t, call{method: "POST", path: path, body: text, header: header})
			if !strings.Contains(w.Body.String(), detail) || path == "/ttl?user=ari" && w.Code != 400 {
				t.Errorf("%s %s: %d %s, want %q", path, text, w.Code, w.Body, detail)
			}
		}
	}
	if w := s.do(t, call{method: "GET", path: "/events", header: map[string]string{"Accept": "application/n-triples"}}); w.Body.Len() != 0 {
		t.Errorf("the graph is %s", w.Body)
	}
}
