// Package admin has the pages with which admins change the store and look after the service: insert,
// delete, backups, tokens, keys of robots, boxes, settings, the server log, and health, which anyone may see.
package admin

import (
	"net/http"

	"github.com/segraph/segraph/views"
)

// handlers answers the requests for the pages of this room.
type handlers struct {
	*views.UI
	tickets *tickets
}

// Room returns the pages for admins, and the health page.
func Room(ui *views.UI) views.Room {
	u := &handlers{UI: ui, tickets: newTickets(ui.Config.Now)}
	ui.Service.OnErased(u.tickets.clear) // their warnings may name somebody
	return views.Room{
		Pages: []views.Page{
			{Path: "/logs/insert", Name: "Publish a log", Icon: "file-plus", About: "Check a log, fix it, store it", Menu: views.MenuStored, Roles: views.Admins, Get: u.getInsert, Post: u.Form(u.postInsert)},
			{Path: "/backups", Name: "Backups", Icon: "archive", About: "Copies of all data, and back", Menu: views.MenuStored, Roles: views.Admins, Get: u.getBackups, Post: u.Form(u.postBackup), Parts: []views.Part{
				{Path: "/backups/file", Get: u.getBackupFile}, {Path: "/backups/send", Post: u.postBackupFile},
				{Path: "/backups/restore", Get: u.getRestore, Post: u.Form(u.postRestore)},
			}},
			{Path: "/personal-data", Name: "Personal data", Icon: "eye-off", About: "What is kept of a person; erase, hold", Menu: views.MenuStored, Roles: views.Admins, Get: u.getPerson, Post: u.Form(u.postPerson), Parts: []views.Part{
				{Path: "/personal-data/erase", Get: u.getErase, Post: u.Form(u.postErase)},
			}},
			{Path: "/tokens", Name: "Tokens", Icon: "key-round", About: "Issue and revoke access", Menu: views.MenuAccess, Roles: views.Admins, Get: u.getTokens, Post: u.Form(u.postToken)},
			{Path: "/keys", Name: "Robots’ keys", Icon: "lock", About: "Keys with which robots sign", Menu: views.MenuAccess, Roles: views.Admins, Get: u.getKeys, Post: u.Form(u.postKey)},
			{Path: "/health", Name: "Health", Icon: "activity", About: "What works, and what to do if not", Menu: views.MenuService, Get: u.getHealth},
			{Path: "/boxes", Name: "Boxes", Icon: "server", About: "What arrives from other services", Menu: views.MenuService, Roles: views.Admins, Get: u.getBoxes},
			{Path: "/system/logs", Name: "Server log", Icon: "terminal", About: "What the service did and refused", Menu: views.MenuService, Roles: views.Admins, Get: u.getSystemLogs, Parts: []views.Part{
				{Path: "/system/logs/new", Get: u.getNewLogs}, {Path: "/system/logs/line", Get: u.getLogLine}, {Path: "/system/logs/download", Get: u.downloadLogs},
			}},
			{Path: "/settings", Name: "Settings", Icon: "settings-2", About: "How the service was started", Menu: views.MenuService, Roles: views.Admins, Get: u.getSettings},
			{Path: "/logs/delete", Name: "Delete all", Icon: "trash-2", About: "Empty the graph", Menu: views.MenuService, Roles: views.Admins, Get: u.getDelete, Post: u.Form(u.postDelete), Parts: []views.Part{
				{Path: "/logs/delete/graph.ttl", Get: u.getCopy}, {Path: "/logs/delete/graph.nt", Get: u.getCopy},
			}},
		},
	}
}

// getSettings lists the settings of the service, or those with the text q; open=all unfolds them.
func (u *handlers) getSettings(w http.ResponseWriter, r *http.Request, v *views.Visit) error {
	q := r.URL.Query()
	return u.Show(w, r, http.StatusOK, SettingsPage(u.Frame(r, v, "Settings"), u.Config.Settings, q.Get("q"), q.Get("open") == "all"))
}
