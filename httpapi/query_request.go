package httpapi

import (
	"net/http"
	"net/url"
	"slices"

	"github.com/segraph/segraph/service"
)

// Media types in which queries are sent.
const (
	mediaForm  = "application/x-www-form-urlencoded"
	mediaQuery = "application/sparql-query"
)

// queryRequest is what a client asks.
type queryRequest struct {
	service.Query
	formats  []string // the parameter, which some clients send with several names of one form; none leaves it to Accept
	toPeople bool     // the answer is a file for a person, who may open CSV in a spreadsheet
}

// readQueryParameters reads a query that is a parameter of the address.
func readQueryParameters(r *http.Request) (queryRequest, error) {
	given, err := parameters(r)
	if err != nil {
		return queryRequest{}, err
	}
	return queryOf(r, given)
}

// readQueryBody reads a query that is the body, or a parameter in it. The other parameters may
// stand in the address as well (SPARQL 1.1 Protocol, sections 2.1.2 and 2.1.3).
func (a *API) readQueryBody(r *http.Request) (queryRequest, error) {
	kind, err := contentType(r)
	if err != nil {
		return queryRequest{}, err
	}
	if kind != mediaForm && kind != mediaQuery {
		return queryRequest{}, newProblem(http.StatusUnsupportedMediaType,
			"a query is taken with Content-Type: %s or %s", mediaQuery, mediaForm)
	}
	given, err := parameters(r)
	if err != nil {
		return queryRequest{}, err
	}
	body, err := a.readBody(r)
	if err != nil {
		return queryRequest{}, err
	}
	if kind == mediaQuery {
		given.Add("query", string(body))
		return queryOf(r, given)
	}
	inBody, err := url.ParseQuery(string(body))
	if err != nil {
		return queryRequest{}, newProblem(http.StatusBadRequest, "the form in the body can't be read: %v", err)
	}
	for name, values := range inBody {
		given[name] = append(given[name], values...)
	}
	return queryOf(r, given)
}

// queryOf takes the parameters of the protocol, and our own format, out of all that are given. It ignores
// those that it does not know, because generic clients send some, but not those that choose a graph.
func queryOf(r *http.Request, given url.Values) (queryRequest, error) {
	switch n := len(given["query"]); {
	case given.Has("update"):
		return queryRequest{}, newProblem(http.StatusBadRequest, "the parameter update asks for an update, and only reading is allowed; use the parameter query")
	case n == 0:
		return queryRequest{}, wrong(fault{[]string{"query", "query"}, `The parameter "query" is missing; it holds the text of a SPARQL query.`})
	case n > 1:
		return queryRequest{}, newProblem(http.StatusBadRequest, "there are %d queries in the request; send them one by one", n)
	}
	if err := refuse(given, among(updateGraphs), "it chooses the graphs of an update; a query has default-graph-uri and named-graph-uri"); err != nil {
		return queryRequest{}, err
	}
	return queryRequest{
		Query: service.Query{
			Text: given.Get("query"), Base: BaseIRI(r), DefaultGraphs: given["default-graph-uri"], NamedGraphs: given["named-graph-uri"],
		},
		formats: slices.DeleteFunc(given["format"], func(s string) bool { return s == "" }),
	}, nil
}

// BaseIRI is what relative IRIs of a query are resolved against where it has no BASE: the address
// at which queries are asked (RFC 3986, section 5.1.3). The server has refused a Host that could
// not stand in an IRI.
func BaseIRI(r *http.Request) string { return "http://" + r.Host + "/query" }
