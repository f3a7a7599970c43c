package httpapi

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/segraph/segraph/auth"
	"github.com/segraph/segraph/internal/suite"
)

// specified is a route of docs/api.md.
type specified struct {
	method, path string
	roles        []auth.Role // nil means public
}

// allSpecified returns the routes of docs/api.md.
func allSpecified(t testing.TB) (all []specified) {
	t.Helper()
	for _, r := range suite.Routes(t, "api.md") {
		s := specified{method: r.Method, path: r.Path}
		for _, role := range r.Roles {
			s.roles = append(s.roles, auth.Role(role))
		}
		all = append(all, s)
	}
	return all
}

func TestTheRoutesAreThoseOfTheSpecification(t *testing.T) {
	t.Parallel()
	s, specified := newService(t), allSpecified(t)
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
	for _, want := range allSpecified(t) {
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
