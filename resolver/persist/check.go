package persist

import (
	"errors"
	"fmt"
	"hash/maphash"

	"github.com/segraph/segraph/resolver"
	"github.com/segraph/segraph/resolver/mirror"
	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/engine"
	"github.com/segraph/segraph/store/rdf"
)

// check verifies the checksums of the resolver's records, and that the graph of contexts,
// and the merges in the published graph, agree with them. It compares counts and
// order-independent sums of quads. Evidence nodes are compared individually, since those
// without a case remain.
func check(c *engine.Checker) error {
	err := compare(c)
	if errors.Is(err, resolver.ErrEncoding) { // the checksum is right
		return &engine.UncheckedError{Err: err}
	}
	return err
}

// compare verifies that the graph of contexts is what the records say, by sums that do not depend
// on the order, and that the published graph has the merges.
func compare(c *engine.Checker) error {
	version := records{c.Records()}
	// Scan verifies the checksums of all records. Quads reads only those that are mirrored.
	if err := version.Scan(nil, nil, func(_, _ []byte) bool { return c.Context().Err() == nil }); err != nil {
		return err
	}
	seed := maphash.MakeSeed()
	var recorded, mirrored quadSum
	err := resolver.Quads(version, func(q rdf.Quad) error {
		if err := c.Context().Err(); err != nil {
			return err
		}
		if q.G.IsZero() || mirror.IsContribution(q.S) {
			r, err := c.QuadID(q)
			if err != nil {
				return err
			}
			if there, err := c.Has(r); err != nil || !there {
				return errors.Join(err, fmt.Errorf("the resolver's decisions are missing from the graph: %v", q))
			}
			return nil
		}
		recorded.add(seed, q)
		return nil
	})
	if err != nil {
		return fmt.Errorf("the resolver's records: %w", err)
	}
	g, ok, err := c.ID(contextsGraph)
	if err != nil {
		return err
	}
	if ok {
		snap := c.Caching()
		for ids, err := range c.Match(0, 0, 0, g).All(c.Context()) {
			if err != nil {
				return err
			}
			t, err := snap.Triple(ids[0], ids[1], ids[2])
			if err != nil {
				return err
			}
			q := t.In(contextsGraph)
			if !mirror.IsContribution(q.S) {
				mirrored.add(seed, q)
			} else if !mirror.SaysItsName(q) {
				return fmt.Errorf("the graph %s contradicts an evidence node's name: %v", store.ContextsGraph, q)
			}
		}
	}
	if recorded != mirrored {
		return fmt.Errorf("the graph %s has %d quads that differ from the %d of the resolver's records", store.ContextsGraph, mirrored.n, recorded.n)
	}
	return nil
}

// quadSum is a checksum of a set of quads.
type quadSum struct {
	n   int64
	sum uint64
}

func (s *quadSum) add(seed maphash.Seed, q rdf.Quad) {
	s.n++
	s.sum += maphash.Comparable(seed, q)
}
