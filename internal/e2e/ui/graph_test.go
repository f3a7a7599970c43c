package ui

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"
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

func TestANodeIsFoundAndExplored(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.publishDemo()
	eachLook(t, func(t *testing.T, l look) {
		b := open(t, s.ui, l)
		b.signIn(s, "auditor")
		b.goTo("/kg-graph")
		b.see(".shows [aria-current]", "Last session")
		b.fill("#q", "ari:robot_ari")
		b.click("form[role=search] button")
		b.see(".begin h2", "found")
		b.click(".begin .links a")
		b.see(".node-card", "robot")
		b.click(`.node-card [data-key="p"]`)
		b.see(".path-to", "Path to")
		b.click(`form[aria-label="Within some steps"] button`)
		b.see(".canvas > p.small:last-child", "Within ")
		b.click(".node-card .more summary")
		b.click(`.node-card [data-key="c"]`)
		b.eventually("the walk is undone", func() bool { return len(b.all("#drawing .node")) == 1 }, func() string { return "it is not" })
		b.click(`.ways a[aria-label$="by did"]`)
		b.eventually("its activities are there", func() bool {
			return len(b.all("#drawing .node")) > 5 && value[string](b, `document.readyState`) == "complete"
		}, func() string { return "they are not" })
		nodes := value[int](b, `document.querySelectorAll("#drawing .node").length`)
		b.click(".summary a")
		b.eventually("the table is there", func() bool { return len(b.all("#nodes tbody tr")) == nodes }, func() string { return "it is not" })
		b.click(".summary a")
		b.eventually("the table is gone", func() bool {
			return len(b.all("#nodes")) == 0 && value[string](b, `document.readyState`) == "complete"
		}, func() string { return "it is not" })
		if drawn := value[int](b, `document.querySelectorAll("#drawing .node").length`); drawn != nodes || nodes < 6 {
			t.Errorf("%d nodes are drawn, the table has %d", drawn, nodes)
		}
		before := b.path()
		b.click(".node-card .more summary")
		b.click(`.node-card [data-key="x"]`)
		b.eventually("it is hidden", func() bool { return value[int](b, `document.querySelectorAll("#drawing .node").length`) == nodes-1 }, func() string { return "it is not" })
		if l.noScripts {
			b.goTo(before)
		} else {
			value[any](b, `history.back()`)
		}
		b.eventually("going back is undoing", func() bool { return value[int](b, `document.querySelectorAll("#drawing .node").length`) == nodes }, func() string { return "it is not" })
		b.click(".legend li:first-child a")
		b.see(".legend a.off", "")
		if value[int](b, `document.querySelectorAll("#drawing .node").length`) >= nodes {
			t.Error("a kind that is left out is shown")
		}
	})
}

func TestThePictureIsMovedAndSavedAndLeadsToTheReplay(t *testing.T) {
	t.Parallel()
	s := openService(t)
	s.publishDemo()
	b := open(t, s.ui, look{})
	b.goTo(graphPath("v", "+ "+robotAri, "v", "< 25 "+performed+" "+robotAri, "node", robotAri))
	box := func() string { return value[string](b, `document.querySelector("#drawing").getAttribute("viewBox")`) }
	first := box()
	b.press("+")
	if box() == first {
		t.Error("+ does not zoom in")
	}
	b.press("0")
	if box() != first {
		t.Error("0 does not fit the drawing")
	}
	b.press("f")
	b.eventually("f fills the screen", func() bool { return value[bool](b, `document.fullscreenElement?.id === "graph"`) }, b.path)
	b.press("f")
	b.eventually("f leaves the full screen", func() bool { return value[bool](b, `!document.fullscreenElement`) }, b.path)
	tables := func(shown bool) {
		t.Helper()
		b.eventually("the tables come and go", func() bool { return len(b.all(".tables")) == map[bool]int{true: 1}[shown] }, b.path)
	}
	b.click(".summary a[href*='table=1']")
	tables(true)
	b.press("z")
	tables(false)
	b.press("y")
	tables(true)
	b.press("z")
	tables(false)
	b.goTo("/query")
	value[any](b, `history.back()`)
	b.eventually("the graph is back", func() bool { return len(b.all(".toolbar [data-view]:not([hidden])")) == 1 }, b.path)
	b.press("y")
	b.click(".summary a[href*='table=1']") // y has not left the page
	tables(true)
	b.press("z")
	tables(false)
	png := value[string](b, `new Promise(done => {
		const click = HTMLAnchorElement.prototype.click;
		HTMLAnchorElement.prototype.click = function () { if (this.download === "graph.png") done(this.href.slice(0, 60)); else click.call(this); };
		document.querySelector("[data-png]").click();
	})`)
	if !strings.HasPrefix(png, "data:image/png;base64,iVBOR") {
		t.Errorf("the image is %q", png)
	}
	b.follow(".toolbar a[href^='/replay?at=']")
	b.see("h1", "Session of 12:")
}

