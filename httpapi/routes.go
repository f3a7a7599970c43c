package httpapi

import (
	"net/http"

	"github.com/segraph/segraph/internal/auth"
	"github.com/segraph/segraph/service"
	"github.com/segraph/segraph/store/sparql/results"
)

// route is one method of one path: everything that the router, the OpenAPI document and the
// tests know of it.
type route struct {
	method string
	path   string      // as mux and OpenAPI write it
	roles  []auth.Role // each of them is enough; none at all means that the route is public
	limit  int64       // bytes of a body
	handle func(http.ResponseWriter, *http.Request) error
	doc    operation
}

// declare returns the table of all routes.
func (a *API) declare() []route {
	limits := a.service.Config().Limits
	admin := []auth.Role{auth.Admin}
	loggers := []auth.Role{auth.Logger, auth.Admin}
	auditors := []auth.Role{auth.Auditor, auth.Admin}
	return append([]route{
		{http.MethodGet, "/healthz/live", nil, limits.Body, a.getLive, operation{
			id: "live", tag: "Health", summary: "Does the process answer?",
			responses: []answer{
				{200, "It does.", []content{{"application/json", "Live"}}},
				{503, "The disk failed, and the process ends, as SEGRAPH_EXIT_ON_DISK_ERROR asks for.", []content{{"application/json", "Live"}}},
			},
		}},
		{http.MethodGet, "/healthz/ready", nil, limits.Body, a.getReady, operation{
			id: "ready", tag: "Health", summary: "May work be sent here?",
			description: "One member is named after the store product in use. With SEGRAPH_COMPAT=segb there always is one named virtuoso.",
			responses: []answer{
				{200, "It may.", []content{{"application/json", "Ready"}}},
				{503, "The store can't be reached, its disk failed, its file is not in its place, or the service is shutting down.", []content{{"application/json", "Ready"}}},
			},
		}},
		{http.MethodGet, "/auth/mode", nil, limits.Body, a.getAuthMode, operation{
			id: "authMode", tag: "Health", summary: "Do requests need a token?",
			responses: []answer{{200, "Whether they do.", []content{{"application/json", "AuthMode"}}}},
		}},
		{http.MethodPost, "/ttl", loggers, limits.Document, a.postTTL, operation{
			id: "insert", tag: "Turtle", summary: "Publish a log",
			description: "Stores all triples of a Turtle document, or none. When the answer comes, they are on disk. " +
				"Blank nodes are the document's own. Triples that are there already stay once. " + onlyUser +
				" A client that got no answer, or a 503 that says that the outcome is not known, sends the request again after the " +
				"restart, unchanged and with the same X-Request-ID: a document that was stored is answered as the first time, and is not stored twice.",
			parameters: []parameter{claimedUser()},
			body:       []content{{"application/json", "Publication"}, {service.MediaTurtle, "TurtleText"}, {service.MediaNTriples, "NTriplesText"}},
			responses:  []answer{{201, "The document is stored.", []content{{"application/json", "Inserted"}}}},
			problems:   []int{400, 422},
		}},
		{http.MethodPost, "/ttl/validate", admin, limits.Document, a.postValidate, operation{
			id: "validate", tag: "Turtle", summary: "Check a log without storing it",
			description: "Says what is wrong with the syntax of a Turtle document and with its use of the vocabulary. " +
				"It answers 200 for bad Turtle too, and works when the store is down. " + onlyUser,
			parameters: []parameter{claimedUser()},
			body:       []content{{"application/json", "Publication"}, {service.MediaTurtle, "TurtleText"}, {service.MediaNTriples, "NTriplesText"}},
			responses:  []answer{{200, "What was found.", []content{{"application/json", "Validation"}}}},
			problems:   []int{422},
		}},
		{http.MethodPost, "/ttl/delete_all", admin, limits.Body, a.deleteAll, operation{
			id: "deleteAll", tag: "Turtle", summary: "Delete the whole graph",
			description: "Removes the published graph and nothing else: shared contexts, cases and decisions stay, and so does the journal. " +
				"With \"contexts\": true, shared contexts, cases and decisions are removed too, in the same transaction.",
			body:      []content{{"application/json", "Deletion"}},
			responses: []answer{{200, "The graph is empty.", []content{{"application/json", "Deleted"}}}},
			problems:  []int{422},

			destructive: true,
		}},
		{http.MethodGet, "/events", auditors, limits.Body, a.getEvents, operation{
			id: "events", tag: "Graph", summary: "Export the graph",
			description: "One consistent moment of the published graph. The same graph gives the same bytes and the same ETag. " +
				"An answer whose chunked body ends early was cut short. " + inCodings + " Its ETag is weak then. " +
				"A parameter that chooses a graph, such as graph, default or default-graph-uri, is 422 and named; others are ignored.",
			parameters: []parameter{{
				name: "If-None-Match", in: "header", description: "The ETag of the graph that the client has.",
				schema: map[string]any{"type": "string"},
			}},
			responses: []answer{
				{200, "The graph.", []content{{service.MediaTurtle, "TurtleText"}, {service.MediaNTriples, "NTriplesText"}}},
				{304, "The client has it already.", nil},
			},
			problems: []int{406, 422, 503},
		}},
		{http.MethodGet, "/query", auditors, limits.Body, a.getQuery, operation{
			id: "query", tag: "Queries", summary: "Ask a SPARQL query",
			description: a.queryDescription(),
			parameters: append([]parameter{{
				name: "query", in: "query", required: true, description: "The text of a SELECT, ASK, CONSTRUCT or DESCRIBE.",
				schema: map[string]any{"type": "string"},
			}}, a.queryParameters()...),
			responses: queryAnswers(),
			problems:  []int{400, 406, 422, 503, 504},
		}},
		{http.MethodPost, "/query", auditors, limits.Body, a.postQuery, operation{
			id: "postQuery", tag: "Queries", summary: "Ask a SPARQL query that is too long for an address",
			description: a.queryDescription(),
			parameters:  a.queryParameters(),
			body:        []content{{mediaQuery, "SPARQL"}, {mediaForm, "QueryForm"}},
			responses:   queryAnswers(),
			problems:    []int{400, 406, 422, 504},
		}},
		{http.MethodGet, "/query/explain", auditors, limits.Body, a.getQueryExplain, operation{
			id: "explainQuery", tag: "Queries", summary: "See how a query is gone about",
			description: explainDescription,
			parameters: append([]parameter{{
				name: "query", in: "query", required: true, description: "The text of a SELECT, ASK, CONSTRUCT or DESCRIBE.",
				schema: map[string]any{"type": "string"},
			}}, a.explainParameters()...),
			responses: explainAnswers(),
			problems:  []int{400, 422, 503},
		}},
		{http.MethodPost, "/query/explain", auditors, limits.Body, a.postQueryExplain, operation{
			id: "postExplainQuery", tag: "Queries", summary: "See how a query is gone about that is too long for an address",
			description: explainDescription,
			parameters:  a.explainParameters(),
			body:        []content{{mediaQuery, "SPARQL"}, {mediaForm, "QueryForm"}},
			responses:   explainAnswers(),
			problems:    []int{400, 422},
		}},
		{http.MethodPost, "/query/validate", auditors, limits.Body, a.postQueryValidate, operation{
			id: "validateQuery", tag: "Queries", summary: "Check a query without running it",
			description: "Says of what kind a query is and, where it can't be run, why. " +
				"It answers 200 for a bad query too, and works when the store is down.",
			body:      []content{{"application/json", "QueryText"}},
			responses: []answer{{200, "What was found.", []content{{"application/json", "QueryValidation"}}}},
			problems:  []int{422},
		}},
		{http.MethodGet, "/logs/server", admin, limits.Body, a.getServerLogs, operation{
			id: "serverLogs", tag: "Server", summary: "Read the server's log",
			description: "The newest lines that match, oldest first. " + inCodings,
			parameters: []parameter{
				{name: "limit", in: "query", description: "How many lines at most.",
					schema: map[string]any{"type": "integer", "minimum": 1, "maximum": maxLogs, "default": defaultLogs}},
				{name: "level", in: "query", description: "The least severe level that is shown.",
					schema: map[string]any{"$ref": "#/components/schemas/LogLevel"}},
				{name: "contains", in: "query", description: "What a line must hold, in capitals or not.",
					schema: map[string]any{"type": "string", "maxLength": maxContains}},
			},
			responses: []answer{{200, "The lines.", []content{{"application/json", "ServerLogs"}}}},
			problems:  []int{406, 422},
		}},
		{http.MethodGet, "/logs", auditors, limits.Body, a.getJournal, operation{
			id: "logs", tag: "Journal", summary: "List who wrote what, and when",
			description: "The entries of the journal that match, the newest first. Where next is a number there may be more: send it as before. " +
				"A page may be short, or empty, and not the last. " + inCodings,
			parameters: journalParameters(),
			responses:  []answer{{200, "A page of entries.", []content{{"application/json", "JournalPage"}}}},
			problems:   []int{406, 422, 503},
		}},
		{http.MethodGet, "/logs/{log_id}", auditors, limits.Body, a.getLog, operation{
			id: "log", tag: "Journal", summary: "Show one log and what it brought",
			description: "As JSON with the first of its triples, whether they were new or not, or as Turtle or N-Triples with all that went to the published graph. " + inCodings,
			parameters: []parameter{
				{name: "log_id", in: "path", description: "The log_id that POST /ttl answered.", schema: map[string]any{"type": "string"}},
				{name: "limit", in: "query", description: "How many triples at most, in JSON.",
					schema: map[string]any{"type": "integer", "minimum": 0, "maximum": maxTriples, "default": defaultTriples}},
			},
			responses: []answer{{200, "The log.", []content{{"application/json", "JournalLog"}, {service.MediaTurtle, "TurtleText"}, {service.MediaNTriples, "NTriplesText"}}}},
			problems:  []int{404, 406, 422, 503},
		}},
		{http.MethodGet, "/admin/backup", admin, limits.Body, a.getBackup, operation{
			id: "backup", tag: "Operation", summary: "Get a backup of everything",
			description: "A snapshot of the whole file, of one moment, made now, or the one that is named. Its name is in Content-Disposition and, as an " +
				"address, in Content-Location; its SHA-256 is in Repr-Digest and is the ETag. A download that broke off goes on with Range at that address.",
			parameters: []parameter{
				{name: "name", in: "query", description: "A snapshot that there is, in place of a new one.", schema: map[string]any{"type": "string"}},
				{name: "Range", in: "header", description: "The bytes that are wanted, of a named snapshot.", schema: map[string]any{"type": "string"}},
			},
			responses: []answer{
				{200, "The file.", []content{{mediaBackup, "Binary"}}},
				{206, "The part of it that was asked for.", []content{{mediaBackup, "Binary"}}},
				{304, "The client has it already.", nil},
			},
			problems: []int{404, 503, 507},
		}},
		{http.MethodGet, "/admin/backups", admin, limits.Body, a.getBackups, operation{
			id: "backups", tag: "Operation", summary: "List the snapshots that there are",
			description: "Those made by schedule, before the graph was deleted, and by GET /admin/backup, the newest first.",
			responses:   []answer{{200, "The snapshots.", []content{{"application/json", "Backups"}}}},
			problems:    []int{503},
		}},
		{http.MethodPost, "/admin/revocations", admin, limits.Body, a.postRevocation, operation{
			id: "revoke", tag: "Operation", summary: "Revoke tokens",
			description: "Ends the token of an id (the claim jti), or all tokens that a user was given up to this second. It holds at once, for sessions of " +
				"the web UI too, and is kept in the file. A user may get new tokens, from the next second on.",
			body:      []content{{"application/json", "Revoke"}},
			responses: []answer{{201, "What was revoked.", []content{{"application/json", "Revocation"}}}},
			problems:  []int{409, 422},

			destructive: true,
		}},
		{http.MethodGet, "/admin/revocations", admin, limits.Body, a.getRevocations, operation{
			id: "revocations", tag: "Operation", summary: "List what was revoked",
			description: inCodings,
			responses:   []answer{{200, "The revocations.", []content{{"application/json", "Revocations"}}}},
			problems:    []int{406, 503},
		}},
		{http.MethodGet, "/docs", nil, limits.Body, a.getDocs, operation{
			id: "docs", tag: "Documentation", summary: "This interface as an interactive page",
			responses: []answer{{200, "The page.", []content{{"text/html", "Text"}}}},
		}},
		{http.MethodGet, "/docs/{file}", nil, limits.Body, a.getDocsFile, operation{
			id: "docsFile", tag: "Documentation", summary: "A file of that page",
			parameters: []parameter{{name: "file", in: "path", description: "Its name.",
				schema: map[string]any{"type": "string", "enum": []string{"docs.css", "docs.js"}}}},
			responses: []answer{{200, "The file.", []content{{"text/css", "Text"}, {"text/javascript", "Text"}}}},
			problems:  []int{404},
		}},
		{http.MethodGet, "/openapi.json", nil, limits.Body, a.getOpenAPI, operation{
			id: "openapi", tag: "Documentation", summary: "This interface as an OpenAPI 3.1 document",
			responses: []answer{{200, "The document.", []content{{"application/json", "OpenAPI"}}}},
		}},
	}, a.contextRoutes()...)
}

