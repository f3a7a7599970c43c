package httpapi

import (
	"slices"
	"strings"
	"testing"

	"github.com/segraph/segraph/service"
	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/rdf/canon"
	"github.com/segraph/segraph/store/turtle"
)

// Guarantees of SEGRAPH_COMPAT=segb, each compared with the behaviour without it.

func asSEGB(c *settings) { c.SEGB = true }

func TestSEGBsClientsGetTurtleForEveryKindOfQuery(t *testing.T) {
	t.Parallel()
	strict, compat := newQueryService(t, logOfTwo), newQueryService(t, logOfTwo, asSEGB)
	const json = "application/sparql-results+json"
	row := func(property, value string) string {
		return `[] a <http://example.org/Result> ; <http://example.org/` + property + `> ` + value + ` .`
	}
	for _, c := range []struct{ query, byDefault, want string }{
		{prefix + `SELECT ?size { ex:m1 ex:size ?size }`, json, row("size", "2")},
		{prefix + `SELECT ?size { ex:m9 ex:size ?size }`, json, ""},
		{prefix + `ASK { ex:m1 ex:size 2 }`, json, row("boolean", "true")},
		{prefix + `ASK { ex:m1 ex:size 3 }`, json, row("boolean", "false")},
		{prefix + `CONSTRUCT { ex:m1 ex:size ?size } WHERE { ex:m1 ex:size ?size }`, service.MediaTurtle, `<http://example.org/m1> <http://example.org/size> 2 .`},
		{prefix + `DESCRIBE <http://example.org/none>`, service.MediaTurtle, ""},
	} {
		ask := func(s *fixture, accept ...string) (kind, body string) {
			r := call{method: "GET", path: queryPath(c.query), header: map[string]string{}}
			if len(accept) > 0 {
				r.header["Accept"] = accept[0]
			}
			w := s.do(t, r)
			if w.Code != 200 {
				t.Fatalf("%s: %d %s", c.query, w.Code, w.Body)
			}
			kind, _, _ = strings.Cut(w.Header().Get("Content-Type"), ";")
			return kind, w.Body.String()
		}
		// The Accept headers of curl and Python, of a request for Turtle, of SEGB's front
		// end, and none.
		for _, accept := range [][]string{{"*/*"}, {"text/turtle"}, {"application/json, text/plain, text/turtle"}, nil} {
			kind, body := ask(compat, accept...)
			if kind != service.MediaTurtle || !sameTurtle(t, body, c.want) {
				t.Errorf("%s with Accept %q: %s %s", c.query, accept, kind, body)
			}
		}
		for _, accept := range [][]string{{"*/*"}, nil} {
			if kind, _ := ask(strict, accept...); kind != c.byDefault {
				t.Errorf("%s with Accept %q and without compatibility: %s", c.query, accept, kind)
			}
		}
		if kind, _ := ask(compat, json+", */*;q=0.1"); kind != c.byDefault {
			t.Errorf("%s, asked for as JSON: %s", c.query, kind)
		}
	}
	wantProblem(t, strict.ask(t, `ASK {}`, "format=ttl"), 422, "format must be json, xml, csv or tsv.")
	if w := compat.ask(t, `ASK {}`, "format=ttl"); !sameTurtle(t, w.Body.String(), row("boolean", "true")) {
		t.Errorf("ASK with format=ttl: %s", w.Body)
	}
}

func sameTurtle(t *testing.T, a, b string) bool {
	t.Helper()
	parse := func(text string) []rdf.Quad {
		quads, err := turtle.Parse([]byte(text), turtle.Turtle, turtle.Options{})
		if err != nil {
			t.Fatalf("%v in %s", err, text)
		}
		return quads
	}
	return canon.Isomorphic(parse(a), parse(b))
}

