package ui

import (
	"net/url"
	"testing"
)

// logsOfARI is the page of the logs that say that ARI is a robot.
var logsOfARI = "/query/logs?triple=" + url.QueryEscape("<https://gsi.upm.es/segb/robots/ari/v1/robot_ari1> "+
	"<http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://kb.openrobots.org#Robot>")

// TestOneOpensALogFromATripleAndWithdrawsIt goes from a triple to the log behind it, and
// from there to the graph and to the question that withdraws it.
func TestOneOpensALogFromATripleAndWithdrawsIt(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.publishDemo()
	eachLook(t, func(t *testing.T, l look) {
		b := open(t, s.ui, l)
		b.signIn(s, "admin")
		b.goTo(logsOfARI)
		b.follow("main a[href*='/log?id=']")
		b.see("h1", "ARI and TIAGo, 24 Feb 2026")
		at := b.path()
		b.see("main", "Maria")
		b.see("[aria-labelledby=things-title]", "was performed by")
		b.click("[aria-labelledby=text-title] summary")
		b.see("pre", "oro:Robot")
		b.follow("main a[href*='/kg-graph?v=']")
		b.see("h1", "Graph")
		b.goTo(at)
		b.follow("main a[href*='withdraw=']")
		b.see("h1", "Withdraw this log?")
	})
}

func TestThePageOfALogLooksRight(t *testing.T) {
	s := newService(t)
	s.publishDemo()
	inLights(t, func(t *testing.T, l look) {
		b := open(t, s.ui, l)
		b.signIn(s, "admin")
		b.goTo(logsOfARI)
		b.accessible()
		b.follow("main a[href*='/log?id=']")
		b.accessible()
		b.shot("log", l)
		b.follow("main a[href*='/evidence?log=']")
		b.see("h1", "Evidence")
		b.accessible()
	})
}
