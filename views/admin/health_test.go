package admin

import (
	"testing"
	"time"

	"github.com/segraph/segraph/views/viewstest"
)

func TestTheHealthPageShowsOneVerdict(t *testing.T) {
	t.Parallel()
	f := viewstest.Frame("Health", "/health")
	f.Scripts, f.Refresh = []string{"health.js"}, 10
	viewstest.Golden(t, "health-file", HealthPage(f, Health{Ready: true, StoreName: "virtuoso", Detail: "Virtuoso can't be reached.", Follows: true, Behind: 7, Since: time.Minute, Asked: viewstest.Now}))
	viewstest.Golden(t, "health-ready", HealthPage(f, Health{Ready: true, Store: true, StoreName: "embedded", Asked: viewstest.Now, Took: 1234 * time.Microsecond}))
	viewstest.Golden(t, "health-witnesses", HealthPage(f, Health{Ready: true, Store: true, StoreName: "embedded", Asked: viewstest.Now,
		Witnesses: []HealthWitness{
			{Name: "example.org/w", State: "cosigns", Kind: "good", Entries: 1234, Time: viewstest.Now},
			{Name: "example.org/v", State: "contradicts", Kind: "bad", Detail: "It cosigned 9 entries, and this log has only <8>."},
		},
		Witnessed: []HealthWitness{{Name: "example.org/log", State: "continues", Kind: "good", Entries: 7, Time: viewstest.Now}}}))
	viewstest.Golden(t, "health-notice", HealthPage(f, Health{Ready: true, Store: true, StoreName: "embedded", Notice: "A page was <b>damaged</b>.", Asked: viewstest.Now}))
	viewstest.Golden(t, "health-low", HealthPage(f, Health{Ready: true, Store: true, StoreName: "embedded", Warning: "The disk has 1.0 MiB left.", Asked: viewstest.Now}))
	for want, h := range map[string]Health{
		"ready": {Ready: true, Store: true}, "store": {}, "low": {Ready: true, Store: true, Warning: "The disk has 1.0 MiB left."}, "draining": {Draining: true, Store: true},
		"panicked": {Panicked: true, Store: true}, "unready": {Store: true},
	} {
		if got := h.state(); got != want {
			t.Errorf("%+v is %s, want %s", h, got, want)
		}
	}
}
