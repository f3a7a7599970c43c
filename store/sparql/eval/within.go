package eval

import (
	"cmp"
	"slices"

	"github.com/segraph/segraph/store/sparql/algebra"
	"github.com/segraph/segraph/store/sparql/source"
	"github.com/segraph/segraph/store/sparql/value"
)

// within limits a pattern's object. All ids that satisfy the bounds are in ranges. Ids
// in ranges that are not exact must be tested.
type within struct {
	r      *Run
	ranges []source.IDRange // disjoint, in ascending order
	bounds []bound
}

type bound struct {
	*value.Relation
	b      value.Value
	or     value.Value
	either bool // a comparison with or suffices
}

func (b *bound) accepts(v value.Value) bool {
	return b.Of(v, b.b) == value.True || b.either && b.Of(v, b.or) == value.True
}

// within prepares tests of ids against bounds. It returns nil if there are none.
func (r *Run) within(bounds []algebra.Bound) (*within, error) {
	if len(bounds) == 0 {
		return nil, nil
	}
	ranges, err := source.RangesOf(r.ds, bounds)
	if err != nil {
		return nil, err
	}
	w := &within{r: r, ranges: ranges}
	for _, b := range bounds {
		if b.Text == nil {
			w.bounds = append(w.bounds, bound{value.Relations[b.Op], value.FromTerm(b.Term), value.FromTerm(b.Or), !b.Or.IsZero()})
		}
	}
	return w, nil
}

// has reports whether an id satisfies the bounds.
func (w *within) has(id source.ID) bool {
	i, _ := slices.BinarySearchFunc(w.ranges, id, func(r source.IDRange, id source.ID) int { return cmp.Compare(r.Last, id) })
	return i < len(w.ranges) && w.ranges[i].First <= id && w.in(&w.ranges[i], id)
}

// in reports whether an id of range r satisfies the bounds.
func (w *within) in(r *source.IDRange, id source.ID) bool {
	if r.Exact {
		return true
	}
	v := w.r.terms.Value(id)
	for i := range w.bounds {
		if !w.bounds[i].accepts(v) {
			return false
		}
	}
	return true
}

// span returns the first id of the first range and the last id of the last one, or 1 and 0,
// between which there is no id, if there are no ranges.
func (w *within) span() (first, last uint64) {
	if len(w.ranges) == 0 {
		return 1, 0
	}
	return uint64(w.ranges[0].First), uint64(w.ranges[len(w.ranges)-1].Last)
}
