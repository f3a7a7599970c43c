package ui

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// overlaps are the pairs of visible texts of the drawing that overlap by more than a
// pixel, as their visible names.
const overlaps = `(() => {
	const texts = [...document.querySelectorAll("#drawing :is(.node .called, .edge text, .hull-name text, .doubt text):not(.plates)")]
		.filter(t => t.checkVisibility()).map(t => [t.textContent, t.getBoundingClientRect()]);
	const out = [];
	texts.forEach(([a, p], i) => texts.slice(i + 1).forEach(([b, q]) => {
		if (Math.min(p.right, q.right) - Math.max(p.left, q.left) > 1 && Math.min(p.bottom, q.bottom) - Math.max(p.top, q.top) > 2) out.push(a + " | " + b);
	}));
	return out;
})()`

// unsigned are the visible labels of nodes that cover the sign of another.
const unsigned = `(() => {
	const nodes = [...document.querySelectorAll("#drawing .node")];
	const signs = nodes.map(n => n.querySelector("use").getBoundingClientRect());
	return nodes.flatMap((n, i) => {
		const t = n.querySelector(".called:not(.plates)"), p = t.getBoundingClientRect();
		if (!t.checkVisibility()) return [];
		return signs.flatMap((q, j) => j !== i && Math.min(p.right, q.right) - Math.max(p.left, q.left) > 2 && Math.min(p.bottom, q.bottom) - Math.max(p.top, q.top) > 2 ? [t.textContent + " on " + nodes[j].textContent] : []);
	});
})()`

// readable fails the test if texts of the drawing overlap, or if it leaves a large part
// of the canvas empty.
func (b *tab) readable(wide bool) {
	b.t.Helper()
	if list := value[[]string](b, overlaps); len(list) > 0 {
		b.t.Errorf("%s: texts overlap: %s", b.path(), strings.Join(list, "; "))
	}
	if list := value[[]string](b, unsigned); len(list) > 0 {
		b.t.Errorf("%s: labels cover nodes: %s", b.path(), strings.Join(list, "; "))
	}
	filled := value[[]float64](b, `(() => {
		const svg = document.querySelector("#drawing").getBoundingClientRect();
		const boxes = [...document.querySelectorAll("#drawing :is(.node, .hull-name)")].map(n => n.getBoundingClientRect());
		const span = (from, to) => Math.max(...boxes.map(x => x[to])) - Math.min(...boxes.map(x => x[from]));
		return [span("left", "right") / svg.width, span("top", "bottom") / svg.height];
	})()`)
	// The canvas has the shape of the window, so on a phone a wide picture leaves more than half of its height empty.
	if wide && max(filled[0], filled[1]) < 0.8 || min(filled[0], filled[1]) < 0.4 {
		b.t.Errorf("%s: the drawing fills %.0f %% of the canvas's width and %.0f %% of its height", b.path(), 100*filled[0], 100*filled[1])
	}
}

// positions returns the places of the nodes in the plane, by id.
func (b *tab) positions() map[string]string {
	b.t.Helper()
	return value[map[string]string](b, `Object.fromEntries([...document.querySelectorAll("#drawing .node")].map(n => [n.id, n.getAttribute("transform")]))`)
}

// dragNode drags a node by a mouse or, with touch, by a finger.
func (b *tab) dragNode(id string, dx, dy float64, touch bool) {
	b.t.Helper()
	at := value[[]float64](b, fmt.Sprintf(`(() => { const r = document.querySelector("#%s .halo").getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2]; })()`, id))
	if touch {
		for i, kind := range []input.DispatchTouchEventType{input.DispatchTouchEventTypeTouchStart, input.DispatchTouchEventTypeTouchMove, input.DispatchTouchEventTypeTouchMove, input.DispatchTouchEventTypeTouchEnd} {
			points := []*input.TouchPoint{{X: at[0] + dx*float64(i)/2, Y: at[1] + dy*float64(i)/2}}
			if kind == input.DispatchTouchEventTypeTouchEnd {
				points = []*input.TouchPoint{}
			}
			tell(b, input.DispatchTouchEvent, input.DispatchTouchEventParams{Type: kind, TouchPoints: points})
		}
		return
	}
	for i, kind := range []input.DispatchMouseEventType{input.DispatchMouseEventTypeMousePressed, input.DispatchMouseEventTypeMouseMoved, input.DispatchMouseEventTypeMouseMoved, input.DispatchMouseEventTypeMouseReleased} {
		part := min(float64(i)/2, 1)
		tell(b, input.DispatchMouseEvent, input.DispatchMouseEventParams{Type: kind, X: at[0] + dx*part, Y: at[1] + dy*part, Button: input.MouseButtonLeft, ClickCount: 1})
	}
}

