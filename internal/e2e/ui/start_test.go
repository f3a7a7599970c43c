package ui

import "testing"

// A newcomer plays the demo into the empty store, looks around and removes it.
func TestANewcomerPlaysTheDemoAndRemovesIt(t *testing.T) {
	t.Parallel()
	eachLook(t, func(t *testing.T, l look) {
		s := openService(t)
		b := open(t, s.ui, l)
		b.goTo("/")
		b.see("main", "Begin in one of three ways")
		b.follow("button[value=play]")
		b.see("main", "What upset Maria?")
		for range 5 { // on a busy machine, a section is ready a little later, and without scripts it stays a link
			if b.goTo("/reports"); len(b.all("#overview-sessions tbody tr")) > 0 {
				break
			}
		}
		b.see("main", "This is the demo")
		b.see("#overview-sessions tbody tr", "")
		if top := value[float64](b, `document.querySelector("#overview-sessions tbody tr").getBoundingClientRect().top / innerHeight`); !l.phone && top > 0.58 {
			t.Errorf("the first session is at %.0f %% of the screen, below much else", 100*top)
		}
		b.follow("main a[href='/demo']")
		b.follow("button[value=remove]")
		b.see(".notice.good", "179 logs and")
		if got := s.export(); got != "" {
			t.Errorf("left is %s", got)
		}
		b.goTo("/reports")
		b.see("main", "Healthy, and no data yet")
	})
}

// The page about robots says when an activity arrives, by itself with scripts.
func TestTheConnectPageSaysWhenAnActivityArrives(t *testing.T) {
	t.Parallel()
	eachLook(t, func(t *testing.T, l look) {
		s := openService(t)
		b := open(t, s.ui, l)
		b.goTo("/connect")
		b.see("#arrival", "Waiting for the first activity")
		s.publish(`<urn:a> a <http://www.gsi.upm.es/ontologies/segb/ns#LoggedActivity> .`)
		if l.noScripts {
			b.goTo("/connect")
		}
		b.see("#arrival", "Activities have arrived")
		if l.noScripts {
			return
		}
		value[any](b, `document.querySelector("#arrival a").focus()`)
		s.publish(`<urn:a> <urn:b> 1 .`)
		b.eventually("the next log is listed", func() bool { return len(b.all("#arrival li")) == 2 }, b.path)
		if !value[bool](b, `document.activeElement.matches("#arrival a")`) {
			t.Error("the focus is lost")
		}
	})
}

func TestTheFirstPagesAreAccessible(t *testing.T) {
	t.Parallel()
	inLights(t, func(t *testing.T, l look) {
		s := openService(t)
		b := open(t, s.ui, l)
		b.goTo("/reports")
		b.accessible()
		b.goTo("/demo")
		b.accessible()
		b.goTo("/connect")
		b.accessible()
		b.shot("connect", l)
	})
}
