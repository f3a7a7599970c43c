package httpapi

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"

	"github.com/segraph/segraph/internal/auth"
	"github.com/segraph/segraph/service"
)

// graphParameters choose a graph in the SPARQL 1.1 Protocol, in its Graph Store Protocol, or in
// the interfaces of other stores.
var graphParameters = []string{
	"graph", "default", "context", "graph-uri", "default-graph-uri", "named-graph-uri", "using-graph-uri", "using-named-graph-uri",
}

// updateGraphs choose the graphs of an update (SPARQL 1.1 Protocol, section 2.2.3).
var updateGraphs = []string{"using-graph-uri", "using-named-graph-uri"}

// maxFaults is how many parameters one answer names.
const maxFaults = 20

// parameters reads a request's query.
func parameters(r *http.Request) (url.Values, error) {
	query, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return nil, newProblem(http.StatusUnprocessableEntity, "the query of the address can't be read: %v", err)
	}
	return query, nil
}

// refuse returns a problem that names the given parameters for which refused holds, or nil. why says what
// the route does, and what the client can do.
func refuse(given url.Values, refused func(name string) bool, why string) error {
	var names []string
	for name := range given {
		if refused(name) {
			names = append(names, name)
		}
	}
	if names == nil {
		return nil
	}
	slices.Sort(names)
	var faults []fault
	for _, name := range names[:min(len(names), maxFaults)] {
		faults = append(faults, fault{[]string{"query", name}, service.Sentence(fmt.Sprintf("the parameter %.100q is not accepted: %s", name, why))})
	}
	return wrong(faults...)
}

// among reports whether a name is one of a list, as refuse asks.
func among(list []string) func(string) bool {
	return func(name string) bool { return slices.Contains(list, name) }
}

// publicationUser returns the parameter "user" of a document, the only parameter there is. A client that sends
// another one, such as graph, expects something that would not happen.
func publicationUser(given url.Values, inJSON bool) (string, error) {
	known, why := []string{"user"}, `this path takes only the parameter "user", and documents go to the published graph`
	if inJSON {
		known, why = nil, `with a JSON body this path takes no parameters; "user" is a member of the body, and documents go to the published graph`
	}
	if err := refuse(given, func(name string) bool { return !slices.Contains(known, name) }, why); err != nil {
		return "", err
	}
	if len(given["user"]) > 1 {
		return "", wrong(fault{[]string{"query", "user"}, `The parameter "user" is there more than once.`})
	}
	user := given.Get("user")
	if err := auth.CheckName(user); err != nil {
		return "", wrong(fault{[]string{"query", "user"}, service.Sentence(fmt.Sprintf("the user is %v", err))})
	}
	return user, nil
}
