package eval

import (
	"cmp"

	"github.com/segraph/segraph/store/sparql/algebra"
	"github.com/segraph/segraph/store/sparql/eval/table"
	"github.com/segraph/segraph/store/sparql/source"
)

// leftJoin is OPTIONAL. It numbers the rows of a batch, and pushes them through the
// right side and the conditions. Then it passes on unchanged the rows that found no
// match.
type leftJoin struct {
	output
	r       *Run
	body    sink
	matched *matched
}

// matched marks the numbers of the rows that it receives, and passes the rows on.
type matched struct {
	slot algebra.Slot
	seen []bool
	next *output     // nil if only the numbers matter
	left int         // numbers not seen yet
	copy table.Batch // of the numbered rows
}

func (r *Run) newMatched(slot algebra.Slot, next *output) *matched {
	return &matched{slot: slot, next: next, copy: r.batchOf()}
}

// begin numbers the rows of a batch, and returns a copy of them for the operators in front.
func (m *matched) begin(b *table.Batch) *table.Batch {
	for i := range b.N {
		b.Row(i)[m.slot] = source.ID(i + 1)
	}
	m.seen = append(m.seen[:0], make([]bool, b.N)...)
	m.left = b.N
	m.copy.CopyOf(b)
	return &m.copy
}

// push marks the row of the left side that a solution continues, by its number, and passes the solution on.
func (m *matched) push(b *table.Batch) error {
	for i := range b.N {
		row := b.Row(i)
		if at := row[m.slot] - 1; !m.seen[at] {
			m.seen[at] = true
			m.left--
		}
		if m.next == nil {
			continue
		}
		m.next.add(row)
		if err := m.next.full(); err != nil {
			return err
		}
	}
	if m.next == nil && m.left == 0 {
		return errDone
	}
	return nil
}

func (m *matched) end() error { return nil }

// buildLeftJoin builds OPTIONAL. A right side that is evaluated by itself is searched by the
// conditions; any other one is evaluated for each row.
func (r *Run) buildLeftJoin(x *algebra.LeftJoin, e env, next sink) (sink, error) {
	l := &leftJoin{output: newOutput(r, next), r: r}
	l.matched = r.newMatched(x.Slot, &l.output)
	left := r.after(e, x.Left)
	if _, alone := x.Right.(*algebra.Materialize); alone && r.finds(x.Conditions, left, x.Right) {
		var err error
		if l.body, err = r.newValueJoin(x.Right, x.Conditions, left, l.matched); err != nil {
			return nil, err
		}
		return r.build(x.Left, e, l)
	}
	body, err := r.buildFilter(x.Conditions, r.after(left, x.Right), l.matched)
	if err != nil {
		return nil, err
	}
	if l.body, err = r.build(x.Right, left, body); err != nil {
		return nil, err
	}
	return r.build(x.Left, e, l)
}

// push numbers the rows, evaluates the right side with them, and then passes on those that it did not continue.
func (l *leftJoin) push(b *table.Batch) error {
	if err := l.r.budget.Tick(b.N); err != nil {
		return err
	}
	// The body returns errDone only if the operators after this one do.
	if err := l.body.push(l.matched.begin(b)); err != nil {
		if err == errDone {
			return cmp.Or(l.body.end(), errDone)
		}
		return err
	}
	if err := l.body.end(); err != nil {
		return err
	}
	for i := range b.N {
		if l.matched.seen[i] {
			continue
		}
		l.add(b.Row(i))
		if err := l.full(); err != nil {
			return err
		}
	}
	return l.pause()
}
