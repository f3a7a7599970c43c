package views

import (
	"testing"
	"time"
)

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
