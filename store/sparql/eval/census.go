package eval

import "sync"

// Census keeps what was found out about a store's triples, so that planning the next
// query need not find it out again. A Dataset that has a method Census, which gives the
// store's own, is asked for it. Any number of goroutines may use one at once. The zero
// Census is empty and ready.
//
// What it says is as good as an estimate: it holds for as long as the number of triples
// with the predicate is about what it was. It has a few thousand entries at most.
type Census struct {
	mu sync.Mutex
	of map[censusKey]survey
}

// censusKey is a predicate in a graph, or some of its triples: those with one object.
type censusKey struct{ graph, predicate, object ID }

// survey is what was found out.
type survey struct {
	predicate int64 // triples that the predicate had then
	triples   int64 // of an object
	// Of a predicate: how many triples a subject and an object have, and the number of
	// objects, if it is a small one, else 0.
	perSubject, perObject, objects float64
}

const (
	// maxCensus bounds the entries.
	maxCensus = 4096
	// censusWorth is how many triples of an object are worth an entry; fewer are soon
	// counted.
	censusWorth = 4096
	// censusDrift is the part of its triples by which a predicate may grow or shrink
	// meanwhile.
	censusDrift = 1.0 / 8
)

// get returns what is known of k, now that the predicate has so many triples. A nil
// Census knows nothing.
func (c *Census) get(k censusKey, predicate int64) (survey, bool) {
	if c == nil {
		return survey{}, false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	s, ok := c.of[k]
	drift := float64(predicate - s.predicate)
	return s, ok && max(drift, -drift) <= censusDrift*float64(s.predicate)
}

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

// censusOf returns the census of a dataset, nil if it has none.
func censusOf(ds Dataset) *Census {
	if x, ok := ds.(interface{ Census() *Census }); ok {
		return x.Census()
	}
	return nil
}
