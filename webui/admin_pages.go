package webui

// Admin returns the pages for admins, and the health page.
func Admin(u *UI) Room {
	return Room{
		pages: []page{
			{path: "/logs/insert", name: "Insert", admin: true, roles: admins, get: u.getInsert, post: u.postInsert},
			{path: "/logs/delete", name: "Delete", admin: true, roles: admins, get: u.getDelete, post: u.postDelete, parts: []part{
				{path: "/logs/delete/graph.ttl", get: u.getCopy}, {path: "/logs/delete/graph.nt", get: u.getCopy},
				{path: "/logs/delete/back", post: u.postImport},
			}},
			{path: "/keys", name: "Keys", admin: true, roles: admins, get: u.getKeys, post: u.postKey},
			{path: "/system/logs", name: "Server log", admin: true, roles: admins, get: u.getSystemLogs, parts: []part{
				{path: "/system/logs/new", get: u.getNewLogs}, {path: "/system/logs/line", get: u.getLogLine}, {path: "/system/logs/download", get: u.downloadLogs},
			}},
			{path: "/health", name: "Health", admin: true, get: u.getHealth},
		},
	}
}
