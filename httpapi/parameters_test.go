package httpapi

import (
	"encoding/json"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/segraph/segraph/front"
	"github.com/segraph/segraph/service"
)

func TestADocumentWithAParameterThatIsNotKnownIs422AndNamed(t *testing.T) {
	t.Parallel()
	s := newOpenService(t)
	turtle := call{body: small, contentType: service.MediaTurtle}
	inJSON := call{body: ttl(small, nil)}
	for _, c := range []struct {
		request call
		query   string
		named   []string
	}{
		{turtle, "graph=http%3A%2F%2Fe%2Fg", []string{"graph"}},
		{turtle, "graph", []string{"graph"}},
		{turtle, "user=ari&context=x&a=1", []string{"a", "context"}},
		{turtle, "User=ari", []string{"User"}},
		{turtle, "default", []string{"default"}},
		{turtle, "=1", []string{""}},
		{turtle, "user=ari&user=tiago", []string{"user"}},
		{inJSON, "graph=http%3A%2F%2Fe%2Fg", []string{"graph"}},
		{inJSON, "user=ari", []string{"user"}},
		{inJSON, "using-graph-uri=x&named-graph-uri=y", []string{"named-graph-uri", "using-graph-uri"}},
	} {
		for _, path := range []string{"/ttl", "/api/ttl", "/ttl/validate", "/api/ttl/validate"} {
			request := c.request
			request.method, request.path, request.ui = "POST", path+"?"+c.query, strings.HasPrefix(path, "/api/")
			p := wantProblem(t, s.do(t, request), 422, `"`+c.named[0]+`"`)
			var named []string
			for _, f := range p.Errors {
				if f.Loc[0] != "query" {
					t.Errorf("%s: %v", request.path, f)
				}
				named = append(named, f.Loc[1])
			}
			if !slices.Equal(named, c.named) {
				t.Errorf("%s: names %q, want %q", request.path, named, c.named)
			}
		}
	}
	if n := len(s.graph.entries()); n > 0 {
		t.Errorf("%d documents were stored", n)
	}
}

func TestAnAnswerNamesOnlySoManyParameters(t *testing.T) {
	t.Parallel()
	s := newOpenService(t)
	given := url.Values{strings.Repeat("z", 5000): {""}}
	for _, c := range "abcdefghijklmnopqrstuvwxyz" {
		given.Set(string(c), "1")
	}
	w := s.do(t, call{method: "POST", path: "/ttl?" + given.Encode(), body: ttl(small, nil)})
	if p := wantProblem(t, w, 422, `"a"`); len(p.Errors) != 20 || w.Body.Len() > 8<<10 {
		t.Errorf("%d faults in %d bytes", len(p.Errors), w.Body.Len())
	}
}

func TestAnExportThatNamesAGraphIs422(t *testing.T) {
	t.Parallel()
	s := newOpenService(t)
	s.do(t, call{method: "POST", path: "/ttl", body: ttl(small, nil)})
	for _, name := range []string{"graph", "default", "context", "graph-uri", "default-graph-uri", "named-graph-uri", "using-graph-uri", "using-named-graph-uri"} {
		for _, path := range []string{"/events", "/api/events"} {
			for _, value := range []string{"", "=http%3A%2F%2Fe%2Fg"} {
				wantProblem(t, s.do(t, call{method: "GET", path: path + "?a=1&" + name + value, ui: path != "/events"}), 422, `"`+name+`"`)
			}
		}
	}
	for _, path := range []string{"/events?a=1&infer=true", "/api/events?format=ttl"} {
		if w := s.do(t, call{method: "GET", path: path, ui: path[1] == 'a'}); w.Code != 200 || !strings.Contains(w.Body.String(), "example.org") {
			t.Errorf("%s: %d %s", path, w.Code, w.Body)
		}
	}
}

