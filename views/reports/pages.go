// Package reports has the pages that tell what happened: the report of sessions and its sections, replays,
// proofs, and the demos. It also has those that begin: how to connect a robot, and which classes count.
package reports

import "github.com/segraph/segraph/views"

// handlers answers the requests for the pages of this room.
type handlers struct {
	*views.UI
	live    *Live // the live demo that the pages follow, or nil
	replays *Cache
	cases   *caseFiles
}

// Room returns a function that returns the pages of reports, replays, proofs and first steps.
// live is the live demo that the pages follow, or nil.
func Room(live *Live) func(*views.UI) views.Room {
	return func(ui *views.UI) views.Room {
		u := &handlers{UI: ui, live: live, replays: &Cache{}, cases: newCaseFiles()}
		ui.Service.OnErased(u.replays.clear)
		ui.Service.OnErased(u.cases.clear)
		room := views.Room{Find: u.findSessions, Pages: []views.Page{
			{Path: "/reports", Name: "Sessions", Icon: "chart-column", About: "What robots and people talked about", Roles: views.Auditors, Get: u.getReports, Parts: []views.Part{
				{Path: "/reports/table", Get: u.getReportTable}, {Path: "/reports/rows", Get: u.getReportRows},
			}},
			{Path: "/replay", Of: "/reports", Roles: views.Auditors, Get: u.getReplay, Parts: []views.Part{
				{Path: "/replay/feed", Get: u.getReplayFeed}, {Path: "/replay/events", Get: u.getReplayEvents},
			}},
			{Path: "/search", Get: u.getSearch},
			{Path: "/evidence", Of: "/reports", Roles: views.Auditors, Get: u.getEvidence, Post: u.Form(u.postEvidence)},
			{Path: "/case-file", Of: "/reports", Roles: views.Auditors, Get: u.getCaseFile, Post: u.Form(u.postCaseFile), Parts: []views.Part{
				{Path: "/case-file/file", Get: u.getCaseDocument}, {Path: "/case-file/bundle", Get: u.getCaseBundle}, {Path: "/case-file/style", Get: u.getCaseStyle}, {Path: "/case-file/note", Post: u.Form(u.PostRemark)},
			}},
			{Path: "/demo", Roles: views.Admins, Get: u.getDemo, Post: u.Form(u.postDemo)},
			{Path: "/connect", Name: "Connect a robot", Icon: "plus", About: "Programs that log from a robot", Menu: views.MenuAccess, Roles: views.Admins, Get: u.getConnect, Parts: []views.Part{{Path: "/connect/arrival", Get: u.getArrival}}},
			{Path: "/classes", Name: "Classes", Icon: "tag", About: "Which classes count as activities", Menu: views.MenuService, Roles: views.Admins, Get: u.getClasses, Post: u.Form(u.postClass)},
		}, Files: map[string]views.Handler{clientPath + "{file}": u.client}}
		if live != nil {
			room.Follow = "/live/follow"
			room.Pages = append([]views.Page{
				{Path: "/live", Name: "Live", Icon: "activity", About: "What robots hear now", Roles: views.Admins, Get: u.getLive, Parts: []views.Part{
					{Path: "/live/stage", Get: u.getStage}, {Path: "/live/follow", Get: u.getFollow},
				}},
				{Path: "/vote", Get: u.getVote, Post: u.postVote},
			}, room.Pages...)
		}
		return room
	}
}
