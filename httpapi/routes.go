package httpapi

import (
	"fmt"
	"net/http"
	"slices"

	"github.com/segraph/segraph/auth"
	"github.com/segraph/segraph/service"
	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/store/sparql/results"
)

// route is one method of one path. The router, the OpenAPI document and the tests use it.
type route struct {
	method string
	path   string      // in the syntax of mux and OpenAPI
	roles  []auth.Role // any one of them suffices; empty means that the route is public
	limit  int64       // limit of a body in bytes
	handle func(http.ResponseWriter, *http.Request) error
	doc    operation
}

// The roles of routes. docs/api.md says what each may do.
var (
	admin    = []auth.Role{auth.Admin}
	loggers  = []auth.Role{auth.Logger, auth.Admin}
	auditors = []auth.Role{auth.Auditor, auth.Admin}
	boxes    = []auth.Role{auth.Box, auth.Admin}
)

// declare returns the table of all routes. The first that matches answers.
func (a *API) declare() []route {
	return slices.Concat(a.healthRoutes(), a.publishRoutes(), a.graphRoutes(), a.queryRoutes(), a.serverRoutes(), a.journalRoutes(), a.logRoutes(), a.operationRoutes(), a.documentationRoutes(),
		a.contextRoutes(), a.evidenceRoutes(), a.witnessRoutes(), a.signerRoutes(), a.holdRoutes(), a.personRoutes(), a.erasureRoutes(), a.fleetRoutes())
}

// publishRoutes returns the routes that publish, check and delete logs.
func (a *API) publishRoutes() []route {
	limits := a.service.Config().Limits
	return []route{
		{http.MethodPost, "/ttl", loggers, limits.Document, a.postTTL, operation{
			id: "insert", retry: byKeyOrID, tag: "Turtle", summary: "Publish a log",
			description: "Stores all triples of a Turtle document, or none. When the answer arrives, they are on disk. " +
				"Blank nodes are local to the document. Triples that already exist are not duplicated. " + onlyUser +
				" If a client gets no answer, it can send the request again, unchanged and with the same Idempotency-Key or X-Request-ID.", signs: signedBody,
			parameters: []parameter{claimedUser(), {name: "Prefer", in: "header", schema: anyText,
				description: "With receipt, the answer has a receipt: a signed proof that the journal has the log's entry."}},
			body:      publication(),
			responses: []answer{{201, "The document is stored.", []content{{"application/json", "Inserted"}}}},
			problems:  []int{400, 422},
			links:     linksTo("/log_id", "log_id", "log", "receipt", "signature", "withdrawLog"),
		}},
		{http.MethodPost, service.LinesPath, loggers, limits.Document, a.postBatch, operation{
			id: "batch", signs: signedList, tag: "Turtle", summary: "Publish many logs, with their observations",
			description: fmt.Sprintf("Each line of the body is a JSON object: a log in JSON-LD with a key, and optionally an observation, which is resolved first. Its shared context "+
				"becomes schema:about of the node that about names, and an event of the log. A line is stored completely or not at all, and sees the lines before it. "+
				"The answer has a line for each, in order, once all are on disk. At most %d lines of %d KiB each. A line with a key that was used before gets its first answer again, or 422 if "+
				"it differs. Idempotency-Key and X-Request-ID have no effect. A signed body is a list of at most %d lines.", service.MaxLines, service.MaxLine>>10, service.MaxSignedLines),
			body:      []content{{linesTypes[0], "BatchLines"}, {linesTypes[1], "BatchLines"}, {linesTypes[2], "BatchLines"}},
			responses: []answer{{200, "A line for each line of the body: what was stored, or a problem.", []content{{linesTypes[0], "BatchAnswers"}}}},
			problems:  []int{400, 406, 422},
		}},
		{http.MethodPost, "/ttl/validate", admin, limits.Document, a.postValidate, operation{
			id: "validate", tag: "Turtle", summary: "Check a log without storing it",
			description: "Reports errors in the syntax of a Turtle document and in its use of the vocabulary. " +
				"The status is 200 for invalid Turtle too. Works when the store is down. " + onlyUser,
			parameters: []parameter{claimedUser()},
			body:       publication(),
			responses:  []answer{{200, "The issues of the document.", []content{{"application/json", "Validation"}}}},
			problems:   []int{422},
		}},
		{http.MethodPost, "/ttl/delete_all", admin, limits.Body, a.deleteAll, operation{
			id: "deleteAll", retry: byKey, tag: "Turtle", summary: "Delete the whole graph",
			description: "Removes the published graph. Shared contexts, cases, decisions and the journal stay. " +
				"With \"contexts\": true, shared contexts, cases and decisions are removed too, in the same transaction.",
			body:      []content{{"application/json", "Deletion"}},
			responses: []answer{{200, "The graph is empty.", []content{{"application/json", "Deleted"}}}},
			problems:  []int{422},

			destructive: true,
		}},
	}
}

