package ui

import (
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"
)

func TestOneSeesWhoTalkedToWhomAndOpensTheNumber(t *testing.T) {
	t.Parallel()
	eachLook(t, func(t *testing.T, l look) {
		s := newService(t)
		s.publishDemo()
		b := open(t, s.ui, l)
		b.signIn(s, "auditor")
		b.goTo("/reports?section=activity")
		b.see("#activity", "627")
		for section, want := range map[string]string{"people": "TIAGo", "conversations": "Maria", "ml": "Emotion Big6 CNN", "emotions": "sadness", "states": "room b"} {
			b.goTo("/reports?section=" + section)
			b.see("#"+section, want)
		}
		b.goTo("/reports?section=conversations")
		if got := b.all(".bubble"); len(got) != 7 {
			t.Errorf("%d bubbles: %q", len(got), got)
		}
		b.goTo("/reports?section=people")
		b.follow("#people tbody td.num a") // of the pair with most messages
		if rows := b.all("#answer tbody tr"); len(rows) < 2 {
			t.Errorf("a number of messages opens %d rows", len(rows))
		}
		b.goTo("/reports")
		b.follow("#overview-totals .counts a:nth-child(1)")
		if rows := b.all("#answer tbody tr"); len(rows) != 8 {
			t.Errorf("the number 8 opens %d rows", len(rows))
		}
		b.follow("#answer tbody a[href^='/replay?at=']")
		b.see("h1", "Session of 12:")
		b.goTo("/reports?section=people")
		b.follow(".rangebar nav a[href='/reports?last=session&section=people']")
		if at := b.path(); !strings.HasPrefix(at, "/reports?from=2026-02-24") {
			t.Errorf("the last session is at %s", at)
		}
		b.goTo("/reports?section=conversations&from=2026-02-24T12:20:00")
		if got := b.all(".bubble"); len(got) != 2 {
			t.Errorf("in a range there are %d bubbles", len(got))
		}
	})
}

// loadReports waits for the sections that load by themselves.
func (b *tab) loadReports(l look) {
	b.t.Helper()
	if !l.noScripts {
		b.eventually("all sections are there", func() bool { return len(b.all(".report.waits")) == 0 }, b.path)
	}
}

// TestASectionThatTakesLongerComesByItself lets the page request a section that was
// missing at first.
func TestASectionThatTakesLongerComesByItself(t *testing.T) {
	t.Parallel()
	s := openService(t)
	s.publishDemo()
	b := open(t, s.ui, look{})
	b.goTo("/reports?section=people")
	before := b.all("#people td")
	value[any](b, `(async () => {
		const { href } = location;
		const waits = document.createElement("section");
		waits.id = "people"; waits.className = "card report waits";
		waits.setAttribute("hx-get", "/reports?section=people"); waits.setAttribute("hx-trigger", "load"); waits.setAttribute("hx-swap", "outerHTML");
		document.getElementById("people").replaceWith(waits);
		window.htmx.process(waits);
	})()`)
	b.eventually("the section is there", func() bool { return slices.Equal(b.all("#people td"), before) }, b.path)
}

// TestABarOpensItsQueryByKeysToo moves through a chart with the arrow keys. The Tab key
// treats the chart as a single stop.
func TestABarOpensItsQueryByKeysToo(t *testing.T) {
	t.Parallel()
	s := openService(t)
	s.publishDemo()
	b := open(t, s.ui, look{})
	b.goTo("/reports?section=activity")
	stops := func() string {
		return value[string](b, `[...document.querySelectorAll("[data-arrows]")].map(c => c.querySelectorAll("a:not([tabindex='-1'])").length).join()`)
	}
	b.eventually("each chart is one stop", func() bool { return strings.Trim(stops(), "1,") == "" }, stops)
	value[any](b, `document.querySelector("#activity [data-arrows] a").focus()`)
	b.press(kb.ArrowRight)
	label := value[string](b, `document.activeElement.querySelector("title").textContent`)
	if !strings.Contains(label, "12:10:00 UTC: 1 activity") {
		t.Errorf("the next bar is %q", label)
	}
	b.press(kb.Enter)
	b.see("#answer", "activity")
	if rows := b.all("#answer tbody tr"); len(rows) != 1 {
		t.Errorf("the bar's query answers %q, want 1 activity", rows)
	}
}

func TestTheReportsLookRight(t *testing.T) {
	s := newService(t)
	s.publishDemo()
	inLights(t, func(t *testing.T, l look) {
		b := open(t, s.ui, l)
		b.signIn(s, "auditor")
		b.goTo("/reports")
		b.loadReports(l)
		b.accessible()
		b.shot("reports", l)
		if high := value[int](b, "document.documentElement.scrollHeight"); l.phone && high > 5000 {
			b.t.Errorf("the page has %d px on a phone", high)
		}
		b.goTo("/reports?section=emotions")
		b.accessible()
		b.shot("reports-emotions", l)
	})
}

// TestOneCountsAClassOfAnotherVocabulary begins at reports without a session, counts sensor
// readings as activities, opens their session, and stops counting them.
func TestOneCountsAClassOfAnotherVocabulary(t *testing.T) {
	t.Parallel()
	eachLook(t, func(t *testing.T, l look) {
		s := newService(t)
		s.publish(`@prefix sosa: <http://www.w3.org/ns/sosa/> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
<urn:o1> a sosa:Observation ; sosa:resultTime "2026-03-01T08:00:00Z"^^xsd:dateTime ; sosa:madeBySensor <urn:lidar> .
<urn:o2> a sosa:Observation ; sosa:resultTime "2026-03-01T08:00:20Z"^^xsd:dateTime ; sosa:madeBySensor <urn:lidar> .`)
		b := open(t, s.ui, l)
		b.signIn(s, "admin")
		b.goTo("/reports")
		b.see("main", "Reports find no activity in this graph")
		b.goTo("/reports?section=classes")
		b.follow("#classes tbody a[href^='/classes?class=']")
		b.see("main", "resultTime (2 of 2)")
		if !l.noScripts { // the check is a script
			b.accessible()
		}
		b.click("form button[value=count]")
		b.see("main", "as activity, at “resultTime”")
		if !l.noScripts { // the check is a script
			b.accessible()
		}
		b.goTo("/reports")
		b.follow("#overview-sessions tbody a")
		b.see("main", "lidar")
		b.goTo("/classes")
		b.click("button[value=stop]")
		b.see("main", "Count as activity")
		b.goTo("/reports")
		b.see("main", "Reports find no activity in this graph")
	})
}
