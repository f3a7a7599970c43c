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
	viewstest.Golden(t, "session-in", views.SessionPage(viewstest.Frame("Session", "/session"), views.Session{Pages: pages}))
	viewstest.Golden(t, "session-refused", views.SessionPage(out, views.Session{Next: "/reports?a=1&b=2", Refused: `The token is <b>not</b> valid.`, Pages: pages}))
	viewstest.Golden(t, "session-expired", views.SessionPage(out, views.Session{Next: "/reports", Expired: true, Pages: pages}))
	viewstest.Golden(t, "session-off", views.SessionPage(off, views.Session{Pages: pages}))
}

func TestTheProblemPageSaysWhatWhyAndWhichRequest(t *testing.T) {
	t.Parallel()
	n := 3
	f := viewstest.Frame("Error", "/x")
	f.Pending = &n
	f.Nav = append(f.Nav, views.Link{Path: "/shared-context", Name: "Review", Icon: "git-merge"})
	f.Keys = []views.Key{{"j", "down"}}
	viewstest.Golden(t, "problem-403", views.ProblemPage(f, views.Problem{Status: 403, Title: "Forbidden", Detail: "This page requires the role admin.", RequestID: "r-1", Forbidden: true}))
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
