package eval

import (
	"github.com/segraph/segraph/store/sparql/algebra"
	"github.com/segraph/segraph/store/sparql/eval/table"
)

// union passes every batch to each of its arms, which all lead to the next sink.
type union struct {
	r    *Run
	arms []sink
	next sink
	done bool // the next sink wants no more rows
	copy table.Batch
}

// arm is the last sink of an arm. It does not end the next sink; the union does.
type arm struct{ u *union }

func (a arm) push(b *table.Batch) error {
	err := a.u.next.push(b)
	a.u.done = a.u.done || err == errDone
	return err
}

func (a arm) end() error { return nil }

// buildUnion builds UNION: each arm gets a copy of all rows.
func (r *Run) buildUnion(x *algebra.Union, e env, next sink) (sink, error) {
	u := &union{r: r, next: next, copy: r.batchOf()}
	around := r.inUnion
	r.inUnion = true
	defer func() { r.inUnion = around }()
	for _, op := range x.Ops {
		head, err := r.build(op, e, arm{u})
		if err != nil {
			return nil, err
		}
		u.arms = append(u.arms, head)
	}
	return u, nil
}

// push passes the rows to all arms.
func (u *union) push(b *table.Batch) error {
	for _, head := range u.arms {
		if err := u.r.budget.Tick(b.N); err != nil {
			return err
		}
		u.copy.CopyOf(b)
		// An arm with a LIMIT of its own may be done before the others.
		if err := head.push(&u.copy); err != nil && (err != errDone || u.done) {
			return err
		}
	}
	return nil
}

// end ends all arms, and then what comes next, once.
func (u *union) end() error {
	for _, head := range u.arms {
		if err := head.end(); err != nil && err != errDone {
			return err
		}
	}
	done := u.done
	u.done = false
	if err := u.next.end(); err != nil || !done {
		return err
	}
	return errDone
}
