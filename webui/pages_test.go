package webui

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/segraph/segraph/internal/auth"
	"github.com/segraph/segraph/views"
)

// specified is the specification's table of UI routes, and the pages added since.
var specified = map[string][]auth.Role{
	"/reports":        {"auditor", "admin"},
	"/kg-graph":       {"auditor", "admin"},
	"/replay":         {"auditor", "admin"},
	"/why":            {"auditor", "admin"},
	"/query":          {"auditor", "admin"},
	"/logs/insert":    {"admin"},
	"/logs/delete":    {"admin"},
	"/shared-context": {"admin"},
	"/system/logs":    {"admin"},
	"/health":         nil,
	"/session":        nil,
	"/search":         nil, // lists only what the visitor may open

	"/log":     {"auditor", "admin"},
	"/demo":    {"admin"},
	"/connect": {"admin"},

	"/evidence": {"auditor", "admin"},

	"/classes": {"admin"},
	"/keys":    {"admin"},
}

func TestPagesHaveTheRolesOfTheSpecification(t *testing.T) {
	for _, p := range newService(t).ui.pages {
		want, ok := specified[p.path]
		if !ok {
			t.Errorf("%s is not specified", p.path)
		}
		if !slices.Equal(p.roles, want) {
			t.Errorf("%s takes %v, want %v", p.path, p.roles, want)
		}
		for _, part := range p.parts {
			if !strings.HasPrefix(part.path, p.path+"/") {
				t.Errorf("%s is no part of %s", part.path, p.path)
			}
		}
	}
}

// TestEveryRoleOnEveryPage requests each route with each set of roles, with and without
// authentication.
func TestEveryRoleOnEveryPage(t *testing.T) {
	on, off := newService(t), openService(t)
	for _, a := range on.addresses() {
		form := url.Values{}
		if w := off.visitor().do(a.method, a.path, "application/x-www-form-urlencoded", strings.NewReader(form.Encode())); w.Code == 401 || w.Code == 403 || w.Code >= 500 {
			t.Errorf("%s %s, authentication off: %d %s", a.method, a.path, w.Code, w.Body)
		}
		for _, roles := range [][]auth.Role{nil, {"admin"}, {"logger"}, {"auditor"}, {"logger", "auditor"}, {"admin", "logger"}} {
			b := on.visitor()
			if roles != nil {
				b = on.signedIn(roles...)
			}
			w := b.do(a.method, a.path, "application/x-www-form-urlencoded", strings.NewReader(form.Encode()))
			allowed := a.roles == nil || slices.ContainsFunc(roles, func(r auth.Role) bool { return slices.Contains(a.roles, r) })
			switch {
			case allowed:
				if w.Code == 401 && a.path != "/session" || w.Code == 403 || w.Code >= 500 || strings.HasPrefix(w.Header().Get("Location"), "/session?next=") {
					t.Errorf("%s %s with %v: %d %s", a.method, a.path, roles, w.Code, w.Body)
				}
			case roles == nil:
				if w.Code != http.StatusSeeOther || !strings.HasPrefix(w.Header().Get("Location"), "/session?next=%2F") {
					t.Errorf("%s %s without a session: %d %v", a.method, a.path, w.Code, w.Header())
				}
			default:
				wantPage(t, w, 403, "This page requires the role "+auth.RoleList(a.roles, " or "))
			}
		}
	}
}

func TestAPageOfAnotherSiteMayPostNothing(t *testing.T) {
	s := newService(t)
	for _, header := range []http.Header{
		{"Sec-Fetch-Site": {"cross-site"}}, {"Sec-Fetch-Site": {"same-site"}}, {"Origin": {"http://evil.test"}}, {"Origin": {"null"}},
		{"Origin": {"http://trusted.test"}}, // a trusted origin may call only the API, with a token
	} {
		for _, a := range s.addresses() {
			if a.method != http.MethodPost {
				continue
			}
			b := s.signedIn("admin")
			b.header = header
			wantPage(t, b.post(a.path, url.Values{"confirm": {"DELETE"}}), 403, "A page of another site may not do this")
		}
	}
}

