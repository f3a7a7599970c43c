package ui

import (
	"fmt"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/segraph/segraph/internal/suite"
	"github.com/segraph/segraph/resolver"
)

// hear lets a robot report the same question, ms milliseconds after nine o'clock.
func (s *service) hear(ms int, robot, subject string) {
	s.t.Helper()
	members := map[string]string{"event_kind": "human_utterance", "modality": "speech", "text": "Could you show me climate news?", "robot_uri": "https://ex/robot/" + robot,
		"observed_at": time.Date(2026, 2, 11, 9, 0, 0, ms*int(time.Millisecond), time.UTC).Format("2006-01-02T15:04:05.000Z")}
	if subject != "" {
		members["subject_uri"] = subject
	}
	s.observe(members)
}

// TestAnAcceptanceAgainstARejectionIsConfirmedFirst has three reports. The third is kept
// separate from the second, then merged with the first. So the second may no longer be
// merged with the first, unless the person confirms it.
func TestAnAcceptanceAgainstARejectionIsConfirmedFirst(t *testing.T) {
	t.Parallel()
	settings := resolver.Defaults()
	settings.MaxCandidates = 1
	eachLook(t, func(t *testing.T, l look) {
		s := start(t, setup{settings: &settings})
		s.hear(150, "ari", "https://ex/human/maria")
		s.hear(450, "tiago", "")
		s.hear(460, "pepper", "")
		b := open(t, s.ui, l)
		b.goTo("/shared-context?order=new")
		b.see(".sides", "pepper")
		b.see(".sides", "tiago")
		b.click("#decision button[value=reject]")
		b.see("#said", "Decided: different")
		request, err := http.NewRequest(http.MethodPost, s.api+"/shared-context/reconcile", nil)
		if err != nil {
			t.Fatal(err)
		}
		s.read(request)
		b.goTo("/shared-context?order=new")
		b.see("#counts .figure:first-child", "2")
		b.see(".sides", "pepper")
		b.see(".sides", "ari")
		b.click("#decision button[value=accept]")
		b.see("#said", "Decided: same event")

		b.goTo("/shared-context")
		b.see(".sides", "tiago")
		b.click("#decision button[value=accept]")
		b.see("#said", "Not merged: a person decided to keep these two separate")
		b.see("#said", "Merge them anyway?")
		b.see("#counts .figure:first-child", "1")
		b.see(".warned", "Merge them anyway")
		if !l.noScripts {
			b.accessible()
		}
		b.click("#said button[value=accept]")
		b.see("#said", "Decided: same event")
		b.see("#counts .figure:first-child", "0")
		b.click("#said [data-undo]")
		b.see("#said", "Undone")
		b.click("#decision button[value=accept]")
		b.see("#said", "decided to keep these two separate")
		b.click("#said button[value=reject]")
		b.see("#said", "Decided: different")
	})
}

// TestADecisionIsUndoneAfterARestart restarts the service on its file between the
// decision and the undo.
func TestADecisionIsUndoneAfterARestart(t *testing.T) {
	t.Parallel()
	eachLook(t, func(t *testing.T, l look) {
		before := setup{secret: testSecret, dir: t.TempDir()}
		s := start(t, before)
		s.addCases(2)
		b := open(t, s.ui, l)
		b.signIn(s, "admin")
		b.goTo("/shared-context")
		b.see("#case-title", "climate")
		b.click("#decision button[value=accept]")
		b.see("#said", "Decided: same event")
		b.expect("ERR_CONNECTION_REFUSED") // the page requests its counts while no service runs
		s.stop()

		s = start(t, before)
		b = open(t, s.ui, l)
		b.signIn(s, "admin")
		b.goTo("/shared-context")
		b.see("#said", "Your last decision: same event")
		b.see("#counts .figure:first-child", "1")
		b.click("#said [data-undo]")
		b.see("#said", "Undone: the case is in the queue again")
		b.see("#case-title", "climate")
		b.see("#counts .figure:first-child", "2")
		b.goTo("/shared-context?view=quality")
		b.see("#history", "undone")
	})
}

func TestAGroupIsAcceptedAfterAPreview(t *testing.T) {
	t.Parallel()
	eachLook(t, func(t *testing.T, l look) {
		s := openService(t)
		s.hear(0, "ari", "https://ex/human/maria")
		for i, robot := range []string{"tiago", "pepper", "nao"} {
			s.hear(100*(i+1), robot, "")
		}
		b := open(t, s.ui, l)
		b.goTo("/shared-context")
		b.follow2(l, "ul.cases a")
		b.see("#group-title", "climate news")
		if !l.noScripts {
			b.see(".many", "0 of 3 decided")
			if !value[bool](b, `document.querySelector(".many button").disabled`) {
				t.Error("one can save no decision")
			}
		}
		for n := range 3 {
			b.click(fmt.Sprintf(".member:nth-of-type(%d) input[type=radio]", n+1))
		}
		b.click("#desk form[action='/shared-context/many'] button.primary")
		b.see(".notice.good", "Same event: 3 cases")
		b.see("#counts .figure:first-child", "0")
		b.goTo("/shared-context?view=quality")
		b.see("#history", "same event")
	})
}

// follow2 clicks a link that a script may follow without leaving the page.
func (b *tab) follow2(l look, selector string) {
	b.t.Helper()
	if l.noScripts {
		b.follow(selector)
	} else {
		b.click(selector)
	}
}

// TestTheNextCaseIsThereAtOnce has a queue of a thousand cases.
func TestTheNextCaseIsThereAtOnce(t *testing.T) {
	if suite.Race {
		t.Skip("it measures time, which the race detector distorts")
	}
	s := openService(t)
	s.addCases(1000)
	b := open(t, s.ui, look{})
	b.goTo("/shared-context")
	b.see("#counts .figure:first-child", "1,000")
	suite.Within(t, "from a key to another case, half of the times", 100*time.Millisecond, func() time.Duration {
		took := value[[]float64](b, `(async () => {
			const took = [];
			for (const key of "arsarsajarka") {
				const shown = () => document.querySelector("#decision input[name=case]")?.value;
				const before = shown(), begun = performance.now();
				document.dispatchEvent(new KeyboardEvent("keydown", {key, bubbles: true}));
				while (shown() === before && performance.now() - begun < 5000) await new Promise(requestAnimationFrame);
				took.push(performance.now() - begun);
				while (document.querySelector("#desk[aria-busy]")) await new Promise(requestAnimationFrame);
				await new Promise(done => setTimeout(done, 150)); // as long as one needs to look, at least
			}
			return took;
		})()`)
		slices.Sort(took)
		return time.Duration(took[len(took)/2] * float64(time.Millisecond))
	})
}
