package ui

import (
	"net/url"
	"testing"
)

// TestTheOrderOfColumnsDecidesWhatIsCharted has two columns of numbers.
func TestTheOrderOfColumnsDecidesWhatIsCharted(t *testing.T) {
	t.Parallel()
	s := openService(t)
	s.publish(`@prefix ex: <http://e/> . ex:a ex:n 3 ; ex:m 30 . ex:b ex:n 4 ; ex:m 40 .`)
	eachLook(t, func(t *testing.T, l look) {
		b := open(t, s.ui, l)
		for columns, first := range map[string]string{"?n ?m": "3", "?m ?n": "30"} {
			b.goTo("/query?view=chart&query=" + url.QueryEscape("SELECT ?who "+columns+" { ?who <http://e/n> ?n ; <http://e/m> ?m }"))
			b.see("table.bars td.num", first)
		}
		if !l.noScripts { // axe-core is a script
			b.accessible()
		}
	})
}
