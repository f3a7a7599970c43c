package ui

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/segraph/segraph/internal/auth"
	"github.com/segraph/segraph/internal/suite"
)

// eventually waits until a condition holds; state says what there is in its place.
func (b *tab) eventually(what string, holds func() bool, state func() string) {
	b.t.Helper()
	deadline := time.Now().Add(patience)
	for !holds() {
		if time.Now().After(deadline) {
			b.t.Fatalf("at %s: waited %v in vain until %s: %s", b.path(), patience, what, state())
		}
		time.Sleep(50 * time.Millisecond) // between two looks, not instead of one; each look keeps the browser busy
	}
}

// signIn begins a session with a token of these roles.
func (b *tab) signIn(s *service, roles ...auth.Role) {
	b.t.Helper()
	b.goTo("/session")
	b.fill("#token", s.token(roles...))
	b.click("form[action$='/session'] button.primary")
	b.see(".who", "ari")
}

// shift tells how much the page has moved about so far, as the sum of its layout shifts.
func (b *tab) shift() float64 {
	b.t.Helper()
	return value[float64](b, `new Promise(done => {
		let sum = 0;
		new PerformanceObserver(list => list.getEntries().forEach(e => { if (!e.hadRecentInput) sum += e.value; })).observe({type: "layout-shift", buffered: true});
		setTimeout(() => done(sum), 50);
	})`)
}

// ready tells when the page could be used, in milliseconds from when it was asked for: its scripts have run, and what
// kept the browser busy at once after that is over.
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

// still fails the test where the page moves about while it is loaded: in three loads of three, because on a machine that
// others use too a font or a script may once come late.
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

// accessible runs axe-core on the page as it is and fails the test for what is serious or critical. It also
// fails where the page is wider than the window, or has moved about while it was loaded.
func (b *tab) accessible() {
	b.t.Helper()
	defer b.still()
	if over := value[int](b, `document.documentElement.scrollWidth - document.documentElement.clientWidth`); over > 0 {
		b.t.Errorf("%s is %d pixels wider than the window", b.path(), over)
	}
	if suite.Race {
		return // what is on a page does not depend on it, and looking through it takes long
	}
	axe, err := os.ReadFile(filepath.Join(suite.Root(b.t), "node_modules", "axe-core", "axe.min.js"))
	if err != nil {
		suite.Missing(b.t, "no axe-core: npm ci --ignore-scripts")
	}
	var found []struct {
		ID, Impact, Help string
		Nodes            []struct{ HTML, FailureSummary string }
	}
	value[any](b, string(axe)+";0")
	result := value[string](b, `axe.run(document, {resultTypes: ["violations"]}).then(r => JSON.stringify(r.violations))`)
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

// eachLook runs a test for the looks in which a core task has to work: on a desktop, on a phone without
// scripts and, in the long form, on a phone with scripts. TestOneWhoNeverSawItFindsTheirWay always uses a
// phone with scripts. With the race detector one look does: what is sought then is in the service.
func eachLook(t *testing.T, run func(t *testing.T, l look)) {
	looks := []look{{}, {phone: true, noScripts: true}}
	if suite.Long() {
		looks = append(looks, look{phone: true})
	}
	if suite.Race {
		looks = looks[:1]
	}
	for _, l := range looks {
		t.Run(l.String(), func(t *testing.T) {
			t.Parallel()
			run(t, l)
		})
	}
}

// inLights runs a test in the light on a desktop and in the dark on a phone; when pictures are taken, in the other
// two ways as well.
func inLights(t *testing.T, run func(t *testing.T, l look)) {
	looks := []look{{}, {phone: true, dark: true}}
	if os.Getenv("SEGRAPH_SCREENSHOTS") != "" {
		looks = append(looks, look{dark: true}, look{phone: true})
	}
	if suite.Race {
		looks = looks[:1]
	}
	for _, l := range looks {
		t.Run(l.String(), func(t *testing.T) { run(t, l) }) // one after the other: how pages come up is judged
	}
}
