package views

import "testing"

func TestTheGraphPage(t *testing.T) {
	f := testFrame("Graph", "/kg-graph")
	f.Scripts, f.Styles, f.Width = []string{"graph.js"}, []string{"graph.css"}, "wide"
	m := Graph{Search: `"><script>`, Searched: true, Cut: true, Found: []GraphLink{{"\u202eARI", "oro:Robot", "robot", "/kg-graph?node=x", "ari:robot"}}}
	golden(t, "graph-found", GraphPage(f, m))
	golden(t, "graph-begin", GraphView(Graph{Begin: m.Found}))
	golden(t, "graph-empty", GraphView(Graph{}))

	d := &GraphDrawing{Left: -10, Top: -20, Width: 520, Height: 380, Named: true,
		Nodes: []GraphPoint{
			{X: 1, Y: 2, Label: "ARI", Full: "ARI <b>", IRI: "http://e/ari", Kind: "oro:Robot", Family: "robot", Href: "/kg-graph?node=a", Selected: true},
			{X: 100, Y: 2.25, Label: "m", Full: "m", IRI: "http://e/m", Kind: "schema:Message", Family: "message", Time: "2026-02-24T12:00:00Z", Href: "/kg-graph?node=m"},
		},
		Lines: []GraphLine{{Path: "M0 0Q1 1 2 2", X: 50, Y: 2, Names: "ex:a, ex:b", Title: "ARI ex:a, ex:b m", Selected: true}},
		Edges: []GraphEdge{{"ARI", "ex:a", "m", "/query/logs?triple=1"}, {"ARI", "ex:b", "m", "/query/logs?triple=2"}},
		Lanes: []GraphLane{{0, "ARI"}, {130, "without a time"}},
	}
	shown := Graph{Drawing: d, State: []Field{{"node", "http://e/ari"}, {"since", "2026-02-24T12:00:00Z"}, {"v", "+ http://e/ari"}},
		Card: &GraphCard{Label: "ARI", IRI: "http://e/ari", Kind: "oro:Robot", Family: "robot", Classes: []Cell{{Text: "oro:Robot", Full: "http://e/Robot"}},
			Facts: []GraphFact{{Name: "ex:name", Value: Cell{Kind: "text", Text: "ARI", Note: "en"}, Logs: "/query/logs?triple=3"}, {Name: "ex:is", Nested: []GraphFact{{Name: "ex:height", Value: Cell{Text: "3"}}}}},
			Out:   []GraphWay{{Name: "ex:a", Count: 40, Shown: 25, More: "/kg-graph?v=more", ExpandCount: 15}}, In: []GraphWay{{Name: "ex:by", Count: 1200, Href: "/kg-graph?v=first", ExpandCount: 25, Incoming: true}, {Name: "ex:c", Count: 2, Shown: 25, Incoming: true}},
			Hide: "/kg-graph?hide=a", Collapse: "/kg-graph?v=collapsed", About: "/query?query=DESCRIBE", Partial: true},
		Kinds:  []GraphKind{{"oro:Robot", "robot", 1, false, "/kg-graph?without=r"}, {"schema:Message", "message", 12, true, "/kg-graph?with=m"}},
		Robots: []GraphOption{{"http://e/ari", "ex:ari"}}, Robot: "http://e/ari", Since: "2026-02-24T12:00:00", Filtered: true, Clear: "/kg-graph?clear",
		ByLinks: Tab{"By links", "/kg-graph?links", true}, ByTime: Tab{"By time", "/kg-graph?time", false}, SVG: "/kg-graph/picture.svg?x", Turtle: "/kg-graph/picture.ttl?x", Notes: []string{"The picture is full."},
	}
	golden(t, "graph", GraphView(shown))
}
