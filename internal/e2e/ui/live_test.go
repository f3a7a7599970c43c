package ui

import (
	"net/url"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/segraph/segraph/auth"
	"github.com/segraph/segraph/demo"
	"github.com/segraph/segraph/views/reports"
)

// liveShow is a live demo that a test plays with its own clock.
type liveShow struct {
	*service
	play   *reports.Play
	ahead  atomic.Int64 // of the clock
	played time.Time    // up to here
	lines  []demo.Report
}

// perform starts a service and a live demo, up to its first visitor.
func perform(t *testing.T) *liveShow {
	p := &liveShow{}
	begin := p.now()
	p.play = reports.NewPlay(auth.Actor{Username: "eva", Roles: auth.Roles()}, begin, p.now)
	p.service = start(t, setup{live: p.play.Stage})
	if err := p.play.Fill(t.Context(), p.core); err != nil {
		t.Fatal(err)
	}
	for _, r := range demo.Live(begin) {
		if r.Session == demo.Sessions-1 && r.Line.Turn > 0 {
			p.lines = append(p.lines, r)
		}
	}
	return p
}

func (p *liveShow) now() time.Time { return time.Now().Add(time.Duration(p.ahead.Load())) }

// until plays the demo, second by second, until a condition holds. It reports whether the
// story is over.
func (p *liveShow) until(holds func() bool) (over bool) {
	p.t.Helper()
	for n := 0; !over && !holds(); n++ {
		if n > 1800 {
			p.t.Fatal("half an hour is played, and it did not happen")
		}
		p.ahead.Add(int64(time.Second))
		var err error
		p.played = p.now()
		if over, err = p.play.Step(p.t.Context(), p.core, p.played); err != nil {
			p.t.Fatal(err)
		}
	}
	return over
}

// TestTheAudienceDecidesALiveDemo plays the demo of segraph demo --live, with a
// projector, the graph and a phone: the projector shows the talk, two robots report one
// event, a case appears, the phone votes, and the graph follows.
func TestTheAudienceDecidesALiveDemo(t *testing.T) {
	show := func(t *testing.T, l, voter look) {
		p := perform(t)
		projector := open(t, p.ui, l)
		projector.goTo("/live")
		projector.see("#stage", "The first visitor is on the way.")
		p.until(func() bool { return !p.played.Before(p.lines[0].At) })
		projector.see("#stage .turn", p.lines[0].Line.Text)
		graph := open(t, p.ui, l)
		graph.goTo("/live")
		graph.follow(".head a[href*='page=graph']")
		first := graph.see(".node-card h2", "")

		p.until(func() bool { return p.play.Stage.Link() != "" })
		projector.see("#stage .ask", "Is this one event?")
		projector.see("#stage .turn.shared", "One event, seen by two robots.")
		if n := len(projector.all("#stage svg.qr")); n != 1 && !l.phone {
			t.Errorf("%d codes are on the stage", n)
		}
		if got := projector.all("#stage .line"); strings.Count(strings.Join(got, "\n"), "balloon") != 1 {
			t.Errorf("what the audience decides is on the stage once: %q", got)
		}
		projector.accessible()
		projector.shot("live", l)
		graph.eventually("the graph follows", func() bool { h := graph.all(".node-card h2"); return len(h) == 1 && h[0] != first }, graph.path)
		graph.accessible()

		link, err := url.Parse(p.play.Stage.Link())
		if err != nil {
			t.Fatal(err)
		}
		phone := open(t, link.Scheme+"://"+link.Host, voter)
		phone.goTo(link.RequestURI())
		phone.accessible()
		phone.shot("vote", l)
		phone.click("button[value=accept]")
		phone.see("main", "Thank you for your vote")
		if high := value[float64](phone, `document.querySelector(".notice").offsetHeight`); high > 150 {
			t.Errorf("the notice is %v pixels high", high)
		}
		phone.accessible()
		projector.see("#stage .ask", "1 same, 0 different")
		p.ahead.Add(int64(30 * time.Second))
		p.until(func() bool { return !p.play.Stage.Voting() })
		projector.see("#stage .ask", "You decided: one event")
		phone.goTo(link.RequestURI())
		phone.see("main", "one event")
		if !p.until(func() bool { return false }) {
			t.Error("the story does not end")
		}
		projector.see("#stage", "The story is over.")
		projector.accessible()
		graph.goTo("/shared-context?view=quality")
		graph.see("#history", "audience")
	}
	if os.Getenv("SEGRAPH_SCREENSHOTS") != "" {
		inLights(t, func(t *testing.T, l look) { show(t, l, l) })
		return
	}
	show(t, look{}, look{phone: true, dark: true}) // with a dark phone: the story takes ten seconds
}