func (a *API) graphRoutes() []route {
	limits := a.service.Config().Limits
	return []route{
		{http.MethodGet, "/events", auditors, limits.Body, a.getEvents, operation{
			id: "events", tag: "Graph", summary: "Export the graph",
			description: "One consistent state of the published graph. The same graph has the same bytes and the same ETag. " +
				"If the chunked body ends early, the answer is incomplete. " + inCodings + " The ETag is weak then. " + inVersions +
				" A parameter that chooses a graph, such as graph, default or default-graph-uri, causes a 422. Other parameters are ignored.",
			parameters: conditions(),
			responses: []answer{
				{200, "The graph.", rdfContent(service.Formats)},
				notModified,
			},
			problems: []int{406, 412, 422, 503},
		}},
		{http.MethodGet, "/rdf-graph-store", auditors, limits.Body, a.getGraph, operation{
			id: "graph", tag: "Graph", summary: "Read a graph",
			description: "Returns a graph, by the SPARQL 1.1 Graph Store HTTP Protocol: the published one with the parameter default, or a named one. " +
				"GET /query without parameters lists the named graphs. " + inCodings + " The ETag is weak then. " + inVersions,
			parameters: append([]parameter{
				{name: "default", in: "query", description: "Chooses the published graph. Its value is ignored.", schema: anyText},
				{name: "graph", in: "query", description: "The IRI of a named graph.", schema: ref("IRI")},
			}, conditions()...),
			responses: []answer{
				{200, "The graph.", rdfContent(service.Formats)},
				notModified,
			},
			problems: []int{400, 404, 406, 412, 422, 503},
			refused:  "graphs are only read here; POST /ttl adds triples, and POST /ttl/delete_all removes the published graph",
		}},
	}
}

// queryRoutes returns the routes of queries. Those with a body have more problems than they list: see
// operation.problems.
func (a *API) queryRoutes() []route {
	limits := a.service.Config().Limits
	return []route{
		{http.MethodGet, "/query", auditors, limits.Body, a.getQuery, operation{
			id: "query", tag: "Queries", summary: "Run a SPARQL query",
			description: a.queryDescription() + " Without any parameter, a client that accepts RDF gets a description of the service: " +
				"its language with versions, formats and graphs (SPARQL 1.2 Service Description).",
			parameters: append([]parameter{{
				name: "query", in: "query", description: "The text of a SELECT, ASK, CONSTRUCT or DESCRIBE.",
				schema: ref("SPARQL"),
			}}, a.queryParameters()...),
			responses: queryAnswers(),
			problems:  []int{400, 406, 422, 503, 504},
		}},
		{http.MethodPost, "/query", auditors, limits.Body, a.postQuery, operation{
			id: "postQuery", tag: "Queries", summary: "Run a SPARQL query sent in the request body",
			description: a.queryDescription(),
			parameters:  a.queryParameters(),
			body:        []content{{mediaQuery, "SPARQL"}, {mediaForm, "QueryForm"}},
			responses:   queryAnswers(),
			problems:    []int{400, 406, 422, 504},
		}},
		{http.MethodGet, "/query/explain", auditors, limits.Body, a.getQueryExplain, operation{
			id: "explainQuery", tag: "Queries", summary: "Explain a query",
			description: explainDescription,
			parameters: append([]parameter{{
				name: "query", in: "query", required: true, description: "The text of a SELECT, ASK, CONSTRUCT or DESCRIBE.",
				schema: ref("SPARQL"),
			}}, a.explainParameters()...),
			responses: explainAnswers(),
			problems:  []int{400, 422, 503},
		}},
		{http.MethodPost, "/query/explain", auditors, limits.Body, a.postQueryExplain, operation{
			id: "postExplainQuery", tag: "Queries", summary: "Explain a query sent in the request body",
			description: explainDescription,
			parameters:  a.explainParameters(),
			body:        []content{{mediaQuery, "SPARQL"}, {mediaForm, "QueryForm"}},
			responses:   explainAnswers(),
			problems:    []int{400, 422},
		}},
		{http.MethodPost, "/query/validate", auditors, limits.Body, a.postQueryValidate, operation{
			id: "validateQuery", tag: "Queries", summary: "Check a query without running it",
			description: "Returns the kind of a query or, if it can't be run, the reason. " +
				"The status is 200 for an invalid query too. Works when the store is down.",
			body:      []content{{"application/json", "QueryText"}},
			responses: []answer{{200, "The result of the check.", []content{{"application/json", "QueryValidation"}}}},
			problems:  []int{422},
		}},
	}
}