func TestANodeIsDraggedAndStaysPut(t *testing.T) {
	t.Parallel()
	s := openService(t)
	s.publishDemo()
	for _, l := range []look{{}, {phone: true}} {
		t.Run(l.String(), func(t *testing.T) {
			t.Parallel()
			b := open(t, s.ui, l)
			b.goTo(graphPath("v", "+ "+robotAri, "v", "< 25 "+performed+" "+robotAri, "node", robotAri))
			before := b.positions()
			robot := value[string](b, `document.querySelector("#drawing .node.chosen").id`)
			value[any](b, `document.querySelector("#drawing").scrollIntoView()`)
			b.dragNode(robot, 60, 90, l.phone)
			b.eventually("the address has the place", func() bool { return strings.Contains(b.path(), "at=") }, b.path)
			b.eventually("the picture is drawn again", func() bool { return len(b.all(".toolbar a[href*='/kg-graph?']")) == 1 }, b.path)
			after := b.positions()
			for id, at := range before {
				if (after[id] != at) != (id == robot) {
					t.Errorf("%s was at %s and is at %s", id, at, after[id])
				}
			}
			tell(b, input.DispatchMouseEvent, input.DispatchMouseEventParams{Type: input.DispatchMouseEventTypeMouseMoved, X: 1, Y: 1}) // a line under the pointer shows its words
			b.readable(false)
			b.goTo(b.path())
			if again := b.positions(); fmt.Sprint(again) != fmt.Sprint(after) {
				t.Errorf("after a reload: %v, before: %v", again, after)
			}
			b.click(`.node-card [data-key="n"]`)
			b.eventually("more nodes are there", func() bool { return len(b.positions()) > len(after) }, b.path)
			for id, at := range b.positions() {
				if after[id] != "" && at != after[id] {
					t.Errorf("after expanding, %s is at %s, was at %s", id, at, after[id])
				}
			}
			b.readable(false)
			b.click(".toolbar > a.button")
			b.eventually("the layout is reset", func() bool { return !strings.Contains(b.path(), "at=") && b.positions()[robot] == before[robot] }, b.path)
		})
	}
}

// TestANodeIsMovedWithoutDragging uses the buttons of the card (WCAG 2.2, 2.5.7) and,
// with scripts, keys.
func TestANodeIsMovedWithoutDragging(t *testing.T) {
	t.Parallel()
	s := openService(t)
	s.publishDemo()
	eachLook(t, func(t *testing.T, l look) {
		b := open(t, s.ui, l)
		b.goTo(graphPath("v", "+ "+robotAri, "v", "< 25 "+performed+" "+robotAri, "node", robotAri))
		place := func() (x, y float64) {
			at := value[string](b, `document.querySelector("#drawing .node.chosen")?.getAttribute("transform") ?? ""`)
			if _, err := fmt.Sscanf(at, "translate(%f %f)", &x, &y); err != nil {
				return math.NaN(), math.NaN() // the page is loading
			}
			return x, y
		}
		x, y := place()
		b.click(`[data-move="Right"]`)
		b.eventually("it is further right", func() bool { next, _ := place(); return next >= x+39 }, b.path)
		x, _ = place()
		if l.noScripts {
			b.click(`[data-move="Down"]`)
		} else {
			b.run(chromedp.KeyEvent(kb.ArrowDown, chromedp.KeyModifiers(chromedp.ModifierShift))) // an arrow
		}
		b.eventually("it is further down", func() bool { _, next := place(); return next >= y+39 }, b.path)
		if next, _ := place(); math.Abs(next-x) > 1 {
			t.Errorf("it is at %v, was at %v", next, x)
		}
		b.readable(false)
	})
}

// TestTheDrawingIsReadable checks pictures of a robot, of shared events, and of a walk.
func TestTheDrawingIsReadable(t *testing.T) {
	t.Parallel()
	s := openService(t)
	s.publishDemo()
	events := s.museum()
	for _, l := range []look{{}, {phone: true}} {
		t.Run(l.String(), func(t *testing.T) {
			t.Parallel()
			b := open(t, s.ui, l)
			for _, x := range []struct{ path, words string }{ // told on phones
				{graphPath("v", "+ "+robotAri, "v", "< 25 "+performed+" "+robotAri, "node", robotAri), ""},
				{graphPath(events...), "heard by"}, {graphPath("v", "* 2 "+robotAri), "step"},
			} {
				b.goTo(x.path)
				b.see(".summary", "things")
				if n := value[int](b, `(paths => paths.length - new Set(paths.map(p => p.getAttribute("d"))).size)([...document.querySelectorAll(".legend li:not(.key) .sign path")])`); n != 0 {
					t.Errorf("%d kinds share a shape at %s", n, x.path)
				}
				if l.phone && value[bool](b, `!document.getElementById("drawing").checkVisibility()`) { // words are in the picture's place
					b.see(".in-words", x.words)
					continue
				}
				b.readable(!l.phone)
			}
		})
	}
}
