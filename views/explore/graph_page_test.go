package explore

import (
	"fmt"
	"strings"
	"testing"

	"github.com/segraph/segraph/views"
	"github.com/segraph/segraph/views/viewstest"
)

func TestTheGraphPage(t *testing.T) {
	t.Parallel()
	f := viewstest.Frame("Graph", "/kg-graph")
	f.Scripts, f.Styles, f.Width = []string{"graph.js"}, []string{"graph.css"}, "wide"
	m := Graph{Search: `"><script>`, Searched: true, Cut: "/kg-graph?far=1", Found: []GraphLink{{"\u202eARI", "oro:Robot", GraphSign{"robot", 1}, "/kg-graph?node=x", "ari:robot"}}}
	viewstest.Show(t, GraphPage(f, m)).Golden("graph-head", `class="head"`).Golden("graph-found", `class="card begin"`).Holds(`
<p class="visually-hidden" id="drawn" role="status">
`).Reads(`
# Graph
form get /kg-graph Label, name or IRI [q="><script>] [Find]
# 1 thing found so far
Searched: names that begin like this, and some that contain it. There may be more. Search everything → /kg-graph?far=1
\u202eARI → /kg-graph?node=x oro:Robot
`)
	viewstest.Golden(t, "graph-begin", GraphView(Graph{Begin: m.Found}))
	viewstest.Golden(t, "graph-empty", GraphView(Graph{First: views.Command{Text: "curl http://localhost/api/ttl"}}))

	d := &GraphDrawing{Left: -10, Top: -20, Width: 520, Height: 380, Level: 2, Walked: true,
		Nodes: []GraphPoint{
			{X: 1, Y: 2, Label: []string{"ARI"}, Full: "ARI <b>", Name: "ARI", Party: true, IRI: "http://e/ari", Kind: "oro:Robot", Word: "robot", Sign: GraphSign{"robot", 1}, Href: "/kg-graph?node=a", Selected: true, Key: "1a2b", Named: 3},
			{X: 100, Y: 2.25, Label: []string{"m", "<i>"}, Full: "m", Name: "a message <b>", IRI: "http://e/m", Kind: "schema:Message", Word: "sentence", Sign: GraphSign{"bubble", 4}, Time: "24 Feb 2026, 12:00:00", Away: "2 from ARI", Href: "/kg-graph?node=m", Along: true, Key: "3c4d", Named: -1},
		},
		Lines:  []GraphLine{{Path: "M0 0Q1 1 2 2", X: 50, Y: 2, Words: []string{"ex:a", "ex:b"}, Title: "ARI ex:a, ex:b m", Href: "/kg-graph?edge=x", Selected: true, Along: true, Named: -1, Ends: [2]int{0, 1}}, {Path: "M1 1Q1 1 2 2", X: 50, Y: 2, Words: []string{"ex:a", "ex:b"}, Title: "m ex:a, ex:b ARI", Href: "/kg-graph?edge=y", Named: 2, Ends: [2]int{1, 0}}},
		Edges:  []GraphEdge{{"ARI", "ex:a", "m", "1a2b-3c4d", "/query/logs?triple=1"}, {"ARI", "sc:b", "m", "1a2b-3c4d", ""}},
		Hulls:  []GraphHull{{Path: "M0 0L2 2Z", Round: true, Name: "<news>", X: 3, Y: 4, Href: "/kg-graph?node=c"}},
		Doubts: []GraphDoubt{{Path: "M0 0Q1 1 2 2", Title: "These may be one event", X: 1, Y: 1, Href: "/shared-context?case=review_1"}, {Path: "M0 0Q1 1 3 3", Title: "And these", X: 2, Y: 2}},
		Here:   "/kg-graph?v=here", Stage: 2, Moves: []GraphMove{{"Left", "/kg-graph?at=1a2b_-40_2_2"}, {"Down", "/kg-graph?at=1a2b_0_42_2"}},
	}
	shown := Graph{Drawing: d, State: []views.Field{{Name: "node", Value: "http://e/ari"}, {Name: "since", Value: "2026-02-24T12:00:00Z"}, {Name: "v", Value: "+ http://e/ari"}},
		Card: &GraphCard{Label: "ARI", IRI: "http://e/ari", Short: "ex:ari", Kind: "oro:Robot", Sign: GraphSign{"robot", 1}, Classes: []GraphOption{{"http://e/Robot", "robot"}},
			Facts: []GraphFact{{Name: "ex:name", Value: views.Cell{Kind: "text", Text: "ARI", Note: "en"}, Logs: "/query/logs?triple=3"}, {Name: "ex:is", Nested: []GraphFact{{Name: "ex:height", Value: views.Cell{Text: "3"}}}}},
			Out:   []GraphWay{{Name: "ex:a", Count: 40, Shown: 25, More: "/kg-graph?v=more", ExpandCount: 15}}, In: []GraphWay{{Name: "ex:by", Count: 1200, Href: "/kg-graph?v=first", ExpandCount: 25, Incoming: true}, {Name: "ex:c", Count: 2, Shown: 25, Incoming: true}},
			Hide: "/kg-graph?hide=a", Collapse: "/kg-graph?v=collapsed", About: "/query?query=DESCRIBE", Partial: true, Tools: "/kg-graph?tools=1",
			Context: "/shared-context/context?uri=event%3A1", Doubts: []GraphOpenCase{{"event:2", "/kg-graph?v=2", "/shared-context?case=review_1"}, {"event:3", "", ""}}, Others: []GraphOption{{"http://e/m", "m"}}, Walk: &GraphWalk{Steps: []int{2, 3}, Now: 3, By: []GraphOption{{"http://e/a", "ex:a <b>"}}}},
		Path: &GraphPath{Text: "Several nodes have this name.", Clear: "/kg-graph?clear", Far: "/kg-graph/path?far=1", Which: m.Found,
			Steps: []GraphStep{{Node: m.Found[0]}, {"ex:a", false, m.Found[0]}, {"<b>", true, m.Found[0]}}},
		Kinds:  []GraphKind{{"oro:Robot", GraphSign{"robot", 1}, 1, false, "/kg-graph?without=r"}, {"schema:Message", GraphSign{"bubble", 4}, 12, true, "/kg-graph?with=m"}},
		Robots: []GraphOption{{"http://e/ari", "ex:ari"}}, Robot: "http://e/ari", Since: "2026-02-24T12:00:00", Filtered: true, Clear: "/kg-graph?clear",
		Replay: "/replay?at=x", Table: "/kg-graph?table=1", Tables: true, Reset: "/kg-graph?reset", SVG: "/kg-graph/picture.svg?x", Turtle: "/kg-graph/picture.ttl?x", Notes: []string{"The drawing is full."},
	}
	viewstest.Show(t, GraphView(shown)).Golden("graph-path", `aria-label="Path"`).Golden("graph-toolbar", `class="row toolbar"`).Golden("graph-plane", `class="plane"`).
		Golden("graph-legend", `class="legend"`).Golden("graph-card", `class="card node-card"`).Golden("graph-filters", `class="card filters"`).Golden("graph-tables", `class="card after tables"`).Holds(`
<section class="card canvas" aria-label="The graph">
`).Reads(`
# Graph
form get /kg-graph Label, name or IRI [q=] [node=http://e/ari] [since=2026-02-24T12:00:00Z] [v=+ http://e/ari] [Find]
Several nodes have this name. Search further → /kg-graph/path?far=1 Clear path → /kg-graph?clear
\u202eARI → /kg-graph?node=x
↓ ex:a \u202eARI → /kg-graph?node=x
↑ <b> \u202eARI → /kg-graph?node=x
\u202eARI → /kg-graph?node=x oro:Robot
Clear path → /kg-graph?clear Reset layout → /kg-graph?reset Replay → /replay?at=x
<news>
→ /kg-graph?node=c
These may be one event
same event?
→ /shared-context?case=review_1
And these
same event?
ARI ex:a, ex:b m
ex:a
ex:b
ex:a
ex:b
→ /kg-graph?edge=x
m ex:a, ex:b ARI
ex:a
ex:b
ex:a
ex:b
→ /kg-graph?edge=y
<news>
→ /kg-graph?node=c
“ARI <b>” · robot
ARI
→ /kg-graph?node=a
“m” · sentence
m
<i>
m
<i>
→ /kg-graph?node=m
ARI → /kg-graph?node=a ex:a, ex:b “a message <b>”
a message <b> → /kg-graph?node=m 24 Feb 2026, 12:00:00 · ex:a, ex:b ARI
oro:Robot 1 → /kg-graph?without=r
schema:Message 12 left out → /kg-graph?with=m
the path
of one shared event
maybe one event: to review
2 things, 2 links, 1 shared event, 2 cases to review. Hide tables → /kg-graph?table=1 SVG → /kg-graph/picture.svg?x Turtle → /kg-graph/picture.ttl?x
The drawing is full.
# ARI
ex:ari
robot
Open event → /shared-context/context?uri=event%3A1
Paths → /kg-graph?tools=1
More
Hide → /kg-graph?hide=a Collapse → /kg-graph?v=collapsed Describe → /query?query=DESCRIBE Prove this → /evidence?iri=http%3A%2F%2Fe%2Fari
# Expand
→ outgoing ex:a 40 Next 15 → /kg-graph?v=more
← incoming ex:by 1,200 Show 25 → /kg-graph?v=first
← incoming ex:c 2 shown
# May be the same event as
event:2 case → /shared-context?case=review_1 Show → /kg-graph?v=2
event:3 shown
# Values
ex:name: ARI en logs → /query/logs?triple=3
ex:is:
ex:height: –
Only part of its triples are shown.
Move ← → /kg-graph?at=1a2b_-40_2_2 ↓ → /kg-graph?at=1a2b_0_42_2
Filters
form get /kg-graph [node=http://e/ari] [v=+ http://e/ari]
Participant [robot= anybody; *ex:ari]
From UTC [since=2026-02-24T12:00:00]
Until UTC [until=]
[Filter] Show all → /kg-graph?clear
They also apply to expanded nodes. Nodes without a time or participant stay.
form get /kg-graph [since=2026-02-24T12:00:00Z] [v=+ http://e/ari]
Nodes
Name | Kind | Time UTC | Steps
[ARI <b>: node=http://e/ari] | robot | |
[m: node=http://e/m] | sentence | 24 Feb 2026, 12:00:00 | 2 from ARI
Edges
From | By | To | Logs
ARI | [ex:a: edge=1a2b-3c4d] | m | logs → /query/logs?triple=1
ARI | [sc:b: edge=1a2b-3c4d] | m |
`)
	edge := &GraphEdgeCard{From: m.Found[0], To: m.Found[0], Triples: []GraphTriple{
		{Name: "ex:a", Logs: "/query/logs?triple=1", Newest: &views.TripleLog{Time: viewstest.Now, Actor: "ari", Claimed: "<robot>", LogID: "0198", Triples: 12, Added: 3}},
		{Name: "ex:b", Logs: "/query/logs?triple=2"}, {Name: "ex:d", Logs: "/query/logs?triple=3", Late: true}, {Name: "sc:c"},
	}}
	viewstest.Golden(t, "graph-edge", graphEdgeCard(edge))
}

