package ui

import (
	"net/url"
	"strings"
	"testing"
)

const (
	robotAri  = "https://gsi.upm.es/segb/robots/ari/v1/robot_ari1"
	performed = "http://www.gsi.upm.es/ontologies/segb/ns#wasPerformedBy"
)

func graphPath(parameters ...string) string {
	values := url.Values{}
	for i := 0; i < len(parameters); i += 2 {
		values.Add(parameters[i], parameters[i+1])
	}
	return "/kg-graph?" + values.Encode()
}

func TestOneFindsANodeAndGoesOnFromIt(t *testing.T) {
	s := newService(t)
	s.publishDemo()
	eachLook(t, func(t *testing.T, l look) {
		b := open(t, s.ui, l)
		b.signIn(s, "auditor")
		b.goTo("/kg-graph")
		b.see("main", "Where to begin")
		b.fill("#q", "ari:robot_ari")
		b.click("form[role=search] button")
		b.see(".found h2", "found")
		b.click(".found .links a")
		b.see(".node-card", "oro:Robot")
		b.click(`.ways a[aria-label$="segb:wasPerformedBy"]`)
		b.eventually("its activities are there", func() bool { return len(b.all("#nodes tbody tr")) > 5 || len(b.all("#drawing .node")) > 5 }, func() string { return "they are not" })
		nodes := value[int](b, `document.querySelectorAll("#nodes tbody tr").length`)
		if drawn := value[int](b, `document.querySelectorAll("#drawing .node").length`); drawn != nodes || nodes < 6 {
			t.Errorf("%d nodes are drawn, the table has %d", drawn, nodes)
		}
		before := b.path()
		b.click(`.node-card [data-key="x"]`)
		b.eventually("it is hidden", func() bool { return value[int](b, `document.querySelectorAll("#nodes tbody tr").length`) == nodes-1 }, func() string { return "it is not" })
		if l.noScripts {
			b.goTo(before)
		} else {
			value[any](b, `history.back()`)
		}
		b.eventually("going back is undoing", func() bool { return value[int](b, `document.querySelectorAll("#nodes tbody tr").length`) == nodes }, func() string { return "it is not" })
		b.click(".legend li:first-child a")
		b.see(".legend a.off", "")
		if value[int](b, `document.querySelectorAll("#nodes tbody tr").length`) >= nodes {
			t.Error("a kind that is left out is shown")
		}
	})
}

func TestThePictureIsMovedAndSavedAndDrawnByTime(t *testing.T) {
	s := openService(t)
	s.publishDemo()
	b := open(t, s.ui, look{})
	b.goTo(graphPath("v", "+ "+robotAri, "v", "< 25 "+performed+" "+robotAri, "node", robotAri))
	box := func() string { return value[string](b, `document.querySelector("#drawing").getAttribute("viewBox")`) }
	first := box()
	b.press("+")
	if box() == first {
		t.Error("+ does not go nearer")
	}
	b.press("0")
	if box() != first {
		t.Error("0 does not show all")
	}
	b.click(".toolbar .tabs a:nth-child(2)")
	b.see(".toolbar [aria-current]", "By time")
	b.eventually("there is a lane of the robot", func() bool { return value[int](b, `document.querySelectorAll("#drawing .lane").length`) > 0 }, func() string { return "there is none" })
	b.press("z")
	b.see(".toolbar [aria-current]", "By links")
	png := value[string](b, `new Promise(done => {
		const click = HTMLAnchorElement.prototype.click;
		HTMLAnchorElement.prototype.click = function () { if (this.download === "graph.png") done(this.href.slice(0, 60)); else click.call(this); };
		document.querySelector("[data-png]").click();
	})`)
	if !strings.HasPrefix(png, "data:image/png;base64,iVBOR") {
		t.Errorf("the image is %q", png)
	}
}

func TestHostileTermsAreOnlyShown(t *testing.T) {
	s := openService(t)
	s.publish(`<http://e/a> a <http://e/C> ; <http://www.w3.org/2000/01/rdf-schema#label> "</script><script>throw 1</script>", "\u202E\"><img src=x onerror=throw(1)>" ;
		<http://e/p> <javascript:alert(1)>, <data:text/html,x>, <http://evil.test/x> ; <http://e/big> "` + strings.Repeat("<b>", 350_000) + `" .`)
	eachLook(t, func(t *testing.T, l look) {
		b := open(t, s.ui, l)
		b.goTo(graphPath("v", "+ http://e/a", "v", "> 25 http://e/p http://e/a", "node", "http://e/a"))
		b.see(".node-card", "http://e/a")
		b.goTo("/query?query=" + url.QueryEscape("SELECT * { ?s ?p ?o }"))
		b.see("#count", "7 rows")
		if n := value[int](b, `[...document.querySelectorAll("a[href], form[action]")].filter(a => !new URL(a.href || a.action, location).href.startsWith(location.origin + "/")).length`); n != 0 {
			t.Errorf("%d links lead out", n)
		}
	})
}

func TestTheGraphPageLooksRight(t *testing.T) {
	s := newService(t)
	s.publishDemo()
	inLights(t, func(t *testing.T, l look) {
		b := open(t, s.ui, l)
		b.signIn(s, "auditor")
		b.goTo("/kg-graph")
		b.see("main", "Where to begin")
		b.accessible()
		b.shot("kg-graph-begin", l)
		v := []string{"v", "+ " + robotAri, "v", "< 25 " + performed + " " + robotAri, "node", robotAri}
		b.goTo(graphPath(v...))
		b.see(".node-card", "oro:Robot")
		b.accessible()
		b.shot("kg-graph", l)
		b.goTo(graphPath(append(v, "layout", "time")...))
		b.see(".toolbar [aria-current]", "By time")
		b.accessible()
		b.shot("kg-graph-time", l)
	})
}
