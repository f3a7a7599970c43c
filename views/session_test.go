package views_test

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/segraph/segraph/auth"
	"github.com/segraph/segraph/logs"
	"github.com/segraph/segraph/views"
	"github.com/segraph/segraph/views/viewstest"
)

func TestSigningInLeadsBackToThePageThatWasWanted(t *testing.T) {
	t.Parallel()
	s := newService(t)
	for next, want := range map[string]string{
		"":                              "/",
		"/reports?from=2026&by=robot#x": "/reports?from=2026&by=robot#x",
		"//evil.test/":                  "/",
		"https://evil.test/":            "/",
		"/\\evil.test":                  "/",
		"javascript:alert(1)":           "/",
		"evil.test":                     "/",
		"/\t/evil.test":                 "/",
	} {
		w := s.NewVisitor().Post("/session", url.Values{"token": {s.Token("auditor")}, "next": {next}})
		if got := w.Header().Get("Location"); w.Code != http.StatusSeeOther || got != want {
			t.Errorf("next %q: %d to %q, want %q", next, w.Code, got, want)
		}
	}
}

func TestSignInReturnsToTheRequestedPage(t *testing.T) {
	t.Parallel()
	empty := func(http.ResponseWriter, *http.Request, *views.Visit) error { return nil }
	s := viewstest.Start(t, viewstest.Secret, func(*viewstest.Settings) {}, func(*views.UI) views.Room {
		return views.Room{Pages: []views.Page{{Path: "/reports", Roles: views.Admins, Get: empty, Post: empty}}}
	})
	b := s.NewVisitor()
	if got := b.Get("/reports?a=1&b=%2F").Header().Get("Location"); got != "/session?next="+url.QueryEscape("/reports?a=1&b=%2F") {
		t.Errorf("%s", got)
	}
	if got := b.Post("/reports?a=1", nil).Header().Get("Location"); got != "/session?next=%2Freports" {
		t.Errorf("after a form: %s", got)
	}
	b.Header.Set("HX-Request", "true")
	if w := b.Get("/reports"); w.Code != http.StatusUnauthorized || w.Header().Get("HX-Redirect") != "/session?next=%2Freports" {
		t.Errorf("for a script: %d %v", w.Code, w.Header())
	}
	if w := b.Post("/reports", nil); w.Code != http.StatusUnauthorized || w.Header().Get("HX-Redirect") != "" || !strings.Contains(w.Body.String(), `<a href="/session" target="_blank">`) {
		t.Errorf("what a script sent is lost: %d %v %s", w.Code, w.Header(), w.Body)
	}
}

func TestARefusedTokenGetsTheReason(t *testing.T) {
	t.Parallel()
	s := newService(t)
	other, err := auth.New("another secret of thirty-two bytes, or more")
	if err != nil {
		t.Fatal(err)
	}
	foreign, err := other.Issue("ari", []string{"admin"}, time.Hour, s.Now)
	if err != nil {
		t.Fatal(err)
	}
	expired := s.Token("admin")
	s.Now = s.Now.Add(2 * time.Hour)
	for token, want := range map[string]string{
		"":                        "There is no token",
		"  ":                      "There is no token",
		"x y":                     "no spaces",
		"not.a.token":             "can&#39;t be read",
		foreign:                   "not signed with this service",
		expired:                   "expired at",
		strings.Repeat("a", 9000): "longer than",
	} {
		w := s.NewVisitor().Post("/session", url.Values{"token": {token}, "next": {"/health"}})
		if w.Code != 401 && w.Code != 422 {
			t.Errorf("%.20q: %d", token, w.Code)
		}
		for _, part := range []string{"The token was not accepted", `name="next" value="/health"`} {
			viewstest.WantPage(t, w, w.Code, part)
		}
		if !strings.Contains(w.Body.String(), want) && !(token == "not.a.token" && strings.Contains(w.Body.String(), "not valid")) {
			t.Errorf("%.20q: %q is not in %s", token, want, w.Body)
		}
		if len(w.Result().Cookies()) > 0 {
			t.Errorf("%.20q: it sets a cookie", token)
		}
	}
	for _, token := range []string{" \n" + s.Token("admin") + "\n", "Bearer " + s.Token("admin"), "bearer  " + s.Token("admin")} {
		if w := s.NewVisitor().Post("/session", url.Values{"token": {token}}); w.Code != http.StatusSeeOther {
			t.Errorf("%.12q…: %d %s", token, w.Code, w.Body)
		}
	}
}

