package ui

import "testing"

func TestOneDeletesTheGraphOnlyWhenArmed(t *testing.T) {
	eachLook(t, func(t *testing.T, l look) {
		s := newService(t)
		s.publish("<http://e/a> <http://e/b> <http://e/c>, <http://e/d> .")
		b := open(t, s.ui, l)
		b.signIn(s, "admin")
		b.goTo("/logs/delete")
		b.see("#triples", "2")
		b.fill("#confirm", "delete")
		if l.noScripts {
			b.expect("status of 422")
			b.click("button.danger")
			b.see(".notice.bad", "in capitals")
		} else if !value[bool](b, `document.querySelector("button.danger").disabled`) {
			t.Error("the button is armed by another word")
		}
		if s.export() == "" {
			t.Fatal("it is deleted without the word")
		}
		b.fill("#confirm", "DELETE")
		b.fill("#user", "operator 7")
		b.click("button.danger")
		b.see(".notice.good", "2 triples")
		b.see(".notice.good", "ari as operator 7")
		if got := s.export(); got != "" {
			t.Errorf("left is %s", got)
		}
		b.goTo("/logs/delete")
		b.see("main", "There is nothing to delete")
	})
}

func TestTheDeletePageLooksRight(t *testing.T) {
	s := newService(t)
	s.publishDemo()
	inLights(t, func(t *testing.T, l look) {
		b := open(t, s.ui, l)
		b.signIn(s, "admin")
		b.goTo("/logs/delete")
		b.accessible()
		b.shot("logs-delete", l)
	})
}