func (a *API) journalRoutes() []route {
	limits := a.service.Config().Limits
	return []route{
		{http.MethodGet, "/logs", auditors, limits.Body, a.getJournal, operation{
			id: "logs", tag: "Journal", summary: "List who wrote what, and when",
			description: "The matching entries of the journal, newest first. If next is a number, send it as before to get the next page. " +
				"A page may be short or empty without being the last. " + inCodings,
			parameters: journalParameters(),
			responses:  []answer{{200, "A page of entries.", []content{{"application/json", "JournalPage"}}}},
			problems:   []int{406, 422, 503},
			links:      append(linksTo("/entries/0/log_id", "log_id", "log", "receipt", "signature"), link{"logs", "before", "/next"}),
		}},
		{http.MethodGet, "/logs/mine", loggers, limits.Body, a.getOwnLogs, operation{
			id: "ownLogs", tag: "Journal", summary: "List the logs that the token's user published",
			description: "Oldest first. If next is a number, send it as after to get the next page. A page may be short or empty without being the last. " + inCodings,
			parameters: []parameter{
				{name: "after", in: "query", description: "Only logs after the one with this log_id, or the next of a page.", schema: anyText},
				{name: "limit", in: "query", description: "Maximum number of logs.",
					schema: integer(1, maxEntries, defaultEntries)},
			},
			responses: []answer{{200, "A page of logs.", []content{{"application/json", "OwnLogs"}}}},
			problems:  []int{404, 406, 422, 503},
			links:     append(linksTo("/logs/0/log_id", "log_id", "log", "receipt", "signature", "withdrawLog"), link{"ownLogs", "after", "/next"}),
		}},
		{http.MethodPost, "/logs/withdraw", admin, limits.Body, a.postWithdraw, operation{
			id: "withdrawLogs", retry: byKey, tag: "Journal", summary: "Withdraw many logs",
			description: fmt.Sprintf("Withdraws the logs with some ids or those that match all other members, at most %d and the oldest first. If next is a number, send it as after to go on. "+
				"A query is then asked again, of what is left: if it needs what the logs say, list all with preview, and send their ids. "+
				"With preview, nothing is changed. A log that can't be withdrawn is in the answer with the reason. Each has an entry of its own.", service.MaxWithdrawn),
			body:      []content{{"application/json", "WithdrawChoice"}},
			responses: []answer{{200, "What was withdrawn, or would be.", []content{{"application/json", "Withdrawal"}}}},
			problems:  []int{400, 422, 503, 504, 507},
			links:     []link{{"log", "log_id", "/logs/0/log_id"}},

			destructive: true,
		}},
	}
}

