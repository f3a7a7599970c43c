package eval

import (
	"github.com/segraph/segraph/store/sparql/algebra"
	"github.com/segraph/segraph/store/sparql/value"
)

// filter keeps the rows for which all conditions are true.
type filter struct {
	r          *Run
	next       sink
	conditions []test
	work       int // for a row
}

// buildFilter puts conditions in front of next; e is what comes to them.
func (r *Run) buildFilter(conditions []algebra.Expr, e env, next sink) (sink, error) {
	if len(conditions) == 0 {
		return next, nil
	}
	f := &filter{r: r, next: next, work: workOf(conditions...)}
	for _, c := range conditions {
		t, err := r.test(c)
		if err != nil {
			return nil, err
		}
		f.conditions = append(f.conditions, t)
	}
	return r.buildExists(conditions, e, f)
}

func (f *filter) push(b *batch) error {
	kept := 0
rows:
	for i := range b.n {
		row := b.row(i)
		if err := f.r.budget.Tick(f.work); err != nil {
			return err
		}
		for _, c := range f.conditions {
			if c(row) != value.True {
				continue rows
			}
		}
		b.keep(kept, i)
		kept++
	}
	b.cut(kept)
	if err := f.r.budget.Failed(); err != nil {
		return err
	}
	if kept == 0 {
		return nil
	}
	return f.next.push(b)
}

func (f *filter) end() error { return f.next.end() }

// extend binds variables to the values of expressions.
type extend struct {
	r        *Run
	next     sink
	bindings []binding
	work     int  // for a row
	passing  bool // nothing from here on keeps rows
}

type binding struct {
	slot algebra.Slot
	id   func(row []ID) ID
}

func (r *Run) buildExtend(x *algebra.Extend, e env, next sink) (sink, error) {
	out := &extend{r: r, next: next, work: workOf(algebra.Expressions(x)...), passing: passesOn(next)}
	for _, b := range x.Bindings {
		id, err := r.identity(b.Expr)
		if err != nil {
			return nil, err
		}
		out.bindings = append(out.bindings, binding{b.Var, id})
	}
	return r.buildExists(algebra.Expressions(x), e, out)
}

// passesOn tells whether a sink and all behind it are done with a row, and with its terms, when push
// returns.
func passesOn(s sink) bool {
	switch s := s.(type) {
	case *rowSink, *anySink:
		return true
	case *extend:
		return s.passing
	case *filter:
		return passesOn(s.next)
	case *slice:
		return passesOn(s.next)
	}
	return false
}

func (x *extend) push(b *batch) error {
	if x.passing && !x.r.terms.isPassing {
		return x.r.terms.pass(func() error { return x.bind(b) })
	}
	return x.bind(b)
}

func (x *extend) bind(b *batch) error {
	kept := 0
rows:
	for i := range b.n {
		row := b.row(i)
		if err := x.r.budget.Tick(x.work); err != nil {
			return err
		}
		x.r.terms.nextSolution()
		for _, binding := range x.bindings {
			id := binding.id(row)
			if id == 0 || id == row[binding.slot] {
				continue
			}
			if row[binding.slot] != 0 { // what the row came with is not compatible
				continue rows
			}
			row[binding.slot] = id
		}
		b.keep(kept, i)
		kept++
	}
	b.cut(kept)
	if err := x.r.budget.Failed(); err != nil {
		return err
	}
	if kept == 0 {
		return nil
	}
	return x.next.push(b)
}

func (x *extend) end() error { return x.next.end() }