// inCodings says how answers are compressed.
const inCodings = "The answer is compressed with gzip or zstd where Accept-Encoding asks for it."

// onlyUser says what becomes of parameters of documents.
const onlyUser = "A query parameter other than user with a body of Turtle or N-Triples, or any with a JSON body, is 422 and named."

// queryDescription describes GET and POST /query.
func (a *API) queryDescription() string {
	byDefault := "Without either, SELECT and ASK are answered in JSON, CONSTRUCT and DESCRIBE in Turtle. "
	if a.service.Config().SEGB {
		byDefault = "Without either, every query is answered in Turtle: SELECT and ASK as resources of the class Result of " +
			results.ResultNamespace + ". "
	}
	return "SPARQL 1.1, reading only, over one moment of the graph. Updates and SERVICE are refused. " +
		"The form of the answer is chosen by the parameter format or else by Accept. " + byDefault +
		"There is no limit to the number of rows; an answer whose chunked body ends early was cut short. Unknown parameters are " +
		"ignored, but using-graph-uri and using-named-graph-uri, which choose the graphs of an update, are 422. " + inCodings
}

const explainDescription = "Runs a query under the limits of /query, keeps none of its answer, and gives the plan: a tree of " +
	"operators, each with the rows that were reckoned with, the rows that there were, and its time. Where nothing is found it says of each " +
	"pattern how many matches it has by itself, and names terms that the graph does not have. A query past a limit is told of as far as it came."

