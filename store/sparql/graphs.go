package sparql

import (
	"fmt"
	"slices"

	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql/eval"
)

// GraphError says that a query asks for a graph by FROM or FROM NAMED that is not stored. The standard
// lets a service choose what it does then (SPARQL 1.1, section 13.2): Run takes the graph for an
// empty one, and a store may refuse it by this.
type GraphError struct{ Graph string }

func (e *GraphError) Error() string {
	return fmt.Sprintf("FROM <%s> asks for a graph that is not stored, and nothing is fetched", e.Graph)
}

// FindUnstored gives a *GraphError for the first graph of FROM or FROM NAMED in the query's text that ds
// does not have and that is none of known, nil for none; or an error of ds. What Options.DefaultGraphs and NamedGraphs name may
// always be empty, since the suite of SPARQL 1.1 Protocol asks over a graph that no service has.
func (q *Query) FindUnstored(ds eval.Dataset, known ...string) error {
	if q.fromOptions || len(q.algebra.From)+len(q.algebra.FromNamed) == 0 {
		return nil
	}
	stored := ds.Graphs()
	for _, list := range [][]rdf.Term{q.algebra.From, q.algebra.FromNamed} {
		for _, graph := range list {
			if slices.Contains(known, graph.Value()) {
				continue
			}
			ids, err := ds.IDs(graph)
			if err != nil {
				return fmt.Errorf("looking for a graph: %w", err)
			}
			if !slices.ContainsFunc(ids, func(id eval.ID) bool { return slices.Contains(stored, id) }) {
				return &GraphError{graph.Value()}
			}
		}
	}
	return nil
}
