package ui

import (
	"net/url"
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
		b.see("h2", "ARI said “I am sorry, Maria.")
		b.see(".story", "ARI recognized fear in Maria (95 % sure")
		b.see("#missing", "No log says")
		b.follow("#chain a.box:not(.start)")
		if heading := b.all("h2")[0]; heading == "" || heading == b.all(".story")[0] {
			t.Errorf("a box of the diagram leads to %q", heading)
		}
		b.follow(".story .note a")
		b.see("h1", "Log")
	})
}

func TestThePageOfCausesLooksRight(t *testing.T) {
	s := newService(t)
	s.publishDemo()
	inLights(t, func(t *testing.T, l look) {
		b := open(t, s.ui, l)
		b.signIn(s, "auditor")
		b.goTo("/why")
		b.see("h2", "What to explain")
		b.accessible()
		b.goTo("/why?iri=" + url.QueryEscape("https://gsi.upm.es/segb/robots/ari/v1/message_ari_apology_msg_1"))
		b.see(".story", "because")
		b.accessible()
		b.shot("why", l)
	})
}
