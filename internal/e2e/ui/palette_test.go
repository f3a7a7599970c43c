package ui

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// TestThePaletteFindsAndOpens finds a person with Ctrl+K, and with the search page where
// there is no script. The person's story leads to the graph.
func TestThePaletteFindsAndOpens(t *testing.T) {
	t.Parallel()
	s := openService(t)
	s.publishDemo()
	eachLook(t, func(t *testing.T, l look) {
		b := open(t, s.ui, l)
		b.goTo("/health")
		if l.noScripts {
			b.goTo("/search")
			b.fill("#q", "maria")
			b.follow(".front button")
			b.see(".about-cards", "Maria")
			b.follow(".about-cards a[href*='/why?iri=']")
		} else {
			b.run(chromedp.KeyEvent("k", chromedp.KeyModifiers(chromedp.ModifierCtrl)))
			b.see("#palette", "Server log")
			b.accessible()
			b.fill("#palette input", "maria")
			b.see("#palette .found", "Maria")
			b.marks(0)
			b.press(kb.ArrowDown)
			b.marks(1)
			b.press(kb.ArrowUp)
			b.marks(0)
			b.press(kb.Enter)
		}
		b.see("h1", "Story of Maria")
		b.click(".why a[href*='kg-graph?node=']")
		b.see("#graph", "Maria")
	})
}

// TestASentenceIsFoundFromAnyPage types into the field of the bar, and narrows what is found to an emotion.
func TestASentenceIsFoundFromAnyPage(t *testing.T) {
	t.Parallel()
	s := openService(t)
	s.publishDemo()
	eachLook(t, func(t *testing.T, l look) {
		b := open(t, s.ui, l)
		if l.noScripts {
			b.goTo("/search?q=you&full=1")
		} else if b.goTo("/health"); l.phone {
			b.goTo("/search?q=you")
		} else {
			b.press("/")
			b.see(".finder input:focus", "")
			b.fill(".finder input", "you")
			b.press(kb.Enter)
		}
		b.see(".hits", "we will get through this together")
		b.see(".result-bar", "sentences with “you”")
		if !l.noScripts { // the check is a script
			b.accessible()
		}
		if !l.phone {
			b.see(".facets", "happiness")
			b.follow(".facets a[href*='big6_happiness']")
			b.see(".facets [aria-current]", "happiness")
			if rows := b.all(".hits > li"); len(rows) == 0 || len(rows) != strings.Count(strings.Join(rows, ""), "happiness") {
				t.Errorf("those with happiness are %q", rows)
			}
		}
		b.shot("search", l)
	})
}

// marks checks that the palette marks only its nth result, and that a result under the
// mouse looks different.
func (b *tab) marks(nth int) {
	b.t.Helper()
	if got := value[string](b, `[...document.querySelectorAll("#palette .found a")].flatMap((a, i) => a.ariaCurrent ? [i] : []).join()`); got != strconv.Itoa(nth) {
		b.t.Errorf("the palette marks %q, want %d", got, nth)
	}
	const row = `document.querySelector("#palette .found a%s")`
	const colour = `getComputedStyle(` + row + `).backgroundColor`
	at := value[[]float64](b, fmt.Sprintf(`(r => [r.x + r.width / 2, r.y + r.height / 2])(`+row+`.getBoundingClientRect())`, ":not([aria-current])"))
	tell(b, input.DispatchMouseEvent, input.DispatchMouseEventParams{Type: input.DispatchMouseEventTypeMouseMoved, X: at[0], Y: at[1]})
	if marked, hovered := value[string](b, fmt.Sprintf(colour, "[aria-current]")), value[string](b, fmt.Sprintf(colour, ":hover")); marked == hovered {
		b.t.Errorf("the marked result and the one under the mouse are both %s", marked)
	}
}

// TestSignsAreNotCut looks for signs that extend beyond their box.
func TestSignsAreNotCut(t *testing.T) {
	t.Parallel()
	s := openService(t)
	s.publishDemo()
	b := open(t, s.ui, look{})
	b.goTo("/kg-graph")
	b.eventually("signs are drawn", func() bool {
		return value[int](b, `document.querySelectorAll("#graph .sign:not(.edge) :is(path, use)").length`) > 3
	}, b.path)
	if cut := value[[]string](b, `[...document.querySelectorAll("#graph .sign:not(.edge) :is(path, use)")].map(e => e.getBBox())
		.filter(r => r.x < -10.5 || r.x + r.width > 10.5 || r.y < -10.5 || r.y + r.height > 10.5).map(r => [r.x, r.y, r.width, r.height].join())`); len(cut) > 0 {
		t.Errorf("signs in the boxes %v are cut", cut)
	}
}