func TestAQueryIgnoresParametersItDoesNotKnowButNotTheGraphsOfAnUpdate(t *testing.T) {
	t.Parallel()
	s := newOpenService(t)
	ask := func(path, prefix, query string) []call {
		ask := "query=" + url.QueryEscape("ASK {}")
		return []call{
			{method: "GET", path: prefix + path + "?" + ask + "&" + query},
			{method: "POST", path: prefix + path + "?" + query, body: ask, contentType: front.MediaForm},
			{method: "POST", path: prefix + path, body: ask + "&" + query, contentType: front.MediaForm},
			{method: "POST", path: prefix + path + "?" + query, body: "ASK {}", contentType: mediaQuery},
		}
	}
	for _, prefix := range []string{"", "/api"} {
		for _, path := range []string{"/query", "/query/explain"} {
			for _, name := range []string{"using-graph-uri", "using-named-graph-uri"} {
				for i, request := range ask(path, prefix, name+"=http%3A%2F%2Fe%2Fg") {
					request.ui = prefix != ""
					p := wantProblem(t, s.do(t, request), 422, `"`+name+`"`)
					if len(p.Errors) != 1 || p.Errors[0].Loc[1] != name {
						t.Errorf("%d: %+v", i, p.Errors)
					}
				}
			}
			for i, request := range ask(path, prefix, "output=json&results=x&infer=true&graph=x&timeout=0&debug=on") {
				request.ui = prefix != ""
				if w := s.do(t, request); w.Code != 200 {
					t.Errorf("%s%s %d: %d %s", prefix, path, i, w.Code, w.Body)
				}
			}
		}
	}
}

// Graphs that a query names by parameters must be IRIs. Without the check the answer would
// be that of an empty graph.
func TestAGraphOfAQueryIsAnAbsoluteIRI(t *testing.T) {
	t.Parallel()
	s := newQueryService(t, "")
	addQuads(t, s, "http://e/100%", `<http://e/a> <http://e/p> "percent" .`)
	for _, path := range []string{"/query", "/query/explain"} {
		for _, name := range []string{"default-graph-uri", "named-graph-uri"} {
			for value, want := range map[string]string{
				"not an iri": "contains a space", "": "is not absolute", "g": "is not absolute", "/g": "is not absolute", "//e/g": "is not absolute",
				"http://e/<g>": `contains "<"`, "http://e/\xff": "not UTF-8",
			} {
				given := url.Values{"query": {"ASK {}"}, name: {"http://e/g", value}}.Encode()
				for _, request := range []call{
					{method: "GET", path: path + "?" + given}, {method: "HEAD", path: path + "?" + given},
					{method: "POST", path: path, body: given, contentType: front.MediaForm},
					{method: "POST", path: path + "?" + url.Values{name: {value}}.Encode(), body: "ASK {}", contentType: mediaQuery},
				} {
					w := s.do(t, request)
					if request.method == "HEAD" {
						if w.Code != 422 {
							t.Errorf("HEAD with %s=%s: %d", name, value, w.Code)
						}
						continue
					}
					p := wantProblem(t, w, 422, `"`+name+`" names no graph`)
					if len(p.Errors) != 1 || p.Errors[0].Loc[1] != name || !strings.Contains(p.Detail, want) {
						t.Errorf("%s=%q: %+v", name, value, p)
					}
				}
			}
		}
	}
	w := s.do(t, call{method: "GET", path: "/query?" + url.Values{"query": {"SELECT ?o { ?s ?p ?o }"}, "default-graph-uri": {"http://e/100%"}}.Encode()})
	if w.Code != 200 || !strings.Contains(w.Body.String(), "percent") {
		t.Errorf("a graph that FROM can name: %d %s", w.Code, w.Body)
	}
}

// TestAnExplanationHasTheParametersOfAQueryButNoFormat reads the description of the API.
func TestAnExplanationHasTheParametersOfAQueryButNoFormat(t *testing.T) {
	t.Parallel()
	var d struct {
		Paths map[string]map[string]struct{ Parameters []struct{ Name string } }
	}
	if err := json.Unmarshal(newOpenService(t).do(t, call{method: "GET", path: "/openapi.json"}).Body.Bytes(), &d); err != nil {
		t.Fatal(err)
	}
	for _, method := range []string{"get", "post"} {
		names := map[string]bool{}
		for _, p := range d.Paths["/query"][method].Parameters {
			names[p.Name] = true
		}
		if !names["format"] {
			t.Errorf("%s /query has the parameters %v", method, names)
		}
		delete(names, "format")
		for _, p := range d.Paths["/query/explain"][method].Parameters {
			if !names[p.Name] {
				t.Errorf("%s /query/explain has the parameter %s", method, p.Name)
			}
			delete(names, p.Name)
		}
		if len(names) > 0 {
			t.Errorf("%s /query/explain lacks %v", method, names)
		}
	}
}
