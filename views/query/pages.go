// Package query has the page of queries: its editor, answers as tables, texts and charts, plans, and
// saved queries.
package query

import "github.com/segraph/segraph/views"

// handlers answers the requests for the pages of this room.
type handlers struct {
	*views.UI
	terms termsCache
}

// Room returns the page of queries.
func Room(ui *views.UI) views.Room {
	u := &handlers{UI: ui}
	return views.Room{
		Pages: []views.Page{
			{Path: "/query", Name: "Query", Icon: "terminal", About: "Ask the graph in SPARQL", Roles: views.Auditors, Get: u.getQuery, Post: u.Form(u.postQuery), Parts: []views.Part{
				{Path: "/query/check", Post: u.checkQuery}, {Path: "/query/terms", Get: u.getQueryTerms}, {Path: "/query/download", Post: u.Form(u.downloadQuery)},
				{Path: "/query/logs", Get: u.getTripleLogs}, {Path: "/query/save", Post: u.Form(u.postSavedQuery)}, {Path: "/query/forget", Post: u.Form(u.postForgottenQuery)},
			}},
		},
		Find: u.findSaved,
	}
}
