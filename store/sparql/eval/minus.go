package eval

import (
	"github.com/segraph/segraph/store/sparql/algebra"
	"github.com/segraph/segraph/store/sparql/eval/table"
	"github.com/segraph/segraph/store/sparql/source"
)

// minus drops the rows that are compatible with a solution of the right side and share a
// bound variable with it (SPARQL 1.1, section 8.3.3).
type minus struct {
	r      *Run
	next   sink
	in     *inner
	key    []source.ID
	shared []int // positions in in.keep that both sides may bind
}

// buildMinus builds MINUS. Without shared variables it drops nothing.
func (r *Run) buildMinus(x *algebra.Minus, e env, next sink) (sink, error) {
	shared := r.vars.May(x.Left).And(r.vars.May(x.Right))
	if shared.Empty() {
		return r.build(x.Left, e, next)
	}
	// Only variables that Left itself binds are certain. Those that EXISTS substitutes
	// are terms here.
	left := r.after(e, x.Left)
	left.certain = r.vars.Certain(x.Left)
	if e.around != nil {
		left.certain = algebra.Set{}
	}
	in, err := r.newInner(&algebra.Project{Op: x.Right, Vars: shared.Slots()}, left)
	if err != nil {
		return nil, err
	}
	in.loosen(left)
	m := &minus{r: r, next: next, in: in, key: make([]source.ID, len(in.keys))}
	for c, slot := range in.keep {
		if shared.Has(slot) {
			m.shared = append(m.shared, c)
		}
	}
	return r.build(x.Left, e, m)
}

func (m *minus) push(b *table.Batch) error {
	return passWhere(b, m.next, func(i int) (bool, error) {
		drop, err := m.drops(b.Row(i))
		return !drop, err
	})
}

// drops reports whether the right side has a solution that shares a bound variable with a row and agrees with it.
func (m *minus) drops(row []source.ID) (bool, error) {
	s, err := m.in.solutions(row)
	if err != nil {
		return false, err
	}
	for at, next := m.in.find(s, row, m.key); at >= 0; at = next[at] {
		if err := m.r.budget.Tick(1); err != nil {
			return false, err
		}
		if m.compatible(row, s.row(at)) {
			return true, nil
		}
	}
	return false, m.r.budget.Tick(1)
}

// compatible reports whether a row and a solution share a bound variable, and bind no
// variable differently.
func (m *minus) compatible(row, solution []source.ID) bool {
	common := false
	for _, c := range m.shared {
		slot := m.in.keep[c]
		v := solution[c]
		if v == 0 || row[slot] == 0 || m.substituted(row, slot) {
			continue
		}
		if v != row[slot] {
			return false
		}
		common = true
	}
	return common
}

// substituted reports whether EXISTS substituted a value for the variable, so that it
// is a term here.
func (m *minus) substituted(row []source.ID, slot algebra.Slot) bool {
	if m.in.around == nil {
		return false
	}
	number := row[m.in.around.slot] - 1
	return m.in.around.rows.Row(int(number))[slot] != 0
}

func (m *minus) end() error {
	if err := m.in.release(); err != nil {
		return err
	}
	return m.next.end()
}
