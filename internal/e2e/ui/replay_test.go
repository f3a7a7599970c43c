package ui

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp/kb"

	"github.com/segraph/segraph/store/rdf"
	v "github.com/segraph/segraph/vocabulary"
)

// TestOneReplaysASession opens a session from the list and moves through it.
func TestOneReplaysASession(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.publishDemo()
	eachLook(t, func(t *testing.T, l look) {
		b := open(t, s.ui, l)
		b.signIn(s, "auditor")
		b.goTo("/reports?section=sessions")
		b.loadReports(l)
		b.see("#sessions", "Automatic, 2 min")
		b.follow("#sessions tbody tr:first-child a")
		b.see("main", "ARI, TIAGo and Maria")
		b.see("#feed", "I feel sad because I just received bad news.")
		b.see("#feed", "Maria → ARI · heard by TIAGo")
		b.see("#feed", "sadness (confidence 92\u00a0%, strength 84\u00a0%)")
		b.see("#feed", "Face Emotion CNN 1.2")
		if n := len(b.all("#feed .message")); n != 2 {
			t.Errorf("%d messages are listed, want 2", n)
		}
		if n := value[int](b, `document.querySelectorAll(".hull").length`); n != 1 {
			t.Errorf("%d hulls are drawn, want 1: the other is too short for one", n)
		}
		b.click("#feed .decision .at")
		b.eventually("the decision is current", func() bool {
			return len(b.all("#feed .decision[aria-current]")) == 1 && strings.Contains(b.path(), "t=2026-02-24T12")
		}, b.path)
		b.follow(`.tabs a[href*="view=table"]`)
		b.see("table", "ASR Vosk ES 0.3")
		b.follow(`nav[aria-label="Rows by kind"] a[href*="kind=emotion"]`)
		if rows := b.all("tbody tr"); len(rows) != 3 {
			t.Errorf("%d emotions: %q", len(rows), rows)
		}
	})
}

// TestTheReplayPlaysAndMovesByKeysAndZoomsByDragging uses the script of the page.
func TestTheReplayPlaysAndMovesByKeysAndZoomsByDragging(t *testing.T) {
	t.Parallel()
	s := openService(t)
	s.publishDemo()
	b := open(t, s.ui, look{})
	b.goTo("/replay?at=2026-02-24T12:12:00Z")
	ready := func() bool { return value[bool](b, `document.getElementById("stage")?.dataset.ready === ""`) }
	b.eventually("the script is ready", ready, b.path)
	clock := func() string { return value[string](b, `document.getElementById("clock").textContent`) }
	now := func(want string) {
		t.Helper()
		b.eventually(want, func() bool { return clock() == "24 Feb 2026, "+want+" UTC" }, clock)
	}
	now("12:12:00")
	b.press("j")
	b.click(`[data-step="1"]`)
	now("12:13:10")
	b.see(".talk + .talk + .talk", "a rescue center found homes for twenty puppies")
	b.press("k")
	now("12:12:50")
	b.see("#feed [aria-current]", "I am sorry, Maria.")
	b.see(".now", "location room a")
	b.press(kb.ArrowLeft)
	b.eventually("an arrow goes back", func() bool { return clock() < "24 Feb 2026, 12:12:50" }, clock)
	b.eventually("the address has the time", func() bool { return strings.Contains(b.path(), "t=2026-02-24T12%3A12%3A4") }, b.path)
	if !value[bool](b, `document.getElementById("scrub").dispatchEvent(new KeyboardEvent("keydown", {key: "ArrowLeft", altKey: true, bubbles: true, cancelable: true}))`) {
		t.Error("Back of the browser moves the slider")
	}
	b.click(`[data-speed="100"]`)
	b.press("k") // the last key went to a button
	value[any](b, `document.activeElement.blur()`)
	b.press(" ")
	b.eventually("it plays to the end and cuts the silences", func() bool { return clock() == "24 Feb 2026, 12:14:56 UTC" }, clock)
	b.see("[data-play]", "Play")
	value[any](b, `(() => {
		const strip = document.getElementById("strip"), box = strip.getBoundingClientRect();
		for (const [type, x] of [["pointerdown", 0.3], ["pointermove", 0.5], ["pointerup", 0.5]])
			strip.querySelector(".lanes").dispatchEvent(new PointerEvent(type, { bubbles: true, pointerId: 1, clientX: box.x + x * box.width, clientY: box.y + 60 }));
	})()`)
	b.eventually("dragging zooms", func() bool {
		return strings.Contains(b.path(), "since=2026-02-24T12%3A11") && strings.Contains(b.path(), "until=2026-02-24T12%3A12")
	}, b.path)
	b.follow(`.controls a:last-child`)
	if strings.Contains(b.path(), "since=") {
		t.Errorf("the whole session is at %s", b.path())
	}
}

