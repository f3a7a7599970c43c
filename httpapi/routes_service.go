package httpapi

import (
	"net/http"

	"github.com/segraph/segraph/service"
	"github.com/segraph/segraph/vocabulary"
)

// healthRoutes returns the routes of health checks and of the mode of authentication.
func (a *API) healthRoutes() []route {
	limits := a.service.Config().Limits
	return []route{
		{http.MethodGet, "/healthz/live", nil, limits.Body, a.getLive, operation{
			id: "live", tag: "Health", summary: "Check whether the process is alive",
			responses: []answer{
				{200, "The process is alive.", []content{{"application/json", "Live"}}},
				{503, "The disk failed and the process is about to exit, because SEGRAPH_EXIT_ON_DISK_ERROR is set.", []content{{"application/json", "Live"}}},
			},
		}},
		{http.MethodGet, "/healthz/ready", nil, limits.Body, a.getReady, operation{
			id: "ready", tag: "Health", summary: "Check whether the service is ready",
			parameters:  []parameter{{name: "lag", in: "query", description: "Of a centre that reads a stream: for how long it may have been behind, such as 5s.", schema: map[string]any{"type": "string", "pattern": lagPattern.String()}}},
			description: "One member is named after the store product. With SEGRAPH_COMPAT=segb a member named virtuoso is always present.",
			responses: []answer{
				{200, "The service is ready.", []content{{"application/json", "Ready"}}},
				{503, "The store is unreachable, its disk failed, its file was moved, the service is shutting down, or it lags.", []content{{"application/json", "Ready"}}},
			},
			problems: []int{422},
		}},
		{http.MethodGet, "/auth/mode", nil, limits.Body, a.getAuthMode, operation{
			id: "authMode", tag: "Health", summary: "Check whether requests need a token",
			responses: []answer{{200, "The authentication mode.", []content{{"application/json", "AuthMode"}}}},
		}},
	}
}

// serverRoutes returns the routes about the process.
func (a *API) serverRoutes() []route {
	limits := a.service.Config().Limits
	return []route{
		{http.MethodGet, "/logs/server", admin, limits.Body, a.getServerLogs, operation{
			id: "serverLogs", tag: "Server", summary: "Read the server's log",
			description: "The newest matching lines, oldest first. " + inCodings,
			parameters: []parameter{
				{name: "limit", in: "query", description: "Maximum number of lines.",
					schema: integer(1, maxLogs, defaultLogs)},
				{name: "level", in: "query", description: "The least severe level to include.",
					schema: ref("LogFilter")},
				{name: "contains", in: "query", description: "Text that a line must contain, ignoring case.",
					schema: map[string]any{"type": "string", "maxLength": maxContains}},
			},
			responses: []answer{{200, "The lines.", []content{{"application/json", "ServerLogs"}}}},
			problems:  []int{406, 422},
		}},
	}
}

func (a *API) operationRoutes() []route { return append(a.backupRoutes(), a.tokenRoutes()...) }

func (a *API) backupRoutes() []route {
	limits := a.service.Config().Limits
	return []route{
		{http.MethodGet, "/admin/backup", admin, limits.Body, a.getBackup, operation{
			id: "backup", tag: "Operation", summary: "Download a backup",
			description: "A consistent snapshot of the whole file, made now, or an existing one chosen by name. Its name is in Content-Disposition and, as an " +
				"address, in Content-Location. Its SHA-256 is the Repr-Digest and the ETag. To resume a download, send Range to that address.",
			parameters: []parameter{
				{name: "name", in: "query", description: "The name of an existing snapshot to send in place of a new one.", schema: anyText},
				{name: "Range", in: "header", description: "The byte range to send, of a named snapshot.", schema: anyText},
			},
			responses: []answer{
				{200, "The file.", []content{{mediaBackup, "Binary"}}},
				{206, "The requested range, or several.", []content{{mediaBackup, "Binary"}, {"multipart/byteranges", "Binary"}}},
				notModified,
			},
			problems: []int{404, 412, 416, 503, 507},
		}},
		{http.MethodGet, "/admin/backups", admin, limits.Body, a.getBackups, operation{
			id: "backups", tag: "Operation", summary: "List the snapshots",
			description: "Snapshots made on schedule, before a deletion of the graph, and by GET /admin/backup, newest first.",
			responses:   []answer{{200, "The snapshots.", []content{{"application/json", "Backups"}}}},
			problems:    []int{503},
			links:       []link{{"backup", "name", "/backups/0/name"}},
		}},
		{http.MethodPost, "/admin/backups/verify", admin, limits.Body, a.postVerifyBackup, operation{
			id: "verifyBackup", tag: "Operation", summary: "Verify a snapshot",
			description: "Reads a snapshot completely, and records that it is whole.",
			body:        []content{{"application/json", "BackupName"}},
			responses:   []answer{{200, "The snapshot is whole.", []content{{"application/json", "Backup"}}}},
			problems:    []int{404, 409, 422, 503},
		}},
	}
}