func TestSEGBsClientsFindVirtuosoReadyOnEveryStore(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"cayley", "virtuoso", "sparql"} {
		named := func(c *settings) { c.StoreName = name }
		strict, compat := newOpenService(t, named), newOpenService(t, named, asSEGB)
		ready := func(s *fixture) map[string]any {
			return asJSON[map[string]any](t, s.do(t, call{method: "GET", path: "/healthz/ready"}))
		}
		if got := ready(compat); got["virtuoso"] != true || got[name] != true {
			t.Errorf("%s: %v", name, got)
		}
		if _, has := ready(strict)["virtuoso"]; has != (name == "virtuoso") {
			t.Errorf("%s, without compatibility: %v", name, ready(strict))
		}
		compat.graph.err = store.ErrUnavailable
		if got := ready(compat); got["virtuoso"] != false {
			t.Errorf("%s, which is down: %v", name, got)
		}
	}
}

func TestSEGBsClientsMayLeaveOutTheUser(t *testing.T) {
	t.Parallel()
	strict, compat := newOpenService(t), newOpenService(t, asSEGB)
	for path, body := range map[string]string{
		"/ttl":            `{"ttl_content":"<http://e/a> <http://e/b> 1 ."}`,
		"/ttl/validate":   `{"ttl_content":"<http://e/a> <http://e/b> 1 ."}`,
		"/ttl/delete_all": `{}`,
	} {
		wantProblem(t, strict.do(t, call{method: "POST", path: path, body: body}), 422, `"user" is missing`)
		for _, prefix := range []string{"", "/api"} {
			w := compat.do(t, call{method: "POST", path: prefix + path, body: body, ui: prefix != ""})
			if w.Code >= 300 {
				t.Errorf("%s: %d %s", prefix+path, w.Code, w.Body)
			}
		}
		wrong := strings.Replace(body, "{", `{"user":7,`, 1)
		wantProblem(t, compat.do(t, call{method: "POST", path: path, body: strings.Replace(wrong, ",}", "}", 1)}), 422, `"user"`)
	}
	for _, e := range compat.graph.journal {
		if e.Claimed != "" || e.Actor == "" {
			t.Errorf("the journal has actor %q, user %q", e.Actor, e.Claimed)
		}
	}
	wantProblem(t, compat.do(t, call{method: "POST", path: "/ttl", body: `{}`}), 422, `"ttl_content" is missing`)
}

func TestTheDocumentSaysWhatSEGBsClientsMayDo(t *testing.T) {
	t.Parallel()
	required := func(s *fixture, schema string) []any {
		schemas := s.document(t).raw["components"].(map[string]any)["schemas"].(map[string]any)
		return schemas[schema].(map[string]any)["required"].([]any)
	}
	strict, compat := newOpenService(t), newOpenService(t, asSEGB)
	for schema, member := range map[string]string{"Publication": "user", "Deletion": "user"} {
		if slices.Contains(required(compat, schema), any(member)) || !slices.Contains(required(strict, schema), any(member)) {
			t.Errorf("%s: %v, and without compatibility %v", schema, required(compat, schema), required(strict, schema))
		}
	}
	if !slices.Contains(required(compat, "Ready"), any("virtuoso")) || slices.Contains(required(strict, "Ready"), any("virtuoso")) {
		t.Errorf("Ready: %v, and without compatibility %v", required(compat, "Ready"), required(strict, "Ready"))
	}
	d := compat.document(t)
	for _, c := range []call{
		{method: "GET", path: "/healthz/ready"},
		{method: "GET", path: queryPath("ASK {}")},
		{method: "POST", path: "/ttl/delete_all", body: `{}`},
	} {
		w := compat.do(t, c)
		path, _, _ := strings.Cut(c.path, "?")
		kind, _, _ := strings.Cut(w.Header().Get("Content-Type"), ";")
		described, ok := d.Paths[path][strings.ToLower(c.method)].Responses["200"].Content[kind]
		if !ok {
			t.Fatalf("%s: %d %s is not described", path, w.Code, kind)
		}
		if err := d.check(described.Schema, value(t, kind, w)); err != nil {
			t.Errorf("%s: %v in %s", path, err, w.Body)
		}
	}
}
