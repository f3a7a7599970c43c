package httpapi

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/segraph/segraph/auth"
	"github.com/segraph/segraph/internal/suite"
)

// specified is the specification's table of endpoints, as far as they are implemented,
// and the documentation, which is public.
var specified = []struct {
	method, path string
	roles        []auth.Role // nil means public
}{
	{"GET", "/healthz/live", nil},
	{"GET", "/healthz/ready", nil},
	{"GET", "/auth/mode", nil},
	{"POST", "/ttl/validate", []auth.Role{"admin"}},
	{"POST", "/ttl", []auth.Role{"logger", "admin"}},
	{"POST", "/batch", []auth.Role{"logger", "admin"}},
	{"GET", "/logs/mine", []auth.Role{"logger", "admin"}},
	{"GET", "/events", []auth.Role{"auditor", "admin"}},
	{"GET", "/rdf-graph-store", []auth.Role{"auditor", "admin"}},
	{"GET", "/query", []auth.Role{"auditor", "admin"}},
	{"POST", "/query", []auth.Role{"auditor", "admin"}},
	{"GET", "/query/explain", []auth.Role{"auditor", "admin"}},
	{"POST", "/query/explain", []auth.Role{"auditor", "admin"}},
	{"POST", "/query/validate", []auth.Role{"auditor", "admin"}},
	{"POST", "/ttl/delete_all", []auth.Role{"admin"}},
	{"GET", "/logs/server", []auth.Role{"admin"}},
	{"GET", "/logs", []auth.Role{"auditor", "admin"}},
	{"GET", "/logs/{log_id}", []auth.Role{"auditor", "admin"}},
	{"DELETE", "/logs/{log_id}", []auth.Role{"admin"}},
	{"POST", "/logs/withdraw", []auth.Role{"admin"}},
	{"GET", "/log/checkpoint", []auth.Role{"auditor", "admin"}},
	{"GET", "/log/tile/entries/{tile}", []auth.Role{"auditor", "admin"}},
	{"GET", "/log/tile/{tile}", []auth.Role{"auditor", "admin"}},
	{"GET", "/logs/{log_id}/receipt", []auth.Role{"auditor", "admin"}},
	{"POST", "/add-checkpoint", nil},
	{"POST", "/forward", []auth.Role{"box", "admin"}},
	{"GET", "/forward", []auth.Role{"box", "admin"}},
	{"GET", "/witness/{origin_hash}/checkpoint", nil},
	{"POST", "/evidence", []auth.Role{"auditor", "admin"}},
	{"POST", "/shared-context/resolve", []auth.Role{"logger", "admin"}},
	{"POST", "/shared-context/reconcile", []auth.Role{"admin"}},
	{"GET", "/shared-context/stats", []auth.Role{"auditor", "admin"}},
	{"POST", "/shared-context/subjects", []auth.Role{"admin"}},
	{"POST", "/shared-context/people", []auth.Role{"admin"}},
	{"POST", "/shared-context/clocks/confirm", []auth.Role{"admin"}},
	{"POST", "/shared-context/relays", []auth.Role{"admin"}},
	{"GET", "/shared-context/review/pending", []auth.Role{"admin"}},
	{"GET", "/shared-context/contexts", []auth.Role{"auditor", "admin"}},
	{"POST", "/shared-context/review/{case_id}/accept", []auth.Role{"admin"}},
	{"POST", "/shared-context/review/{case_id}/reject", []auth.Role{"admin"}},
	{"POST", "/shared-context/review/{case_id}/undo", []auth.Role{"admin"}},
	{"GET", "/admin/backup", []auth.Role{"admin"}},
	{"GET", "/admin/backups", []auth.Role{"admin"}},
	{"POST", "/admin/backups/verify", []auth.Role{"admin"}},
	{"POST", "/admin/tokens", []auth.Role{"admin"}},
	{"GET", "/admin/tokens", []auth.Role{"admin"}},
	{"POST", "/admin/revocations", []auth.Role{"admin"}},
	{"GET", "/admin/revocations", []auth.Role{"admin"}},
	{"GET", "/admin/keys", []auth.Role{"admin"}},
	{"POST", "/admin/keys", []auth.Role{"admin"}},
	{"POST", "/admin/keys/{key_id}/remove", []auth.Role{"admin"}},
	{"GET", "/admin/person", []auth.Role{"admin"}},
	{"GET", "/admin/holds", []auth.Role{"admin"}},
	{"POST", "/admin/holds", []auth.Role{"admin"}},
	{"POST", "/admin/holds/{id}/lift", []auth.Role{"admin"}},
	{"GET", "/logs/{log_id}/signature", []auth.Role{"auditor", "admin"}},
	{"GET", "/docs", nil},
	{"GET", "/docs/{file}", nil},
	{"GET", "/openapi.json", nil},
	{"GET", "/context.jsonld", nil},
}

func TestTheRoutesAreThoseOfTheSpecification(t *testing.T) {
	t.Parallel()
	s := newService(t)
	if len(s.routes) != len(specified) {
		t.Errorf("there are %d routes, and %d are specified", len(s.routes), len(specified))
	}
	for _, want := range specified {
		i := slices.IndexFunc(s.routes, func(r route) bool { return r.method == want.method && r.path == want.path })
		if i < 0 {
			t.Errorf("%s %s is not there", want.method, want.path)
			continue
		}
		if got := s.routes[i].roles; !slices.Equal(got, want.roles) {
			t.Errorf("%s %s takes %v, want %v", want.method, want.path, got, want.roles)
		}
	}
}