func TestTheCookieIsRandomAndKeptFromScriptsAndOtherSites(t *testing.T) {
	t.Parallel()
	s := newService(t)
	first, second := s.SignedIn("admin"), s.SignedIn("admin")
	c, d := first.Cookies[sessionName], second.Cookies[sessionName]
	if c == nil || len(c.Value) < 43 || c.Value == d.Value || !c.HttpOnly || c.SameSite != http.SameSiteStrictMode || c.Path != "/" || c.Secure || c.Domain != "" {
		t.Errorf("%+v", c)
	}
	if !c.Expires.Equal(s.Now.Add(time.Hour).Truncate(time.Second)) {
		t.Errorf("it ends at %v", c.Expires)
	}
	proxied := s.NewVisitor()
	proxied.From = "10.1.2.3:4"
	proxied.Header.Set("X-Forwarded-Proto", "https")
	proxied.Post("/session", url.Values{"token": {s.Token("admin")}})
	if c := proxied.Cookies["__Host-"+sessionName]; c == nil || !c.Secure || c.Path != "/" || c.Domain != "" {
		t.Errorf("on TLS: %+v", proxied.Cookies)
	}
	forged := s.NewVisitor()
	forged.From = "192.0.2.1:4"
	forged.Header.Set("X-Forwarded-Proto", "https")
	forged.Post("/session", url.Values{"token": {s.Token("admin")}})
	if forged.Cookies[sessionName] == nil {
		t.Errorf("from no trusted proxy: %+v", forged.Cookies)
	}
}

// TestOverTLSOnlyTheCookieThatNoOtherHostCanSetCounts signs in over plain HTTP, and goes on over TLS.
func TestOverTLSOnlyTheCookieThatNoOtherHostCanSetCounts(t *testing.T) {
	t.Parallel()
	b := newService(t).SignedIn("admin")
	b.From = "10.1.2.3:4"
	for scheme, signedIn := range map[string]bool{"http": true, "https": false} {
		b.Header.Set("X-Forwarded-Proto", scheme)
		if got := strings.Contains(b.Get("/session").Body.String(), "Signed in as"); got != signedIn {
			t.Errorf("over %s: signed in is %t", scheme, got)
		}
	}
}

// TestAFormThatAnybodyMaySendIsSmall sends what only a page for documents accepts.
func TestAFormThatAnybodyMaySendIsSmall(t *testing.T) {
	t.Parallel()
	s := newService(t)
	for _, path := range []string{"/session", "/session/zone"} {
		b := s.NewVisitor()
		if w := b.Do("POST", path, "multipart/form-data; boundary=x", strings.NewReader("--x--")); w.Code != 415 {
			t.Errorf("%s: %d %s", path, w.Code, w.Body)
		}
		if w := b.Post(path, url.Values{"zone": {strings.Repeat("x", 17<<10)}, "token": {strings.Repeat("x", 17<<10)}}); w.Code != 413 {
			t.Errorf("%s: %d %s", path, w.Code, w.Body)
		}
	}
}

func TestASessionEndsWithSignOutWithItsTokenAndWithTheNextToken(t *testing.T) {
	t.Parallel()
	s := newService(t)
	in := func(b *viewstest.Visitor) bool {
		return strings.Contains(b.Get("/session").Body.String(), "Signed in as")
	}

	b := s.SignedIn("admin")
	kept := *b.Cookies[sessionName]
	if !in(b) {
		t.Error("it does not begin")
	}
	b.Post("/session/end", nil)
	b.Cookies[sessionName] = &kept
	if in(b) {
		t.Error("it outlives signing out")
	}

	b = s.SignedIn("admin")
	kept = *b.Cookies[sessionName]
	b.Post("/session", url.Values{"token": {s.Token("auditor")}})
	if b.Cookies[sessionName].Value == kept.Value {
		t.Error("the next session has the same id")
	}
	b.Cookies[sessionName] = &kept
	if in(b) {
		t.Error("it outlives the next one")
	}

	b = s.SignedIn("admin")
	s.Now = s.Now.Add(59*time.Minute + 59*time.Second)
	if !in(b) {
		t.Error("it ends before its token")
	}
	s.Now = s.Now.Add(2 * time.Second)
	if in(b) {
		t.Error("it outlives its token")
	}
	if body := b.Get("/session?next=/reports").Body.String(); !strings.Contains(body, "Your session ended") {
		t.Errorf("it does not say so: %s", body)
	}
}

