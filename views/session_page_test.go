package views_test

import (
	"testing"
	"time"

	"github.com/segraph/segraph/views"
	"github.com/segraph/segraph/views/viewstest"
)

func TestTheSessionPage(t *testing.T) {
	t.Parallel()
	pages := []views.Access{{"/reports", "Reports", "auditor or admin", false}, {"/health", "Health", "", true}}
	out, off := viewstest.Frame("Session", "/session"), viewstest.Frame("Session", "/session")
	out.Who, off.Who = views.Who{}, views.Who{AuthOff: true, Name: "anonymous_user", Roles: []string{"admin"}}
	viewstest.Show(t, views.SessionPage(viewstest.Frame("Session", "/session"), views.Session{Pages: pages})).Golden("session-who", `class="facts"`).Golden("session-pages", `<table`).Reads(`
# You are signed in
Who you are, until when, and which pages you may open.
Name: ari
Roles: admin
Until: in 2 hours · 2026-06-04 13:53:18 UTC
form post /session/end [Sign out]
# Use another token
form post /session
Token [token=]
A JWT, as segraph token prints it. The browser keeps a random cookie, never the token.
[next=]
[Sign in]
# Pages
Page | Role
Reports | needs auditor or admin
Health → /health | everybody
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
A JWT, as segraph token prints it. The browser keeps a random cookie, never the token.
[next=/reports?a=1&b=2]
[Sign in]
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
A JWT, as segraph token prints it. The browser keeps a random cookie, never the token.
[next=/reports]
[Sign in]
…
`)
	viewstest.Show(t, views.SessionPage(off, views.Session{Pages: pages})).Reads(`
# No sign-in
Everybody may open every page.
Authentication is off
Everybody who reaches this service has every role. Set SECRET_KEY to turn authentication on.
# Pages
Page | Role
Reports | needs auditor or admin
Health → /health | everybody
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
		0: "in 0 seconds", time.Second: "in 1 second", -time.Second: "1 second ago", 90 * time.Second: "in 1 minute",
		2*time.Hour + 59*time.Minute: "in 2 hours", -25 * time.Hour: "1 day ago", 3000 * 24 * time.Hour: "in 3,000 days",
	} {
		if got := views.In(viewstest.Now.Add(d), viewstest.Now); got != want {
			t.Errorf("%v: %q, want %q", d, got, want)
		}
	}
}
