package ui

import (
	"testing"
)

func TestOneDeletesTheGraphOnlyWhenArmed(t *testing.T) {
	t.Parallel()
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
			t.Fatal("the graph is deleted without the word")
		}
		b.fill("#confirm", "DELETE")
		b.fill("#user", "operator 7")
		b.click("button.danger")
		b.see("[aria-label=Result]", "2 triples")
		b.see("[aria-label=Result]", "ari as “operator 7”")
		if got := s.export(); got != "" {
			t.Errorf("left is %s", got)
		}
		b.goTo("/logs/delete")
		b.see("main", "Nothing to delete")
	})
}

// TestADeletedGraphIsImportedWithOneClick compares the graph, including blank nodes, and
// the review queue with their state before the deletion. Then it repeats this after
// robots have published more.
func TestADeletedGraphIsImportedWithOneClick(t *testing.T) {
	t.Parallel()
	eachLook(t, func(t *testing.T, l look) {
		s := newService(t)
		s.publishDemo()
		s.publish(`<http://e/a> <http://e/b> [ <http://e/c> ( 1 [] ) ], "said"@en .`)
		s.addCases(3)
		b := open(t, s.ui, l)
		b.signIn(s, "admin")
		b.goTo("/logs/delete")
		b.see("#triples", "634")
		b.see("#contexts", "6")
		b.see("#cases", "3")
		erase := func() {
			b.fill("#confirm", "DELETE")
			b.click("#also")
			b.click("button.danger")
			b.see("main", "The graph was emptied")
			if got := s.export(); got != "" {
				t.Fatalf("left is %s", got)
			}
		}
		erase()
		b.click("a[href^='/backups/restore']")
		b.see("h1", "Restore")
	})
}

// A person may decide about observations that are older than a deletion.
func TestContextsAreDeletedOnlyWhenTicked(t *testing.T) {
	t.Parallel()
	eachLook(t, func(t *testing.T, l look) {
		s := newService(t)
		s.publish("<http://e/a> <http://e/b> 1 .")
		s.addCases(2)
		b := open(t, s.ui, l)
		b.signIn(s, "admin")
		b.goTo("/logs/delete")
		b.fill("#confirm", "DELETE")
		b.click("button.danger")
		b.see("main", "The graph was emptied")
		b.click("dl a[href='/logs/delete']")
		b.see("#cases", "2")
		b.goTo("/shared-context")
		b.click("button[value=accept]")
		b.see("#said", "Decided: same event")
		b.goTo("/logs/delete")
		b.see("#triples", "2")
		b.click("#also")
		b.fill("#confirm", "DELETE")
		b.click("button.danger")
		b.see("main", "shared events deleted")
		b.goTo("/logs/delete")
		b.see("main", "Nothing to delete")
	})
}

func TestTheDeletePageLooksRight(t *testing.T) {
	inLights(t, func(t *testing.T, l look) {
		s := newService(t)
		s.publishDemo()
		s.addCases(3)
		b := open(t, s.ui, l)
		b.signIn(s, "admin")
		b.goTo("/logs/delete")
		b.accessible()
		b.shot("logs-delete", l)
		b.fill("#confirm", "DELETE")
		b.click("button.danger")
		b.see("main", "Restore…")
		b.accessible()
		b.shot("logs-delete-done", l)
	})
}
