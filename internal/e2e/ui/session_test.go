package ui

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/segraph/segraph/internal/suite"
)

func TestOneSignsInWithATokenAndOut(t *testing.T) {
	t.Parallel()
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
		b.see("main", "Signed in as")
		if l.phone {
			b.click(".where")
			b.see(".whose", "auditor · expires")
			b.shot("menu", l)
			b.click(".where")
		} else {
			b.see(".who", "auditor · expires")
		}
		b.click(".who button")
		b.see(".who", "Not signed in")
	})
}

// Without TLS, a browser names the site of a form only in Origin.
func TestOneSignsInWithoutTLS(t *testing.T) {
	t.Parallel()
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

// TestPagesAreReadyWithinASecondOnASlowMachine gives every page a quarter of a second, which
// is a second on a machine of a quarter of the speed. The browser could slow itself down, but
// it does so by signals, which made its pages 4 to 20 times slower from one load to the next.
// The test uses a phone and, in the long form, a desktop. No page's layout may shift meanwhile.
func TestPagesAreReadyWithinASecondOnASlowMachine(t *testing.T) {
	suite.Slow(t, "it opens all pages until they are fast")
	s := openService(t)
	s.publishDemo()
	for _, l := range []look{{phone: true}, {}}[:suite.Times(2, 1)] {
		b := open(t, s.ui, l)
		b.goTo("/session")
		for _, path := range value[[]string](b, `[...document.querySelectorAll("nav a")].map(a => a.getAttribute("href"))`) {
			shift := 1.0
			suite.Within(t, fmt.Sprint(l, " ", path), time.Second/4, func() time.Duration {
				b.goTo(path)
				took := b.ready()
				shift = min(shift, b.shift())
				return time.Duration(took * float64(time.Millisecond))
			})
			if shift >= 0.1 {
				t.Errorf("%s: %s moves by %.3f while it is loaded", l, path, shift)
			}
		}
	}
}

func TestHealthSaysThatTheServiceIsGone(t *testing.T) {
	t.Parallel()
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
		t.Errorf("it also shows %q", got)
	}
}
