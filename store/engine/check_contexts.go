package engine

import (
	"errors"
	"fmt"
	"hash/maphash"

	"github.com/segraph/segraph/resolver"
	"github.com/segraph/segraph/resolver/mirror"
	"github.com/segraph/segraph/store/engine/dict"
	"github.com/segraph/segraph/store/rdf"
)

// checkContexts verifies the checksums of the resolver's records, and that the graph of contexts, and
// of merges the published one, say the same as they do. It compares numbers and sums of quads, which
// do not depend on the order. A graph of an older form is not compared. Nodes of evidence are compared one by one: those that no case has any more stay.
func (c *checker) checkContexts() error {
	moment := momentRecords{bucket: c.bolt.Bucket(recordsName)}
	moment.late.add(c.late)
	if err := moment.Scan(nil, nil, func(_, _ []byte) bool { return c.ctx.Err() == nil }); err != nil {
		return err
	}
	dated, err := resolver.IsDated(&moment)
	if err != nil {
		return err
	}
	if c.report.Dated = dated; dated {
		return resolver.Quads(&moment, func(rdf.Quad) error { return c.ctx.Err() }) // records can be read, at least
	}
	evidence := map[rdf.Quad]bool{} // that is late
	for _, d := range c.late {
		for i := range d.add.Quads {
			if q := d.add.Quad(i); mirror.IsContribution(q.S) {
				evidence[q] = true
			}
		}
	}
	seed := maphash.MakeSeed()
	var records, mirrored quadSum
	err = resolver.Quads(&moment, func(q rdf.Quad) error {
		if err := c.ctx.Err(); err != nil {
			return err
		}
		if mirror.IsContribution(q.S) && evidence[q] {
			return nil
		}
		if q.G.IsZero() || mirror.IsContribution(q.S) {
			r, err := lookUp(c.Reader, q)
			if err != nil {
				return err
			}
			if there, err := c.Has(r); err != nil || !there {
				return errors.Join(err, fmt.Errorf("what the resolver decided is not in the graph: %v", q))
			}
			return nil
		}
		records.add(seed, q)
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
		scan := c.Match(0, 0, 0, g)
		snap := *c.Snapshot
		snap.Reader = dict.NewReader(c.bolt.Bucket(dictName), &dict.Cache{}) // its own: the same terms come often
		for batch := scan.Next(); batch != nil; batch = scan.Next() {
			if err := c.ctx.Err(); err != nil {
				return err
			}
			for _, t := range batch {
				t, err := snap.Triple(scan.Order.Triple(t))
				if err != nil {
					return err
				}
				q := t.In(contextsGraph)
				if !mirror.IsContribution(q.S) {
					mirrored.add(seed, q)
				} else if !mirror.SaysItsName(q) {
					return fmt.Errorf("the graph %s says of evidence what it is not: %v", ContextsGraph, q)
				}
			}
		}
		if scan.Err() != nil {
			return scan.Err()
		}
	}
	if err := c.addLate(seed, &mirrored); err != nil {
		return err
	}
	if records != mirrored {
		return fmt.Errorf("the graph %s has %d quads that are not the %d of the resolver's records", ContextsGraph, mirrored.n, records.n)
	}
	return nil
}

// addLate counts what is late, in a file that is checked as it is, as if it was settled.
func (c *checker) addLate(seed maphash.Seed, mirrored *quadSum) error {
	there := map[rdf.Quad]bool{} // whether it is to be there
	for _, d := range c.late {
		for i := range d.remove.Quads {
			there[d.remove.Quad(i)] = false
		}
		for i := range d.add.Quads {
			there[d.add.Quad(i)] = true
		}
	}
	for q, stays := range there {
		if mirror.IsContribution(q.S) {
			continue
		}
		r, err := lookUp(c.Reader, q)
		if err != nil {
			return err
		}
		is, err := c.Has(r)
		switch {
		case err != nil:
			return err
		case stays && !is:
			mirrored.add(seed, q)
		case is && !stays:
			mirrored.n--
			mirrored.sum -= maphash.Comparable(seed, q)
		}
	}
	return nil
}

// quadSum tells sets of quads apart.
type quadSum struct {
	n   int64
	sum uint64
}

func (s *quadSum) add(seed maphash.Seed, q rdf.Quad) {
	s.n++
	s.sum += maphash.Comparable(seed, q)
}
