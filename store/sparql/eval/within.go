package eval

import (
	"cmp"
	"slices"

	"github.com/segraph/segraph/store/sparql/algebra"
	"github.com/segraph/segraph/store/sparql/syntax"
	"github.com/segraph/segraph/store/sparql/value"
)

// within limits a pattern's object. All ids that satisfy the bounds are in ranges. Ids
// in ranges that are not exact must be tested.
type within struct {
	r      *Run
	ranges []IDRange // disjoint, in ascending order
	bounds []bound
}

type bound struct {
	holds  func(a, b value.Value) value.Truth
	b      value.Value
	or     value.Value
	either bool // a comparison with or suffices
}

func (b *bound) accepts(v value.Value) bool {
	return b.holds(v, b.b) == value.True || b.either && b.holds(v, b.or) == value.True
}

// comparison returns the function of a comparison operator.
func comparison(op syntax.Op) func(a, b value.Value) value.Truth {
	switch op {
	case syntax.OpEqual:
		return value.Equal
	case syntax.OpNotEqual:
		return func(a, b value.Value) value.Truth { return value.Not(value.Equal(a, b)) }
	case syntax.OpLess:
		return value.Less
	case syntax.OpGreater:
		return func(a, b value.Value) value.Truth { return value.Less(b, a) }
	case syntax.OpLessEqual:
		return value.LessOrEqual
	}
	return func(a, b value.Value) value.Truth { return value.LessOrEqual(b, a) }
}

// everything is all ids that a Dataset may use.
var everything = IDRange{First: 1, Last: LocalFirst - 1}

// within returns nil if there are no bounds.
func (r *Run) within(bounds []algebra.Bound) (*within, error) {
	if len(bounds) == 0 {
		return nil, nil
	}
	ranges, err := rangesOf(r.ds, bounds)
	w := &within{r: r, ranges: ranges}
	for _, b := range bounds {
		if b.Text == nil {
			w.bounds = append(w.bounds, bound{comparison(b.Op), value.FromTerm(b.Term), value.FromTerm(b.Or), !b.Or.IsZero()})
		}
	}
	return w, err
}

// rangesOf returns the ranges of ids that may satisfy all bounds.
func rangesOf(ds Dataset, bounds []algebra.Bound) ([]IDRange, error) {
	ranges := []IDRange{{everything.First, everything.Last, true}}
	for _, b := range bounds {
		if b.Text != nil {
			known, ok, err := textRanges(ds, b.Text)
			if err != nil {
				return nil, err
			}
			if ok {
				ranges = intersect(ranges, known)
			}
			continue
		}
		known, err := comparedRanges(ds, b)
		if err != nil {
			return nil, err
		}
		ranges = intersect(ranges, known)
	}
	return ranges, nil
}

// comparedRanges returns the ranges of ids that may satisfy a comparison. Those of Term are
// those of Or, because times of all zones mix.
func comparedRanges(ds Dataset, b algebra.Bound) ([]IDRange, error) {
	v := value.FromTerm(b.Term)
	switch v.Kind() {
	case value.KindIRI, value.KindString, value.KindLangString:
		id, err := ds.ID(b.Term) // no other term equals it
		switch {
		case err != nil:
			return nil, err
		case b.Op == syntax.OpNotEqual && id == 0:
			return []IDRange{{everything.First, everything.Last, true}}, nil
		case b.Op == syntax.OpNotEqual:
			return []IDRange{{everything.First, id - 1, true}, {id + 1, everything.Last, true}}, nil
		case id == 0:
			return nil, nil
		}
		return []IDRange{{id, id, true}}, nil
	}
	if known, ok := ds.Ranges(b.Op, v); ok {
		return known, nil
	}
	return []IDRange{everything}, nil
}

// intersect returns the intersection of two lists of ranges.
func intersect(a, b []IDRange) (out []IDRange) {
	for i, j := 0, 0; i < len(a) && j < len(b); {
		both := IDRange{max(a[i].First, b[j].First), min(a[i].Last, b[j].Last), a[i].Exact && b[j].Exact}
		if both.First <= both.Last {
			out = append(out, both)
		}
		if a[i].Last < b[j].Last {
			i++
		} else {
			j++
		}
	}
	return out
}

// has reports whether an id satisfies the bounds.
func (w *within) has(id ID) bool {
	i, _ := slices.BinarySearchFunc(w.ranges, id, func(r IDRange, id ID) int { return cmp.Compare(r.Last, id) })
	return i < len(w.ranges) && w.ranges[i].First <= id && w.in(&w.ranges[i], id)
}

// in reports whether an id of range r satisfies the bounds.
func (w *within) in(r *IDRange, id ID) bool {
	if r.Exact {
		return true
	}
	v := w.r.terms.value(id)
	for i := range w.bounds {
		if !w.bounds[i].accepts(v) {
			return false
		}
	}
	return true
}

// span returns the first id of the first range and the last id of the last one.
func (w *within) span() (first, last uint64) {
	if len(w.ranges) == 0 {
		return 1, 0
	}
	return uint64(w.ranges[0].First), uint64(w.ranges[len(w.ranges)-1].Last)
}
