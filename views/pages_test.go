package views_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/segraph/segraph/auth"
	"github.com/segraph/segraph/internal/suite"
	"github.com/segraph/segraph/views"
	"github.com/segraph/segraph/views/viewstest"
)

func TestPagesHaveTheRolesOfTheSpecification(t *testing.T) {
	t.Parallel()
	specified := map[string][]auth.Role{}
	for _, r := range suite.Routes(t, "web-ui.md") {
		specified[r.Path] = nil
		for _, role := range r.Roles {
			specified[r.Path] = append(specified[r.Path], auth.Role(role))
		}
	}
	for _, p := range newService(t).UI.Pages {
		want, ok := specified[p.Path]
		if !ok {
			t.Errorf("docs/web-ui.md lacks %s", p.Path)
		}
		if !slices.Equal(p.Roles, want) {
			t.Errorf("%s takes %v, want %v", p.Path, p.Roles, want)
		}
		for _, part := range p.Parts {
			if !strings.HasPrefix(part.Path, p.Path+"/") {
				t.Errorf("%s is no part of %s", part.Path, p.Path)
			}
		}
	}
}

// TestEveryRoleOnEveryPage requests each route with each set of roles, with and without
// authentication.
func TestEveryRoleOnEveryPage(t *testing.T) {
	t.Parallel()
	on, off := newService(t), openService(t)
	for _, a := range on.Addresses() {
		form := url.Values{}
		if w := off.NewVisitor().Do(a.Method, a.Path, "application/x-www-form-urlencoded", strings.NewReader(form.Encode())); w.Code == 401 || w.Code == 403 || w.Code >= 500 {
			t.Errorf("%s %s, authentication off: %d %s", a.Method, a.Path, w.Code, w.Body)
		}
		for _, roles := range [][]auth.Role{nil, {"admin"}, {"logger"}, {"auditor"}, {"logger", "auditor"}, {"admin", "logger"}} {
			b := on.NewVisitor()
			if roles != nil {
				b = on.SignedIn(roles...)
			}
			w := b.Do(a.Method, a.Path, "application/x-www-form-urlencoded", strings.NewReader(form.Encode()))
			allowed := a.Roles == nil || slices.ContainsFunc(roles, func(r auth.Role) bool { return slices.Contains(a.Roles, r) })
			switch {
			case allowed:
				if w.Code == 401 && a.Path != "/session" || w.Code == 403 || w.Code >= 500 || strings.HasPrefix(w.Header().Get("Location"), "/session?next=") {
					t.Errorf("%s %s with %v: %d %s", a.Method, a.Path, roles, w.Code, w.Body)
				}
			case roles == nil:
				if w.Code != http.StatusSeeOther || !strings.HasPrefix(w.Header().Get("Location"), "/session?next=%2F") {
					t.Errorf("%s %s without a session: %d %v", a.Method, a.Path, w.Code, w.Header())
				}
			default:
				viewstest.WantPage(t, w, 403, "This page requires the role "+auth.RoleList(a.Roles, " or "))
			}
		}
	}
}

func TestAPageOfAnotherSiteMayPostNothing(t *testing.T) {
	t.Parallel()
	s := newService(t)
	for _, header := range []http.Header{
		{"Sec-Fetch-Site": {"cross-site"}}, {"Sec-Fetch-Site": {"same-site"}}, {"Origin": {"http://evil.test"}}, {"Origin": {"null"}},
		{"Origin": {"http://trusted.test"}}, // a trusted origin may call only the API, with a token
	} {
		for _, a := range s.Addresses() {
			if a.Method != http.MethodPost {
				continue
			}
			b := s.SignedIn("admin")
			b.Header = header
			viewstest.WantPage(t, b.Post(a.Path, url.Values{"confirm": {"DELETE"}}), 403, "A page of another site may not do this")
		}
	}
}

// TestASessionOpensNothingOfTheAPI requests every protected route, on both listeners,
// with only an admin's cookies.
func TestASessionOpensNothingOfTheAPI(t *testing.T) {
	t.Parallel()
	s := newService(t)
	b := s.SignedIn("admin")
	var document struct {
		Paths map[string]map[string]struct{ Security []any }
	}
	if err := json.Unmarshal(b.Get("/api/openapi.json").Body.Bytes(), &document); err != nil {
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
			if w := b.Do(strings.ToUpper(method), "/api"+path, "application/json", strings.NewReader("{}")); w.Code != 401 {
				t.Errorf("%s /api%s: %d", method, path, w.Code)
			}
			r := httptest.NewRequest(strings.ToUpper(method), path, strings.NewReader("{}"))
			for _, c := range b.Cookies {
				r.AddCookie(c)
			}
			w := httptest.NewRecorder()
			if s.API.ServeHTTP(w, r); w.Code != 401 {
				t.Errorf("%s %s of the API's listener: %d", method, path, w.Code)
			}
		}
	}
	if closed < 20 {
		t.Errorf("only %d routes want a role", closed)
	}
}

