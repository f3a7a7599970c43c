package webui

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

	"github.com/segraph/segraph/internal/auth"
	"github.com/segraph/segraph/internal/logbuf"
)

func TestSigningInLeadsBackToThePageThatWasWanted(t *testing.T) {
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
		w := s.visitor().post("/session", url.Values{"token": {s.token("auditor")}, "next": {next}})
		if got := w.Header().Get("Location"); w.Code != http.StatusSeeOther || got != want {
			t.Errorf("next %q: %d to %q, want %q", next, w.Code, got, want)
		}
	}
}

func TestSignInReturnsToTheRequestedPage(t *testing.T) {
	empty := func(http.ResponseWriter, *http.Request, *visit) error { return nil }
	s := startRooms(t, testSecret, func(*settings) {}, func(*UI) Room {
		return Room{pages: []page{{path: "/reports", roles: admins, get: empty, post: empty}}}
	})
	b := s.visitor()
	if got := b.get("/reports?a=1&b=%2F").Header().Get("Location"); got != "/session?next="+url.QueryEscape("/reports?a=1&b=%2F") {
		t.Errorf("%s", got)
	}
	if got := b.post("/reports?a=1", nil).Header().Get("Location"); got != "/session?next=%2Freports" {
		t.Errorf("after a form: %s", got)
	}
	b.header.Set("HX-Request", "true")
	if w := b.get("/reports"); w.Code != http.StatusUnauthorized || w.Header().Get("HX-Redirect") != "/session?next=%2Freports" {
		t.Errorf("for a script: %d %v", w.Code, w.Header())
	}
}

func TestARefusedTokenGetsTheReason(t *testing.T) {
	s := newService(t)
	other, err := auth.New("another secret of thirty-two bytes, or more")
	if err != nil {
		t.Fatal(err)
	}
	foreign, err := other.Issue("ari", []string{"admin"}, time.Hour, s.now)
	if err != nil {
		t.Fatal(err)
	}
	expired := s.token("admin")
	s.now = s.now.Add(2 * time.Hour)
	for token, want := range map[string]string{
		"":                        "There is no token",
		"  ":                      "There is no token",
		"x y":                     "no spaces",
		"not.a.token":             "can&#39;t be read",
		foreign:                   "not signed with this service",
		expired:                   "expired at",
		strings.Repeat("a", 9000): "longer than",
	} {
		w := s.visitor().post("/session", url.Values{"token": {token}, "next": {"/health"}})
		if w.Code != 401 && w.Code != 422 {
			t.Errorf("%.20q: %d", token, w.Code)
		}
		for _, part := range []string{"The token was not accepted", `name="next" value="/health"`} {
			wantPage(t, w, w.Code, part)
		}
		if !strings.Contains(w.Body.String(), want) && !(token == "not.a.token" && strings.Contains(w.Body.String(), "not valid")) {
			t.Errorf("%.20q: %q is not in %s", token, want, w.Body)
		}
		if len(w.Result().Cookies()) > 0 {
			t.Errorf("%.20q: it sets a cookie", token)
		}
	}
	for _, token := range []string{" \n" + s.token("admin") + "\n", "Bearer " + s.token("admin"), "bearer  " + s.token("admin")} {
		if w := s.visitor().post("/session", url.Values{"token": {token}}); w.Code != http.StatusSeeOther {
			t.Errorf("%.12q…: %d %s", token, w.Code, w.Body)
		}
	}
}

func TestTheCookieIsRandomAndKeptFromScriptsAndOtherSites(t *testing.T) {
	s := newService(t)
	first, second := s.signedIn("admin"), s.signedIn("admin")
	c, d := first.cookies[sessionName], second.cookies[sessionName]
	if c == nil || len(c.Value) < 43 || c.Value == d.Value || !c.HttpOnly || c.SameSite != http.SameSiteStrictMode || c.Path != "/" || c.Secure || c.Domain != "" {
		t.Errorf("%+v", c)
	}
	if !c.Expires.Equal(s.now.Add(time.Hour).Truncate(time.Second)) {
		t.Errorf("it ends at %v", c.Expires)
	}
	proxied := s.visitor()
	proxied.from = "10.1.2.3:4"
	proxied.header.Set("X-Forwarded-Proto", "https")
	proxied.post("/session", url.Values{"token": {s.token("admin")}})
	if c := proxied.cookies["__Host-"+sessionName]; c == nil || !c.Secure || c.Path != "/" || c.Domain != "" {
		t.Errorf("on TLS: %+v", proxied.cookies)
	}
	forged := s.visitor()
	forged.from = "192.0.2.1:4"
	forged.header.Set("X-Forwarded-Proto", "https")
	forged.post("/session", url.Values{"token": {s.token("admin")}})
	if forged.cookies[sessionName] == nil {
		t.Errorf("from no trusted proxy: %+v", forged.cookies)
	}
}