// logRoutes returns the routes about one log.
func (a *API) logRoutes() []route {
	limits := a.service.Config().Limits
	return []route{
		{http.MethodGet, "/logs/{log_id}", auditors, limits.Body, a.getLog, operation{
			id: "log", tag: "Journal", summary: "Show one log and its contribution",
			description: "As JSON with its first triples, both new and already known, or as RDF with all that went to the published graph. " + inCodings + " " + inVersions,
			parameters: []parameter{
				logID,
				{name: "limit", in: "query", description: "Maximum number of triples, in JSON.",
					schema: integer(0, maxTriples, defaultTriples)},
			},
			responses: []answer{{200, "The log.", append([]content{{"application/json", "JournalLog"}}, rdfContent(service.PublishedFormats())...)}},
			problems:  []int{404, 406, 422, 503},
		}},
		{http.MethodDelete, "/logs/{log_id}", admin, limits.Body, a.deleteLog, operation{
			id: "withdrawLog", retry: byKey, tag: "Journal", summary: "Withdraw a log",
			description: "Removes what only this log contributed, from all graphs, and the shared contexts that it contributed. What other logs contributed too stays. The journal keeps who sent the log and when, " +
				"and gets an entry for the withdrawal. A log that was partly deleted since can't be withdrawn.",
			parameters:   []parameter{logID},
			body:         []content{{"application/json", "NoMembers"}},
			optionalBody: true,
			responses:    []answer{{200, "The log is withdrawn.", []content{{"application/json", "Withdrawn"}}}},
			problems:     []int{404, 409, 503, 507},
			links:        linksTo("/log_id", "log_id", "log", "receipt"),

			destructive: true,
		}},
	}
}

// logID is the parameter of routes about one log.
var logID = parameter{name: "log_id", in: "path", description: "The log_id returned by POST /ttl, or that of an entry of the journal.", schema: anyText}

// linksTo returns links to operations that take a member of the answer as a parameter.
func linksTo(pointer, parameter string, operations ...string) (list []link) {
	for _, id := range operations {
		list = append(list, link{id, parameter, pointer})
	}
	return list
}

// notModified answers a request with the ETag of the answer.
var notModified = answer{304, "The client's copy is current.", nil}

// conditions returns the preconditions of a graph or a file.
func conditions() []parameter {
	return []parameter{
		{name: "If-Match", in: "header", description: "The ETag that the answer must have. If it has another one, the status is 412. The weak ETag of a compressed answer matches only *.", schema: anyText},
		{name: "If-None-Match", in: "header", description: "The ETag of the client's copy.", schema: anyText},
	}
}

// rdfSchemas are the schemas of formats of RDF, by media type.
var rdfSchemas = map[string]string{
	service.MediaTurtle: "TurtleText", service.MediaNTriples: "NTriplesText", service.MediaRDFXML: "RDFXMLText",
	service.MediaJSONLD: "JSONLD", service.MediaTriG: "TriGText", service.MediaNQuads: "NQuadsText",
}

func rdfContent(formats []service.RDF) (list []content) {
	for _, f := range formats {
		list = append(list, content{f.Media, rdfSchemas[f.Media]})
	}
	return list
}

// publication returns the bodies of a log.
func publication() []content {
	list := append([]content{{"application/json", "Publication"}}, rdfContent(service.PublishedFormats())...)
	for i := range list {
		if list[i].schema == "JSONLD" {
			list[i].schema = "JSONLDLog"
		}
	}
	return list
}

// inCodings says how answers are compressed.
const inCodings = "The answer is compressed with gzip or zstd if Accept-Encoding allows it."

// inVersions says how texts of RDF 1.2 are labelled.
const inVersions = "If the answer uses features of RDF 1.2, the Content-Type of Turtle, TriG, N-Triples and N-Quads says version=1.2. " +
	"If Accept asks for version=1.1, such an answer is refused with 406; if it asks for version=1.2-basic, one with triple terms is."

// onlyUser describes which parameters a document and its media type may have.
const onlyUser = "With version=1.1 in the Content-Type, features of RDF 1.2 are refused, and with version=1.2-basic, triple terms. " +
	"With a body in RDF, any query parameter but user causes a 422; with a JSON body, any query parameter does."

// queryDescription describes GET and POST /query.
func (a *API) queryDescription() string {
	byDefault := "By default SELECT and ASK are answered in JSON, CONSTRUCT and DESCRIBE in Turtle. "
	if a.service.Config().SEGB {
		byDefault = "By default every query is answered in Turtle: SELECT and ASK as resources of the class Result of " +
			results.ResultNamespace + ". "
	}
	return "SPARQL 1.2 queries over one consistent state of the graph. Updates and SERVICE are refused. " +
		"The parameter format chooses the form of the answer; without it, Accept does. " + byDefault +
		"The number of rows is unlimited. If the chunked body ends early, the answer is incomplete. Unknown parameters are " +
		"ignored, but using-graph-uri and using-named-graph-uri, which choose the graphs of an update, cause a 422. " + inCodings + " " + inVersions
}

