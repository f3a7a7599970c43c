package sparql

import (
	"fmt"
	"slices"

	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql/eval"
)

// Unstored returns a warning for each graph of the query's dataset that ds does not have and that is none of known. Such a
// graph is empty (SPARQL 1.1, section 13.2, leaves to a service what it does then), and nothing is ever fetched.
func (q *Query) Unstored(ds eval.Dataset, known ...string) (out []Warning, err error) {
	if len(q.algebra.From)+len(q.algebra.FromNamed) == 0 {
		return nil, nil
	}
	stored := map[eval.ID]bool{}
	for _, id := range ds.Graphs() {
		stored[id] = true
	}
	places := map[string]Warning{}
	if !q.fromOptions {
		for _, graph := range slices.Concat(q.syntax.From, q.syntax.FromNamed) {
			places[graph.Value()] = Warning{Line: graph.Line, Column: graph.Column}
		}
	}
	for _, graph := range slices.Concat(q.algebra.From, q.algebra.FromNamed) {
		name := graph.Value()
		if len(out) == maxWarnings {
			break
		}
		if slices.Contains(known, name) {
			continue
		}
		is, err := isStored(ds, stored, graph)
		if err != nil {
			return nil, err
		}
		if !is {
			w := places[name]
			w.Name, w.Message = name, fmt.Sprintf("there is no graph <%s>, so it is empty; nothing is fetched.", name)
			out = append(out, w)
		}
	}
	return out, nil
}

func isStored(ds eval.Dataset, stored map[eval.ID]bool, graph rdf.Term) (bool, error) {
	ids, err := ds.IDs(graph)
	if err != nil {
		return false, fmt.Errorf("looking for a graph: %w", err)
	}
	return slices.ContainsFunc(ids, func(id eval.ID) bool { return stored[id] }), nil
}