func TestTooManyWrongTokensFromOneAddressAreHeldUp(t *testing.T) {
	t.Parallel()
	s := newService(t)
	b := s.NewVisitor()
	for range 600 {
		if w := b.Post("/session", url.Values{"token": {"wrong.token.here"}}); w.Code == http.StatusTooManyRequests {
			viewstest.WantPage(t, w, 429, "Too many wrong tokens")
			if w.Header().Get("Retry-After") == "" {
				t.Error("it does not say how long")
			}
			return
		}
	}
	t.Error("600 wrong tokens are let through")
}

func TestATokenIsKeptNowhere(t *testing.T) {
	t.Parallel()
	s := newService(t)
	canary := s.Token("admin")
	b := s.SignedIn("admin")
	var seen strings.Builder
	for _, a := range s.Addresses() {
		for _, form := range []url.Values{{"token": {canary}}, {"token": {canary[:len(canary)-4]}}, {"user": {canary}, "confirm": {"DELETE"}}} {
			seen.WriteString(b.Do(a.Method, a.Path+"?next=x", "application/x-www-form-urlencoded", strings.NewReader(form.Encode())).Body.String())
			b = s.SignedIn("admin")
		}
	}
	for _, e := range s.Log.Query(logs.Filter{Limit: 1 << 20, Level: slog.LevelDebug}) {
		seen.WriteString(e.Raw)
	}
	for _, part := range strings.Split(canary, ".")[1:] {
		if i := strings.Index(seen.String(), part); i >= 0 {
			t.Errorf("it is seen in %s", seen.String()[max(0, i-200):i+20])
		}
	}
}

func TestTheHeaderSaysHowManyReviewsWait(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.Pending = func(context.Context) (int, error) { return 7, nil }
	f := s.UI.Frame(httptest.NewRequest("GET", "/health", nil), &views.Visit{Known: true, Actor: auth.Actor{Roles: []auth.Role{auth.Admin}}}, "x")
	if f.Pending == nil || *f.Pending != 7 {
		t.Errorf("%v", f.Pending)
	}
	f = s.UI.Frame(httptest.NewRequest("GET", "/health", nil), &views.Visit{Known: true, Actor: auth.Actor{Roles: []auth.Role{auth.Auditor}}}, "x")
	if f.Pending != nil {
		t.Error("an auditor sees the number of pending cases")
	}
	s.Pending = func(context.Context) (int, error) { return 0, errors.New("the store is gone") }
	f = s.UI.Frame(httptest.NewRequest("GET", "/health", nil), &views.Visit{Known: true, Actor: auth.Actor{Roles: []auth.Role{auth.Admin}}}, "x")
	if f.Pending != nil {
		t.Error("a number is shown that nobody knows")
	}
}

// TestARevokedTokenEndsItsSessions revokes one token by its id, and then all tokens of
// its user.
func TestARevokedTokenEndsItsSessions(t *testing.T) {
	t.Parallel()
	s := newService(t)
	one, other, third := s.NewVisitor(), s.NewVisitor(), s.Token("auditor")
	for b, token := range map[*viewstest.Visitor]string{one: third, other: s.Token("auditor")} {
		if w := b.Post("/session", url.Values{"token": {token}}); w.Code != http.StatusSeeOther {
			t.Fatalf("signing in: %d %s", w.Code, w.Body)
		}
	}
	viewstest.WantPage(t, one.Get("/query"), 200, "")
	actor, err := s.Auth.Authenticate([]string{"Bearer " + s.Token("admin")})
	if err != nil {
		t.Fatal(err)
	}
	s.Auth.Revoke(auth.Revocation{TokenID: actor.TokenID}) // a token without a session
	viewstest.WantPage(t, one.Get("/query"), 200, "")
	if actor, err = s.Auth.Authenticate([]string{"Bearer " + third}); err != nil {
		t.Fatal(err)
	}
	s.Auth.Revoke(auth.Revocation{TokenID: actor.TokenID})
	open := 0
	for _, b := range []*viewstest.Visitor{one, other} {
		if w := b.Get("/query"); w.Code == http.StatusOK {
			open++
		} else if got := w.Header().Get("Location"); w.Code != http.StatusSeeOther || got != "/session?next=%2Fquery" {
			t.Errorf("%d %s", w.Code, got)
		}
	}
	if open != 1 {
		t.Errorf("%d sessions are left", open)
	}
	s.Auth.Revoke(auth.Revocation{Username: "ari", UpTo: s.Now})
	for _, b := range []*viewstest.Visitor{one, other} {
		if w := b.Get("/query"); w.Code != http.StatusSeeOther {
			t.Errorf("after all were revoked: %d", w.Code)
		}
		viewstest.WantPage(t, b.Get("/session?next=/query"), 200, "expired or was revoked")
	}
}

// sessionName is the name of the cookie over plain HTTP.
const sessionName = "segraph_session"
