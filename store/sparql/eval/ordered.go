package eval

import (
	"cmp"
	"math"
	"slices"

	"github.com/segraph/segraph/store/sparql/algebra"
	"github.com/segraph/segraph/store/sparql/source"
	"github.com/segraph/segraph/store/sparql/value"
)

// ordered extends a row by the triples of a predicate, in the order of their objects'
// values, until no more are wanted.
type ordered struct {
	*scan // of its pattern
	// Ranges of the ids of objects. In those of ids, they are in the order of their
	// values.
	ids, others []source.IDRange
	// walked counts the triples read. Beyond most, the walk returns errWalkLimit.
	walked, most int64
}

// newOrdered returns what reads a pattern in the order of its objects. It separates the ranges of
// ids that are in the order of their values from the others.
func (r *Run) newOrdered(t *algebra.Triple, next sink) (*ordered, error) {
	s, err := r.newScan(t)
	if err != nil {
		return nil, err
	}
	w := &ordered{scan: s, most: math.MaxInt64}
	w.output = newOutput(r, next)
	if w.within, err = r.within(t.Within); err != nil {
		return nil, err
	}
	ranges := []source.IDRange{source.Everything}
	if w.within != nil {
		ranges = w.within.ranges
	}
	w.ids, w.others = source.SplitOrdered(r.ds, ranges)
	return w, nil
}

// known returns the graph and the predicate for a row. ok is false if the dataset does
// not know them.
func (w *ordered) known(row []source.ID) (g, p source.ID, ok bool) {
	g, p = w.g.in(row), w.spo[1].in(row)
	return g, p, g < source.LocalFirst && p < source.LocalFirst
}

// unsorted passes on the triples whose objects are in others.
func (w *ordered) unsorted(row []source.ID) error {
	g, p, ok := w.known(row)
	if !ok {
		return nil
	}
	scan := w.r.ds.Scan(g, source.POS)
	for _, ids := range w.others {
		if err := w.read(row, scan, p, ids, nil); err != nil {
			return err
		}
	}
	return nil
}

// sorted passes on the triples whose objects are in ids. It reads each range in order
// until past reports true. begin returns the function past for one range. descending: the
// greatest objects come first.
func (w *ordered) sorted(row []source.ID, descending bool, begin func() (past func(value.Value) (bool, error))) error {
	g, p, ok := w.known(row)
	if !ok {
		return nil
	}
	ranges, scan := slices.All(w.ids), w.r.ds.Scan
	if descending {
		ranges, scan = slices.Backward(w.ids), w.r.ds.Backwards
	}
	walk := scan(g, source.POS)
	for _, ids := range ranges {
		if err := w.read(row, walk, p, ids, begin()); err != nil {
			return err
		}
	}
	return nil
}

// read passes on the triples whose objects are in a range. At the start of each batch
// it calls past, if that is not nil, and ends if past reports true. It returns errWalkLimit
// there if it has walked too far.
func (w *ordered) read(row []source.ID, scan source.Scan, p source.ID, ids source.IDRange, past func(value.Value) (bool, error)) error {
	scan.Seek(source.Tuple{uint64(p), uint64(ids.First)}, source.Tuple{uint64(p), uint64(ids.Last), ^uint64(0)})
	for tuples := scan.Next(); tuples != nil; tuples = scan.Next() {
		if err := w.r.budget.Tick(len(tuples)); err != nil {
			return err
		}
		for t := range tuples {
			object := source.ID(tuples[t][1])
			if w.buf.N == 0 && w.walked > w.most {
				return errWalkLimit
			}
			w.walked++
			if !ids.Exact && !w.within.in(&ids, object) {
				continue // past must not see an object that is not passed on
			}
			if w.buf.N == 0 && past != nil {
				if over, err := past(w.r.terms.Value(object)); over || err != nil {
					return cmp.Or(err, w.r.budget.Failed())
				}
			}
			out := w.add(row)
			out[w.spo[2].slot], out[w.spo[0].slot] = object, source.ID(tuples[t][2])
			if err := w.full(); err != nil {
				return err
			}
		}
	}
	if scan.Err() != nil {
		return scan.Err()
	}
	return w.flush()
}
