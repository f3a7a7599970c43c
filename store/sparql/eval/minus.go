package eval

import (
	"github.com/segraph/segraph/store/sparql/algebra"
	"github.com/segraph/segraph/store/sparql/source"
)

// buildMinus builds MINUS (SPARQL 1.1, section 8.3.3) as an antijoin in which a row and a
// solution must also share a bound variable. Without variables in common it drops nothing.
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
	m, err := r.newSemiTable(true, &algebra.Project{Op: x.Right, Vars: shared.Slots()}, nil, left, next)
	if err != nil {
		return nil, err
	}
	for c, slot := range m.in.keep {
		if shared.Has(slot) {
			m.shared = append(m.shared, c)
		}
	}
	return r.build(x.Left, e, m)
}

// shares reports whether a row and a solution bind a variable of MINUS in common. A variable
// for which EXISTS substituted a value is a term here.
func (s *semiTable) shares(row, solution []source.ID) bool {
	for _, c := range s.shared {
		slot, around := s.in.keep[c], s.in.around
		if solution[c] == 0 || row[slot] == 0 {
			continue
		}
		substituted := around != nil && around.rows.Row(int(row[around.slot]) - 1)[slot] != 0
		if !substituted {
			return true
		}
	}
	return false
}
