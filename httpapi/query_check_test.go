package httpapi

import (
	"net/http"
	"strings"
	"testing"

	"github.com/segraph/segraph/service"
	"github.com/segraph/segraph/store/sparql"
)

// A query that can only find nothing, because of an unknown function or an invalid
// pattern, is 400 with its name and position on every route, and /query/validate reports
// it.
func TestWhatCouldOnlyFindNothingIs400ByNameAndPlace(t *testing.T) {
	t.Parallel()
	s := newQueryService(t, logOfTwo)
	for _, c := range []struct{ query, name, detail string }{
		{"SELECT * { ?s ?p ?o FILTER(^<urn:x:f>(?o)) }", "urn:x:f", "there is no function <urn:x:f>"},
		{`SELECT * { ?s ?p ?o FILTER REGEX(STR(?o), ^"a[") }`, "a[", "[ without ]"},
	} {
		column := strings.Index(c.query, "^") + 1
		query := strings.Replace(c.query, "^", "", 1)
		for _, path := range []string{queryPath(query), explainPath(query)} {
			p := wantProblem(t, s.do(t, call{method: "GET", path: path}), http.StatusBadRequest, c.detail)
			if p.Line != 1 || p.Column != column || strings.Contains(p.Detail, "can't be read") {
				t.Errorf("%s: %+v", path, p)
			}
		}
		v := asJSON[service.QueryValidation](t, s.do(t, call{method: "POST", path: "/query/validate", body: asQuery(query)}))
		if v.Valid || *v.Line != 1 || *v.Column != column || len(v.Warnings) != 1 || v.Warnings[0].Name != c.name || v.Warnings[0].Column != column {
			t.Errorf("%s: %+v", query, v)
		}
	}
}

// Patterns that other engines may refuse are answered. /query/validate and /query/explain
// warn about them.
func TestForeignPatternsAreWarnedOfByNameAndPlace(t *testing.T) {
	t.Parallel()
	s := newQueryService(t, logOfTwo)
	const query = `SELECT * { ?s ?p ?o FILTER REGEX(STR(?o), "(?i)\\bTEXT\\b") }`
	if w := s.ask(t, query); w.Code != 200 {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	v := asJSON[service.QueryValidation](t, s.do(t, call{method: "POST", path: "/query/validate", body: asQuery(query)}))
	x := asJSON[sparql.Explanation](t, s.do(t, call{method: "GET", path: explainPath(query)}))
	for _, warnings := range [][]sparql.Warning{v.Warnings, x.Warnings} {
		if len(warnings) != 2 || warnings[0].Name != "(?i)" || warnings[1].Name != `\b` || warnings[0].Line != 1 || warnings[0].Column != strings.Index(query, `"(`)+1 {
			t.Errorf("%+v", warnings)
		}
	}
	if !v.Valid {
		t.Errorf("%+v", v)
	}
}
