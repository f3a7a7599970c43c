package sparql

import (
	"fmt"
	"slices"
)

// Unstored returns a warning for each graph of the query's dataset that is neither in ds
// nor in known. Such a graph is empty: nothing is fetched, as SPARQL 1.1, section 13.2,
// would allow. Warnings about a FROM or FROM NAMED clause have its position. There are at
// most maxWarnings.
func (q *Query) Unstored(ds Dataset, known ...string) ([]Warning, error) {
	if len(q.algebra.From)+len(q.algebra.FromNamed) == 0 {
		return nil, nil
	}
	stored := ds.Graphs()
	var out []Warning
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
		id, err := ds.ID(graph)
		if err != nil {
			return nil, fmt.Errorf("looking for %s: %w", graph, err)
		}
		if slices.Contains(stored, id) || slices.Contains(known, name) {
			continue
		}
		w := places[name]
		w.Name, w.Message = name, fmt.Sprintf("there is no graph <%s>, so it is empty; nothing is fetched.", name)
		out = append(out, w)
	}
	return out, nil
}
