package ui

import (
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/rdf/canon"
	"github.com/segraph/segraph/store/turtle"
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
		before := s.graph()
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
		b.click("form[action='/logs/delete/back'] button")
		b.see(".notice.good", "The backup is imported")
		b.see(".notice.good", "Imported.")
		if !canon.Isomorphic(s.graph(), before) {
			t.Errorf("the imported graph is %s", s.export())
		}
		b.goTo("/shared-context")
		b.see("#counts .figure:first-child", "3")
		b.click("button[value=accept]")
		b.see("#said", "Decided: same event")

		b.goTo("/logs/delete")
		erase()
		s.publish("<http://e/new> <http://e/b> 1 .")
		s.hear(0, "ari", "")
		b.goTo("/logs/delete")
		b.click("form[action='/logs/delete/back'] button")
		b.see(".notice.good", "Not imported: the backup has none, or something was resolved since")
		if got := len(s.graph()); got != len(before)+2+1 { // the two triples of the merge, and the new one
			t.Errorf("there are %d triples, and there were %d", got, len(before))
		}
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

// graph returns the published graph.
func (s *service) graph() []rdf.Quad {
	s.t.Helper()
	in := turtle.NewReader(strings.NewReader(s.export()), turtle.NTriples, turtle.Options{})
	var out []rdf.Quad
	for {
		q, err := in.Read()
		if errors.Is(err, io.EOF) {
			return out
		}
		if err != nil {
			s.t.Fatal(err)
		}
		out = append(out, q)
	}
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
		b.see("main", "Import the backup")
		b.accessible()
		b.shot("logs-delete-done", l)
		b.click("form[action='/logs/delete/back'] button")
		b.see(".notice.good", "The backup is imported")
		b.accessible()
	})
}