func TestALegendOfManyKindsShowsEight(t *testing.T) {
	t.Parallel()
	m := Graph{Drawing: &GraphDrawing{}}
	for _, name := range []string{"a", "b", "c", "d", "e", "f", "g", "h", "i", "j"} {
		m.Kinds = append(m.Kinds, GraphKind{name, GraphSign{"circle", 1}, 9, name == "j", "/kg-graph?without=" + name})
	}
	m.Kinds, m.Others = m.Kinds[:maxLegend], m.Kinds[maxLegend:]
	viewstest.Show(t, graphLegend(m)).Reads(`
a 9 → /kg-graph?without=a
b 9 → /kg-graph?without=b
c 9 → /kg-graph?without=c
d 9 → /kg-graph?without=d
e 9 → /kg-graph?without=e
f 9 → /kg-graph?without=f
g 9 → /kg-graph?without=g
h 9 → /kg-graph?without=h
2 more
i 9 → /kg-graph?without=i
j 9 left out → /kg-graph?without=j
`)
}

func TestTheLegendBeginsWithWhatTheReaderLeftOut(t *testing.T) {
	t.Parallel()
	p, m := &picture{}, Graph{}
	for i := range 10 {
		p.kinds = append(p.kinds, &pictureKind{iris: []string{fmt.Sprint("http://e/K", i)}, count: 1})
		p.nodes = append(p.nodes, &graphNode{kind: fmt.Sprint("http://e/K", i)})
	}
	p.kinds = append(p.kinds, &pictureKind{iris: structural[:1], count: 50}, &pictureKind{iris: []string{"http://e/Seldom"}, count: 1})
	m.legend(p, graphState{without: []string{"http://e/K9", structural[0]}})
	if len(m.Kinds) != maxLegend || m.Kinds[0].Name != "“k9”" || !m.Kinds[0].Off || len(m.Others) != 4 {
		t.Errorf("%v, and behind more %v", m.Kinds, m.Others)
	}
}

