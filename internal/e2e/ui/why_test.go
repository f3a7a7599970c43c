package ui

import (
	"net/url"
	"strings"
	"testing"
)

func TestOneAsksWhyARobotSaidSomething(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.publishDemo()
	eachLook(t, func(t *testing.T, l look) {
		b := open(t, s.ui, l)
		b.signIn(s, "auditor")
		b.goTo(graphPath("node", "https://gsi.upm.es/segb/robots/ari/v1/message_ari_apology_msg_1"))
		b.follow(".node-card a.button[href^='/why']")
		b.see("h1", "ARI said “I am sorry, Maria.")
		b.see(".story", "ARI recognized fear in Maria (confidence 95\u00a0%")
		b.see("#missing", "No log says")
		b.follow("a[href*='view=diagram']")
		if !l.noScripts { // a thin line is easy to hit
			if missed := value[[]string](b, besideLines); len(missed) > 0 {
				t.Errorf("4 pixels beside these lines is something else: %q", missed)
			}
		}
		b.follow("#chain a.box:not(.start)")
		if heading := b.all("h1")[0]; heading == "" || strings.HasPrefix(heading, "ARI said “I am sorry") {
			t.Errorf("a box of the diagram leads to %q", heading)
		}
		b.follow(".story .note a")
		b.see("h1", "ARI")
	})
}

// besideLines returns the titles of links in the diagram that a click 4 pixels beside the
// middle of their line misses.
const besideLines = `[...document.querySelectorAll("#chain [class^=arrow-]")].filter(a => {
	const path = a.querySelector("path"), half = path.getTotalLength() / 2
	const [p, q] = [path.getPointAtLength(half - 1), path.getPointAtLength(half + 1)]
	path.scrollIntoView({block: "center", inline: "center"})
	const at = path.getPointAtLength(half).matrixTransform(path.getScreenCTM())
	const hit = document.elementFromPoint(at.x - 4 * (q.y - p.y) / 2, at.y + 4 * (q.x - p.x) / 2)
	return !hit || !hit.closest("[class^=arrow-]")
}).map(a => a.querySelector("title").textContent)`

func TestThePageOfCausesLooksRight(t *testing.T) {
	s := newService(t)
	s.publishDemo()
	inLights(t, func(t *testing.T, l look) {
		b := open(t, s.ui, l)
		b.signIn(s, "auditor")
		b.goTo("/why")
		b.see("h2", "What robots answered")
		b.accessible()
		b.goTo("/why?iri=" + url.QueryEscape("https://gsi.upm.es/segb/robots/ari/v1/message_ari_apology_msg_1"))
		b.see(".story", "because")
		b.accessible()
		b.shot("why", l)
		b.follow("a[href*='view=diagram']")
		b.eventually("the diagram shows the event", func() bool {
			return value[bool](b, `(() => { const s = document.querySelector("#chain .start").getBoundingClientRect(); return s.left >= 0 && s.right <= innerWidth; })()`)
		}, b.path)
		b.accessible()
	})
}
