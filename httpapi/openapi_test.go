package httpapi

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/gorilla/mux"

	"github.com/segraph/segraph/internal/suite"
	"github.com/segraph/segraph/resolver"
	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/fleet/pack"
)

// openAPI is the part of the document that the tests read.
type openAPI struct {
	OpenAPI string                          `json:"openapi"`
	Paths   map[string]map[string]described `json:"paths"`
	Servers []struct{ URL string }          `json:"servers"`
	raw     map[string]any
}

type described struct {
	OperationID string                `json:"operationId"`
	Summary     string                `json:"summary"`
	Roles       []string              `json:"x-roles"`
	Security    []map[string][]string `json:"security"`
	Parameters  []struct{ Name, In string }
	RequestBody struct{ Content map[string]media } `json:"requestBody"`
	Responses   map[string]struct{ Content map[string]media }
}

type media struct{ Schema map[string]any }

func (s *fixture) document(t testing.TB) openAPI {
	t.Helper()
	w := s.do(t, call{method: "GET", path: "/openapi.json"})
	if w.Code != 200 || w.Header().Get("Content-Type") != "application/json" {
		t.Fatalf("%d %s", w.Code, w.Header().Get("Content-Type"))
	}
	d := asJSON[openAPI](t, w)
	d.raw = asJSON[map[string]any](t, w)
	return d
}

