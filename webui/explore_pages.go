package webui

// Explore returns the pages of the graph, of explanations and of one log.
func Explore(u *UI) Room {
	return Room{
		pages: []page{
			{path: "/kg-graph", name: "Graph", roles: auditors, get: u.getGraph, parts: []part{
				{path: "/kg-graph/picture.svg", get: u.getPictureSVG}, {path: "/kg-graph/picture.ttl", get: u.getPictureTurtle},
				{path: "/kg-graph/path", get: u.getPath},
			}},
			{path: "/why", of: "/reports", roles: auditors, get: u.getWhy},
			{path: "/log", of: "/reports", roles: auditors, get: u.getLog, parts: []part{{path: "/log/text.ttl", get: u.getLogText}}},
		},
		find: u.findNodes,
	}
}
