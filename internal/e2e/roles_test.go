package e2e

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/segraph/segraph/internal/suite"
)

const secret = "a secret key of more than thirty-two bytes"

// samples has a request for each route of docs/api.md, but those about the service itself.
var samples = []struct {
	method, path string
	body         string // a body that the route accepts
	status       int    // status of the answer to it
}{
	{"GET", "/healthz/live", "", 200},
	{"GET", "/healthz/ready", "", 200},
	{"GET", "/auth/mode", "", 200},
	{"POST", "/ttl/validate", `{"ttl_content":"<urn:s> <urn:p> 1 .","user":"ari"}`, 200},
	{"POST", "/ttl", `{"ttl_content":"<urn:s> <urn:p> 1 .","user":"ari"}`, 201},
	{"POST", "/batch", `{"key":"1","graph":{"@id":"urn:s","urn:p":1}}`, 200},
	{"GET", "/logs/mine", "", 200},
	{"GET", "/events", "", 200},
	{"GET", "/rdf-graph-store", "", 200},
	{"GET", "/query", "", 200},
	{"POST", "/query", "query=ASK+{}", 200},
	{"GET", "/query/explain", "", 200},
	{"POST", "/query/explain", "query=ASK+{}", 200},
	{"POST", "/query/validate", `{"query":"ASK {}"}`, 200},
	{"POST", "/ttl/delete_all", `{"user":"ari"}`, 200},
	{"GET", "/logs/server", "", 200},
	{"POST", "/shared-context/resolve", `{"event_kind":"wave","observed_at":"2026-01-01T00:00:00Z","robot_uri":"urn:r"}`, 200},
	{"POST", "/shared-context/reconcile", "{}", 200},
	{"POST", "/shared-context/relays", `{"robot_uri":"urn:r","relay":false}`, 200},
	{"POST", "/shared-context/subjects", `{"subject_uri":"urn:s","person":false}`, 200},
	{"POST", "/shared-context/people", `{"subject_uris":["urn:s","urn:t"],"one_person":true}`, 200},
	{"POST", "/shared-context/clocks/confirm", `{"robot_uri":"urn:r"}`, 409}, // a robot without records
	{"GET", "/shared-context/stats", "", 200},
	{"GET", "/shared-context/review/pending", "", 200},
	{"GET", "/shared-context/contexts", "", 404}, // no context has that URI
	{"POST", "/shared-context/review/{case_id}/accept", "{}", 404},
	{"POST", "/shared-context/review/{case_id}/reject", "{}", 404},
	{"POST", "/shared-context/review/{case_id}/undo", "{}", 404},
	{"GET", "/admin/backup", "", 200},
	{"GET", "/admin/backups", "", 200},
	{"POST", "/admin/revocations", `{"jti":"none"}`, 201},
	{"GET", "/admin/revocations", "", 200},
	{"GET", "/logs", "", 200},
	{"GET", "/logs/{log_id}", "", 404}, // no log has that id
	{"DELETE", "/logs/{log_id}", "", 404},
	{"POST", "/logs/withdraw", `{"user":"nobody"}`, 200},
	{"GET", "/log/checkpoint", "", 200},
	{"GET", "/log/tile/entries/{tile}", "", 404},
	{"GET", "/log/tile/{tile}", "", 404},
	{"GET", "/logs/{log_id}/receipt", "", 404},
	{"POST", "/forward", "x", 404}, // the service is no centre
	{"GET", "/forward", "", 404},
	{"POST", "/admin/backups/verify", `{"name":"none"}`, 404},
	{"POST", "/admin/tokens", `{"username":"ari","roles":["logger"],"expires_in":60}`, 201},
	{"GET", "/admin/tokens", "", 200},
	{"POST", "/add-checkpoint", "old 0\n\n", 404}, // the service witnesses no log
	{"GET", "/witness/{origin_hash}/checkpoint", "", 404},
	{"GET", "/logs/{log_id}/signature", "", 404},
	{"GET", "/admin/keys", "", 200},
	{"POST", "/admin/keys", `{"user":"ari","public_key":"none"}`, 422},
	{"POST", "/admin/keys/{key_id}/remove", "{}", 404},
	{"GET", "/admin/person", "", 200},
	{"GET", "/admin/holds", "", 200},
	{"POST", "/admin/holds", `{"person":"urn:p","reason":"a case"}`, 201},
	{"POST", "/admin/holds/{id}/lift", "{}", 404},
	{"GET", "/admin/erasures", "", 200},
	{"POST", "/admin/erasures/preview", `{"person":"urn:q"}`, 200},
	{"POST", "/admin/erasures", `{"person":"urn:q","reason":"a letter"}`, 201},
	{"POST", "/admin/erasures/{id}/confirm", "{}", 404},
	{"POST", "/admin/erasures/{id}/cancel", "{}", 404},
	{"POST", "/admin/erasures/{id}/receipt", "{}", 404},
	{"POST", "/evidence", `{"case":"none"}`, 404},
}

