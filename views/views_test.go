package views

import (
	"net/http"
	"testing"
	"time"
)

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

func TestNumbersHaveCommas(t *testing.T) {
	for n, want := range map[int]string{0: "0", 999: "999", 1000: "1,000", -1234567: "-1,234,567", 100000: "100,000"} {
		if got := Count(n); got != want {
			t.Errorf("%d: %q, want %q", n, got, want)
		}
	}
}

func TestTheSessionPage(t *testing.T) {
	pages := []Access{{"/reports", "Reports", "auditor or admin", false}, {"/health", "Health", "", true}}
	out, off := testFrame("Session", "/session"), testFrame("Session", "/session")
	out.Who, off.Who = Who{}, Who{AuthOff: true, Name: "anonymous_user", Roles: []string{"admin"}}
	golden(t, "session-in", SessionPage(testFrame("Session", "/session"), Session{Pages: pages}))
	golden(t, "session-refused", SessionPage(out, Session{Next: "/reports?a=1&b=2", Refused: `The token is <b>not</b> valid.`, Pages: pages}))
	golden(t, "session-expired", SessionPage(out, Session{Next: "/reports", Expired: true, Pages: pages}))
	golden(t, "session-off", SessionPage(off, Session{Pages: pages}))
}

func TestTheHealthPageShowsOneVerdict(t *testing.T) {
	f := testFrame("Health", "/health")
	f.Scripts, f.Refresh = []string{"health.js"}, 10
	golden(t, "health-file", HealthPage(f, Health{Ready: true, StoreName: "virtuoso", Detail: "Virtuoso can't be reached.", Follows: true, Behind: 7, Since: time.Minute, Asked: testNow}))
	golden(t, "health-ready", HealthPage(f, Health{Ready: true, Store: true, StoreName: "embedded", Asked: testNow, Took: 1234 * time.Microsecond}))
	golden(t, "health-witnesses", HealthPage(f, Health{Ready: true, Store: true, StoreName: "embedded", Asked: testNow,
		Witnesses: []HealthWitness{
			{Name: "example.org/w", State: "cosigns", Kind: "good", Entries: 1234, Time: testNow},
			{Name: "example.org/v", State: "contradicts", Kind: "bad", Detail: "It cosigned 9 entries, and this log has only <8>."},
		},
		Witnessed: []HealthWitness{{Name: "example.org/log", State: "continues", Kind: "good", Entries: 7, Time: testNow}}}))
	golden(t, "health-notice", HealthPage(f, Health{Ready: true, Store: true, StoreName: "embedded", Notice: "A page was <b>damaged</b>.", Asked: testNow}))
	golden(t, "health-low", HealthPage(f, Health{Ready: true, Store: true, StoreName: "embedded", Warning: "The disk has 1.0 MiB left.", Asked: testNow}))
	for want, h := range map[string]Health{
		"ready": {Ready: true, Store: true}, "store": {}, "low": {Ready: true, Store: true, Warning: "The disk has 1.0 MiB left."}, "draining": {Draining: true, Store: true},
		"panicked": {Panicked: true, Store: true}, "unready": {Store: true},
	} {
		if got := h.state(); got != want {
			t.Errorf("%+v is %s, want %s", h, got, want)
		}
	}
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

// TestAProblemPageHasItsOwnTitle checks that no page shows a phrase of RFC 9110.
func TestAProblemPageHasItsOwnTitle(t *testing.T) {
	for _, status := range []int{400, 401, 403, 404, 408, 409, 413, 415, 422, 429, 500, 503, 504, 507} {
		phrase := http.StatusText(status)
		if title := problemTitle(Problem{Status: status, Title: phrase}); title == phrase && status != 404 {
			t.Errorf("the title of %d is %q", status, title)
		}
	}
}
