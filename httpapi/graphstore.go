package httpapi

import (
	"net/http"
	"slices"

	"github.com/segraph/segraph/front"
	"github.com/segraph/segraph/service"
	"github.com/segraph/segraph/store/rdf"
)

// otherGraphParameters choose a graph in other protocols, but not in the Graph Store
// Protocol.
var otherGraphParameters = slices.DeleteFunc(slices.Clone(graphParameters), func(name string) bool { return name == "graph" || name == "default" })

// getGraph sends the graph that the parameter "default" or "graph" chooses (SPARQL 1.1
// Graph Store HTTP Protocol, sections 4 and 5.2).
func (a *API) getGraph(w http.ResponseWriter, r *http.Request) error {
	values, err := front.Parameters(r)
	if err != nil {
		return err
	}
	if err := front.Refuse(values, front.Among(otherGraphParameters), `"default" or "graph" chooses the graph`); err != nil {
		return err
	}
	graphs := values["graph"]
	if len(graphs) > 1 || values.Has("default") == (len(graphs) == 1) {
		return front.NewProblem(http.StatusBadRequest,
			"choose one graph: /rdf-graph-store?default is the published graph, and /rdf-graph-store?graph=IRI is a named one")
	}
	var name rdf.Term
	if len(graphs) == 1 {
		if faults := checkGraphs(values, "graph"); faults != nil {
			p := front.NewProblem(http.StatusBadRequest, "%s", faults[0].Msg)
			p.Errors = faults
			return p
		}
		name = rdf.NewIRI(graphs[0])
	}
	f, err := front.ChooseFormat(w, r, service.Formats)
	if err != nil {
		return err
	}
	return a.front.Export(w, r, name, f.Format)
}
