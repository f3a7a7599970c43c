package eval

import (
	"maps"

	"github.com/segraph/segraph/store/sparql/algebra"
)

// shared evaluates an operator that occurs several times in the query, such as a
// subquery written twice. It does so once for all occurrences, when the first of them
// needs its rows.
type shared struct {
	r      *Run
	keep   []int          // the values kept of each row, as indexes in Repetition.Vars
	slots  []algebra.Slot // their slots in the rows of the occurrence that is evaluated
	unit   *unit
	head   sink
	rows   pieces[ID] // of values
	spares int        // slots that the operators inside took with spare
	done   bool       // rows has all rows
	values []ID
}

// repeats returns the operators of the query that may share their rows.
func (r *Run) repeats() (map[algebra.Op]algebra.Repetition, error) {
	all, err := algebra.Repeated(r.query.Root, r.budget.Tick)
	maps.DeleteFunc(all, func(op algebra.Op, _ algebra.Repetition) bool {
		return !keepsRows(op) || algebra.ActiveGraph(op) != algebra.NoSlot || volatileIn(op)
	})
	return all, err
}

// maxSharedRows is the largest LIMIT of rows that are kept only because they are shared.
const maxSharedRows = 1 << 16

// keepsRows reports whether an operator returns few rows, or keeps about as many as it
// returns. Others may return more rows than fit in memory.
func keepsRows(op algebra.Op) bool {
	switch x := op.(type) {
	case *algebra.Group, *algebra.Distinct, *algebra.OrderBy:
		return true
	case *algebra.Slice:
		return 0 <= x.Limit && x.Limit <= maxSharedRows || keepsRows(x.Op)
	case *algebra.Project:
		return keepsRows(x.Op)
	}
	return false
}

// buildShared builds an operator that shares its rows with equal operators. It returns
// nil if there are no equal ones. It also returns nil if the first rows may be enough,
// because they arrive sooner without sharing.
func (r *Run) buildShared(op algebra.Op, e env, next sink) (sink, error) {
	repeat, ok := r.repeated[op]
	_, isGroup := op.(*algebra.Group)
	if !ok || e.unit == nil || r.eager && !isGroup {
		return nil, nil
	}
	s, ok := r.sharing[repeat.Class]
	if ok {
		r.width += s.spares // as if it were built here: a fork may build another one first
		r.profile.repeats()
	} else {
		s = &shared{r: r, unit: &unit{}}
		may := r.vars.May(op)
		for i, slot := range repeat.Vars {
			if may.Has(slot) {
				s.keep, s.slots = append(s.keep, i), append(s.slots, slot)
			}
		}
		s.values = make([]ID, len(s.keep))
		before, eager := r.width, r.eager
		r.eager = false
		var err error
		s.head, err = r.buildParts(op, env{unit: s.unit}, s)
		if r.eager = eager; err != nil {
			return nil, err
		}
		s.spares = r.width - before
		if r.sharing == nil {
			r.sharing = map[int]*shared{}
		}
		r.sharing[repeat.Class] = s
	}
	out := &occurrence{output: newOutput(r, next), of: s}
	for _, i := range s.keep {
		out.slots = append(out.slots, repeat.Vars[i])
	}
	return out, nil
}

// push keeps the rows. A shared is the last sink of the chain that evaluates them.
func (s *shared) push(b *batch) error {
	for i := range b.n {
		row := b.row(i)
		for k, slot := range s.slots {
			s.values[k] = row[slot]
		}
		s.rows.add(s.values)
	}
	if err := s.r.budget.Tick(b.n); err != nil {
		return err
	}
	return s.r.budget.Grow(int64(b.n*len(s.values)) * idSize)
}

func (s *shared) end() error { return nil }

// evaluate makes the rows unless an occurrence already has. width is the width of the
// query's rows.
func (s *shared) evaluate(width int) error {
	if s.done {
		return nil
	}
	s.unit.row = make([]ID, width)
	var begin batch
	begin.add(s.unit.row)
	if err := feed(s.head, &begin); err != nil {
		return err
	}
	s.done = true
	return nil
}

// occurrence returns the rows of a shared operator with its own variables.
type occurrence struct {
	output
	of    *shared
	slots []algebra.Slot
}

// push receives the row that a run begins with.
func (o *occurrence) push(b *batch) error {
	for i := range b.n {
		if err := o.of.evaluate(b.width); err != nil {
			return err
		}
		for k := range o.of.rows.n {
			if err := o.of.r.budget.Tick(1); err != nil {
				return err
			}
			row, values := o.add(b.row(i)), o.of.rows.row(k)
			for c, slot := range o.slots {
				row[slot] = values[c]
			}
			if err := o.full(); err != nil {
				return err
			}
		}
	}
	return o.pause()
}
