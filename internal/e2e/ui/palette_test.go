package ui

import (
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// TestThePaletteFindsAndOpens finds a person with Ctrl+K, and with the search page where
// there is no script.
func TestThePaletteFindsAndOpens(t *testing.T) {
	t.Parallel()
	s := openService(t)
	s.publishDemo()
	eachLook(t, func(t *testing.T, l look) {
		b := open(t, s.ui, l)
		b.goTo("/health")
		if l.noScripts {
			b.follow("[data-palette]")
			b.fill("#q", "maria")
			b.follow("form[role=search] button")
			b.see(".found", "Maria")
			b.follow(".found a[href*='kg-graph?node=']")
		} else {
			b.run(chromedp.KeyEvent("k", chromedp.KeyModifiers(chromedp.ModifierCtrl)))
			b.see("#palette", "Server log")
			b.accessible()
			b.fill("#palette input", "maria")
			b.see("#palette .found", "Maria")
			b.press(kb.ArrowDown)
			b.press(kb.Enter)
		}
		b.see("#graph", "Maria")
	})
}
