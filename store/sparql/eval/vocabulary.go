package eval

import (
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql/algebra"
)

// Predicates gives the predicates of a graph in no certain order, up to a number of them.
func (c *Counts) Predicates(graph algebra.Node, limit int) ([]rdf.Term, error) {
	return c.leaps(graph, [3]uint64{}, 0, limit)
}

// Objects gives the objects of a predicate likewise.
func (c *Counts) Objects(graph algebra.Node, predicate rdf.Term, limit int) ([]rdf.Term, error) {
	id, err := c.id(predicate)
	if err != nil || id == unknown {
		return nil, err
	}
	return c.leaps(graph, [3]uint64{uint64(id)}, 1, limit)
}

// leaps gives the terms at a place of the index POS behind a key, each with one look-up.
func (c *Counts) leaps(graph algebra.Node, key [3]uint64, at, limit int) (out []rdf.Term, err error) {
	graphs, _, err := c.sample(graph)
	if err != nil {
		return nil, err
	}
	seen := map[uint64]bool{}
	for _, g := range graphs {
		scan := c.ds.Scan(g, POS)
		lo, hi := prefixRange(key, at)
		for len(out) < limit {
			scan.Seek(lo, hi)
			tuples := scan.Next()
			if tuples == nil {
				break
			}
			id := tuples[0][at]
			if !seen[id] {
				seen[id] = true
				term, err := c.ds.Term(ID(id))
				if err != nil {
					return nil, err
				}
				out = append(out, term)
			}
			if lo[at] = id + 1; lo[at] == 0 {
				break
			}
		}
		if err := scan.Err(); err != nil {
			return nil, err
		}
	}
	return out, nil
}
