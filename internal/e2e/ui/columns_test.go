package ui

import (
	"net/url"
	"testing"
)

// TestAReaderChoosesWhatIsCharted chooses the values of a bar chart.
func TestAReaderChoosesWhatIsCharted(t *testing.T) {
	t.Parallel()
	s := openService(t)
	s.publish(`@prefix ex: <http://e/> . ex:a ex:n 3 ; ex:m 30 . ex:b ex:n 4 ; ex:m 40 .`)
	eachLook(t, func(t *testing.T, l look) {
		b := open(t, s.ui, l)
		b.goTo("/query?view=chart&query=" + url.QueryEscape("SELECT ?who ?n ?m { ?who <http://e/n> ?n ; <http://e/m> ?m }"))
		b.see("table.bars thead", "n")
		if !l.noScripts { // axe-core is a script
			b.accessible()
		}
		value[any](b, `document.querySelector("#chart-y").value = "m"`)
		b.click("form.choices button")
		b.see("table.bars td.num", "30")
		if got := value[string](b, `document.querySelector("#chart-y").value`); got != "m" {
			t.Errorf("%q is chosen", got)
		}
	})
}