// TestASessionOpensNothingOfTheAPI requests every protected route, on both listeners,
// with only an admin's cookies.
func TestASessionOpensNothingOfTheAPI(t *testing.T) {
	s := newService(t)
	b := s.signedIn("admin")
	var document struct {
		Paths map[string]map[string]struct{ Security []any }
	}
	if err := json.Unmarshal(b.get("/api/openapi.json").Body.Bytes(), &document); err != nil {
		t.Fatal(err)
	}
	closed := 0
	for path, methods := range document.Paths {
		path = strings.NewReplacer("{log_id}", "x", "{case_id}", "x").Replace(path)
		for method, operation := range methods {
			if len(operation.Security) == 0 {
				continue // public
			}
			closed++
			if w := b.do(strings.ToUpper(method), "/api"+path, "application/json", strings.NewReader("{}")); w.Code != 401 {
				t.Errorf("%s /api%s: %d", method, path, w.Code)
			}
			r := httptest.NewRequest(strings.ToUpper(method), path, strings.NewReader("{}"))
			for _, c := range b.cookies {
				r.AddCookie(c)
			}
			w := httptest.NewRecorder()
			if s.api.ServeHTTP(w, r); w.Code != 401 {
				t.Errorf("%s %s of the API's listener: %d", method, path, w.Code)
			}
		}
	}
	if closed < 20 {
		t.Errorf("only %d routes want a role", closed)
	}
}

func TestUnknownAddressesAndWrongMethodsArePages(t *testing.T) {
	s := newService(t)
	b := s.signedIn("auditor")
	for _, path := range []string{"/nowhere", "/session/", "/health/x", "/static/", "/static/app.css", "/static/x.js", "/apis", "//session"} {
		wantPage(t, b.get(path), 404, "There is ")
	}
	if w := b.get("/api/nowhere"); w.Code != 404 || w.Header().Get("Content-Type") != "application/problem+json" {
		t.Errorf("the API's: %d %v", w.Code, w.Header())
	}
	for _, a := range s.addresses() {
		w := b.do("DELETE", a.path, "", nil)
		wantPage(t, w, 405, "This address accepts only ")
		if !strings.Contains(w.Header().Get("Allow"), a.method) {
			t.Errorf("%s: Allow %q", a.path, w.Header().Get("Allow"))
		}
	}
}

func TestAProblemIsAPartOfAPageForAScript(t *testing.T) {
	s := newService(t)
	b := s.visitor()
	b.header.Set("HX-Request", "true")
	if w := b.get("/nowhere"); w.Code != 404 || strings.Contains(w.Body.String(), "<html") || !strings.Contains(w.Body.String(), "notice bad") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

func TestTheStartIsTheBestPageOfWhoComes(t *testing.T) {
	on, off := newService(t), openService(t)
	if got := on.visitor().get("/").Header().Get("Location"); got != "/session" {
		t.Errorf("without a session: %s", got)
	}
	if got := on.signedIn("logger").get("/").Header().Get("Location"); got != "/session" {
		t.Errorf("a logger: %s", got)
	}
	first := func(role auth.Role) string {
		for _, p := range on.ui.pages {
			if slices.Contains(p.roles, role) {
				return p.path
			}
		}
		return "/session"
	}
	if got := on.signedIn("auditor").get("/").Header().Get("Location"); got != first("auditor") {
		t.Errorf("an auditor: %s", got)
	}
	if got := off.visitor().get("/").Header().Get("Location"); got != first("admin") {
		t.Errorf("with authentication off: %s", got)
	}
}

func TestPagesAreKeptByNobodyElse(t *testing.T) {
	s := newService(t)
	b := s.signedIn("admin")
	for _, a := range s.addresses() {
		if w := b.do(a.method, a.path, "application/x-www-form-urlencoded", strings.NewReader("")); !slices.Contains([]string{"no-store", "private, no-cache"}, w.Header().Get("Cache-Control")) {
			t.Errorf("%s %s: Cache-Control %q", a.method, a.path, w.Header().Get("Cache-Control"))
		}
	}
}

func TestTheNavigationHasFiveItems(t *testing.T) {
	s := newService(t)
	names := func(links []views.Link) string {
		var all []string
		for _, l := range links {
			all = append(all, l.Name)
		}
		return strings.Join(all, " ")
	}
	for role, want := range map[auth.Role][2]string{
		"admin":   {"Sessions Graph Query Review", "Connect Classes Insert Delete Keys Server log Health Sign in"},
		"auditor": {"Sessions Graph Query", "Health Sign in"},
		"logger":  {"", "Health Sign in"},
	} {
		v := &visit{known: true, actor: auth.Actor{Roles: []auth.Role{role}}}
		f := s.ui.frame(httptest.NewRequest("GET", "/query/logs", nil), v, "")
		if got := [2]string{names(f.Nav), names(f.Admin)}; got != want {
			t.Errorf("%s: %q, want %q", role, got, want)
		}
		if f.Marked != "/query" {
			t.Errorf("the navigation marks %s", f.Marked)
		}
	}
}
