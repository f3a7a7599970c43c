package views_test

import (
	"net/http"
	"net/url"
	"testing"
	"time"

	"github.com/segraph/segraph/views"
	"github.com/segraph/segraph/views/viewstest"
)

func TestTheSessionPage(t *testing.T) {
	t.Parallel()
	pages := []views.Access{{Link: views.Link{Path: "/reports", Name: "Sessions"}, About: "What robots talked about", Roles: "auditor or admin"},
		{Link: views.Link{Path: "/health", Name: "Health", Menu: views.MenuService}, About: "What works", Open: true}}
	out, off := viewstest.Frame("Session", "/session"), viewstest.Frame("Session", "/session")
	out.Who, off.Who = views.Who{}, views.Who{AuthOff: true, Name: "anonymous_user", Roles: []string{"admin"}}
	viewstest.Show(t, views.SessionPage(viewstest.Frame("Session", "/session"), views.Session{Pages: pages})).Golden("session-pages", `class="card access"`).Reads(`
# Signed in as ari
admin · expires in 2 hours
# What happened
Sessions needs the role auditor or admin
# The service
Health → /health What works
# Times
form post /session/zone
Time zone [zone=UTC]
…
# Use another token
form post /session
Token [token=]
[next=] [Use this token]
A JWT, as segraph token prints it. The browser keeps a random cookie, never the token.
`)
	viewstest.Show(t, views.SessionPage(out, views.Session{Next: "/reports?a=1&b=2", Refused: `The token is <b>not</b> valid.`, Pages: pages})).Golden("session-form", `action="/session"`).Reads(`
# Sign in
Which pages you may open depends on your token.
Sign in first
The page /reports?a=1&b=2 needs a token. Sign in to open it.
# Sign in with a token
form post /session
The token was not accepted
The token is <b>not</b> valid.
Token [token=]
[next=/reports?a=1&b=2] [Sign in]
A JWT, as segraph token prints it. The browser keeps a random cookie, never the token.
…
`)
	viewstest.Show(t, views.SessionPage(out, views.Session{Next: "/reports", Expired: true, Pages: pages})).Holds(`
<input id="token" name="token" type="password" autocomplete="off" spellcheck="false" required>
`).Reads(`
# Sign in
Which pages you may open depends on your token.
Your session ended
The token expired or was revoked, or the service restarted. Sign in again to continue.
# Sign in with a token
form post /session
Token [token=]
[next=/reports] [Sign in]
A JWT, as segraph token prints it. The browser keeps a random cookie, never the token.
…
`)
	viewstest.Show(t, views.SessionPage(off, views.Session{Pages: pages})).Reads(`
# No sign-in
Authentication is off: everybody who reaches this service may do everything. To change that, set SECRET_KEY.
# What happened
Sessions needs the role auditor or admin
# The service
Health → /health What works
# Times
form post /session/zone
…
`)
}

func TestTheProblemPageSaysWhatWhyAndWhichRequest(t *testing.T) {
	t.Parallel()
	viewstest.Show(t, views.ProblemPage(viewstest.Frame("Error", "/x"), views.Problem{Status: 403, Title: "Forbidden", Detail: "This page requires the role admin.", RequestID: "r-1", Forbidden: true})).Reads(`
Not allowed
This page requires the role admin.
Status 403 · request r-1
Go to the start page → / Use another token → /session
`)
	viewstest.Golden(t, "problem-part", views.ProblemNotice(views.Problem{Status: 422, Title: "Unprocessable Entity", Detail: "<script>alert(1)</script>", RequestID: "r-2"}))
}

func TestTimesAreSaidAsPeopleDo(t *testing.T) {
	t.Parallel()
	for d, want := range map[time.Duration]string{
		0: "just now", time.Second: "in 1 second", -time.Second: "1 second ago", 90 * time.Second: "in 1 minute",
		2*time.Hour + 59*time.Minute: "in 2 hours", -25 * time.Hour: "1 day ago", 3000 * 24 * time.Hour: "in 3,000 days",
	} {
		if got := views.In(viewstest.Now.Add(d), viewstest.Now); got != want {
			t.Errorf("%v: %q, want %q", d, got, want)
		}
	}
}

// TestAReaderChoosesAZone has no script: the field, the button UTC, and the way back to the page.
func TestAReaderChoosesAZone(t *testing.T) {
	t.Parallel()
	s := openService(t)
	b := s.NewVisitor()
	b.Header.Set("Referer", "http://example.com/health?a=1")
	viewstest.WantPage(t, b.Get("/session"), 200, `name="back" value="/health?a=1"`)
	b.Header.Set("Referer", "http://elsewhere.example/health")
	viewstest.WantPage(t, b.Get("/session"), 200, `name="back" value=""`)
	for _, c := range []struct{ field, pick, back, to, shown string }{
		{" Asia/Kolkata ", "", "/health?a=1", "/health?a=1", "Times in Asia/Kolkata"},
		{"Asia/Kolkata", "Europe/Madrid", "https://elsewhere.example/", "/session", "Times in Europe/Madrid"},
		{"Asia/Kolkata", "UTC", "", "/session", "Times in UTC"},
	} {
		w := b.Post("/session/zone", url.Values{"zone": {c.field}, "pick": {c.pick}, "back": {c.back}})
		if w.Code != 303 || w.Header().Get("Location") != c.to {
			t.Errorf("%+v: %d to %s", c, w.Code, w.Header().Get("Location"))
		}
		if set := w.Result().Cookies()[0]; set.Path != "/" || !set.HttpOnly || set.SameSite != http.SameSiteLaxMode || set.Secure {
			t.Errorf("the cookie is %v", set)
		}
		viewstest.WantPage(t, b.Get("/health"), 200, c.shown)
	}
	viewstest.WantPage(t, b.Post("/session/zone", url.Values{"zone": {"Mars/<b>"}, "back": {"/health"}}), 422, `name="back" value="/health"`)
	b.Cookies["segraph_zone"] = &http.Cookie{Name: "segraph_zone", Value: "../../etc/passwd"}
	viewstest.WantPage(t, b.Get("/health"), 200, "Times in UTC")
}
