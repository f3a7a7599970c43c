package e2e

import (
	"encoding/json"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
)

const secret = "a secret key of more than thirty-two bytes"

// routes is the specification's table, as far as it is implemented. A route without roles
// is public.
var routes = []struct {
	method, path string
	roles        []string
	body         string // a body that the route accepts
	status       int    // status of the answer to it
}{
	{"GET", "/healthz/live", nil, "", 200},
	{"GET", "/healthz/ready", nil, "", 200},
	{"GET", "/auth/mode", nil, "", 200},
	{"POST", "/ttl/validate", []string{"admin"}, `{"ttl_content":"<urn:s> <urn:p> 1 .","user":"ari"}`, 200},
	{"POST", "/ttl", []string{"logger", "admin"}, `{"ttl_content":"<urn:s> <urn:p> 1 .","user":"ari"}`, 201},
	{"POST", "/batch", []string{"logger", "admin"}, `{"key":"1","graph":{"@id":"urn:s","urn:p":1}}`, 200},
	{"GET", "/logs/mine", []string{"logger", "admin"}, "", 200},
	{"GET", "/events", []string{"auditor", "admin"}, "", 200},
	{"GET", "/rdf-graph-store", []string{"auditor", "admin"}, "", 200},
	{"GET", "/query", []string{"auditor", "admin"}, "", 200},
	{"POST", "/query", []string{"auditor", "admin"}, "query=ASK+{}", 200},
	{"GET", "/query/explain", []string{"auditor", "admin"}, "", 200},
	{"POST", "/query/explain", []string{"auditor", "admin"}, "query=ASK+{}", 200},
	{"POST", "/query/validate", []string{"auditor", "admin"}, `{"query":"ASK {}"}`, 200},
	{"POST", "/ttl/delete_all", []string{"admin"}, `{"user":"ari"}`, 200},
	{"GET", "/logs/server", []string{"admin"}, "", 200},
	{"POST", "/shared-context/resolve", []string{"logger", "admin"}, `{"event_kind":"wave","observed_at":"2026-01-01T00:00:00Z","robot_uri":"urn:r"}`, 200},
	{"POST", "/shared-context/reconcile", []string{"admin"}, "{}", 200},
	{"POST", "/shared-context/relays", []string{"admin"}, `{"robot_uri":"urn:r","relay":false}`, 200},
	{"POST", "/shared-context/subjects", []string{"admin"}, `{"subject_uri":"urn:s","person":false}`, 200},
	{"POST", "/shared-context/people", []string{"admin"}, `{"subject_uris":["urn:s","urn:t"],"one_person":true}`, 200},
	{"POST", "/shared-context/clocks/confirm", []string{"admin"}, `{"robot_uri":"urn:r"}`, 409}, // a robot without records
	{"GET", "/shared-context/stats", []string{"auditor", "admin"}, "", 200},
	{"GET", "/shared-context/review/pending", []string{"admin"}, "", 200},
	{"GET", "/shared-context/contexts", []string{"auditor", "admin"}, "", 404}, // no context has that URI
	{"POST", "/shared-context/review/{case_id}/accept", []string{"admin"}, "{}", 404},
	{"POST", "/shared-context/review/{case_id}/reject", []string{"admin"}, "{}", 404},
	{"POST", "/shared-context/review/{case_id}/undo", []string{"admin"}, "{}", 404},
	{"GET", "/admin/backup", []string{"admin"}, "", 200},
	{"GET", "/admin/backups", []string{"admin"}, "", 200},
	{"POST", "/admin/backups/verify", []string{"admin"}, `{"name":"none"}`, 404},
	{"POST", "/admin/tokens", []string{"admin"}, `{"username":"ari","roles":["logger"],"expires_in":60}`, 201},
	{"GET", "/admin/tokens", []string{"admin"}, "", 200},
	{"POST", "/admin/revocations", []string{"admin"}, `{"jti":"none"}`, 201},
	{"GET", "/admin/revocations", []string{"admin"}, "", 200},
	{"GET", "/logs", []string{"auditor", "admin"}, "", 200},
	{"GET", "/logs/{log_id}", []string{"auditor", "admin"}, "", 404}, // no log has that id
	{"DELETE", "/logs/{log_id}", []string{"admin"}, "", 404},
	{"POST", "/logs/withdraw", []string{"admin"}, `{"user":"nobody"}`, 200},
	{"GET", "/log/checkpoint", []string{"auditor", "admin"}, "", 200},
	{"GET", "/log/tile/entries/{tile}", []string{"auditor", "admin"}, "", 404},
	{"GET", "/log/tile/{tile}", []string{"auditor", "admin"}, "", 404},
	{"GET", "/logs/{log_id}/receipt", []string{"auditor", "admin"}, "", 404},
	{"POST", "/forward", []string{"box", "admin"}, "x", 404}, // the service is no centre
	{"GET", "/forward", []string{"box", "admin"}, "", 404},
	{"POST", "/add-checkpoint", nil, "old 0\n\n", 404}, // the service witnesses no log
	{"GET", "/witness/{origin_hash}/checkpoint", nil, "", 404},
	{"GET", "/logs/{log_id}/signature", []string{"auditor", "admin"}, "", 404},
	{"GET", "/admin/keys", []string{"admin"}, "", 200},
	{"POST", "/admin/keys", []string{"admin"}, `{"user":"ari","public_key":"none"}`, 422},
	{"POST", "/admin/keys/{key_id}/remove", []string{"admin"}, "{}", 404},
	{"GET", "/admin/person", []string{"admin"}, "", 200},
	{"GET", "/admin/holds", []string{"admin"}, "", 200},
	{"POST", "/admin/holds", []string{"admin"}, `{"person":"urn:p","reason":"a case"}`, 201},
	{"POST", "/admin/holds/{id}/lift", []string{"admin"}, "{}", 404},
	{"POST", "/evidence", []string{"auditor", "admin"}, `{"case":"none"}`, 404},
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
	for _, listener := range []string{s.api, s.ui + "/api"} {
		for _, route := range routes {
			for roles, token := range tokens {
				want := route.status
				switch {
				case len(route.roles) == 0:
				case roles == "":
					want = http.StatusUnauthorized
				case !slices.ContainsFunc(strings.Split(roles, ","), func(r string) bool { return slices.Contains(route.roles, r) }):
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

// The table above contains every route that the service lists, and docs/api.md contains
// the routes of the table.
func TestRoleTableIsWhole(t *testing.T) {
	t.Parallel()
	s := serve(t, t.TempDir(), nil)
	var document struct {
		Paths map[string]map[string]json.RawMessage `json:"paths"`
	}
	if err := json.Unmarshal(request(t, "GET", s.api+"/openapi.json", nil).body, &document); err != nil {
		t.Fatal(err)
	}
	var missing []string
	served := 0
	for path, operations := range document.Paths {
		for method := range operations {
			method = strings.ToUpper(method)
			served++
			known := strings.HasPrefix(path, "/docs") || path == "/openapi.json" || path == "/context.jsonld" // public, about the service itself
			for _, r := range routes {
				known = known || r.path == path && r.method == method
			}
			if !known && (method == "GET" || method == "POST" || method == "DELETE") {
				missing = append(missing, method+" "+path)
			}
		}
	}
	page, err := os.ReadFile("../../docs/api.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range routes {
		if !strings.Contains(string(page), "`"+r.method+" "+r.path+"`") {
			t.Errorf("docs/api.md lacks %s %s", r.method, r.path)
		}
	}
	if len(missing) > 0 || served < len(routes) {
		t.Errorf("%d operations are served; not in the table of this test: %v", served, missing)
	}
}

func TestWithoutASecretEverybodyMayDoEverything(t *testing.T) {
	t.Parallel()
	s := serve(t, t.TempDir(), nil)
	for _, route := range routes {
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
