package httpapi

import (
	"strings"
	"testing"
)

// A log in any format is stored as the same triples.
func TestLogsArriveInEveryFormat(t *testing.T) {
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

func TestJSONLDThatCanNotBeStoredIsRefused(t *testing.T) {
	s := newOpenService(t)
	header := map[string]string{"Content-Type": "application/ld+json"}
	for text, detail := range map[string]string{
		`{"@context": "https://schema.org/", "name": "x"}`:                                             "is not built in",
		`{"@id": "http://e/a", "name": "x"}`:                                                           `no context maps the member`,
		`{"@id": "urn:segraph:contexts", "@graph": [{"@id": "http://e/a", "http://e/p": "injected"}]}`: "a log has no named graph",
		"{\n  oops": "invalid character",
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
