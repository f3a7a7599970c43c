package views

import (
	"testing"
	"time"
)

func TestTheSessionPage(t *testing.T) {
	pages := []Access{{"/reports", "Reports", "auditor or admin", false}, {"/health", "Health", "", true}}
	out, off := testFrame("Session", "/session"), testFrame("Session", "/session")
	out.Who, off.Who = Who{}, Who{AuthOff: true, Name: "anonymous_user", Roles: []string{"admin"}}
	golden(t, "session-in", SessionPage(testFrame("Session", "/session"), Session{Pages: pages}))
	golden(t, "session-refused", SessionPage(out, Session{Next: "/reports?a=1&b=2", Refused: `The token is <b>not</b> valid.`, Pages: pages}))
	golden(t, "session-expired", SessionPage(out, Session{Next: "/reports", Expired: true, Pages: pages}))
	golden(t, "session-off", SessionPage(off, Session{Pages: pages}))
}

func TestTheProblemPageSaysWhatWhyAndWhichRequest(t *testing.T) {
	n := 3
	f := testFrame("Error", "/x")
	f.Pending = &n
	f.Nav = append(f.Nav, Link{"/shared-context", "Review"})
	f.Keys = []Key{{"j", "down"}}
	golden(t, "problem-403", ProblemPage(f, Problem{Status: 403, Title: "Forbidden", Detail: "This page requires the role admin.", RequestID: "r-1", Forbidden: true}))
	golden(t, "problem-part", ProblemNotice(Problem{Status: 422, Title: "Unprocessable Entity", Detail: "<script>alert(1)</script>", RequestID: "r-2"}))
}

func TestTimesAreSaidAsPeopleDo(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "in 0 seconds", time.Second: "in 1 second", -time.Second: "1 second ago", 90 * time.Second: "in 1 minute",
		2*time.Hour + 59*time.Minute: "in 2 hours", -25 * time.Hour: "1 day ago", 3000 * 24 * time.Hour: "in 3,000 days",
	} {
		if got := In(testNow.Add(d), testNow); got != want {
			t.Errorf("%v: %q, want %q", d, got, want)
		}
	}
}
