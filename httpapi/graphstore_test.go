package httpapi

import (
	"net/http"
	"strings"
	"testing"

	"github.com/segraph/segraph/auth"
	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/jsonld"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/rdf/canon"
	"github.com/segraph/segraph/store/rdfxml"
	"github.com/segraph/segraph/store/turtle"
)

func TestTheGraphStoreProtocolReads(t *testing.T) {
	t.Parallel()
	s := newQueryService(t, `<http://e/a> <http://e/p> "published" .`)
	addQuads(t, s, "http://e/g?x=1&y=2", `<http://e/a> <http://e/p> "named" .`)
	addQuads(t, s, "http://e/100%", `<http://e/a> <http://e/p> "percent" .`)
	for _, c := range []struct {
		query  string
		status int
		want   string // a part of the text, or of the problem
	}{
		{"default", 200, `"published"`},
		{"default=", 200, `"published"`},
		{"default=true", 200, `"published"`},
		{"graph=http://e/g%3Fx=1%26y=2", 200, `"named"`},
		{"graph=urn:segraph:contexts", 200, ""},
		{"", 400, "Choose one graph"},
		{"x=1", 400, "Choose one graph"},
		{"default&graph=urn:segraph:contexts", 400, "Choose one graph"},
		{"graph=urn:segraph:contexts&graph=urn:x", 400, "Choose one graph"},
		{"graph=http://e/100%25", 200, `"percent"`},
		{"graph=", 400, `"graph" names no graph: the IRI "" is not absolute`},
		{"graph=g", 400, "is not absolute"},
		{"graph=//e/g", 400, "is not absolute"},
		{"graph=http://e/%20", 400, "contains a space"},
		{"graph=urn:x", 404, "No graph has the name <urn:x>"},
		{"graph=http://e/p", 404, "No graph has the name"}, // a known IRI that names none
		{"default&context=urn:x", 422, "default"},
	} {
		w := s.do(t, call{method: "GET", path: "/rdf-graph-store?" + c.query, header: map[string]string{"Accept": "application/n-triples"}})
		head := s.do(t, call{method: "HEAD", path: "/rdf-graph-store?" + c.query, header: map[string]string{"Accept": "application/n-triples"}})
		if c.status != 200 {
			wantProblem(t, w, c.status, c.want)
			if head.Code != c.status {
				t.Errorf("HEAD %s: %d, want %d", c.query, head.Code, c.status)
			}
			continue
		}
		if w.Code != 200 || !strings.Contains(w.Body.String(), c.want) || strings.Contains(w.Body.String(), "http://e/g?x") {
			t.Errorf("GET %s: %d %s", c.query, w.Code, w.Body)
		}
		if tag := head.Header().Get("ETag"); head.Code != 200 || head.Body.Len() > 0 || tag == "" || tag != w.Header().Get("ETag") {
			t.Errorf("HEAD %s: %d, ETag %s, with GET %s", c.query, head.Code, tag, w.Header().Get("ETag"))
		}
		again := s.do(t, call{method: "GET", path: "/rdf-graph-store?" + c.query, header: map[string]string{"Accept": "application/n-triples", "If-None-Match": w.Header().Get("ETag")}})
		if again.Code != http.StatusNotModified {
			t.Errorf("GET %s with its ETag: %d", c.query, again.Code)
		}
	}
}

// addQuads stores triples as a named graph.
func addQuads(t *testing.T, s *fixture, name, text string) {
	t.Helper()
	quads, err := turtle.Parse([]byte(text), turtle.Turtle, turtle.Options{})
	if err != nil {
		t.Fatal(err)
	}
	d := &store.Document{}
	for _, q := range quads {
		q.G = rdf.NewIRI(name)
		d.Add(q)
	}
	storeDocument(t, s, d, name)
}

func TestTheETagOfANamedGraphTellsOfChanges(t *testing.T) {
	t.Parallel()
	s := newQueryService(t, "")
	tag := func() string {
		addr := "/rdf-graph-store?graph=http://e/g"
		return s.do(t, call{method: "HEAD", path: addr}).Header().Get("ETag")
	}
	addQuads(t, s, "http://e/g", `<http://e/a> <http://e/p> 1 .`)
	first := tag()
	if first == "" || tag() != first {
		t.Fatalf("ETags %q and %q", first, tag())
	}
	addQuads(t, s, "http://e/g", `<http://e/a> <http://e/p> 2 .`)
	if tag() == first {
		t.Error("the graph changed, and its ETag did not")
	}
}