func (a *API) tokenRoutes() []route {
	limits := a.service.Config().Limits
	return []route{
		{http.MethodPost, "/admin/tokens", admin, limits.Body, a.postToken, operation{
			id: "issueToken", tag: "Operation", summary: "Issue a token",
			description: "Issues a token to a user, lists it, and enters it in the journal. Only this answer has the token.",
			body:        []content{{"application/json", "TokenRequest"}},
			responses:   []answer{{201, "The token.", []content{{"application/json", "NewToken"}}}},
			problems:    []int{409, 422},
		}},
		{http.MethodGet, "/admin/tokens", admin, limits.Body, a.getTokens, operation{
			id: "tokens", tag: "Operation", summary: "List the issued tokens",
			description: "Those of POST /admin/tokens and of the web UI, newest first. A token that was signed elsewhere with the secret key is not among them. " + inCodings,
			responses:   []answer{{200, "The tokens, without the secrets.", []content{{"application/json", "IssuedTokens"}}}},
			problems:    []int{406, 503},
		}},
		{http.MethodPost, "/admin/revocations", admin, limits.Body, a.postRevocation, operation{
			id: "revoke", retry: byKey, tag: "Operation", summary: "Revoke tokens",
			description: "Revokes the token with an id (the claim jti), or all tokens issued to a user up to this second. It applies at once, also to sessions of " +
				"the web UI, and is stored in the file. From the next second on, the user may get new tokens.",
			body:      []content{{"application/json", "Revoke"}},
			responses: []answer{{201, "The revocation.", []content{{"application/json", "Revocation"}}}},
			problems:  []int{409, 422},

			destructive: true,
		}},
		{http.MethodGet, "/admin/revocations", admin, limits.Body, a.getRevocations, operation{
			id: "revocations", tag: "Operation", summary: "List the revocations",
			description: inCodings,
			responses:   []answer{{200, "The revocations.", []content{{"application/json", "Revocations"}}}},
			problems:    []int{406, 503},
		}},
	}
}

func (a *API) documentationRoutes() []route {
	limits := a.service.Config().Limits
	return []route{
		{http.MethodGet, "/docs", nil, limits.Body, a.getDocs, operation{
			id: "docs", tag: "Documentation", summary: "Interactive documentation",
			parameters: conditions(),
			responses:  []answer{{200, "The page.", []content{{"text/html", "Text"}}}, notModified},
			problems:   []int{412},
		}},
		{http.MethodGet, "/docs/{file}", nil, limits.Body, a.getDocsFile, operation{
			id: "docsFile", tag: "Documentation", summary: "A file of the interactive documentation",
			parameters: append([]parameter{{name: "file", in: "path", description: "Its name.",
				schema: map[string]any{"enum": []string{"docs.css", "docs.js"}}}}, conditions()...),
			responses: []answer{{200, "The file.", []content{{"text/css", "Text"}, {"text/javascript", "Text"}}}, notModified},
			problems:  []int{404, 406, 412},
		}},
		{http.MethodGet, vocabulary.ContextPath, nil, limits.Body, a.getJSONLDContext, operation{
			id: "jsonldContext", tag: "Documentation", summary: "The JSON-LD context of published logs",
			description: "The JSON-LD context of the vocabulary that reports use. A log in JSON-LD can name it by this path, or by the whole URL.",
			parameters:  conditions(),
			responses:   []answer{{200, "The context.", []content{{service.MediaJSONLD, "JSONLDContext"}}}, notModified},
			problems:    []int{412},
		}},
		{http.MethodGet, "/openapi.json", nil, limits.Body, a.getOpenAPI, operation{
			id: "openapi", tag: "Documentation", summary: "OpenAPI 3.1 document",
			parameters: conditions(),
			responses:  []answer{{200, "The document.", []content{{"application/json", "OpenAPI"}}}, notModified},
			problems:   []int{412},
		}},
	}
}