const explainDescription = "Runs a query under the limits of /query, discards its answer, and returns the plan: a tree of " +
	"operators with estimated rows, actual rows and time. If the query finds nothing, the plan shows how many matches each " +
	"pattern has by itself, and lists terms that the graph does not contain. If a limit is reached, the plan shows the progress until then."

// explainParameters returns queryParameters without the format.
func (a *API) explainParameters() []parameter {
	return slices.DeleteFunc(a.queryParameters(), func(p parameter) bool { return p.name == "format" })
}

func explainAnswers() []answer {
	return []answer{{200, "The plan and its measurements.", []content{{"application/json", "Explanation"}}}}
}

// queryParameters returns the parameters that GET and POST /query share.
func (a *API) queryParameters() []parameter {
	graphs := map[string]any{"type": "array", "items": ref("IRI")}
	forms := "SELECT has json, xml, csv, tsv and ttl; ASK has all of these but ttl"
	if a.service.Config().SEGB {
		forms = "SELECT and ASK have json, xml, csv, tsv and ttl"
	}
	return []parameter{
		{name: "default-graph-uri", in: "query", schema: graphs,
			description: "Stored graphs that together form the default graph, in place of the query's FROM. Absolute IRIs."},
		{name: "named-graph-uri", in: "query", schema: graphs,
			description: "Stored graphs available to GRAPH, in place of the query's FROM NAMED. Absolute IRIs."},
		{name: "version", in: "query", schema: ref("SPARQLVersion"),
			description: "The version of SPARQL that the query is written in. It is a hint; queries may use all of SPARQL 1.2."},
		{name: "format", in: "query", schema: ref("QueryFormat"),
			description: forms + "; CONSTRUCT and DESCRIBE have ttl, nt, rdfxml, trig, nq and json, which is JSON-LD. A media type is accepted too."},
	}
}

func queryAnswers() []answer {
	return []answer{{200, "The answer: rows or a boolean, or a graph for CONSTRUCT and DESCRIBE.", append([]content{
		{"application/sparql-results+json", "SPARQLResults"}, {"application/json", "Any"},
		{"application/sparql-results+xml", "Text"}, {"application/xml", "Text"}, {"text/xml", "Text"},
		{"text/csv", "Text"}, {"text/tab-separated-values", "Text"},
	}, rdfContent(service.Formats)...)}}
}

// journalParameters returns the filters of GET /logs.
func journalParameters() []parameter {
	parseTime := map[string]any{"type": "string", "format": "date-time"}
	return []parameter{
		{name: "limit", in: "query", description: "Maximum number of entries.",
			schema: integer(1, maxEntries, defaultEntries)},
		{name: "before", in: "query", description: "Only entries with a lower number.", schema: map[string]any{"type": "integer", "minimum": 1, "maximum": uint64(maxSeq)}},
		{name: "actor", in: "query", description: "Only entries written by this user, according to the token.", schema: anyText},
		{name: "user", in: "query", description: "Only entries sent in the name of this user.", schema: anyText},
		{name: "action", in: "query", description: "Only entries of this kind, such as insert, clear or restore. Entries of the kind resolve are listed only with action=resolve.",
			schema: map[string]any{"enum": append([]string{""}, journal.Actions()...)}},
		{name: "since", in: "query", description: "Only entries from this time on.", schema: parseTime},
		{name: "until", in: "query", description: "Only entries before this time.", schema: parseTime},
		{name: "triple", in: "query", description: "Only logs that contributed this triple, in N-Triples or N-Quads, with blank nodes labelled as in exports.", schema: ref("Triple")},
	}
}

// claimedUser returns the parameter that replaces the member "user" if the body is
// Turtle.
func claimedUser() parameter {
	return parameter{
		name: "user", in: "query", description: "With a body of Turtle or N-Triples: the robot or operator that sends it.",
		schema: ref("Name"),
	}
}
