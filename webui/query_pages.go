package webui

// Query returns the page of queries.
func Query(u *UI) Room {
	return Room{
		pages: []page{
			{path: "/query", name: "Query", roles: auditors, get: u.getQuery, post: u.postQuery, parts: []part{
				{path: "/query/check", post: u.checkQuery}, {path: "/query/terms", get: u.getQueryTerms}, {path: "/query/download", post: u.downloadQuery},
				{path: "/query/logs", get: u.getTripleLogs}, {path: "/query/save", post: u.postSavedQuery}, {path: "/query/forget", post: u.postForgottenQuery},
			}},
		},
		find: u.findSaved,
	}
}