func TestASessionEndsWithSignOutWithItsTokenAndWithTheNextToken(t *testing.T) {
	s := newService(t)
	in := func(b *visitor) bool { return strings.Contains(b.get("/session").Body.String(), "You are signed in") }

	b := s.signedIn("admin")
	kept := *b.cookies[sessionName]
	if !in(b) {
		t.Error("it does not begin")
	}
	b.post("/session/end", nil)
	b.cookies[sessionName] = &kept
	if in(b) {
		t.Error("it outlives signing out")
	}

	b = s.signedIn("admin")
	kept = *b.cookies[sessionName]
	b.post("/session", url.Values{"token": {s.token("auditor")}})
	if b.cookies[sessionName].Value == kept.Value {
		t.Error("the next session has the same id")
	}
	b.cookies[sessionName] = &kept
	if in(b) {
		t.Error("it outlives the next one")
	}

	b = s.signedIn("admin")
	s.now = s.now.Add(59*time.Minute + 59*time.Second)
	if !in(b) {
		t.Error("it ends before its token")
	}
	s.now = s.now.Add(2 * time.Second)
	if in(b) {
		t.Error("it outlives its token")
	}
	if body := b.get("/session?next=/reports").Body.String(); !strings.Contains(body, "Your session ended") {
		t.Errorf("it does not say so: %s", body)
	}
}

func TestTooManyWrongTokensFromOneAddressAreHeldUp(t *testing.T) {
	s := newService(t)
	b := s.visitor()
	for range 600 {
		if w := b.post("/session", url.Values{"token": {"wrong.token.here"}}); w.Code == http.StatusTooManyRequests {
			wantPage(t, w, 429, "Too many wrong tokens")
			if w.Header().Get("Retry-After") == "" {
				t.Error("it does not say how long")
			}
			return
		}
	}
	t.Error("600 wrong tokens are let through")
}

func TestATokenIsKeptNowhere(t *testing.T) {
	s := newService(t)
	canary := s.token("admin")
	b := s.signedIn("admin")
	var seen strings.Builder
	for _, a := range s.addresses() {
		for _, form := range []url.Values{{"token": {canary}}, {"token": {canary[:len(canary)-4]}}, {"user": {canary}, "confirm": {"DELETE"}}} {
			seen.WriteString(b.do(a.method, a.path+"?next=x", "application/x-www-form-urlencoded", strings.NewReader(form.Encode())).Body.String())
			b = s.signedIn("admin")
		}
	}
	for _, e := range s.log.Query(logbuf.Filter{Limit: 1 << 20, Level: slog.LevelDebug}) {
		seen.WriteString(e.Raw)
	}
	for _, part := range strings.Split(canary, ".")[1:] {
		if i := strings.Index(seen.String(), part); i >= 0 {
			t.Errorf("it is seen in %s", seen.String()[max(0, i-200):i+20])
		}
	}
}

func TestTheHeaderSaysHowManyReviewsWait(t *testing.T) {
	s := newService(t)
	s.pending = func(context.Context) (int, error) { return 7, nil }
	f := s.ui.frame(httptest.NewRequest("GET", "/health", nil), &visit{known: true, actor: auth.Actor{Roles: []auth.Role{auth.Admin}}}, "x")
	if f.Pending == nil || *f.Pending != 7 {
		t.Errorf("%v", f.Pending)
	}
	f = s.ui.frame(httptest.NewRequest("GET", "/health", nil), &visit{known: true, actor: auth.Actor{Roles: []auth.Role{auth.Auditor}}}, "x")
	if f.Pending != nil {
		t.Error("an auditor sees the number of pending cases")
	}
	s.pending = func(context.Context) (int, error) { return 0, errors.New("the store is gone") }
	f = s.ui.frame(httptest.NewRequest("GET", "/health", nil), &visit{known: true, actor: auth.Actor{Roles: []auth.Role{auth.Admin}}}, "x")
	if f.Pending != nil {
		t.Error("a number is shown that nobody knows")
	}
}

// TestARevokedTokenEndsItsSessions revokes one token by its id, and then all tokens of
// its user.
func TestARevokedTokenEndsItsSessions(t *testing.T) {
	s := newService(t)
	one, other, third := s.visitor(), s.visitor(), s.token("auditor")
	for b, token := range map[*visitor]string{one: third, other: s.token("auditor")} {
		if w := b.post("/session", url.Values{"token": {token}}); w.Code != http.StatusSeeOther {
			t.Fatalf("signing in: %d %s", w.Code, w.Body)
		}
	}
	wantPage(t, one.get("/query"), 200, "")
	actor, err := s.auth.Authenticate([]string{"Bearer " + s.token("admin")})
	if err != nil {
		t.Fatal(err)
	}
	s.auth.Revoke(auth.Revocation{TokenID: actor.TokenID}) // a token without a session
	wantPage(t, one.get("/query"), 200, "")
	if actor, err = s.auth.Authenticate([]string{"Bearer " + third}); err != nil {
		t.Fatal(err)
	}
	s.auth.Revoke(auth.Revocation{TokenID: actor.TokenID})
	open := 0
	for _, b := range []*visitor{one, other} {
		if w := b.get("/query"); w.Code == http.StatusOK {
			open++
		} else if got := w.Header().Get("Location"); w.Code != http.StatusSeeOther || got != "/session?next=%2Fquery" {
			t.Errorf("%d %s", w.Code, got)
		}
	}
	if open != 1 {
		t.Errorf("%d sessions are left", open)
	}
	s.auth.Revoke(auth.Revocation{Username: "ari", UpTo: s.now})
	for _, b := range []*visitor{one, other} {
		if w := b.get("/query"); w.Code != http.StatusSeeOther {
			t.Errorf("after all were revoked: %d", w.Code)
		}
		wantPage(t, b.get("/session?next=/query"), 200, "expired or was revoked")
	}
}

// sessionName is the name of the cookie over plain HTTP.
const sessionName = "segraph_session"
