package httpapi

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/segraph/segraph/auth"
	"github.com/segraph/segraph/front"
	"github.com/segraph/segraph/store/turtle"
)

// graphParameters choose a graph in the SPARQL 1.1 Protocol, in its Graph Store Protocol,
// or in the interfaces of other stores.
var graphParameters = []string{
	"graph", "default", "context", "graph-uri", "default-graph-uri", "named-graph-uri", "using-graph-uri", "using-named-graph-uri",
}

// updateGraphs choose the graphs of an update (SPARQL 1.1 Protocol, section 2.2.3).
var updateGraphs = []string{"using-graph-uri", "using-named-graph-uri"}

// checkGraphs returns a fault for each value of a parameter, up to 20, that is no absolute IRI as FROM can name,
// such as <http://e/100%>. Neither the SPARQL 1.1 Protocol nor its Graph Store Protocol (section 4.2) has a base,
// and BASE is for IRIs in a query's text.
func checkGraphs(values url.Values, name string) []front.Fault {
	var faults []front.Fault
	for _, iri := range values[name] {
		if err := turtle.CheckIRI(iri); err != nil && len(faults) < 20 {
			faults = append(faults, front.BadParameter(name, "the parameter %q names no graph: %v", name, err))
		}
	}
	return faults
}

// publicationUser returns the parameter "user" of a document. inJSON says that the body is JSON, which has user as a
// member; then no parameter is allowed. It refuses every other parameter, such as graph, because a client that sends
// one expects an effect that it does not have.
func publicationUser(values url.Values, inJSON bool) (string, error) {
	known, why := []string{"user"}, `this path accepts only the parameter "user"; documents go to the published graph`
	if inJSON {
		known, why = nil, `with a JSON body this path accepts no parameters; "user" is a member of the body, and documents go to the published graph`
	}
	if err := front.Refuse(values, func(name string) bool { return !slices.Contains(known, name) }, why); err != nil {
		return "", err
	}
	if len(values["user"]) > 1 {
		return "", front.Invalid(front.BadParameter("user", `the parameter "user" is repeated`))
	}
	user := values.Get("user")
	if err := auth.CheckName(user); err != nil {
		return "", front.Invalid(front.BadParameter("user", "the user is %v", err))
	}
	return user, nil
}

// queryReader parses the parameters of a query string and collects their faults.
type queryReader struct {
	url.Values
	faults []front.Fault
	failed error // why the query string can't be parsed
}

func readQuery(r *http.Request) *queryReader {
	values, err := front.Parameters(r)
	return &queryReader{Values: values, failed: err}
}

// err returns why the query string can't be parsed, the problem of its faults, or nil.
func (q *queryReader) err() error {
	if q.failed != nil || len(q.faults) == 0 {
		return q.failed
	}
	return front.Invalid(q.faults...)
}

func (q *queryReader) fault(name, format string, args ...any) {
	q.faults = append(q.faults, front.BadParameter(name, format, args...))
}

// number returns a number from least to most, or missing if there is none.
func (q *queryReader) number(name string, missing, least, most uint64) uint64 {
	if !q.Has(name) {
		return missing
	}
	n, err := strconv.ParseUint(q.Get(name), 10, 63)
	if err != nil || n < least || n > most {
		q.fault(name, "the parameter %q must be an integer from %d to %d", name, least, most)
		return missing
	}
	return n
}

// atLeast returns an integer of at least least, or missing if there is none.
func (q *queryReader) atLeast(name string, missing, least int) int {
	if !q.Has(name) {
		return missing
	}
	n, err := strconv.Atoi(q.Get(name))
	if err != nil || n < least {
		q.fault(name, "the %s must be an integer of at least %d", name, least)
		return missing
	}
	return n
}

// time returns a time, or the zero Time if there is none.
func (q *queryReader) time(name string) time.Time {
	if !q.Has(name) {
		return time.Time{}
	}
	given := strings.Replace(q.Get(name), " ", "+", 1) // an address turns + into a space
	t, err := time.Parse(time.RFC3339Nano, given)
	if err != nil {
		q.fault(name, "the parameter %q must be a time such as 2026-01-31T12:00:00Z", name)
	}
	return t
}
