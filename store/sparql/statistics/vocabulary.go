package statistics

import (
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql/algebra"
	"github.com/segraph/segraph/store/sparql/source"
)

// Predicates returns up to limit predicates of a graph, in any order.
func (c *Counts) Predicates(graph algebra.Node, limit int) ([]rdf.Term, error) {
	return c.distinctAt(graph, source.Tuple{}, 0, limit)
}

// Objects returns up to limit objects of a predicate, in any order.
func (c *Counts) Objects(graph algebra.Node, predicate rdf.Term, limit int) ([]rdf.Term, error) {
	id, err := c.id(predicate)
	if err != nil || id == source.Unknown {
		return nil, err
	}
	return c.distinctAt(graph, source.Tuple{uint64(id)}, 1, limit)
}

// distinctAt returns the distinct terms at position at of the tuples of the index POS
// that begin with key.
func (c *Counts) distinctAt(graph algebra.Node, key source.Tuple, at, limit int) (out []rdf.Term, err error) {
	graphs, _, err := c.sample(graph) // a few, if graph is a variable
	if err != nil {
		return nil, err
	}
	seen := map[uint64]bool{}
	for _, g := range graphs {
		scan := c.ds.Scan(g, source.POS)
		lo, hi := source.Prefix(key, at)
		scan.Seek(lo, hi)
		for tuples := scan.Next(); tuples != nil && len(out) < limit; tuples = scan.Next() {
			if id := tuples[0][at]; !seen[id] {
				seen[id] = true
				term, err := c.ds.Term(source.ID(id))
				if err != nil {
					return nil, err
				}
				out = append(out, term)
			}
			if lo[at] = tuples[0][at] + 1; lo[at] == 0 {
				break // no id is greater
			}
			scan.Seek(lo, hi)
		}
		if err := scan.Err(); err != nil {
			return nil, err
		}
	}
	return out, nil
}
