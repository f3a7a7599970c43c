package eval

import (
	"slices"

	"github.com/segraph/segraph/store/sparql/algebra"
	"github.com/segraph/segraph/store/sparql/value"
)

// filter keeps the rows for which all conditions are true.
type filter struct {
	r          *Run
	next       sink
	exprs      []algebra.Expr
	conditions []test
	columns    lazyColumns
	all        truthsOf // of the conditions, in columns
	truths     []value.Truth
	work       int // for a row
}

// buildFilter puts conditions in front of next; e is what comes to them.
func (r *Run) buildFilter(conditions []algebra.Expr, e env, next sink) (sink, error) {
	if len(conditions) == 0 {
		return next, nil
	}
	f := &filter{r: r, next: next, exprs: conditions, work: workOf(conditions...)}
	for _, c := range conditions {
		t, err := r.test(c)
		if err != nil {
			return nil, err
		}
		f.conditions = append(f.conditions, t)
	}
	return r.buildExists(conditions, e, f)
}

func (f *filter) compile(c *columns) error {
	tests := make([]truthsOf, len(f.exprs))
	for i, e := range f.exprs {
		var err error
		if tests[i], err = c.test(e); err != nil {
			return err
		}
	}
	f.all = c.decided(tests, value.False, value.And)
	f.truths = make([]value.Truth, chunkRows)
	return nil
}

func (f *filter) push(b *batch) error {
	inColumns, err := f.columns.ready(f.r, b, computing(f.exprs), f.compile)
	if err != nil {
		return err
	}
	kept := 0
	for first := 0; first < b.n; first += chunkRows {
		last := min(b.n, first+chunkRows)
		if inColumns {
			if err := f.r.budget.Tick(f.work * (last - first)); err != nil {
				return err
			}
			rows := f.columns.begin(b, first)
			if f.all(rows, f.truths); f.columns.ok() {
				for _, i := range rows {
					if f.truths[i] == value.True {
						b.keep(kept, first+int(i))
						kept++
					}
				}
				continue
			}
		}
		for i := first; i < last; i++ {
			if err := f.r.budget.Tick(f.work); err != nil {
				return err
			}
			if allHold(f.conditions, b.row(i)) {
				b.keep(kept, i)
				kept++
			}
		}
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
	r         *Run
	next      sink
	exprs     []algebra.Expr // of bindings
	bindings  []binding
	columns   lazyColumns
	inColumns []columnIDs // of exprs
	ids       []ID
	rows      []int32
	work      int  // for a row
	passing   bool // nothing from here on keeps rows
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
		out.bindings, out.exprs = append(out.bindings, binding{b.Var, id}), append(out.exprs, b.Expr)
	}
	return r.buildExists(out.exprs, e, out)
}

// passesOn reports whether a sink and all behind it are done with a row, and with its
// terms, when push returns.
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
	inColumns, err := x.columns.ready(x.r, b, computing(x.exprs), x.compile)
	if err != nil {
		return err
	}
	kept := 0
	for first := 0; first < b.n; first += chunkRows {
		last := min(b.n, first+chunkRows)
		if inColumns {
			if err := x.r.budget.Tick(x.work * (last - first)); err != nil {
				return err
			}
			if rows, ok := x.bindRows(b, first); ok {
				for _, i := range rows {
					b.keep(kept, first+int(i))
					kept++
				}
				continue
			}
		}
		for i := first; i < last; i++ {
			if err := x.r.budget.Tick(x.work); err != nil {
				return err
			}
			if x.bindRow(b.row(i)) {
				b.keep(kept, i)
				kept++
			}
		}
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

func (x *extend) compile(c *columns) error {
	for _, e := range x.exprs {
		ids, err := c.identity(e)
		if err != nil {
			return err
		}
		x.inColumns = append(x.inColumns, ids)
	}
	x.ids = make([]ID, chunkRows)
	return nil
}

// bindRows binds the variables of rows of a batch, from the first on, and returns those
// for which it could. It is not ok if they have to be bound one by one.
func (x *extend) bindRows(b *batch, first int) (rows []int32, ok bool) {
	x.rows = append(x.rows[:0], x.columns.begin(b, first)...)
	for k, ids := range x.inColumns {
		if ids(x.rows, x.ids); !x.columns.ok() {
			return nil, false
		}
		slot := x.bindings[k].slot
		x.rows = slices.DeleteFunc(x.rows, func(i int32) bool { return !bind(b.row(first+int(i)), slot, x.ids[i]) })
		x.columns.forget()
	}
	return x.rows, true
}

// bindRow binds the variables of a row, and reports whether what the row came with is
// compatible.
func (x *extend) bindRow(row []ID) bool {
	x.r.terms.nextSolution()
	for _, binding := range x.bindings {
		if !bind(row, binding.slot, binding.id(row)) {
			return false
		}
	}
	return true
}

// bind binds a variable of a row to a term, 0 for none, unless it is bound to another one.
func bind(row []ID, slot algebra.Slot, id ID) bool {
	if row[slot] == 0 {
		row[slot] = id
	}
	return id == 0 || row[slot] == id
}

func (x *extend) end() error { return x.next.end() }