// explainParameters are those of queryParameters but with other forms.
func (a *API) explainParameters() []parameter {
	list := a.queryParameters()
	format := &list[len(list)-1]
	format.schema, format.description = map[string]any{"enum": []string{"json", "text"}}, "The form; without it Accept decides."
	return list
}

func explainAnswers() []answer {
	return []answer{{200, "The plan, and how it went.", []content{{"application/json", "Explanation"}, {"text/plain", "Text"}}}}
}

// queryParameters are those that GET and POST /query have in common.
func (a *API) queryParameters() []parameter {
	graphs := map[string]any{"type": "array", "items": map[string]any{"type": "string"}}
	forms := "SELECT has json, xml, csv, tsv and ttl; ASK all of these but ttl"
	if a.service.Config().SEGB {
		forms = "SELECT and ASK have json, xml, csv, tsv and ttl"
	}
	return []parameter{
		{name: "default-graph-uri", in: "query", schema: graphs,
			description: "Stored graphs that together are the default graph, in place of the query's FROM."},
		{name: "named-graph-uri", in: "query", schema: graphs,
			description: "Stored graphs that GRAPH finds, in place of the query's FROM NAMED."},
		{name: "format", in: "query", schema: map[string]any{"enum": []string{"json", "xml", "csv", "tsv", "ttl", "nt"}},
			description: forms + "; CONSTRUCT and DESCRIBE have ttl, nt and json, which is JSON-LD. A media type does as well."},
	}
}

