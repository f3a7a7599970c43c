// Package admin has the pages with which admins change the store and look after the service: insert,
// delete, keys of robots, the server log, and health, which anyone may see.
package admin

import "github.com/segraph/segraph/views"

// handlers answers the requests for the pages of this room.
type handlers struct {
	*views.UI
	tickets *tickets
}

// Room returns the pages for admins, and the health page.
func Room(ui *views.UI) views.Room {
	u := &handlers{UI: ui, tickets: newTickets(ui.Config.Now)}
	return views.Room{
		Pages: []views.Page{
			{Path: "/logs/insert", Name: "Insert", Icon: "file-plus", Admin: true, Roles: views.Admins, Get: u.getInsert, Post: u.postInsert},
			{Path: "/logs/delete", Name: "Delete", Icon: "trash-2", Admin: true, Roles: views.Admins, Get: u.getDelete, Post: u.postDelete, Parts: []views.Part{
				{Path: "/logs/delete/graph.ttl", Get: u.getCopy}, {Path: "/logs/delete/graph.nt", Get: u.getCopy},
				{Path: "/logs/delete/back", Post: u.postImport},
			}},
			{Path: "/keys", Name: "Keys", Icon: "key-round", Admin: true, Roles: views.Admins, Get: u.getKeys, Post: u.postKey},
			{Path: "/system/logs", Name: "Server log", Icon: "scroll-text", Admin: true, Roles: views.Admins, Get: u.getSystemLogs, Parts: []views.Part{
				{Path: "/system/logs/new", Get: u.getNewLogs}, {Path: "/system/logs/line", Get: u.getLogLine}, {Path: "/system/logs/download", Get: u.downloadLogs},
			}},
			{Path: "/health", Name: "Health", Icon: "activity", Admin: true, Get: u.getHealth},
		},
	}
}
