package webui

import "github.com/segraph/segraph/webui/report"

// Reports returns a function that returns the pages of reports, replays, proofs and first steps.
// live is the live demo that the pages follow, or nil.
func Reports(live *Live) func(*UI) Room {
	return func(u *UI) Room {
		u.live, u.replays = live, &report.Cache{}
		room := Room{find: u.findSessions, pages: []page{
			{path: "/reports", name: "Sessions", roles: auditors, get: u.getReports, parts: []part{
				{path: "/reports/table", get: u.getReportTable}, {path: "/reports/rows", get: u.getReportRows},
			}},
			{path: "/replay", of: "/reports", roles: auditors, get: u.getReplay, parts: []part{
				{path: "/replay/feed", get: u.getReplayFeed}, {path: "/replay/events", get: u.getReplayEvents},
			}},
			{path: "/evidence", of: "/reports", roles: auditors, get: u.getEvidence, post: u.postEvidence},
			{path: "/demo", roles: admins, get: u.getDemo, post: u.postDemo},
			{path: "/connect", name: "Connect", admin: true, roles: admins, get: u.getConnect, parts: []part{{path: "/connect/arrival", get: u.getArrival}}},
			{path: "/classes", name: "Classes", admin: true, roles: admins, get: u.getClasses, post: u.postClass},
		}, files: map[string]handler{clientPath + "{file}": u.client}}
		if live != nil {
			room.follow = "/live/follow"
			room.pages = append([]page{
				{path: "/live", name: "Live", roles: admins, get: u.getLive, parts: []part{
					{path: "/live/stage", get: u.getStage}, {path: "/live/follow", get: u.getFollow},
				}},
				{path: "/vote", get: u.getVote, post: u.postVote},
			}, room.pages...)
		}
		return room
	}
}
