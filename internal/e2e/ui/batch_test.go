package ui

import (
	"testing"
)

// TestOneDecidesManyAtOnce filters the queue, decides the sample with keys, decides the
// rest at once, and undoes that.
func TestOneDecidesManyAtOnce(t *testing.T) {
	t.Parallel()
	s := openService(t)
	s.addCases(24)
	b := open(t, s.ui, look{})
	b.goTo("/shared-context?least=5")
	b.follow(".queue form[action$='/batch'] button[value=accept]")
	b.see("main", "Decide the sample by hand first. 20 cases left.")
	b.accessible()
	b.follow("a.primary")
	for range 20 {
		before := b.path()
		b.press("a")
		b.eventually("the next case is there", func() bool { return b.path() != before }, b.path)
	}
	b.see("#desk", "Back to the batch")
	b.follow(".queue a[href*='/batch?id=']")
	b.see("main", "20 of 20 verdicts by hand agree")
	b.follow("button.primary")
	b.see("main", "4 cases decided at once")
	b.follow("form[action$='/undo'] button")
	b.see("main", "4 decisions reversed")
	b.goTo("/shared-context")
	b.see("#counts .figure:first-child", "4")
	b.goTo("/shared-context?view=quality")
	b.see("main", "Verdicts by reason")
	b.accessible()
}