// TestTheListFollowsTheReplay moves through 40 events, one each second. From the twentieth on,
// two events share each time.
func TestTheListFollowsTheReplay(t *testing.T) {
	t.Parallel()
	s := openService(t)
	var text strings.Builder
	begin := time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
	for i := range 40 {
		at := begin.Add(time.Duration(min(i, 20)+max(0, i-20)/2) * time.Second)
		fmt.Fprintf(&text, "<urn:a%d> <%s> \"%s\"^^<%s> ; <%s> <urn:r> ; <%s> \"does thing %[1]d.\"@en .\n", i, v.ProvStartedAtTime, at.Format(time.RFC3339), rdf.XSDDateTime, v.SegbWasPerformedBy, v.RDFSLabel)
	}
	s.publish(text.String())
	b := open(t, s.ui, look{})
	b.goTo("/replay?at=2026-03-01T09:00:00Z")
	b.eventually("the script is ready", func() bool { return value[bool](b, `document.getElementById("stage")?.dataset.ready === ""`) }, b.path)
	seen := func() string { // the current entry, if no edge of the list or of the window hides it
		return value[string](b, `(() => {
			const e = document.querySelector("#feed [aria-current]"), box = e?.getBoundingClientRect(), list = e?.parentElement.getBoundingClientRect();
			return box && box.top >= list.top - 1 && box.bottom <= Math.min(list.bottom, innerHeight) + 1 ? e.querySelector(".what > p > bdi").innerText.slice(1, -1) : "";
		})()`)
	}
	current := func(want string) {
		t.Helper()
		b.eventually("the current entry is seen: "+want, func() bool { return seen() == want }, func() string { return seen() + " is seen" })
	}
	if !value[bool](b, `(() => { const list = document.querySelector(".entries"); return list.scrollHeight > list.clientHeight; })()`) {
		t.Error("the list does not scroll")
	}
	for i := range 12 {
		b.press("j")
		current(fmt.Sprintf("does thing %d.", i+1))
	}
	b.press("k")
	current("does thing 11.")
	if late := value[int](b, `new Promise((done) => {
		const stop = setInterval(() => document.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight" })), 50), from = location.href, began = performance.now();
		(function look() {
			if (location.href === from && performance.now() < began + 3000) return setTimeout(look, 10);
			clearInterval(stop);
			done(Math.round(performance.now() - began));
		})();
	})`); late > 1000 {
		t.Errorf("while time moves on, the address stays as it was for %d ms", late)
	}
	drag := func(part float64) { // moves the line of the current time
		strip := value[[]float64](b, `(() => { const box = document.getElementById("strip").getBoundingClientRect(); return [box.x, box.y + 60, box.width, document.getElementById("scrub").value / 1000]; })()`)
		for i, kind := range []input.DispatchMouseEventType{input.DispatchMouseEventTypeMousePressed, input.DispatchMouseEventTypeMouseMoved, input.DispatchMouseEventTypeMouseReleased} {
			tell(b, input.DispatchMouseEvent, input.DispatchMouseEventParams{Type: kind, X: strip[0] + strip[2]*[]float64{strip[3], part, part}[i], Y: strip[1], Button: input.MouseButtonLeft, ClickCount: 1})
		}
	}
	drag(0.999)
	current("does thing 39.")
	b.press("k")
	current("does thing 38.")
	b.press("k")
	current("does thing 37.")
	b.press("j")
	current("does thing 38.")
	b.press("j")
	current("does thing 39.")
	drag(0.001)
	current("does thing 0.")
}

func TestTheReplayLooksRight(t *testing.T) {
	s := newService(t)
	s.publishDemo()
	inLights(t, func(t *testing.T, l look) {
		b := open(t, s.ui, l)
		b.signIn(s, "auditor")
		b.goTo("/replay?at=2026-02-24T12:20:58Z")
		b.eventually("the script is ready", func() bool { return value[bool](b, `document.getElementById("stage")?.dataset.ready === ""`) }, b.path)
		if n := value[int](b, `[...document.querySelectorAll(".lanes path:is(.mood, .decides, .model)")].filter(p => getComputedStyle(p).strokeLinecap != "butt").length`); n < 5 {
			t.Errorf("%d kinds of points are drawn: a line without length shows only with caps", n)
		}
		if !value[bool](b, `(() => {
			const after = (a, b) => a.compareDocumentPosition(b) & Node.DOCUMENT_POSITION_FOLLOWING;
			const names = [...document.querySelectorAll(".lanes :is(.robot, .place)")];
			return names.length >= 2 && [...document.querySelectorAll(".hull, .cut")].every(line => names.every(name => after(line, name)));
		})()`) {
			t.Error("an outline or a line crosses a name")
		}
		if !value[bool](b, `(() => {
			const hulls = [...document.querySelectorAll(".hull")].map(e => e.getBoundingClientRect()), states = [...document.querySelectorAll(".now")];
			return hulls.every(h => states.every(s => getComputedStyle(s).backgroundColor === "rgba(0, 0, 0, 0)" && (s.getBoundingClientRect().top > h.top || s.getBoundingClientRect().bottom <= h.top)));
		})()`) {
			t.Error("the state of a robot covers the top of an outline")
		}
		if gap := value[float64](b, `(() => {
			const [dot, name] = document.querySelectorAll(".marks :is(.mood, bdi)"), next = dot.cloneNode();
			name.after(next);
			const gap = next.getBoundingClientRect().left - name.getBoundingClientRect().right;
			next.remove();
			return gap;
		})()`); gap < 6 {
			t.Errorf("two emotions of the legend are %.0f pixels apart", gap)
		}
		b.accessible()
		b.shot("replay", l)
		if n := value[int](b, `[...document.querySelectorAll(".entry .badge")].filter(e => {
			const entry = e.closest(".entry");
			entry.setAttribute("aria-current", "step");
			return getComputedStyle(e).backgroundColor === getComputedStyle(entry).backgroundColor;
		}).length`); n > 0 {
			t.Errorf("%d names of models look like the current entry behind them", n)
		}
		b.click("[data-play]")
		b.see("[data-play]", "Pause")
		b.faultless()
		b.click("[data-play]")
		b.goTo("/replay?from=2026-02-24T12:20:50Z&to=2026-02-24T12:21:01Z&view=table")
		b.accessible()
	})
}
