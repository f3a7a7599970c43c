// Package explore has the pages about single things: the graph, why something happened, one log,
// the logs and the journal. It also draws the graph.
package explore

import "github.com/segraph/segraph/views"

// handlers answers the requests for the pages of this room.
type handlers struct {
	*views.UI
}

// Room returns the pages of the graph, of explanations, of logs and of the journal.
func Room(ui *views.UI) views.Room {
	u := &handlers{UI: ui}
	return views.Room{
		Pages: []views.Page{
			{Path: "/kg-graph", Name: "Graph", Icon: "waypoints", About: "Who met whom, and what caused what", Roles: views.Auditors, Get: u.getGraph, Parts: []views.Part{
				{Path: "/kg-graph/picture.svg", Get: u.getPictureSVG}, {Path: "/kg-graph/picture.ttl", Get: u.getPictureTurtle},
				{Path: "/kg-graph/path", Get: u.getPath},
			}},
			{Path: "/why", Of: "/reports", Roles: views.Auditors, Get: u.getWhy},
			{Path: "/logs", Name: "Logs", Icon: "scroll-text", About: "What robots sent", Menu: views.MenuStored, Roles: views.Auditors, Get: u.getLogs},
			{Path: "/journal", Name: "Journal", Icon: "list", About: "Every change, by whom", Menu: views.MenuStored, Roles: views.Auditors, Get: u.getJournal},
			{Path: "/log", Of: "/logs", Roles: views.Auditors, Get: u.getLog, Parts: []views.Part{{Path: "/log/text.ttl", Get: u.getLogText}}},
		},
		Find: u.findNodes,
	}
}
