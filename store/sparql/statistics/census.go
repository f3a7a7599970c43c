package statistics

import (
	"sync"

	"github.com/segraph/segraph/store/sparql/source"
)

// Census remembers statistics about a store's triples from one query to the next, for
// the planner. A Reader that has one returns it from a method Census() *Census. A
// Census is safe for concurrent use. The zero Census is empty and ready to use.
//
// Its numbers are estimates. Those of a predicate hold as long as the number of its
// triples is about the same. A Census has a few thousand entries at most.
type Census struct {
	mu sync.Mutex
	of map[censusKey]survey
}

// censusKey is a predicate in a graph or, if object is set, its triples with that object.
type censusKey struct{ graph, predicate, object source.ID }

// survey holds the statistics of one key.
type survey struct {
	predicate int64 // triples of the predicate at that time
	triples   int64 // with the object
	// Of a predicate: the triples per subject and per object, and the number of objects
	// if it is small, otherwise 0.
	perSubject, perObject, objects float64
}

const (
	// maxCensus limits the entries.
	maxCensus = 4096
	// censusWorth is the number of triples from which an object gets an entry. Fewer
	// are quick to count.
	censusWorth = 4096
	// censusDrift is the fraction by which the number of a predicate's triples may change
	// before its entries expire.
	censusDrift = 1.0 / 8
)

// get returns the entry of k if it is still valid. predicate is the current number of the
// predicate's triples. A nil Census has no entries.
func (c *Census) get(k censusKey, predicate int64) (s survey, valid bool) {
	if c == nil {
		return survey{}, false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	s, ok := c.of[k]
	drift := float64(predicate - s.predicate)
	return s, ok && max(drift, -drift) <= censusDrift*float64(s.predicate)
}

// put keeps a survey. Once there are maxCensus, it forgets all others. A nil Census keeps nothing.
func (c *Census) put(k censusKey, s survey) {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.of == nil || len(c.of) >= maxCensus {
		c.of = map[censusKey]survey{}
	}
	c.of[k] = s
}

// censusOf returns the census of a dataset, or nil if it has none.
func censusOf(ds source.Reader) *Census {
	if x, ok := ds.(interface{ Census() *Census }); ok {
		return x.Census()
	}
	return nil
}
