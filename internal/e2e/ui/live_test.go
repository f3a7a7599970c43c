package ui

import (
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/segraph/segraph/internal/museum"
	"github.com/segraph/segraph/webui"
)

// TestTheAudienceDecidesALiveDemo has a projector, a phone and the graph: the talk is on
// the projector, two robots report one event, a case appears, the phone votes, and the
// graph follows.
func TestTheAudienceDecidesALiveDemo(t *testing.T) {
	inLights(t, func(t *testing.T, l look) {
		var late atomic.Int64 // how far the stage's clock is ahead
		stage := webui.NewLive(func() time.Time { return time.Now().Add(time.Duration(late.Load())) })
		s := start(t, setup{live: stage})
		s.publish(`@prefix schema: <http://schema.org/> . <http://e/1> a schema:Event ; schema:name "A balloon" . <http://e/2> a schema:Event ; schema:name "A baboon" .`)
		say := func(turn int, robot, speaker, text, event string, shared, doubt bool) {
			stage.Say(museum.Report{Line: museum.Line{Turn: turn, Speaker: speaker, Text: text}}, robot, event, shared, doubt)
		}

		projector := open(t, s.ui, l)
		projector.goTo("/live")
		projector.see("#stage", "The first visitor is on the way.")
		projector.accessible()
		say(1, "ARI", "Zoe", "Where is the lift?", "http://e/1", false, false)
		projector.see("#stage .turn", "Where is the lift?")
		graph := open(t, s.ui, l)
		graph.goTo("/live")
		graph.follow("nav[aria-label=Follow] a[href*='page=graph']")
		graph.see(".node-card h2", "A balloon")
		say(1, "TIAGo", "Zoe", "Where is the lift?", "http://e/1", true, false)
		projector.see("#stage .turn.shared", "One event, seen by two robots.")

		say(2, "ARI", "Zoe", "My balloon!", "http://e/2", false, false)
		say(2, "TIAGo", "", "My baboon!", "http://e/2", false, true)
		if err := stage.Ask("review_1"); err != nil {
			t.Fatal(err)
		}
		projector.see("#stage .ask", "Scan the code and vote.")
		if n := len(projector.all("#stage svg.qr")); n != 1 {
			t.Errorf("%d codes are on the stage", n)
		}
		projector.accessible()
		projector.shot("live", l)
		graph.see(".node-card h2", "A baboon")
		graph.accessible()

		link, err := url.Parse(stage.Link())
		if err != nil {
			t.Fatal(err)
		}
		phone := open(t, link.Scheme+"://"+link.Host, look{phone: true, dark: l.dark})
		phone.goTo(link.RequestURI())
		phone.see("main", "My baboon!")
		phone.accessible()
		phone.shot("vote", l)
		phone.click("button[value=accept]")
		phone.see("main", "Thank you for your vote")
		phone.accessible()
		projector.see("#stage .ask", "1 same, 0 different")
		if got := stage.Verdict(); got != "" {
			t.Errorf("the verdict is %q before the vote ends", got)
		}
		late.Store(int64(time.Minute))
		if got := stage.Verdict(); got != "accept" {
			t.Errorf("the verdict is %q", got)
		}
		projector.see("#stage .ask", "You decided: one event")
		projector.eventually("the hull is closed", func() bool { return len(projector.all("#stage .turn.shared")) == 2 }, projector.path)
		phone.goTo(link.RequestURI())
		phone.see("main", "one event")
		stage.Over()
		projector.see("#stage", "The morning is over.")
		projector.accessible()
		if !strings.Contains(graph.path(), "e%2F2") {
			t.Errorf("the graph is at %s", graph.path())
		}
	})
}
