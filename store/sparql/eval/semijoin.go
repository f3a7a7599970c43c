package eval

import (
	"github.com/segraph/segraph/store/sparql/algebra"
	"github.com/segraph/segraph/store/sparql/eval/expr"
	"github.com/segraph/segraph/store/sparql/eval/table"
	"github.com/segraph/segraph/store/sparql/source"
)

// buildSemiJoin looks up the solutions of Right for each batch of rows. If Right is a
// Materialize and no condition contains an EXISTS, it evaluates Right once instead: as a
// set of ids if one variable decides, and otherwise as a table.
func (r *Run) buildSemiJoin(x *algebra.SemiJoin, e env, next sink) (sink, error) {
	left := r.after(e, x.Left)
	var s sink
	var err error
	switch _, alone := x.Right.(*algebra.Materialize); {
	case !alone || len(algebra.ExistsIn(x.Conditions...)) > 0:
		s, err = r.buildSemiLookup(x, left, next)
	default:
		if slot, ok := r.soleKey(x, left); ok {
			s, err = r.buildSemiSet(x, slot, left, next)
		} else if r.finds(x.Conditions, left, x.Right) {
			s, err = r.buildSemiValues(x, left, next)
		} else {
			s, err = r.newSemiTable(x.Not, r.kept(x, left), x.Conditions, left, next)
		}
	}
	if err != nil {
		return nil, err
	}
	return r.build(x.Left, e, s)
}

// semiLookup is a semijoin that numbers the rows of a batch, and pushes them through
// the right side and the conditions. It passes on the rows that found a match or, if
// not is set, the others.
type semiLookup struct {
	r       *Run
	next    sink
	not     bool
	body    sink
	matched *matched
}

// buildSemiLookup builds an EXISTS that is evaluated for each row, up to its first solution.
func (r *Run) buildSemiLookup(x *algebra.SemiJoin, left env, next sink) (sink, error) {
	s := &semiLookup{r: r, next: next, not: x.Not, matched: r.newMatched(r.addSlot(), nil)}
	body, err := r.buildFilter(x.Conditions, r.after(left, x.Right), s.matched)
	if err != nil {
		return nil, err
	}
	s.body, err = r.build(x.Right, left, body)
	return s, err
}

// buildSemiValues builds a semijoin whose right side is evaluated on its own, and whose solutions are found by values
// that the conditions compare.
func (r *Run) buildSemiValues(x *algebra.SemiJoin, left env, next sink) (sink, error) {
	s := &semiLookup{r: r, next: next, not: x.Not, matched: r.newMatched(r.addSlot(), nil)}
	j, err := r.newValueJoin(r.kept(x, left), x.Conditions, left, s.matched)
	if err != nil {
		return nil, err
	}
	j.once, s.body = true, j
	return s, nil
}

// push numbers the rows, evaluates the right side with them, and passes on the rows for which it had a solution or, if
// s.not is set, had none.
func (s *semiLookup) push(b *table.Batch) error {
	if err := s.r.budget.Tick(b.N); err != nil {
		return err
	}
	if err := feed(s.body, s.matched.begin(b)); err != nil {
		return err
	}
	return passWhere(b, s.next, func(i int) (bool, error) { return s.matched.seen[i] != s.not, nil })
}

func (s *semiLookup) end() error { return s.next.end() }

// passWhere passes on the rows of a batch for which keep returns true.
func passWhere(b *table.Batch, next sink, keep func(i int) (bool, error)) error {
	kept := 0
	for i := range b.N {
		yes, err := keep(i)
		if err != nil {
			return err
		}
		if yes {
			b.Keep(kept, i)
			kept++
		}
	}
	b.Cut(kept)
	if kept == 0 {
		return nil
	}
	return next.push(b)
}

// soleKey returns the variable that alone decides whether a row matches a solution of the
// right side: both sides always bind it, they share no other variable, and there are no
// conditions.
func (r *Run) soleKey(x *algebra.SemiJoin, left env) (key algebra.Slot, ok bool) {
	shared := r.vars.May(x.Right).And(left.may)
	slots := shared.Slots()
	if len(slots) != 1 || len(x.Conditions) > 0 || left.around != nil || !shared.In(left.certain.And(r.vars.Certain(x.Right))) {
		return algebra.NoSlot, false
	}
	return slots[0], true
}

// semiSet is a semijoin with a set of ids, one for each active graph of the rows.
type semiSet struct {
	r    *Run
	next sink
	not  bool
	slot algebra.Slot
	in   *inner
	sets map[source.ID]*table.IDs
}

