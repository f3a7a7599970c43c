package eval

import (
	"slices"

	"github.com/segraph/segraph/store/sparql/algebra"
)

// ordered extends a row by the triples of a predicate in the order of their objects' values.
type ordered struct {
	output
	r          *Run
	ahead      *ahead
	g, p       place
	s, o       algebra.Slot
	within     *within
	descending bool
	most       int64
	walked     int64
	// Of the ids of objects, others are in no order of values, and are read first.
	ids, others []IDRange
}

func (r *Run) buildOrdered(x *algebra.Ordered, e env, next sink) (sink, error) {
	if e.ahead == nil || e.unit == nil {
		return r.buildScan(&x.Triple, e, next)
	}
	w := &ordered{output: newOutput(r, next), r: r, ahead: e.ahead, s: x.S.Slot, o: x.O.Slot, descending: x.Descending, most: x.Most}
	var err error
	if w.g, err = r.graphPlace(x.Graph); err != nil {
		return nil, err
	}
	if w.p, _, err = r.nodePlace(x.P); err != nil { // an IRI, which has one id
		return nil, err
	}
	if w.within, err = r.within(x.Within); err != nil {
		return nil, err
	}
	ranges := []IDRange{{everything.First, everything.Last, true}}
	if w.within != nil {
		ranges = w.within.ranges
	}
	w.ids, w.others = orderedRanges(r.ds, ranges)
	return w, nil
}

// orderedRanges parts ranges of ids into those in which ids are in the order of their values and others.
func orderedRanges(ds Dataset, ranges []IDRange) (ordered, others []IDRange) {
	next := everything.First
	for _, r := range ds.Ordered() {
		if r.First > next {
			others = append(others, IDRange{next, r.First - 1, true})
		}
		ordered = append(ordered, IDRange{r.First, r.Last, true})
		next = r.Last + 1
	}
	if next <= everything.Last {
		others = append(others, IDRange{next, everything.Last, true})
	}
	return intersect(ranges, ordered), intersect(ranges, others)
}

// push gets the row that a run begins with, which may have an active graph.
func (w *ordered) push(b *batch) error {
	w.walked = 0
	for i := range b.n {
		row := b.row(i)
		g, p := w.g.in(row), w.p.in(row)
		if g >= LocalFirst || p >= LocalFirst {
			continue // the dataset does not know it
		}
		forwards := w.r.ds.Scan(g, POS)
		for _, ids := range w.others {
			if err := w.read(row, forwards, p, ids, false); err != nil {
				return err
			}
		}
		if !w.descending {
			for _, ids := range w.ids {
				if err := w.read(row, forwards, p, ids, true); err != nil {
					return err
				}
			}
			continue
		}
		backwards := w.r.ds.Backwards(g, POS)
		for _, ids := range slices.Backward(w.ids) {
			if err := w.read(row, backwards, p, ids, true); err != nil {
				return err
			}
		}
	}
	return nil
}

// read hands on the triples whose objects are in a range; if they come in order, up to the first batch
// behind which no more are wanted.
func (w *ordered) read(row []ID, scan Scan, p ID, ids IDRange, inOrder bool) error {
	scan.Seek([3]uint64{uint64(p), uint64(ids.First)}, [3]uint64{uint64(p), uint64(ids.Last), ^uint64(0)})
	for tuples := scan.Next(); tuples != nil; tuples = scan.Next() {
		if err := w.r.budget.tick(len(tuples)); err != nil {
			return err
		}
		for t := range tuples {
			object := ID(tuples[t][1])
			if w.buf.n == 0 {
				if inOrder && w.ahead.order.past(w.r.terms.value(object)) {
					return w.r.budget.failed
				}
				if w.walked > w.most {
					return errFar
				}
			}
			w.walked++
			if !ids.Exact && !w.within.in(&ids, object) {
				continue
			}
			out := w.add(row)
			out[w.o], out[w.s] = object, ID(tuples[t][2])
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