func TestHostileTermsAreOnlyShown(t *testing.T) {
	t.Parallel()
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

// museum publishes reports of three robots. Two pairs of reports describe one event each,
// and two reports wait for a person.
func (s *service) museum() (shown []string) {
	s.t.Helper()
	const base, day = "https://example.org/", "2026-02-11T"
	var text strings.Builder
	text.WriteString("@prefix xsd: <http://www.w3.org/2001/XMLSchema#> . @prefix segb: <http://www.gsi.upm.es/ontologies/segb/ns#> . @prefix oro: <http://kb.openrobots.org#> . @prefix prov: <http://www.w3.org/ns/prov#> . @prefix schema: <http://schema.org/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .\n")
	for _, robot := range []string{"ari", "tiago", "pepper"} {
		fmt.Fprintf(&text, "<%[1]srobot/%[2]s> a oro:Robot, prov:Agent ; schema:name %[3]q .\n", base, robot, strings.ToUpper(robot))
		shown = append(shown, "v", "+ "+base+"robot/"+robot)
	}
	for _, o := range []struct{ robot, at, subject, modality, text string }{
		{"ari", "09:12:13.150", "maria", "speech", "Could you show me climate news?"}, {"tiago", "09:12:13.950", "maria", "speech", "Could you show me climate news?"},
		{"pepper", "09:12:13.650", "", "speech", "Could you show me climate news?"}, {"ari", "09:14:02.000", "maria", "speech", "Where is the cloakroom, please?"},
		{"tiago", "09:14:40.310", "juan", "speech", "Could I have a map of the building?"}, {"pepper", "09:14:40.480", "juan", "speech", "Could I have a map of the building?"},
		{"ari", "09:20:41.120", "juan", "vision", ""}, {"pepper", "09:20:41.700", "", "vision", ""},
	} {
		iri, kind, class, label := base+o.robot+"/activity/"+o.at, "human_utterance", "ListeningEvent", o.text
		if o.text == "" {
			kind, class, label = "human_gesture", "DetectedHumanEvent", "A gesture of somebody"
		}
		members := map[string]string{"event_kind": kind, "observed_at": day + o.at + "Z", "modality": o.modality, "robot_uri": base + "robot/" + o.robot, "observation_uri": iri}
		if o.subject != "" {
			members["subject_uri"] = base + "human/" + o.subject
		}
		if o.text != "" {
			members["text"] = o.text
		}
		s.observe(members)
		fmt.Fprintf(&text, "<%s> a prov:Activity, segb:LoggedActivity, oro:%s ; rdfs:label %q ; segb:wasPerformedBy <%srobot/%s> ; prov:startedAtTime %q^^xsd:dateTime .\n", iri, class, label, base, o.robot, day+o.at+"Z")
		if o.subject != "" {
			fmt.Fprintf(&text, "<%s> prov:wasInfluencedBy <%shuman/%s> .\n", iri, base, o.subject)
		}
	}
	s.publish(text.String())
	for _, robot := range []string{"ari", "tiago", "pepper"} {
		shown = append(shown, "v", "< 25 "+performed+" "+base+"robot/"+robot)
	}
	return shown
}

func TestOneSeesSharedEventsAndFindsAPathAndTheLogOfAnEdge(t *testing.T) {
	t.Parallel()
	s := openService(t)
	shown := s.museum()
	eachLook(t, func(t *testing.T, l look) {
		b := open(t, s.ui, l)
		b.goTo(graphPath(append(shown, "node", "https://example.org/robot/ari")...))
		b.see(".canvas .summary", "2 shared events, 2 cases to review")
		if n := value[int](b, `document.querySelectorAll("#drawing .hull").length * 10 + document.querySelectorAll("#drawing .doubt").length`); n != 22 {
			t.Errorf("hulls and dotted lines: %d", n)
		}
		b.click(`.node-card [data-key="p"]`)
		b.see(".path-to", "Path to")
		b.fill("#to", "PEPPER")
		b.click(".path-to button")
		b.see(".head p", "a path of")
		b.eventually("lines of the path are drawn", func() bool { return value[int](b, `document.querySelectorAll("#drawing .edge.along").length`) >= 2 }, func() string { return b.all(".path")[0] })
		steps := value[int](b, `document.querySelectorAll(".path .steps li").length`)
		b.click(".summary a")
		b.click("#edges button")
		b.see(".node-card", "Last contributed")
		b.click(".node-card .triples a[href*='triple=']")
		b.see("h1", "Logs of a triple")
		b.goTo("/kg-graph/path?from=" + url.QueryEscape("https://example.org/robot/ari") + "&to=nothing+is+called+so")
		b.see(".path", "No node is called")
		if steps < 3 {
			t.Errorf("the path has %d nodes", steps)
		}
	})
}

func TestTheGraphIsExploredByKeysAlone(t *testing.T) {
	t.Parallel()
	s := openService(t)
	s.publishDemo()
	b := open(t, s.ui, look{})
	b.goTo(graphPath("v", "+ "+robotAri, "node", robotAri))
	nodes := func() int { return value[int](b, `document.querySelectorAll("#drawing .node").length`) }
	is := func(what string, holds func() bool) {
		b.eventually(what, holds, func() string { return fmt.Sprint(nodes(), " nodes at ", b.path()) })
	}
	b.press("e")
	is("e expands", func() bool { return nodes() > 5 })
	all := nodes()
	b.press(kb.ArrowDown)
	if value[bool](b, `!document.activeElement.matches("#drawing .node:not(.chosen)")`) {
		t.Error("an arrow does not lead to another node")
	}
	b.press(kb.Enter)
	is("Enter chooses", func() bool { return strings.Contains(b.path(), "activity") && len(b.all(".node-card")) == 1 })
	b.press("x")
	is("x hides", func() bool { return nodes() == all-1 })
	b.press("z")
	is("z undoes", func() bool { return nodes() == all })
	b.press("y")
	is("y redoes", func() bool { return nodes() == all-1 })
	b.press("z")
	is("z undoes again", func() bool { return nodes() == all })
	b.press("z")
	is("the robot is chosen", func() bool { return value[int](b, `document.querySelectorAll("[data-key=c]").length`) == 1 })
	b.press("c")
	is("c collapses", func() bool { return nodes() == 1 })
	b.press("/")
	if !value[bool](b, `document.activeElement.id == "q"`) {
		t.Error("/ does not lead to the search")
	}
}

func TestADoubleClickExpandsANode(t *testing.T) {
	t.Parallel()
	s := openService(t)
	s.publishDemo()
	b := open(t, s.ui, look{})
	b.goTo(graphPath("v", "+ "+robotAri, "v", "+ https://gsi.upm.es/segb/robots/ari/v1/human_maria"))
	b.see(".canvas .summary", "things")
	value[any](b, `document.querySelector("#drawing .node .halo").dispatchEvent(new MouseEvent("click", {bubbles: true, cancelable: true, detail: 2}))`)
	b.eventually("the neighbours are there", func() bool { return value[int](b, `document.querySelectorAll("#drawing .node").length`) > 10 }, b.path)
	b.see(".node-card h2", "ARI")
}

func TestTheGraphPageLooksRight(t *testing.T) {
	s := newService(t)
	s.publishDemo()
	events := s.museum()
	inLights(t, func(t *testing.T, l look) {
		b := open(t, s.ui, l)
		b.signIn(s, "auditor")
		b.goTo("/kg-graph")
		b.see(".shows [aria-current]", "Last session")
		b.accessible()
		b.shot("kg-graph-begin", l)
		for _, show := range []string{"met", "causes", "models"} {
			b.goTo("/kg-graph?show=" + show)
			b.see(".canvas .summary", "things")
			b.shot("kg-graph-"+show, l)
		}
		b.goTo(graphPath("node", robotAri))
		b.see(".canvas .summary", "things")
		b.shot("kg-graph-near", l)
		b.goTo("/kg-graph?q=maria")
		b.see(".begin h2", "found")
		b.shot("kg-graph-found", l)
		v := []string{"v", "+ " + robotAri, "v", "< 25 " + performed + " " + robotAri, "node", robotAri}
		b.goTo(graphPath(v...))
		b.see(".node-card", "robot")
		b.accessible()
		b.shot("kg-graph", l)
		b.goTo(graphPath("steps", "3", "from", robotAri))
		b.click(`.node-card [data-key="p"]`)
		b.click(".node-card form details summary")
		b.see(".canvas > p.small:last-child", "Within ")
		if over := value[[]string](b, unsigned); len(over) > 0 {
			t.Errorf("labels cover other nodes: %q", over)
		}
		b.accessible()
		if named := value[bool](b, `(() => {
			document.querySelectorAll("#drawing .node")[1].dispatchEvent(new PointerEvent("pointerover", {bubbles: true}));
			const words = [...document.querySelectorAll("#drawing .edge.pointed")];
			document.querySelector("#drawing").dispatchEvent(new PointerEvent("pointerover", {bubbles: true}));
			return words.length > 0 && document.querySelector("#drawing .edge.pointed") === null;
		})()`); !named {
			t.Error("the lines of a node that is pointed at are not marked, or stay so")
		}
		b.shot("kg-graph-within", l)
		b.goTo(graphPath(events...))
		b.see(".canvas .summary", "to review")
		b.accessible()
		b.shot("kg-graph-events", l)
		b.goTo("/kg-graph/path?" + url.Values{"from": {robotAri}, "to": {"tiago:robot_tiago1"}}.Encode())
		b.see(".head p", "a path of")
		b.accessible()
		b.shot("kg-graph-path", l)
	})
}