func TestAPictureIsToldInWords(t *testing.T) {
	t.Parallel()
	s := openService(t)
	s.Publish(metLog)
	for state, want := range map[string]string{
		"":          "You got it! Zoe said, ARI heard, TIAGo answered",
		"?show=met": "ARI met Zoe , 1 sentence, last 12:00:00",
		"?v=%2B+http://e/hears2&v=%2B+http://e/tiago":  "heard 24 Feb 2026, 12:00:01 · heard by TIAGo",
		"?v=%2B+http://e/answers&v=%2B+http://e/tiago": "Here you are. 24 Feb 2026, 12:00:03 · said by TIAGo",
		"?show=causes": "heard 24 Feb 2026, 12:00:01 · by TIAGo , led to decision decision 24 Feb 2026, 12:00:02 · by TIAGo",
	} {
		_, list, _ := strings.Cut(s.NewVisitor().Get("/kg-graph"+state).Body.String(), `<div class="in-words`)
		_, list, _ = strings.Cut(list, `">`)
		list, _, _ = strings.Cut(list, "</div>")
		if got := viewstest.WordsOf("<main" + list); got != want {
			t.Errorf("%s says %q, want %q", state, got, want)
		}
	}
}

// A pair of nodes may have no other words than those that others replace.
func TestALineKeepsAWord(t *testing.T) {
	t.Parallel()
	s := openService(t)
	s.Publish(`@prefix prov: <http://www.w3.org/ns/prov#> . <http://e/a> prov:used <http://e/b> ; prov:wasAttributedTo <http://e/b> .`)
	shown := []string{"v", "+ http://e/a", "v", "+ http://e/b"}
	b := s.NewVisitor()
	viewstest.Want(t, b.Get(graphAt(shown...)).Body.String(), ">used</tspan>", ">reported by</tspan>")
	file := strings.Replace(graphAt(shown...), "/kg-graph", "/kg-graph/picture.svg", 1)
	viewstest.Want(t, b.Get(file).Body.String(), "</svg>")
}

func TestEachShapeHasAPath(t *testing.T) {
	t.Parallel()
	paths := map[string]string{}
	for name, path := range graphShapes {
		if other := paths[path]; other != "" {
			t.Errorf("%s and %s are one shape", name, other)
		}
		paths[path] = name
	}
	for _, name := range SpareShapes {
		if graphShapes[name] == "" {
			t.Errorf("%s has no path", name)
		}
	}
}