func queryAnswers() []answer {
	return []answer{{200, "The answer: rows or a boolean, or a graph for CONSTRUCT and DESCRIBE.", []content{
		{"application/sparql-results+json", "SPARQLResults"}, {"application/json", "Any"},
		{"application/sparql-results+xml", "Text"}, {"application/xml", "Text"}, {"text/xml", "Text"},
		{"text/csv", "Text"}, {"text/tab-separated-values", "Text"},
		{service.MediaTurtle, "TurtleText"}, {service.MediaNTriples, "NTriplesText"}, {"application/ld+json", "JSONLD"},
	}}}
}

// journalParameters returns the filters of GET /logs.
func journalParameters() []parameter {
	text := map[string]any{"type": "string"}
	moment := map[string]any{"type": "string", "format": "date-time"}
	return []parameter{
		{name: "limit", in: "query", description: "How many entries at most.",
			schema: map[string]any{"type": "integer", "minimum": 1, "maximum": maxEntries, "default": defaultEntries}},
		{name: "before", in: "query", description: "Only entries with a lower number.", schema: map[string]any{"type": "integer", "minimum": 1}},
		{name: "actor", in: "query", description: "Only what this user wrote, by the token.", schema: text},
		{name: "user", in: "query", description: "Only what was sent in the name of this user.", schema: text},
		{name: "action", in: "query", description: "Only entries of this kind, such as insert, clear or restore.", schema: text},
		{name: "since", in: "query", description: "Only entries of this moment or later.", schema: moment},
		{name: "until", in: "query", description: "Only entries before this moment.", schema: moment},
		{name: "triple", in: "query", description: "Only logs that brought this triple, as N-Triples or N-Quads have it, blank nodes as exports name them.", schema: text},
	}
}

// claimedUser returns the parameter that stands for the member "user" where the body is
// Turtle.
func claimedUser() parameter {
	return parameter{
		name: "user", in: "query", description: "With a body of Turtle or N-Triples: the robot or operator that sends it.",
		schema: map[string]any{"type": "string", "maxLength": auth.MaxName},
	}
}