// TestEveryRoleOnEveryRoute calls each route with each set of roles, with and without
// authentication, on both listeners, and with HEAD where GET exists.
func TestEveryRoleOnEveryRoute(t *testing.T) {
	t.Parallel()
	suite.OneGoroutine(t)
	sets := [][]auth.Role{nil, {"admin"}, {"logger"}, {"auditor"}, {"logger", "auditor"}, {"admin", "logger"}}
	on, off := newService(t), newOpenService(t)
	for _, want := range specified {
		methods := []string{want.method}
		if want.method == "GET" {
			methods = append(methods, "HEAD")
		}
		for _, method := range methods {
			for _, roles := range sets {
				for _, ui := range []bool{false, true} {
					request := sample(method, want.path)
					if request.ui = ui; ui {
						request.path = "/api" + request.path
					}
					if w := off.do(t, request); w.Code >= 300 && !(w.Code == 409 && request.method == "POST" && want.path == "/admin/tokens") { // without a key nothing signs tokens
						t.Errorf("%s %s, authentication off: %d %s", method, request.path, w.Code, w.Body)
					}
					if roles != nil {
						request.token = on.token(t, roles...)
					}
					w := on.do(t, request)
					allowed := want.roles == nil || slices.ContainsFunc(roles, func(r auth.Role) bool { return slices.Contains(want.roles, r) })
					switch {
					case allowed:
						if w.Code >= 300 {
							t.Errorf("%s %s with %v: %d %s", method, request.path, roles, w.Code, w.Body)
						}
					case roles == nil:
						wantProblem(t, w, 401, "Authorization: Bearer")
						if got := w.Header().Get("WWW-Authenticate"); got != "Bearer" {
							t.Errorf("%s %s: WWW-Authenticate %q", method, request.path, got)
						}
					default:
						wantProblem(t, w, 403, "requires the role "+auth.RoleList(want.roles, " or "))
					}
				}
			}
		}
	}
}

func TestAuthenticationPrecedesValidation(t *testing.T) {
	t.Parallel()
	s := newService(t)
	for _, c := range []struct {
		name  string
		spoil func(*call)
	}{
		{"a body that is no JSON", func(c *call) { c.body = "{" }},
		{"a body of the wrong type", func(c *call) { c.contentType = "text/plain" }},
		{"a body that is encoded", func(c *call) { c.header = map[string]string{"Content-Encoding": "gzip"} }},
		{"a body that is too large", func(c *call) { c.body = strings.Repeat("x", 17<<20) }},
	} {
		request := call{method: "POST", path: "/ttl", body: ttl(small, nil)}
		c.spoil(&request)
		t.Run(c.name, func(t *testing.T) {
			wantProblem(t, s.do(t, request), 401, "Authorization")
			request.token = s.token(t, auth.Auditor)
			wantProblem(t, s.do(t, request), 403, "permission")
			request.token = s.token(t, auth.Logger)
			if w := s.do(t, request); w.Code < 400 || w.Code == 401 || w.Code == 403 {
				t.Errorf("with the role: %d %s", w.Code, w.Body)
			}
		})
	}
}

func TestOnlyTheAuthorizationHeaderOpensAnything(t *testing.T) {
	t.Parallel()
	s := newService(t)
	token := s.token(t, auth.Admin)
	for _, c := range []call{
		{method: "GET", path: "/events", header: map[string]string{"Cookie": "token=" + token + "; session=" + token}},
		{method: "GET", path: "/events?access_token=" + token + "&token=" + token},
		{method: "GET", path: "/events", header: map[string]string{"X-Authorization": "Bearer " + token, "Proxy-Authorization": "Bearer " + token}},
	} {
		wantProblem(t, s.do(t, c), 401, "missing")
	}
	w := s.do(t, call{method: "GET", path: "/events", header: map[string]string{"Authorization": "Bearer " + token[:len(token)-5]}})
	wantProblem(t, w, 401, "not valid")
	if w.Header().Get("WWW-Authenticate") != "Bearer" {
		t.Errorf("WWW-Authenticate %q", w.Header().Get("WWW-Authenticate"))
	}
}

func TestTooManyWrongTokensFromOneAddressAre429(t *testing.T) {
	t.Parallel()
	s := newService(t, func(c *settings) { c.Limits.FailedTokens = 3 })
	wrong := call{method: "GET", path: "/events", token: "not.a.token"}
	for range 10 { // a missing token is not a wrong token
		wantProblem(t, s.do(t, call{method: "GET", path: "/events"}), 401, "missing")
	}
	for range 3 {
		wantProblem(t, s.do(t, wrong), 401, "not valid")
	}
	w := s.do(t, wrong)
	wantProblem(t, w, http.StatusTooManyRequests, "many wrong tokens")
	if got := w.Header().Get("Retry-After"); got != "20" {
		t.Errorf("Retry-After %q", got)
	}
	if w := s.do(t, call{method: "GET", path: "/events", token: s.token(t, auth.Auditor)}); w.Code != 200 {
		t.Errorf("a good token from the same address: %d", w.Code)
	}
}
