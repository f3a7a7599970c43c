package ui

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/segraph/segraph/auth"
	"github.com/segraph/segraph/internal/suite"
)

// eventually waits until a condition holds. state describes the current state for the
// error.
func (b *tab) eventually(what string, holds func() bool, state func() string) {
	b.t.Helper()
	deadline := time.Now().Add(patience)
	for !holds() {
		if time.Now().After(deadline) {
			b.t.Fatalf("at %s: waited %v until %s, which did not happen: %s", b.path(), patience, what, state())
		}
		time.Sleep(50 * time.Millisecond) // between two checks; each check keeps the browser busy
	}
}

// signIn signs in with a token of the given roles.
func (b *tab) signIn(s *service, roles ...auth.Role) {
	b.t.Helper()
	b.goTo("/session")
	b.fill("#token", s.token(roles...))
	b.click("form[action$='/session'] button.primary")
	b.see(".who", "ari")
}

// shift returns the sum of the page's layout shifts so far.
func (b *tab) shift() float64 {
	b.t.Helper()
	return value[float64](b, `new Promise(done => {
		let sum = 0;
		new PerformanceObserver(list => list.getEntries().forEach(e => { if (!e.hadRecentInput) sum += e.value; })).observe({type: "layout-shift", buffered: true});
		setTimeout(() => done(sum), 50);
	})`)
}

// ready returns the time from the request until the page can be used, in milliseconds:
// its scripts have run, and the work that directly follows is done.
func (b *tab) ready() float64 {
	b.t.Helper()
	return value[float64](b, `new Promise(done => {
		const loaded = performance.getEntriesByType("navigation")[0].domContentLoadedEventEnd;
		let ready = loaded;
		new PerformanceObserver(list => list.getEntries().forEach(e => {
			if (e.startTime < ready + 50) ready = Math.max(ready, e.startTime + e.duration);
		})).observe({type: "longtask", buffered: true});
		setTimeout(() => done(ready), 50);
	})`)
}

// still fails the test if the page's layout shifts while it loads. It allows three
// attempts, because on a busy machine a font or a script may be late.
func (b *tab) still() {
	b.t.Helper()
	const bound = 0.02
	shift := b.shift()
	for try := 1; shift > bound && try < 3; try++ {
		b.goTo(b.path())
		shift = b.shift()
	}
	if shift > bound {
		b.t.Errorf("%s moves by %.3f while it is loaded", b.path(), shift)
	}
}

// accessible runs axe-core on the page and fails the test for serious and critical
// problems. It also fails if the page is wider than the window or its layout shifted
// while loading.
func (b *tab) accessible() {
	b.t.Helper()
	defer b.still()
	if over := value[int](b, `document.documentElement.scrollWidth - document.documentElement.clientWidth`); over > 0 {
		b.t.Errorf("%s is %d pixels wider than the window", b.path(), over)
	}
	b.faultless()
	if suite.Race {
		return // the race detector does not change the page, and the analysis takes long
	}
	axe, err := os.ReadFile(filepath.Join(suite.Root(b.t), "node_modules", "axe-core", "axe.min.js"))
	if err != nil {
		suite.Missing(b.t, "no axe-core: npm ci --ignore-scripts")
	}
	var found []struct {
		ID, Impact, Help string
		Nodes            []struct{ HTML, FailureSummary string }
	}
	result := value[string](b, string(axe)+";axe.run(document, "+axeOptions()+").then(r => JSON.stringify(r.violations))")
	if err := json.Unmarshal([]byte(result), &found); err != nil {
		b.t.Fatal(err)
	}
	for _, v := range found {
		for _, n := range v.Nodes {
			if v.Impact == "serious" || v.Impact == "critical" {
				b.t.Errorf("%s: %s: %s: %s\n%s", b.path(), v.ID, v.Help, n.HTML, n.FailureSummary)
			} else {
				b.t.Logf("%s: %s (%s): %s", b.path(), v.ID, v.Impact, n.HTML)
			}
		}
	}
}

// axeOptions returns the options for axe-core: the rules whose violations fail a test, and
// in the long form also those that are only logged. preload would fetch style sheets for
// rules that are not among them.
func axeOptions() string {
	if suite.Long() {
		return `{resultTypes: ["violations"]}`
	}
	return `{resultTypes: ["violations"], preload: false, runOnly: axe._audit.rules.filter(r =>
		r.enabled && !r.tags.includes("experimental") && ["serious", "critical"].includes(r.impact)).map(r => r.id)}`
}

// usual returns the looks that a test uses in this run: all of them if everything is
// required, and otherwise the first, because each look takes the browser as long again.
// With the race detector one look suffices, because races are in the service.
func usual(looks []look) []look {
	if suite.Race || !suite.Everything() {
		return looks[:1]
	}
	return looks
}

// eachLook runs a test in the modes in which a core task must work: on a desktop, on a
// phone without scripts and, in the long form, on a phone with scripts.
// TestOneWhoNeverSawItFindsTheirWay always uses a phone with scripts.
func eachLook(t *testing.T, run func(t *testing.T, l look)) {
	looks := []look{{}, {phone: true, noScripts: true}}
	if suite.Long() {
		looks = append(looks, look{phone: true})
	}
	for _, l := range usual(looks) {
		t.Run(l.String(), func(t *testing.T) {
			t.Parallel()
			run(t, l)
		})
	}
}

// inLights runs a test with a light desktop and a dark phone, and with the race detector
// only with the desktop, because races are in the service. When screenshots are taken, it
// also runs it with a dark desktop and a light phone.
func inLights(t *testing.T, run func(t *testing.T, l look)) {
	looks := []look{{}, {phone: true, dark: true}}
	switch {
	case os.Getenv("SEGRAPH_SCREENSHOTS") != "":
		looks = append(looks, look{dark: true}, look{phone: true})
	case suite.Race:
		looks = looks[:1]
	default:
		suite.Slow(t, "it analyses pages with axe-core")
	}
	for _, l := range looks {
		t.Run(l.String(), func(t *testing.T) { run(t, l) }) // not in parallel: layout shifts are measured
	}
}
