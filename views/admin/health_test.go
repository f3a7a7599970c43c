package admin

import (
	"strings"
	"testing"
	"time"

	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/log/cosigners"
	"github.com/segraph/segraph/views/viewstest"
)

// TestOtherMachinesAreNotPublic has a witness whose name only auditors and admins may read.
func TestOtherMachinesAreNotPublic(t *testing.T) {
	t.Parallel()
	s := startWith(t, viewstest.Secret, func(c *viewstest.Settings) {
		c.Witnesses = func() []cosigners.Status { return []cosigners.Status{{Name: "other.example/witness"}} }
	})
	for may, b := range map[bool][]*viewstest.Visitor{false: {s.NewVisitor(), s.SignedIn("logger")}, true: {s.SignedIn("auditor"), s.SignedIn("admin")}} {
		for _, v := range b {
			if page := v.Get("/health").Body.String(); strings.Contains(page, "other.example/witness") != may {
				t.Errorf("may be shown: %t\n%s", may, page)
			}
		}
	}
}

func TestTheHealthPageShowsOneVerdict(t *testing.T) {
	t.Parallel()
	f := viewstest.Frame("Health", "/health")
	f.Scripts, f.Refresh = []string{"health.js"}, 10
	viewstest.Show(t, HealthPage(f, Health{Ready: true, StoreName: "virtuoso", Detail: "Virtuoso can't be reached.", Asked: viewstest.Now,
		Stores: graphStores([]store.Following{{Name: "virtuoso", State: store.FollowUnreachable, Behind: 7, Since: time.Minute, Detail: "it is away"}}, viewstest.Now)})).
		Golden("health-checks", `class="checks flows"`).Golden("health-file", `data-verdict="file"`).Holds(`
<div class="stack" id="health" data-state="file">
<div data-verdict="ready" hidden>
`).Reads(`
# Health
Is the service running and ready, as this browser sees it?
[Check now]
Queries are answered from the file
Logs and queries work, from the file. Once the graph store is reachable, it catches up and answers queries again.
Virtuoso can't be reached.
# What to do
If the graph store is catching up, wait. What it lacks is shown below.
Otherwise check that it runs, and its address and password. The server log → /system/logs?level=ERROR says what it answered.
# Checks
every 5 s
Check | State | Latency | Asked
Process | running | | 11:53:18 UTC
Requests | accepted | | 11:53:18 UTC
Store: virtuoso | failing | 0.0 ms | 11:53:18 UTC
Without scripts the service checks itself, and the page reloads every 10 seconds.
# Graph stores
Store | State | Changes behind | Had all
virtuoso | unreachable | 7 | 4 Jun 2026, 11:52:18 UTC
It is away.
# For machines
/api/healthz/live → /api/healthz/live: 200 as long as the process answers
/api/healthz/ready → /api/healthz/ready: 200 when ready, 503 when not
`)
	viewstest.Show(t, HealthPage(f, Health{Ready: true, Store: true, StoreName: "embedded", Asked: viewstest.Now, Took: 1234 * time.Microsecond})).
		Golden("health-head", `class="head"`).Golden("health-gone", `data-verdict="gone"`).Golden("health-history", "data-history").Holds(`
<div class="stack" id="health" data-state="ready">
<div aria-live="polite">
<div data-verdict="ready">
<div data-verdict="file" hidden>
<div data-verdict="store" hidden>
<div data-verdict="draining" hidden>
<div data-verdict="panicked" hidden>
<div data-verdict="unready" hidden>
<div data-verdict="gone" hidden>
<span class="badge good" data-yes="running" data-no="down">
<p class="small muted after" data-clock>
`).Reads(`
# Health
Is the service running and ready, as this browser sees it?
[Check now]
Everything works
The service answers, reaches its store, and accepts requests.
# Checks
every 5 s
Check | State | Latency | Asked
Process | running | | 11:53:18 UTC
Requests | accepted | | 11:53:18 UTC
Store: embedded | answering | 1.2 ms | 11:53:18 UTC
Without scripts the service checks itself, and the page reloads every 10 seconds.
# For machines
/api/healthz/live → /api/healthz/live: 200 as long as the process answers
/api/healthz/ready → /api/healthz/ready: 200 when ready, 503 when not
`)
	witnesses := []HealthWitness{
		{Name: "example.org/w", State: "cosigns", Kind: "good", Entries: 1234, Time: viewstest.Now},
		{Name: "example.org/v", State: "contradicts", Kind: "bad", Detail: "It cosigned 9 entries, and this log has only <8>."},
	}
	viewstest.Golden(t, "health-witnesses", witnessTable("Witnesses of this log", "Witness", "Entries", "Cosigned", witnesses))
	viewstest.Show(t, HealthPage(f, Health{Ready: true, Store: true, StoreName: "embedded", Asked: viewstest.Now, Witnesses: witnesses,
		Witnessed: []HealthWitness{{Name: "example.org/log", State: "continues", Kind: "good", Entries: 7, Time: viewstest.Now}}})).Reads(`
…
# Witnesses of this log
Witness | State | Entries | Cosigned
example.org/w | cosigns | 1,234 | 4 Jun 2026, 11:53:18 UTC
example.org/v | contradicts | 0 | never
It cosigned 9 entries, and this log has only <8>.
# Logs that this service witnesses
Log | State | Entries | Cosigned
example.org/log | continues | 7 | 4 Jun 2026, 11:53:18 UTC
# For machines
…
`)
	for _, c := range []struct {
		h           Health
		state, want string
	}{
		{Health{Ready: true, Store: true, Notice: "A page was <b>damaged</b>."}, "ready", `
…
The file was damaged when the service started
A page was <b>damaged</b>.
Everything works
The service answers, reaches its store, and accepts requests.
…
`},
		{Health{Ready: true, Store: true, Warning: "The disk has 1.0 MiB left."}, "low", `
…
The disk is almost full
The disk has 1.0 MiB left.
Everything that was acknowledged is stored, and queries work.
# Checks
…
`},
		{Health{}, "store", `
…
The graph store can’t be reached
The service runs, but logs and queries get 503 until the store is back.
# What to do
Read the newest errors in the server log → /system/logs?level=ERROR: they hold the store’s answers.
With the embedded store, check that the disk is not full and the file of --data can be read.
With another graph store, check that it runs, and its address.
# Checks
…
`},
		{Health{Draining: true, Store: true}, "draining", `
…
The service is shutting down
It finishes running requests within 10 s, and accepts no new ones.
# What to do
If nobody stopped it, find out what sent SIGTERM. A container runtime does so when its health check fails.
# Checks
…
`},
		{Health{Panicked: true, Store: true}, "panicked", `
…
An internal error
A part of the program failed. It still answers, but is not ready until it is restarted.
# What to do
Keep the critical lines of the server log → /system/logs?level=CRITICAL ; include them in a report.
Restart the service. Everything it acknowledged is on disk.
# Checks
…
`},
		{Health{Store: true}, "unready", `
…
The service is not ready
It runs, but accepts no requests now.
# What to do
Reload this page in a few seconds, then see the server log → /system/logs?level=WARNING .
# Checks
…
`},
	} {
		viewstest.Show(t, HealthPage(f, c.h)).Reads(c.want).Holds(`id="health" data-state="` + c.state + `"`)
	}
	for want, h := range map[string]Health{
		"ready": {Ready: true, Store: true}, "store": {}, "low": {Ready: true, Store: true, Warning: "The disk has 1.0 MiB left."}, "draining": {Draining: true, Store: true},
		"panicked": {Panicked: true, Store: true}, "unready": {Store: true},
	} {
		if got := h.state(); got != want {
			t.Errorf("%+v is %s, want %s", h, got, want)
		}
	}
}
