package eval

import (
	"slices"

	"github.com/segraph/segraph/store/sparql/algebra"
	"github.com/segraph/segraph/store/sparql/eval/table"
	"github.com/segraph/segraph/store/sparql/syntax"
	"github.com/segraph/segraph/store/sparql/value"
)

// extremes evaluates MIN and MAX of the objects of a predicate. It passes on only the
// objects that may be the result. In a range of ids that are in the order of their
// values, these are the first and the last object, and those that compare equal to
// them. Of other objects, it passes on all.
type extremes struct {
	*ordered
	min, max bool
}

// extremesOf returns the pattern of a Group that consists of MIN and MAX of the objects
// of a predicate.
func extremesOf(x *algebra.Group) (pattern *algebra.Triple, ok bool) {
	t, ok := x.Op.(*algebra.Triple)
	if !ok || len(x.Keys) > 0 || len(x.Aggregates) == 0 || t.P.IsVariable() || !t.S.IsVariable() || !t.O.IsVariable() || t.S.Slot == t.O.Slot {
		return nil, false
	}
	for _, a := range x.Aggregates {
		v, isVar := a.Arg.(*algebra.Var)
		if a.Op != syntax.OpMin && a.Op != syntax.OpMax || !isVar || v.Slot != t.O.Slot {
			return nil, false
		}
	}
	return t, true
}

func (r *Run) buildExtremes(x *algebra.Group, t *algebra.Triple, next sink) (sink, error) {
	w, err := r.newOrdered(t, next)
	has := func(op syntax.Op) bool {
		return slices.ContainsFunc(x.Aggregates, func(a algebra.Aggregate) bool { return a.Op == op })
	}
	return &extremes{w, has(syntax.OpMin), has(syntax.OpMax)}, err
}

// push receives the row that a run begins with, which may have an active graph.
func (x *extremes) push(b *table.Batch) error {
	for i := range b.N {
		row := b.Row(i)
		if err := x.unsorted(row); err != nil {
			return err
		}
		if x.min {
			if err := x.sorted(row, false, beyond(value.Precedes)); err != nil {
				return err
			}
		}
		if x.max {
			after := func(a, b value.Value) bool { return value.Precedes(b, a) }
			if err := x.sorted(row, true, beyond(after)); err != nil {
				return err
			}
		}
	}
	return nil
}

// beyond returns what ordered.sorted calls for each range. past remembers the first value of
// the range, and reports whether that comes before a later one.
func beyond(before func(a, b value.Value) bool) (begin func() (past func(value.Value) (bool, error))) {
	return func() func(value.Value) (bool, error) {
		var first value.Value
		called := false
		return func(v value.Value) (bool, error) {
			if !called {
				first, called = v, true
				return false, nil
			}
			return before(first, v), nil
		}
	}
}
