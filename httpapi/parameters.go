package httpapi

import (
	"net/url"
	"slices"

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

// checkGraphs returns a fault for each value of a parameter that names no graph, up to 20.
// They must be absolute: neither the SPARQL 1.1 Protocol nor its Graph Store Protocol
// (section 4.2) has a base for them, and BASE is for IRIs in a query's text. An IRI is
// whatever FROM can name, so that a graph named <http://e/100%> can be read.
func checkGraphs(values url.Values, name string) []front.Fault {
	var faults []front.Fault
	for _, iri := range values[name] {
		if err := turtle.CheckIRI(iri); err != nil && len(faults) < 20 {
			faults = append(faults, front.BadParameter(name, "the parameter %q names no graph: %v", name, err))
		}
	}
	return faults
}

// publicationUser returns the parameter "user" of a document. It refuses every other
// parameter, such as graph, because a client that sends one expects an effect that it
// does not have.
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