// buildSemiSet builds an EXISTS that shares one variable with the rows: a row is looked up in the
// set of its values.
func (r *Run) buildSemiSet(x *algebra.SemiJoin, slot algebra.Slot, left env, next sink) (sink, error) {
	in, err := r.newInner(x.Right, left)
	if err != nil {
		return nil, err
	}
	in.tail.keep = []algebra.Slot{slot}
	return &semiSet{r: r, next: next, not: x.Not, slot: slot, in: in, sets: map[source.ID]*table.IDs{}}, nil
}

// set returns the solutions of the right side as ids, for the active graph of a row. They are evaluated once.
func (s *semiSet) set(row []source.ID) (*table.IDs, error) {
	active := s.in.graphOf(row)
	if set, ok := s.sets[active]; ok {
		return set, nil
	}
	if err := s.in.evaluate(row, active); err != nil {
		return nil, err
	}
	size := int64(s.in.tail.N) * table.IdSize
	if err := s.r.budget.Grow(size); err != nil { // of the slice, until the set is made
		return nil, err
	}
	set, err := table.NewIDs(s.r.budget, s.in.tail.Slice())
	if err != nil {
		return nil, err
	}
	if err := s.r.budget.Grow(-size); err != nil {
		return nil, err
	}
	s.sets[active] = set
	return set, s.in.tail.forget()
}

// push passes on the rows whose variable is in the set, or with s.not the others.
func (s *semiSet) push(b *table.Batch) error {
	if err := s.r.budget.Tick(b.N); err != nil {
		return err
	}
	return passWhere(b, s.next, func(i int) (bool, error) {
		row := b.Row(i)
		set, err := s.set(row)
		return err == nil && set.Has(row[s.slot]) != s.not, err
	})
}

func (s *semiSet) end() error { return s.next.end() }

// semiTable is a semijoin with a table of the right side's solutions.
type semiTable struct {
	r          *Run
	next       sink
	not        bool
	in         *inner
	conditions *expr.Conditions
	shared     []int // of a MINUS: positions in in.keep that both sides may bind; nil for others
	key        []source.ID
	some       table.Batch // rows joined with solutions
}

// newSemiTable returns a semijoin that evaluates right once, and finds its solutions for a
// row by the variables that both have.
func (r *Run) newSemiTable(not bool, right algebra.Op, conditions []algebra.Expr, left env, next sink) (*semiTable, error) {
	in, err := r.newInner(right, left)
	if err != nil {
		return nil, err
	}
	in.loosen(left)
	s := &semiTable{r: r, next: next, not: not, in: in, key: make([]source.ID, len(in.keys)), some: r.batchOf()}
	s.conditions, err = r.exprs.NewConditions(conditions)
	return s, err
}

// kept returns the right side of a semijoin that is evaluated on its own, projected to
// the variables that the left side and the conditions use.
func (r *Run) kept(x *algebra.SemiJoin, left env) algebra.Op {
	keep := r.vars.May(x.Right).And(left.may.Or(left.certain).Or(r.vars.MentionedBy(x.Conditions...)))
	return &algebra.Project{Op: x.Right.(*algebra.Materialize).Op, Vars: keep.Slots()}
}

func (s *semiTable) push(b *table.Batch) error {
	return passWhere(b, s.next, func(i int) (bool, error) {
		found, err := s.matches(b.Row(i))
		return found != s.not, err
	})
}

// matches reports whether a solution is compatible with a row and satisfies the
// conditions.
func (s *semiTable) matches(row []source.ID) (bool, error) {
	all, err := s.in.solutions(row)
	if err != nil {
		return false, err
	}
	size := 1 // one solution may be enough
	for at, next := s.in.find(all, row, s.key); at >= 0; {
		for s.some.Reset(); at >= 0 && s.some.N < size; at = next[at] {
			if err := s.r.budget.Tick(1); err != nil {
				return false, err
			}
			if s.shared != nil && !s.shares(row, all.row(at)) {
				continue
			}
			if !merge(s.some.Add(row), s.in.keep, all.row(at)) {
				s.some.Cut(s.some.N - 1)
			}
		}
		if err := s.conditions.Keep(&s.some); err != nil || s.some.N > 0 {
			return err == nil, err
		}
		size = min(4*size, expr.ChunkRows, s.r.largest)
	}
	return false, s.r.budget.Tick(1)
}

func (s *semiTable) end() error {
	if err := s.in.release(); err != nil {
		return err
	}
	return s.next.end()
}
