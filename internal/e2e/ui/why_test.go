package ui

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
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

// TestEachLevelOfCausesIsFurtherIn has a chain of as many causes as a page tells, on a narrow phone too: a cause that is no
// further in than its effect reads as a second cause of what the effect led to.
func TestEachLevelOfCausesIsFurtherIn(t *testing.T) {
	t.Parallel()
	const levels = 12
	s := openService(t)
	var log strings.Builder
	for i := range levels {
		fmt.Fprintf(&log, "<http://e/%d> a <http://www.gsi.upm.es/ontologies/segb/ns#LoggedActivity> ; <http://www.gsi.upm.es/ontologies/segb/ns#triggeredByActivity> <http://e/%d> .\n", i, i+1)
	}
	s.publish(log.String() + "<http://e/12> a <http://www.gsi.upm.es/ontologies/segb/ns#LoggedActivity> .")
	for _, width := range []int64{1280, 360} {
		b := open(t, s.ui, look{})
		tell(b, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{Width: width, Height: 800, DeviceScaleFactor: 1})
		b.goTo("/why?depth=12&iri=http://e/0")
		lefts := value[[]float64](b, `[...document.querySelectorAll(".story li:not(.group)")].map(li => Math.round(li.getBoundingClientRect().left))`)
		indents := lefts[min(1, len(lefts)):]
		for i := 1; i < len(indents); i++ {
			if indents[i] < indents[i-1]+8 {
				t.Errorf("at %d pixels, level %d is not further in than level %d: %v", width, i+1, i, lefts)
			}
		}
		if wide := value[float64](b, `[...document.querySelectorAll(".story li")].at(-1).getBoundingClientRect().width`); len(lefts) != levels+1 || wide < 150 {
			t.Errorf("at %d pixels, the story has %d sentences, want %d; the last one has %v pixels", width, len(lefts), levels+1, wide)
		}
	}
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