func TestAGraphComesInEachFormat(t *testing.T) {
	t.Parallel()
	s := newQueryService(t, "")
	const text = `<http://e/a> <http://e/p> "x"@en, _:b . _:b a <http://e/C> .`
	addQuads(t, s, "http://e/g", text)
	want, err := turtle.Parse([]byte(text), turtle.Turtle, turtle.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for media, parse := range map[string]func(string) ([]rdf.Quad, error){
		"text/turtle; charset=utf-8": func(s string) ([]rdf.Quad, error) { return turtle.Parse([]byte(s), turtle.Turtle, turtle.Options{}) },
		"application/n-triples":      func(s string) ([]rdf.Quad, error) { return turtle.Parse([]byte(s), turtle.NTriples, turtle.Options{}) },
		"application/trig":           func(s string) ([]rdf.Quad, error) { return turtle.Parse([]byte(s), turtle.TriG, turtle.Options{}) },
		"application/n-quads":        func(s string) ([]rdf.Quad, error) { return turtle.Parse([]byte(s), turtle.NQuads, turtle.Options{}) },
		"application/ld+json": func(s string) (out []rdf.Quad, err error) {
			r := jsonld.NewReader(strings.NewReader(s), jsonld.Options{})
			for q, err := r.Read(); err == nil; q, err = r.Read() {
				out = append(out, q)
			}
			return out, nil
		},
		"application/rdf+xml": func(s string) (out []rdf.Quad, err error) {
			for r := rdfxml.NewReader(strings.NewReader(s), rdfxml.Options{}); ; {
				triple, err := r.Read()
				if err != nil {
					return out, nil // the end, or a graph that differs
				}
				out = append(out, triple.In(rdf.Term{}))
			}
		},
	} {
		w := s.do(t, call{method: "GET", path: "/rdf-graph-store?graph=http://e/g", header: map[string]string{"Accept": media}})
		got, err := parse(w.Body.String())
		if err != nil || w.Header().Get("Content-Type") != media || !canon.Isomorphic(got, want) {
			t.Errorf("%s: %v %v\n%s", media, err, w.Header(), w.Body)
		}
	}
}

func TestTheGraphStoreProtocolDoesNotWrite(t *testing.T) {
	t.Parallel()
	s := newService(t)
	for _, method := range []string{"PUT", "POST", "DELETE", "PATCH"} {
		w := s.do(t, call{method: method, path: "/rdf-graph-store?default", body: small, contentType: "text/turtle", token: s.token(t, auth.Admin)})
		wantProblem(t, w, http.StatusMethodNotAllowed, "graphs are only read here; POST /ttl adds triples")
		if got := w.Header().Get("Allow"); got != "GET, HEAD" {
			t.Errorf("%s: Allow %q", method, got)
		}
	}
}

// Every graph, that of contexts included, is for auditors and admins. Others do not learn
// whether a graph exists, or whether the request was right.
func TestGraphsAreForAuditors(t *testing.T) {
	t.Parallel()
	var stored settings
	open := newQueryService(t, `<http://e/a> <http://e/p> "published" .`, func(c *settings) { stored = *c })
	addQuads(t, open, "http://e/g", `<http://e/a> <http://e/p> "named" .`)
	s := newService(t, func(c *settings) { c.Graph, c.Queries = stored.Graph, stored.Queries })
	statuses := map[string]int{
		"default": 200, "graph=urn:segraph:contexts": 200, "graph=http://e/g": 200, "graph=urn:x": 404, "graph=x": 400, "": 400, "default&graph=http://e/g": 400,
	}
	for _, c := range []struct {
		role   auth.Role
		refuse int
		detail string
	}{
		{"", 401, "Authorization"}, {auth.Logger, 403, "requires the role auditor or admin"}, {auth.Auditor, 0, ""}, {auth.Admin, 0, ""},
	} {
		for query, status := range statuses {
			for _, ui := range []bool{false, true} {
				request := call{path: "/rdf-graph-store?" + query, ui: ui}
				if ui {
					request.path = "/api" + request.path
				}
				if c.role != "" {
					request.token = s.token(t, c.role)
				}
				if c.refuse != 0 {
					status = c.refuse
				}
				for _, method := range []string{"GET", "HEAD"} {
					request.method = method
					w := s.do(t, request)
					if w.Code != status {
						t.Errorf("%s %s as %q: %d %s, want %d", method, request.path, c.role, w.Code, w.Body, status)
					}
					if c.refuse != 0 && method == "GET" {
						wantProblem(t, w, c.refuse, c.detail)
					}
				}
				for _, method := range []string{"PUT", "POST", "DELETE", "PATCH"} {
					request.method, request.body, request.contentType = method, small, "text/turtle"
					w := s.do(t, request)
					wantProblem(t, w, 405, "graphs are only read here; POST /ttl adds triples")
					if got := w.Header().Get("Allow"); got != "GET, HEAD" {
						t.Errorf("%s: Allow %q", method, got)
					}
				}
			}
		}
	}
}