// ask sends a request of the table to a listener.
func ask(t *testing.T, method, listener, path, body string, header ...string) answer {
	t.Helper()
	kind := "application/json"
	if path == "/query" || path == "/query/explain" {
		kind = "application/x-www-form-urlencoded"
		if method == "GET" {
			path += "?query=ASK+%7B%7D"
		}
	}
	if path == "/batch" {
		kind = "application/x-ndjson"
	}
	if path == "/rdf-graph-store" {
		path += "?default"
	}
	if path == "/admin/person" {
		path += "?iri=urn:p"
	}
	if path == "/shared-context/contexts" {
		path += "?uri=urn:c"
	}
	return request(t, method, listener+path, []byte(body), append(header, "Content-Type", kind)...)
}

// issue returns a token made by the command line.
func issue(t *testing.T, roles string) string {
	t.Helper()
	r := command(t, t.TempDir(), []string{"SECRET_KEY=" + secret}, "", "token", "--user", "eva", "--role", roles)
	if r.code != 0 || strings.Count(r.stdout, ".") != 2 || r.stdout != strings.TrimSpace(r.stdout)+"\n" {
		t.Fatalf("segraph token: exit %d\n%q\n%s", r.code, r.stdout, r.stderr)
	}
	return strings.TrimSpace(r.stdout)
}

// On every route of both listeners, tokens of `segraph token` allow each role exactly the
// requests in the specification's table.
func TestRoleTableWithIssuedTokens(t *testing.T) {
	t.Parallel()
	s := serve(t, t.TempDir(), []string{"SECRET_KEY=" + secret})
	tokens := map[string]string{
		"admin": issue(t, "admin"), "logger": issue(t, "logger"), "auditor": issue(t, "auditor"),
		"logger,auditor": issue(t, "logger,auditor"), "": "",
	}
	documented := map[string][]string{}
	for _, r := range suite.Routes(t, "api.md") {
		documented[r.Method+" "+r.Path] = r.Roles
	}
	for _, listener := range []string{s.api, s.ui + "/api"} {
		for _, route := range samples {
			allowed := documented[route.method+" "+route.path]
			for roles, token := range tokens {
				want := route.status
				switch {
				case len(allowed) == 0:
				case roles == "":
					want = http.StatusUnauthorized
				case !slices.ContainsFunc(strings.Split(roles, ","), func(r string) bool { return slices.Contains(allowed, r) }):
					want = http.StatusForbidden
				}
				var header []string
				if token != "" {
					header = []string{"Authorization", "Bearer " + token}
				}
				a := ask(t, route.method, listener, route.path, route.body, header...)
				if a.status != want {
					t.Errorf("%s %s%s as %q: %d, want %d\n%s", route.method, listener, route.path, roles, a.status, want, a.body)
				}
				if challenge := a.header.Get("WWW-Authenticate"); (want == http.StatusUnauthorized) != (challenge == "Bearer") {
					t.Errorf("%s %s as %q: %d with WWW-Authenticate %q", route.method, route.path, roles, a.status, challenge)
				}
			}
		}
	}
}

// The table above contains every route of docs/api.md and no other.
func TestRoleTableIsWhole(t *testing.T) {
	t.Parallel()
	var documented, sampled []string
	for _, r := range suite.Routes(t, "api.md") {
		if r.Path != "/openapi.json" && r.Path != "/context.jsonld" && !strings.HasPrefix(r.Path, "/docs") {
			documented = append(documented, r.Method+" "+r.Path)
		}
	}
	for _, r := range samples {
		sampled = append(sampled, r.method+" "+r.path)
	}
	if slices.Sort(documented); !slices.Equal(documented, slices.Sorted(slices.Values(sampled))) {
		t.Errorf("docs/api.md has\n%q, and the table of this test\n%q", documented, sampled)
	}
}

func TestWithoutASecretEverybodyMayDoEverything(t *testing.T) {
	t.Parallel()
	s := serve(t, t.TempDir(), nil)
	for _, route := range samples {
		if route.path == "/admin/tokens" && route.method == "POST" {
			route.status = 409 // nothing can sign them
		}
		if a := ask(t, route.method, s.api, route.path, route.body); a.status != route.status {
			t.Errorf("%s %s: %d, want %d\n%s", route.method, route.path, a.status, route.status, a.body)
		}
	}
	if on := request(t, "GET", s.api+"/auth/mode", nil).member(t, "auth_enabled"); on != false {
		t.Errorf("auth_enabled is %v", on)
	}
}

func TestATokenOfAnotherKeyOpensNothing(t *testing.T) {
	t.Parallel()
	s := serve(t, t.TempDir(), []string{"SECRET_KEY=" + secret + "!"})
	a := request(t, "GET", s.api+"/events", nil, "Authorization", "Bearer "+issue(t, "admin"))
	if a.status != http.StatusUnauthorized {
		t.Errorf("GET /events: %d, want 401\n%s", a.status, a.body)
	}
}