func TestUnknownAddressesAndWrongMethodsArePages(t *testing.T) {
	t.Parallel()
	s := newService(t)
	b := s.SignedIn("auditor")
	for _, path := range []string{"/nowhere", "/session/", "/health/x", "/static/", "/static/app.css", "/static/x.js", "/apis", "//session"} {
		viewstest.WantPage(t, b.Get(path), 404, "There is ")
	}
	if w := b.Get("/api/nowhere"); w.Code != 404 || w.Header().Get("Content-Type") != "application/problem+json" {
		t.Errorf("the API's: %d %v", w.Code, w.Header())
	}
	for _, a := range s.Addresses() {
		w := b.Do("DELETE", a.Path, "", nil)
		viewstest.WantPage(t, w, 405, "This address accepts only ")
		if !strings.Contains(w.Header().Get("Allow"), a.Method) {
			t.Errorf("%s: Allow %q", a.Path, w.Header().Get("Allow"))
		}
	}
}

func TestAProblemIsAPartOfAPageForAScript(t *testing.T) {
	t.Parallel()
	s := newService(t)
	b := s.NewVisitor()
	b.Header.Set("HX-Request", "true")
	if w := b.Get("/nowhere"); w.Code != 404 || strings.Contains(w.Body.String(), "<html") || !strings.Contains(w.Body.String(), "notice bad") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

func TestTheStartIsTheBestPageOfWhoComes(t *testing.T) {
	t.Parallel()
	on, off := newService(t), openService(t)
	if got := on.NewVisitor().Get("/").Header().Get("Location"); got != "/session" {
		t.Errorf("without a session: %s", got)
	}
	if got := on.SignedIn("logger").Get("/").Header().Get("Location"); got != "/session" {
		t.Errorf("a logger: %s", got)
	}
	first := func(role auth.Role) string {
		for _, p := range on.UI.Pages {
			if slices.Contains(p.Roles, role) {
				return p.Path
			}
		}
		return "/session"
	}
	if got := on.SignedIn("auditor").Get("/").Header().Get("Location"); got != first("auditor") {
		t.Errorf("an auditor: %s", got)
	}
	if got := off.NewVisitor().Get("/").Header().Get("Location"); got != first("admin") {
		t.Errorf("with authentication off: %s", got)
	}
}

func TestPagesAreKeptByNobodyElse(t *testing.T) {
	t.Parallel()
	s := newService(t)
	b := s.SignedIn("admin")
	for _, a := range s.Addresses() {
		if w := b.Do(a.Method, a.Path, "application/x-www-form-urlencoded", strings.NewReader("")); !slices.Contains([]string{"no-store", "private, no-cache"}, w.Header().Get("Cache-Control")) {
			t.Errorf("%s %s: Cache-Control %q", a.Method, a.Path, w.Header().Get("Cache-Control"))
		}
	}
}

func TestTheNavigationHasFiveItems(t *testing.T) {
	t.Parallel()
	s := newService(t)
	names := func(links []views.Link) string {
		var all []string
		for _, l := range links {
			all = append(all, l.Name)
		}
		return strings.Join(all, " ")
	}
	for role, want := range map[auth.Role][2]string{
		"admin":   {"Sessions Graph Query Review", "Logs Journal Publish a log Backups Personal data Connect a robot Tokens Robots’ keys Classes Health Boxes Server log Settings Delete all"},
		"auditor": {"Sessions Graph Query", "Logs Journal Health"},
		"logger":  {"", "Health"},
	} {
		v := &views.Visit{Known: true, Actor: auth.Actor{Roles: []auth.Role{role}}}
		f := s.UI.Frame(httptest.NewRequest("GET", "/query/logs", nil), v, "")
		if got := [2]string{names(f.Nav), names(f.Admin)}; got != want {
			t.Errorf("%s: %q, want %q", role, got, want)
		}
		if f.Marked != "/query" {
			t.Errorf("the navigation marks %s", f.Marked)
		}
	}
}
