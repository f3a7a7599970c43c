package ui

import (
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
)

func TestOneSignsInWithATokenAndOut(t *testing.T) {
	s := newService(t)
	eachLook(t, func(t *testing.T, l look) {
		b := open(t, s.ui, l)
		b.goTo("/session")
		b.see(".who", "Not signed in")
		b.expect("status of 401")
		b.fill("#token", "not.a.token")
		b.click("form[action='/session'] button.primary")
		b.see(".notice.bad", "The token is not valid")
		b.signIn(s, "auditor")
		b.goTo("/session")
		b.see("main", "You are signed in")
		b.see(".who", "auditor · expires")
		b.click(".who button")
		b.see(".who", "Not signed in")
	})
}

// Where there is no TLS, a browser tells of the site that a form comes from only by Origin.
func TestOneSignsInWithoutTLS(t *testing.T) {
	s := newService(t)
	b := open(t, s.lab(), look{})
	b.signIn(s, "admin")
}

func TestTheSessionAndHealthPagesLookRight(t *testing.T) {
	s := newService(t)
	inLights(t, func(t *testing.T, l look) {
		b := open(t, s.ui, l)
		b.signIn(s, "admin")
		b.goTo("/session")
		b.accessible()
		b.shot("session", l)
		b.goTo("/health")
		b.see("[data-clock]", "agree")
		b.accessible()
		b.shot("health", l)
	})
}

// TestPagesAreReadyWithinASecondOnASlowMachine has a browser at a quarter of its speed, and three tries.
func TestPagesAreReadyWithinASecondOnASlowMachine(t *testing.T) {
	s := openService(t)
	s.publishDemo()
	b := open(t, s.ui, look{})
	tell(b, emulation.SetCPUThrottlingRate, emulation.SetCPUThrottlingRateParams{Rate: 4})
	b.goTo("/session")
	for _, path := range value[[]string](b, `[...document.querySelectorAll("nav a")].map(a => a.getAttribute("href"))`) {
		var took float64
		for range 3 {
			b.goTo(path)
			if took = value[float64](b, `performance.getEntriesByType("navigation")[0].domContentLoadedEventEnd`); took < 1000 {
				break
			}
		}
		t.Logf("%-16s %.0f ms", path, took)
		if took >= 1000 {
			t.Errorf("%s is ready after %.0f ms", path, took)
		}
	}
}

func TestHealthSaysThatTheServiceIsGone(t *testing.T) {
	s := openService(t)
	b := open(t, s.ui, look{})
	b.expect("Failed to load resource")
	b.goTo("/health")
	b.see("[data-verdict='ready']", "Everything works")
	b.see("tr[data-check='live'] [data-latency]", "ms")
	s.stop()
	b.click("[data-again]")
	b.see("[data-verdict='gone']", "does not answer")
	if got := strings.Join(b.all("[data-verdict]"), ""); strings.Contains(got, "Everything works") {
		t.Errorf("it also says %q", got)
	}
}