func TestTheRouterAndTheDocumentSayTheSame(t *testing.T) {
	t.Parallel()
	suite.OneGoroutine(t)
	s := newService(t)
	d := s.document(t)
	if d.OpenAPI != "3.1.0" || len(d.Servers) != 1 {
		t.Errorf("OpenAPI %q, servers %v", d.OpenAPI, d.Servers)
	}
	var routed []string
	err := s.Routes("").Walk(func(r *mux.Route, _ *mux.Router, _ []*mux.Route) error {
		path, err := r.GetPathTemplate()
		routed = append(routed, strings.Replace(path, ":.+}", "}", 1))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	documented := slices.Sorted(maps.Keys(d.Paths))
	slices.Sort(routed)
	if !slices.Equal(routed, documented) {
		t.Errorf("the router has %v, and the document %v", routed, documented)
	}
	// The running router, not the table, says what a path accepts and from whom.
	ids := map[string]bool{}
	for path, operations := range d.Paths {
		for _, method := range []string{"GET", "POST", "PUT", "PATCH", "DELETE"} {
			operation, described := operations[strings.ToLower(method)]
			request := sample(method, path)
			if got := s.do(t, request).Code != 405; got != described {
				t.Errorf("%s %s: answered %v, described %v", method, path, got, described)
			}
			if !described {
				continue
			}
			if operation.OperationID == "" || ids[operation.OperationID] || operation.Summary == "" {
				t.Errorf("%s %s: operationId %q, summary %q", method, path, operation.OperationID, operation.Summary)
			}
			ids[operation.OperationID] = true
			public := s.do(t, request).Code < 300
			if public != (len(operation.Roles) == 0) || public != (len(operation.Security) == 0) {
				t.Errorf("%s %s: public %v, roles %v, security %v", method, path, public, operation.Roles, operation.Security)
			}
			if public {
				continue
			}
			for _, role := range []string{"admin", "logger", "auditor"} {
				request.token, _ = s.auth.Issue("ari", []string{role}, 1e12, s.config.Now())
				if got := s.do(t, request).Code != 403; got != slices.Contains(operation.Roles, role) {
					t.Errorf("%s %s: %s is let in: %v, described are %v", method, path, role, got, operation.Roles)
				}
			}
		}
	}
}

func TestOperationsWithABodyDescribeItsErrors(t *testing.T) {
	t.Parallel()
	suite.NotShort(t)
	suite.OneGoroutine(t)
	s := newOpenService(t)
	d := s.document(t)
	for _, r := range s.routes {
		described := d.Paths[r.path][strings.ToLower(r.method)].Responses
		ask := func(change func(*http.Request)) int {
			request := sample(r.method, r.path).request()
			change(request)
			w := httptest.NewRecorder()
			s.Handler().ServeHTTP(w, request)
			return w.Code
		}
		for status, change := range map[int]func(*http.Request){
			413: func(r *http.Request) {
				r.Body = io.NopCloser(strings.NewReader(strings.Repeat(" ", 17<<20)))
				r.ContentLength = 17 << 20
			},
			415: func(r *http.Request) { r.Header["Content-Encoding"] = []string{"", "br"} },
		} {
			_, listed := described[strconv.Itoa(status)]
			if got := ask(change); (got == status) != listed {
				t.Errorf("%s %s: answered %d, and described is %d: %v", r.method, r.path, got, status, listed)
			}
		}
	}
}

func TestAnswersMatchTheOpenAPIDocument(t *testing.T) {
	t.Parallel()
	s := newOpenService(t)
	d := s.document(t)
	broken := newOpenService(t)
	broken.graph.err = store.ErrUnavailable
	full := newOpenService(t)
	alone := newOpenService(t, func(c *settings) { c.Witness = nil })
	full.graph.err = store.ErrDiskFull
	unknown, superseded, lost := newOpenService(t), newOpenService(t), newOpenService(t)
	unknown.contexts.err = &resolver.Error{Code: resolver.CaseNotFound, Detail: "there is no such case"}
	superseded.contexts.err = &resolver.Error{Code: resolver.CaseSuperseded, Detail: "it was decided elsewhere", CurrentContext: "urn:c:1"}
	lost.contexts.err = store.ErrUnavailable
	closed := newService(t)
	misspelt := newQueryService(t, logOfTwo)
	bad := `<http://e/a> a "x" ; <http://www.w3.org/ns/prov#used> "y" .`
	for _, c := range []struct {
		s      *fixture
		call   call
		status int
	}{
		{s, call{method: "GET", path: "/healthz/live"}, 200},
		{s, call{method: "GET", path: "/healthz/ready"}, 200},
		{s, call{method: "GET", path: "/healthz/ready?lag=5"}, 422},
		{broken, call{method: "GET", path: "/healthz/ready"}, 503},
		{s, call{method: "GET", path: "/auth/mode"}, 200},
		{s, call{method: "POST", path: "/ttl", body: ttl(small, "x")}, 201},
		{s, call{method: "POST", path: "/ttl", body: ttl("x", "x")}, 400},
		{s, call{method: "POST", path: "/ttl", body: "{}"}, 422},
		{s, call{method: "POST", path: "/ttl", body: "{}", contentType: "text/html"}, 415},
		{s, call{method: "POST", path: "/ttl", body: strings.Repeat(" ", 17<<20)}, 413},
		{s, sample("POST", "/batch"), 200},
		{s, call{method: "POST", path: "/batch", contentType: linesTypes[0]}, 400},
		{s, call{method: "POST", path: "/batch?user=ari", contentType: linesTypes[0], body: "{}"}, 422},
		{s, call{method: "GET", path: "/logs/mine?limit=0"}, 422},
		{s, call{method: "GET", path: "/logs/mine"}, 200},
		{broken, call{method: "POST", path: "/ttl", body: ttl(small, "x")}, 503},
		{full, call{method: "POST", path: "/ttl", body: ttl(small, "x")}, 507},
		{closed, call{method: "POST", path: "/ttl", body: ttl(small, "x")}, 401},
		{closed, call{method: "POST", path: "/ttl", body: ttl(small, "x"), token: closed.token(t, "auditor")}, 403},
		{s, call{method: "POST", path: "/ttl/validate", body: ttl(bad, "x")}, 200},
		{s, call{method: "POST", path: "/ttl/validate", body: ttl("x", "x")}, 200},
		{s, call{method: "POST", path: "/ttl/validate", body: "[]"}, 422},
		{s, call{method: "GET", path: "/events"}, 200},
		{s, call{method: "GET", path: "/events", header: map[string]string{"Accept": "application/n-triples"}}, 200},
		{s, call{method: "GET", path: "/events", header: map[string]string{"Accept": "application/rdf+xml"}}, 200},
		{s, call{method: "GET", path: "/events", header: map[string]string{"Accept": "text/html"}}, 406},
		{s, call{method: "GET", path: "/events", header: map[string]string{"Accept": "application/trig"}}, 200},
		{s, call{method: "GET", path: "/events", header: map[string]string{"Accept": "application/n-quads"}}, 200},
		{s, call{method: "GET", path: "/rdf-graph-store?default"}, 200},
		{s, call{method: "GET", path: "/rdf-graph-store?default", header: map[string]string{"If-None-Match": "*"}}, 304},
		{s, call{method: "GET", path: "/rdf-graph-store"}, 400},
		{s, call{method: "GET", path: "/rdf-graph-store?graph=urn:x"}, 404},
		{s, call{method: "GET", path: "/rdf-graph-store?default", header: map[string]string{"Accept": "text/html"}}, 406},
		{s, call{method: "GET", path: "/rdf-graph-store?default&context=x"}, 422},
		{broken, call{method: "GET", path: "/rdf-graph-store?default"}, 503},
		{s, call{method: "GET", path: "/events", header: map[string]string{"If-None-Match": "*"}}, 304},
		{broken, call{method: "GET", path: "/events"}, 503},
		{s, call{method: "GET", path: "/query?query=ASK%20%7B%7D"}, 200},
		{s, call{method: "GET", path: "/query?format=csv&query=ASK%20%7B%7D"}, 200},
		{s, call{method: "GET", path: "/query?format=xml&query=ASK%20%7B%7D"}, 200},
		{s, call{method: "GET", path: "/query?query=SELECT%20*%20%7B%7D"}, 200},
		{s, call{method: "GET", path: "/query?query=DESCRIBE%20%3Ca%3E"}, 200},
		{s, call{method: "GET", path: "/query?format=json&query=DESCRIBE%20%3Ca%3E"}, 200},
		{s, call{method: "GET", path: "/query?query=ASK"}, 400},
		{s, call{method: "GET", path: "/query"}, 200},
		{s, call{method: "GET", path: "/query", header: map[string]string{"Accept": "application/n-quads"}}, 200},
		{s, call{method: "GET", path: "/query?format=trig&query=DESCRIBE%20%3Ca%3E"}, 200},
		{s, call{method: "GET", path: "/query", header: map[string]string{"Accept": "text/html"}}, 422},
		{broken, call{method: "GET", path: "/query?query=ASK%20%7B%7D"}, 503},
		{closed, call{method: "GET", path: "/query?query=ASK%20%7B%7D"}, 401},
		{s, call{method: "POST", path: "/query", body: "ASK {}", contentType: "application/sparql-query"}, 200},
		{s, call{method: "POST", path: "/query", body: "query=ASK%20%7B%7D", contentType: "application/x-www-form-urlencoded"}, 200},
		{s, call{method: "POST", path: "/query", body: "ASK {}"}, 415},
		{s, call{method: "POST", path: "/query", body: strings.Repeat(" ", 2<<20), contentType: "application/sparql-query"}, 413},
		{s, call{method: "GET", path: "/query/explain?query=ASK%20%7B%7D"}, 200},
		{s, call{method: "GET", path: "/query/explain?format=json&query=ASK%20%7B%7D"}, 200},
		{s, call{method: "GET", path: "/query/explain?format=csv&query=ASK%20%7B%7D"}, 422},
		{s, call{method: "GET", path: "/query/explain?query=ASK"}, 400},
		{broken, call{method: "GET", path: "/query/explain?query=ASK%20%7B%7D"}, 503},
		{misspelt, call{method: "GET", path: "/query/explain?query=" + url.QueryEscape("SELECT * { ?m <http://example.org/txt> ?x OPTIONAL { ?m ?p ?m } }")}, 200},
		{s, call{method: "POST", path: "/query/explain", body: "ASK {}", contentType: "application/sparql-query"}, 200},
		{s, call{method: "POST", path: "/query/validate", body: asQuery("ASK {}")}, 200},
		{s, call{method: "POST", path: "/query/validate", body: asQuery("ASK")}, 200},
		{s, call{method: "POST", path: "/query/validate", body: "{}"}, 422},
		{s, call{method: "GET", path: "/logs/server"}, 200},
		{s, call{method: "GET", path: "/logs/server?limit=0"}, 422},
		{s, call{method: "GET", path: "/logs"}, 200},
		{s, call{method: "GET", path: "/logs?limit=1&actor=x&since=2026-01-01T00:00:00Z"}, 200},
		{s, call{method: "GET", path: "/logs?limit=0"}, 422},
		{s, call{method: "GET", path: "/logs?action=nonsense"}, 422},
		{broken, call{method: "GET", path: "/logs"}, 503},
		{s, call{method: "GET", path: "/logs/" + knownLog}, 200},
		{s, call{method: "GET", path: "/logs/" + knownLog, header: map[string]string{"Accept": "text/turtle"}}, 200},
		{s, call{method: "GET", path: "/logs/" + knownLog, header: map[string]string{"Accept": "application/n-triples"}}, 200},
		{s, call{method: "GET", path: "/logs/" + knownLog, header: map[string]string{"Accept": "application/rdf+xml"}}, 200},
		{s, call{method: "GET", path: "/logs/none"}, 404},
		{s, call{method: "GET", path: "/logs/" + knownLog + "?limit=x"}, 422},
		{s, call{method: "POST", path: "/logs/withdraw", body: `{"user":"ari","preview":true}`}, 200},
		{s, call{method: "POST", path: "/logs/withdraw", body: `{"logs":["` + knownLog + `","none"]}`}, 200},
		{s, call{method: "POST", path: "/logs/withdraw", body: `{"query":"SELECT ?s {"}`}, 400},
		{s, call{method: "POST", path: "/logs/withdraw", body: `{"robots":["urn:r"]}`}, 422},
		{s, call{method: "POST", path: "/logs/withdraw", body: `{"user":"","logs":[]}`}, 422},
		{s, call{method: "POST", path: "/logs/withdraw", body: `{"logs":["` + knownLog + `",null]}`}, 422},
		{broken, call{method: "POST", path: "/logs/withdraw", body: `{"user":"ari"}`}, 503},
		{s, call{method: "POST", path: "/shared-context/resolve", body: sighting}, 200},
		{s, call{method: "POST", path: "/shared-context/resolve", body: "[]"}, 422},
		{s, call{method: "POST", path: "/shared-context/reconcile"}, 200},
		{s, call{method: "GET", path: "/shared-context/stats"}, 200},
		{s, call{method: "POST", path: "/shared-context/subjects", body: `{"subject_uri":"urn:s","person":true}`}, 200},
		{s, call{method: "POST", path: "/shared-context/subjects", body: `{"subject_uri":"urn:s"}`}, 422},
		{lost, call{method: "POST", path: "/shared-context/subjects", body: `{"subject_uri":"urn:s","person":true}`}, 503},
		{s, call{method: "POST", path: "/shared-context/people", body: `{"subject_uris":["urn:s","urn:t"],"one_person":true}`}, 200},
		{s, call{method: "POST", path: "/shared-context/people", body: `{"subject_uris":["urn:s","urn:t"],"one_person":true,"reason":"the same badge","dry_run":true}`}, 200},
		{s, call{method: "POST", path: "/shared-context/people", body: `{"subject_uris":"urn:s","one_person":true}`}, 422},
		{lost, call{method: "POST", path: "/shared-context/people", body: `{"subject_uris":["urn:s","urn:t"],"one_person":true}`}, 503},
		{s, call{method: "POST", path: "/shared-context/clocks/confirm", body: `{"robot_uri":"urn:r","offset_ms":5100}`}, 200},
		{s, call{method: "POST", path: "/shared-context/clocks/confirm", body: `{"robot_uri":"urn:r","revoke":true}`}, 200},
		{s, call{method: "POST", path: "/shared-context/clocks/confirm", body: `{"offset_ms":5100}`}, 422},
		{lost, call{method: "POST", path: "/shared-context/clocks/confirm", body: `{"robot_uri":"urn:r"}`}, 503},
		{s, call{method: "POST", path: "/shared-context/relays", body: `{"robot_uri":"urn:r","relay":true}`}, 200},
		{s, call{method: "POST", path: "/shared-context/relays", body: `{"robot_uri":"urn:r","relay":"yes"}`}, 422},
		{lost, call{method: "POST", path: "/shared-context/relays", body: `{"robot_uri":"urn:r","relay":true}`}, 503},
		{s, call{method: "GET", path: "/shared-context/review/pending"}, 200},
		{s, call{method: "GET", path: "/shared-context/contexts?uri=urn:c"}, 200},
		{s, call{method: "GET", path: "/shared-context/contexts"}, 422},
		{s, call{method: "GET", path: "/shared-context/review/pending?limit=0"}, 422},
		{s, call{method: "POST", path: "/shared-context/review/review_1/accept"}, 200},
		{s, call{method: "POST", path: "/shared-context/review/review_1/reject"}, 200},
		{s, call{method: "POST", path: "/shared-context/review/review_1/undo"}, 200},
		{unknown, call{method: "POST", path: "/shared-context/review/review_1/accept"}, 404},
		{unknown, call{method: "POST", path: "/shared-context/review/review_1/reject"}, 404},
		{unknown, call{method: "POST", path: "/shared-context/review/review_1/undo"}, 404},
		{superseded, call{method: "POST", path: "/shared-context/review/review_1/accept"}, 409},
		{superseded, call{method: "POST", path: "/shared-context/review/review_1/reject"}, 409},
		{superseded, call{method: "POST", path: "/shared-context/review/review_1/undo"}, 409},
		{lost, call{method: "POST", path: "/shared-context/resolve", body: sighting}, 503},
		{lost, call{method: "POST", path: "/shared-context/reconcile"}, 503},
		{lost, call{method: "GET", path: "/shared-context/stats"}, 503},
		{lost, call{method: "GET", path: "/shared-context/review/pending"}, 503},
		{lost, call{method: "POST", path: "/shared-context/review/review_1/reject"}, 503},
		{s, call{method: "DELETE", path: "/logs/" + knownLog}, 200},
		{s, call{method: "DELETE", path: "/logs/none"}, 404},
		{s, call{method: "GET", path: "/admin/backup"}, 200},
		{s, call{method: "GET", path: "/admin/backup", header: map[string]string{"Range": "bytes=1-2"}}, 206},
		{s, call{method: "GET", path: "/admin/backup", header: map[string]string{"Range": "bytes=999999-"}}, 416},
		{s, call{method: "GET", path: "/admin/backup", header: map[string]string{"Range": "bytes=0-0,2-2"}}, 206},
		{s, call{method: "GET", path: "/admin/backup?name=x"}, 404},
		{broken, call{method: "GET", path: "/admin/backup"}, 503},
		{full, call{method: "GET", path: "/admin/backup"}, 507},
		{s, call{method: "GET", path: "/admin/backups"}, 200},
		{s, call{method: "POST", path: "/admin/backups/verify", body: "{}"}, 200},
		{s, call{method: "POST", path: "/admin/backups/verify", body: `{"name":"x"}`}, 404},
		{s, call{method: "POST", path: "/admin/tokens", body: `{"username":"ari","roles":["logger"],"expires_in":60}`}, 409},
		{closed, call{method: "POST", path: "/admin/tokens", body: `{"username":"ari","roles":["logger"],"expires_in":60}`, token: closed.token(t, "admin")}, 201},
		{closed, call{method: "GET", path: "/admin/tokens", token: closed.token(t, "admin")}, 200},
		{s, call{method: "GET", path: "/admin/erasures"}, 200},
		{s, call{method: "POST", path: "/admin/erasures/preview", body: `{"person":"urn:p"}`}, 200},
		{s, call{method: "POST", path: "/admin/erasures/preview", body: `{"person":"p"}`}, 422},
		{s, call{method: "POST", path: "/admin/erasures", body: `{"person":"urn:p","pseudonymise":true,"reason":"a letter"}`}, 201},
		{s, call{method: "POST", path: "/admin/erasures", body: `{"person":"urn:p"}`}, 422},
		{s, call{method: "POST", path: "/admin/erasures/{id}/confirm"}, 404},
		{s, call{method: "POST", path: "/admin/erasures/{id}/cancel"}, 404},
		{s, call{method: "POST", path: "/admin/erasures/{id}/receipt"}, 404},
		{s, call{method: "POST", path: "/admin/erasures/done/receipt"}, 200},
		{s, call{method: "POST", path: "/admin/erasures/hold/confirm"}, 200},
		{s, call{method: "POST", path: "/admin/erasures/hold/cancel"}, 200},
		{s, call{method: "GET", path: "/logs/" + knownLog + "/receipt"}, 200},
		{s, call{method: "POST", path: "/evidence", body: `{"iri":"urn:a"}`}, 200},
		{s, call{method: "POST", path: "/evidence", body: `{"iri":"urn:none"}`}, 404},
		{s, call{method: "POST", path: "/evidence", body: `{"iri":"urn:a","case":"b"}`}, 422},
		{s, call{method: "GET", path: "/log/checkpoint"}, 200},
		{s, call{method: "GET", path: "/log/tile/0/000"}, 200},
		{s, call{method: "GET", path: "/log/tile/1/000"}, 404},
		{s, call{method: "GET", path: "/log/tile/entries/000.p/7"}, 200},
		{s, call{method: "POST", path: "/add-checkpoint", body: "signed", contentType: "text/plain"}, 200},
		{s, call{method: "POST", path: "/add-checkpoint", body: "size", contentType: "text/plain"}, 409},
		{s, call{method: "POST", path: "/add-checkpoint", body: "busy", contentType: "text/plain"}, 429},
		{s, call{method: "POST", path: "/add-checkpoint", body: "false", contentType: "text/plain"}, 422},
		{s, call{method: "POST", path: "/add-checkpoint", body: "unsigned", contentType: "text/plain"}, 403},
		{s, call{method: "POST", path: "/add-checkpoint", body: "broken", contentType: "text/plain"}, 500},
		{alone, call{method: "POST", path: "/add-checkpoint", body: "x", contentType: "text/plain"}, 404},
		{s, call{method: "POST", path: "/forward", body: "pack", contentType: pack.MediaType}, 200},
		{s, call{method: "POST", path: "/forward", body: "garbled", contentType: pack.MediaType}, 400},
		{s, call{method: "POST", path: "/forward", body: "key", contentType: pack.MediaType}, 403},
		{s, call{method: "POST", path: "/forward", body: "unknown", contentType: pack.MediaType}, 404},
		{s, call{method: "POST", path: "/forward", body: "gap", contentType: pack.MediaType}, 409},
		{s, call{method: "POST", path: "/forward", body: "fork", contentType: pack.MediaType}, 422},
		{s, call{method: "GET", path: "/forward?log=box"}, 200},
		{s, call{method: "GET", path: "/forward?log=new"}, 204},
		{s, call{method: "GET", path: "/forward?log=unknown"}, 404},
		{s, call{method: "GET", path: "/witness/{origin_hash}/checkpoint"}, 200},
		{alone, call{method: "GET", path: "/witness/{origin_hash}/checkpoint"}, 404},
		{s, call{method: "GET", path: "/docs"}, 200},
		{s, call{method: "GET", path: "/docs/docs.js"}, 200},
		{s, call{method: "GET", path: "/docs/docs.css"}, 200},
		{s, call{method: "GET", path: "/docs/other"}, 404},
		{s, call{method: "GET", path: "/openapi.json"}, 200},
		{s, call{method: "GET", path: "/context.jsonld"}, 200},
		{s, call{method: "POST", path: "/ttl/delete_all", body: `{"user":null}`}, 200},
		{s, call{method: "POST", path: "/ttl/delete_all", body: `{"user":null,"contexts":true}`}, 200},
		{full, call{method: "POST", path: "/ttl/delete_all", body: `{"user":null}`}, 507},
	} {
		name := fmt.Sprintf("%s %s %d", c.call.method, c.call.path, c.status)
		w := c.s.do(t, c.call)
		if w.Code != c.status {
			t.Errorf("%s: answered %d %s", name, w.Code, w.Body)
			continue
		}
		path, _, _ := strings.Cut(c.call.path, "?")
		if rest, ok := strings.CutPrefix(path, "/docs/"); ok {
			path = strings.Replace(path, rest, "{file}", 1)
		}
		if rest, ok := strings.CutPrefix(path, "/logs/"); ok && rest != "server" && rest != "mine" && rest != "withdraw" && !strings.HasSuffix(rest, "/receipt") {
			path = "/logs/{log_id}"
		}
		path = strings.Replace(path, knownLog+"/receipt", "{log_id}/receipt", 1)
		for _, before := range []string{"/log/tile/entries/", "/log/tile/"} {
			if rest, ok := strings.CutPrefix(path, before); ok && !strings.HasPrefix(rest, "{") && !strings.HasPrefix(rest, "entries/") {
				path = before + "{tile}"
			}
		}
		path = strings.NewReplacer("review_1", "{case_id}", "/erasures/hold/", "/erasures/{id}/", "/erasures/done/", "/erasures/{id}/").Replace(path)
		response, ok := d.Paths[path][strings.ToLower(c.call.method)].Responses[fmt.Sprint(c.status)]
		if !ok {
			t.Errorf("%s is not described", name)
			continue
		}
		if c.status == 304 || c.status == 204 {
			continue
		}
		kind, _, _ := strings.Cut(w.Header().Get("Content-Type"), ";")
		described, ok := response.Content[kind]
		if !ok {
			t.Errorf("%s: %q is not described", name, kind)
			continue
		}
		if err := d.check(described.Schema, value(t, kind, w)); err != nil {
			t.Errorf("%s: %v in %s", name, err, w.Body)
		}
	}
}

func TestEverySchemaIsUsedAndEveryReferenceLeadsSomewhere(t *testing.T) {
	t.Parallel()
	d := newService(t).document(t)
	text, err := json.Marshal(d.raw)
	if err != nil {
		t.Fatal(err)
	}
	components := d.raw["components"].(map[string]any)["schemas"].(map[string]any)
	const start = `"$ref":"#/components/schemas/`
	used := map[string]bool{}
	for _, part := range strings.Split(string(text), start)[1:] {
		name, _, _ := strings.Cut(part, `"`)
		used[name] = true
		if components[name] == nil {
			t.Errorf("there is no schema %s", name)
		}
	}
	for name := range components {
		if !used[name] {
			t.Errorf("nothing uses the schema %s", name)
		}
	}
}

func TestTheExamplesOfTheDocumentAreTaken(t *testing.T) {
	t.Parallel()
	s := newOpenService(t)
	components := s.document(t).raw["components"].(map[string]any)["schemas"].(map[string]any)
	example := func(name string) string {
		value := components[name].(map[string]any)["examples"].([]any)[0]
		if text, ok := value.(string); ok {
			return text
		}
		body, err := json.Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		return string(body)
	}
	for _, c := range []call{
		{method: "POST", path: "/ttl", body: example("Publication")},
		{method: "POST", path: "/ttl/validate", body: example("Publication")},
		{method: "POST", path: "/ttl", body: example("TurtleText"), contentType: "text/turtle"},
		{method: "POST", path: "/query", body: example("SPARQL"), contentType: "application/sparql-query"},
		{method: "POST", path: "/query/validate", body: example("QueryText")},
		{method: "POST", path: "/logs/withdraw", body: example("WithdrawChoice")},
		{method: "POST", path: "/shared-context/resolve", body: example("Observation")},
		{method: "POST", path: "/shared-context/subjects", body: example("SubjectDecision")},
		{method: "POST", path: "/shared-context/people", body: example("PersonDecision")},
		{method: "POST", path: "/shared-context/clocks/confirm", body: example("ClockDecision")},
		{method: "POST", path: "/shared-context/relays", body: example("RelayDecision")},
		{method: "POST", path: "/shared-context/review/review_1/accept", body: example("Acceptance")},
		{method: "POST", path: "/admin/erasures/preview", body: example("NewPreview")},
		{method: "POST", path: "/admin/erasures", body: example("NewErasure")},
		{method: "POST", path: "/ttl/delete_all", body: example("Deletion")},
	} {
		if w := s.do(t, c); w.Code >= 300 || strings.Contains(w.Body.String(), `"valid":false`) {
			t.Errorf("%s: %d %s", c.path, w.Code, w.Body)
		}
	}
}
