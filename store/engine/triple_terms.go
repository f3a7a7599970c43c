package engine

import (
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"

	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/engine/dict"
	"github.com/segraph/segraph/store/engine/file"
	"github.com/segraph/segraph/store/engine/index"
	"github.com/segraph/segraph/store/ids"
	"github.com/segraph/segraph/store/orders"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql/source"
)

var errDeep = fmt.Errorf("triple terms are nested deeper than %d", rdf.MaxTripleDepth)

// resolveTriples sets the ids of a document's terms, some of them triple terms. Blank
// nodes already have theirs.
func (tx *Tx) resolveTriples(d *store.Document, ids []dict.ID) error {
	var others []rdf.Term
	var at []int
	for i, t := range d.Terms {
		if ids[i] == 0 && !t.IsTriple() {
			others, at = append(others, t), append(at, i)
		}
	}
	found := make([]dict.ID, len(others))
	if err := tx.dict.IDs(others, found); err != nil {
		return err
	}
	for i, id := range found {
		ids[at[i]] = id
	}
	waiting := make([]waitingTriple, 0, len(d.Triples))
	depth := make(map[uint32]int, len(d.Triples))
	for _, i := range slices.Sorted(maps.Keys(d.Triples)) { // parts come before the whole
		p := d.Triples[i]
		depth[i] = 1 + max(depth[p[0]], depth[p[1]], depth[p[2]])
		if depth[i] > rdf.MaxTripleDepth {
			return errDeep
		}
		// The parts are still indexes in d.Terms; numberTriples replaces them by ids.
		waiting = append(waiting, waitingTriple{int(i), [3]dict.ID{dict.ID(p[0]), dict.ID(p[1]), dict.ID(p[2])}})
	}
	return numberTriples(waiting, ids, tx.dict.TripleIDs)
}

// waitingTriple is a triple term without an id: the index of the term, and its parts. A
// part without a tag is an index too.
type waitingTriple struct {
	at    int
	parts [3]dict.ID
}

// numberTriples sets all[t.at] for each triple term t, and reads the ids of parts there. It
// calls number with terms whose parts have ids, as many at a time as possible.
func numberTriples(waiting []waitingTriple, all []dict.ID, number func(parts [][3]dict.ID, all []dict.ID) error) error {
	for len(waiting) > 0 {
		var parts [][3]dict.ID
		var ready, rest []waitingTriple
		for _, t := range waiting {
			spo := t.parts
			for i, part := range spo {
				if part.Tag() == ids.TagNone {
					spo[i] = all[part]
				}
			}
			if slices.Contains(spo[:], 0) {
				rest = append(rest, t) // a part still waits
				continue
			}
			ready, parts = append(ready, t), append(parts, spo)
		}
		found := make([]dict.ID, len(parts))
		if err := number(parts, found); err != nil {
			return err
		}
		for i, t := range ready {
			all[t.at] = found[i]
		}
		waiting = rest
	}
	return nil
}

// TripleParts implements source.Reader.
func (d snapshotDataset) TripleParts(id dict.ID) (spo [3]dict.ID, ok bool, err error) {
	if !id.IsTriple() {
		return spo, false, nil
	}
	spo, err = d.Parts(id)
	return spo, err == nil, err
}

// TripleTerms implements source.Reader.
func (d snapshotDataset) TripleTerms(s, p, o dict.ID) iter.Seq2[source.TripleTerm, error] {
	return func(yield func(source.TripleTerm, error) bool) {
		stopped := false
		err := d.Triples(s, p, o, func(id dict.ID, spo [3]dict.ID) (bool, error) {
			stopped = !yield(source.TripleTerm{ID: id, Parts: spo}, nil)
			return !stopped, nil
		})
		if err != nil && !stopped {
			yield(source.TripleTerm{}, err)
		}
	}
}

func (d snapshotDataset) EachTripleTerm(s, p, o dict.ID, f func(ids []dict.ID) error) error {
	return d.EachTriple(s, p, o, f)
}

// Nested returns the triple terms that have one of some ids, also inside other triple terms.
func (s *Snapshot) Nested(of []dict.ID) (all []dict.ID, err error) {
	for len(of) > 0 {
		var more []dict.ID
		for _, id := range of {
			for _, p := range [][3]dict.ID{{id}, {0, id}, {0, 0, id}} {
				if err := s.EachTriple(p[0], p[1], p[2], func(ids []dict.ID) error { more = append(more, ids...); return nil }); err != nil {
					return nil, err
				}
			}
		}
		all, of = append(all, more...), more
	}
	return all, nil
}

// checkTriples compares the orders of the triple terms by order-independent sums.
func (c *Checker) checkTriples() error {
	var counts [orders.Count]int64
	var sums [orders.Count]uint64
	for _, o := range orders.All {
		texts := c.dictionary(nil) // as in checkDictionary
		var last [3]uint64
		err := texts.TripleOrder(o, func(id dict.ID, spo [3]dict.ID) (bool, error) {
			if counts[o]++; counts[o]%1000 == 0 && c.ctx.Err() != nil {
				return false, c.ctx.Err()
			}
			parts, err := c.Parts(id)
			if err == nil {
				err = c.CheckTerms(parts[:]...)
			}
			if err != nil {
				return false, err
			}
			tuple := o.Sorted([3]uint64{uint64(parts[0]), uint64(parts[1]), uint64(parts[2])})
			if parts != spo || slices.Compare(last[:], tuple[:]) >= 0 {
				return false, fmt.Errorf("triple term %#x is found under the text of another", uint64(id))
			}
			last = tuple
			sums[o] += index.Hash(index.Tuple{uint64(id)})
			return true, nil
		})
		if err != nil {
			return fmt.Errorf("triple terms by %s: %w", o, err)
		}
	}
	if counts[orders.SPO] > 0 && !file.Has(c.tx(), file.Triples) {
		return errors.New("there are triple terms, and the file does not say that it has some")
	}
	for _, o := range orders.Others {
		if counts[o] != counts[orders.SPO] || sums[o] != sums[orders.SPO] {
			return fmt.Errorf("the dictionary does not have the same triple terms by %s and by %s", orders.SPO, o)
		}
	}
	return nil
}

// hasTriples reports whether a graph has a triple term as an object.
func (s *Snapshot) hasTriples(g dict.ID) (bool, error) {
	if !file.Has(s.tx(), file.Triples) {
		return false, nil
	}
	first, last := ids.Range(ids.TagTriple)
	lo, _ := index.Prefix(uint64(first))
	_, hi := index.Prefix(uint64(last))
	scan := s.Range(g, OSP, lo, hi)
	return scan.Next() != nil, scan.Err()
}

// inTripleTerm reports whether a triple term in the graph has an id as its subject or
// object, or in its object.
func (x *exportedGraph) inTripleTerm(part dict.ID) (found bool) {
	visit := func(id dict.ID, _ [3]dict.ID) (bool, error) {
		scan := x.snap.Match(0, 0, id, x.graph)
		found = scan.Next() != nil || x.inTripleTerm(id)
		return !found, scan.Err()
	}
	if x.fail(x.snap.Triples(part, 0, 0, visit)) || found {
		return found
	}
	x.fail(x.snap.Triples(0, 0, part, visit))
	return found
}
