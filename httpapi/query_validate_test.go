package httpapi

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/segraph/segraph/service"
	"github.com/segraph/segraph/store"
)

// asQuery returns the JSON body of a validation request.
func asQuery(text string) string {
	body, err := json.Marshal(map[string]string{"query": text})
	if err != nil {
		panic(err)
	}
	return string(body)
}

func TestAQueryIsCheckedWithoutBeingRun(t *testing.T) {
	t.Parallel()
	s := newOpenService(t)
	s.graph.err = store.ErrUnavailable // validation works without the store
	for _, c := range []struct {
		query, kind  string
		line, column int // 0 if the query is valid
		message      string
	}{
		{"SELECT * { ?s ?p ?o }", "select", 0, 0, "can be run"},
		{"PREFIX e: <http://e/> CONSTRUCT { ?s e:p 1 } WHERE { ?s ?p ?o }", "construct", 0, 0, "can be run"},
		{"ask {}", "ask", 0, 0, "can be run"},
		{"DESCRIBE <http://e/a>", "describe", 0, 0, "can be run"},
		{"SELECT *\n{ ?s ?p }", "select", 2, 9, "expected an object"},
		{"SELECT ?x { ?s e:p ?x }", "select", 1, 16, "e:"},
		{"INSERT DATA { <http://e/a> <http://e/b> 1 }", "update", 1, 1, "INSERT is an update"},
		{"PREFIX e: <http://e/>\n DROP ALL", "update", 2, 2, "DROP is an update"},
		{"LOAD <http://e/a>", "update", 1, 1, "LOAD is an update"},
		{"SELECT * { SERVICE <http://e/> { ?s ?p ?o } }", "select", 1, 12, "SERVICE"},
		{"ASK { OPTIONAL { SERVICE SILENT ?x { ?s ?p ?o } } }", "ask", 1, 18, "SERVICE"},
		{"DESCRIBE <a>", "describe", 0, 0, "can be run"}, // resolved against the service's URL
		{"hello", "unknown", 1, 1, ""},
		{"", "unknown", 1, 1, ""},
		{"ASK { ?s ?p '\u0000' }", "ask", 0, 0, ""},
		{strings.Repeat("(", 100_000), "unknown", 1, 1, ""},
	} {
		w := s.do(t, call{method: "POST", path: "/query/validate", body: asQuery(c.query)})
		if w.Code != 200 {
			t.Fatalf("%.40q: %d %s", c.query, w.Code, w.Body)
		}
		got := asJSON[service.QueryValidation](t, w)
		if got.Kind != c.kind || got.Valid != (c.line == 0) || !strings.Contains(got.Message, c.message) ||
			got.Update || got.Message != service.Sentence(got.Message) {
			t.Errorf("%.40q: %s", c.query, w.Body)
		}
		if c.line == 0 {
			if got.Line != nil || got.Column != nil {
				t.Errorf("%.40q: a right query has a place: %s", c.query, w.Body)
			}
			continue
		}
		if got.Line == nil || *got.Line != c.line || got.Column == nil || *got.Column != c.column {
			t.Errorf("%.40q: %s; want line %d, column %d", c.query, w.Body, c.line, c.column)
		}
	}
}

func TestOnlyAQueryInJSONIsValidated(t *testing.T) {
	t.Parallel()
	s := newOpenService(t)
	for _, c := range []struct {
		body, contentType string
		status            int
		detail            string
	}{
		{"{}", "", 422, `"query" is missing`},
		{`{"query":null}`, "", 422, `"query" must be text`},
		{`{"query":["ASK {}"]}`, "", 422, `"query" must be text`},
		{`["ASK {}"]`, "", 422, "JSON object"},
		{"ASK {}", "", 422, "not JSON"},
		{"ASK {}", "application/sparql-query", 415, "application/json"},
		{asQuery(strings.Repeat(" ", 1<<20)), "", 413, "1 MiB"},
	} {
		w := s.do(t, call{method: "POST", path: "/query/validate", body: c.body, contentType: c.contentType})
		wantProblem(t, w, c.status, c.detail)
	}
	w := s.do(t, call{method: "POST", path: "/query/validate", body: `{"query":"ASK {}","user":"ari"}`})
	if w.Code != 200 || !asJSON[service.QueryValidation](t, w).Valid {
		t.Errorf("a member that is not known: %d %s", w.Code, w.Body)
	}
}
