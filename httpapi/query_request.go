package httpapi

import (
	"net/http"
	"net/url"
	"slices"

	"github.com/segraph/segraph/front"
	"github.com/segraph/segraph/service"
	"github.com/segraph/segraph/store/rdf"
)

// Media types of queries.
const (
	mediaForm   = front.MediaForm
	mediaQuery  = "application/sparql-query"
	mediaUpdate = "application/sparql-update"
)

func refuseUpdate() *front.Problem {
	return front.NewProblem(http.StatusBadRequest, "this service runs no SPARQL Update: POST /ttl adds triples, "+
		"`segraph withdraw` takes back a log, and POST /ttl/delete_all removes the graph; send queries as %s or in the parameter query", mediaQuery)
}

func readQueryParameters(r *http.Request) (front.QueryRequest, error) {
	values, err := front.Parameters(r)
	if err != nil {
		return front.QueryRequest{}, err
	}
	return queryOf(r, values)
}

// readQueryBody reads a query that is the body, or a form field in it. Other parameters
// may be in the query string as well (SPARQL 1.1 Protocol, sections 2.1.2 and 2.1.3).
func (a *API) readQueryBody(r *http.Request) (front.QueryRequest, error) {
	kind, err := front.ContentType(r)
	if err != nil {
		return front.QueryRequest{}, err
	}
	if kind == mediaUpdate {
		return front.QueryRequest{}, refuseUpdate()
	}
	if kind != mediaForm && kind != mediaQuery {
		return front.QueryRequest{}, front.NewProblem(http.StatusUnsupportedMediaType,
			"a query must have the Content-Type %s or %s", mediaQuery, mediaForm)
	}
	if kind == mediaQuery {
		if _, err := front.ContentVersion(r); err != nil {
			return front.QueryRequest{}, err
		}
	}
	values, err := front.Parameters(r)
	if err != nil {
		return front.QueryRequest{}, err
	}
	body, err := a.front.ReadBody(r)
	if err != nil {
		return front.QueryRequest{}, err
	}
	if kind == mediaQuery {
		values.Add("query", string(body))
		return queryOf(r, values)
	}
	inBody, err := url.ParseQuery(string(body))
	if err != nil {
		return front.QueryRequest{}, front.NewProblem(http.StatusBadRequest, "the form in the body can't be parsed: %v", err)
	}
	for name, more := range inBody {
		values[name] = append(values[name], more...)
	}
	return queryOf(r, values)
}

// queryOf reads the parameters of the protocol, and our own parameter format. It ignores
// unknown parameters, because generic clients send some, but refuses those that choose a
// graph. A version (SPARQL 1.2 Protocol, section 2) is a hint, as VERSION is in the text.
func queryOf(r *http.Request, values url.Values) (front.QueryRequest, error) {
	switch n := len(values["query"]); {
	case values.Has("update"):
		return front.QueryRequest{}, refuseUpdate()
	case n == 0:
		return front.QueryRequest{}, front.Invalid(front.BadParameter("query", `the parameter "query" is missing; it holds the text of a SPARQL query`))
	case n > 1:
		return front.QueryRequest{}, front.NewProblem(http.StatusBadRequest, "the request has %d queries; send one query per request", n)
	}
	if err := front.Refuse(values, front.Among(updateGraphs), "it chooses the graphs of an update; for a query use default-graph-uri and named-graph-uri"); err != nil {
		return front.QueryRequest{}, err
	}
	for _, version := range values["version"] {
		if _, known := rdf.VersionOf(version); !known {
			return front.QueryRequest{}, front.Invalid(front.BadParameter("version", "SPARQL has no version %.100q; known are 1.1, 1.2-basic and 1.2", version))
		}
	}
	if faults := append(checkGraphs(values, "default-graph-uri"), checkGraphs(values, "named-graph-uri")...); faults != nil {
		return front.QueryRequest{}, front.Invalid(faults...)
	}
	return front.QueryRequest{
		Query: service.Query{
			Text: values.Get("query"), Base: front.BaseIRI(r), DefaultGraphs: values["default-graph-uri"], NamedGraphs: values["named-graph-uri"],
		},
		Formats: slices.DeleteFunc(values["format"], func(s string) bool { return s == "" }),
	}, nil
}
