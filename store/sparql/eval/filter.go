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
	all        truthsOf // evaluates the conditions in columns
	truths     []value.Truth
	rows       []int32
	work       int // per row
}

// buildFilter builds a filter in front of next. e is the environment of the rows that
// it receives.
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
	k := keeper{f.r, &f.columns, f.exprs, f.work, f.next}
	return k.push(b, f.compile, f.holdRows, func(row []ID) bool { return allHold(f.conditions, row) })
}

// holdRows returns the rows for which all conditions are true, in the chunk of a batch
// that begins with row first. ok is false if the chunk is too large.
func (f *filter) holdRows(b *batch, first int) (rows []int32, ok bool) {
	rows = f.columns.begin(b, first)
	f.all(rows, f.truths)
	f.rows = where(f.rows[:0], rows, f.truths, value.True)
	return f.rows, f.columns.ok()
}

func (f *filter) end() error { return f.next.end() }

// keeper passes on the rows that some expressions accept.
type keeper struct {
	r       *Run
	columns *lazyColumns
	exprs   []algebra.Expr
	work    int // of exprs, per row
	next    sink
}

// push passes on the rows of a batch that inColumns returns for chunks, or that one
// accepts. See lazyColumns.inChunks.
func (k keeper) push(b *batch, compile func(*columns) error, inColumns func(b *batch, first int) (rows []int32, ok bool), one func(row []ID) bool) error {
	if _, err := k.columns.ready(k.r, b, computing(k.exprs), compile); err != nil {
		return err
	}
	kept := 0
	some := func(first int) (bool, error) {
		if err := k.r.budget.Tick(k.work * min(b.n-first, k.columns.size)); err != nil {
			return false, err
		}
		rows, ok := inColumns(b, first)
		if !ok {
			return false, nil
		}
		for _, i := range rows {
			b.keep(kept, first+int(i))
			kept++
		}
		return true, nil
	}
	err := k.columns.inChunks(b, some, func(i int) error {
		if err := k.r.budget.Tick(k.work); err != nil {
			return err
		}
		if one(b.row(i)) {
			b.keep(kept, i)
			kept++
		}
		return nil
	})
	if err != nil {
		return err
	}
	b.cut(kept)
	if err := k.r.budget.Failed(); err != nil || kept == 0 {
		return err
	}
	return k.next.push(b)
}

// extend binds variables to the values of expressions.
type extend struct {
	r         *Run
	next      sink
	exprs     []algebra.Expr // of bindings
	bindings  []binding
	columns   lazyColumns
	inColumns []columnIDs // evaluate exprs in columns
	ids       []ID
	rows      []int32
	work      int  // per row
	passing   bool // neither this operator nor those after it keep rows
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

// passesOn reports whether neither a sink nor those after it keep a row or its terms
// after push returns.
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
	k := keeper{x.r, &x.columns, x.exprs, x.work, x.next}
	return k.push(b, x.compile, x.bindRows, x.bindRow)
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

// bindRows binds the variables of rows, in the chunk that begins with row first. It
// returns the rows with compatible values. ok is false if the chunk is too large.
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

// bindRow binds the variables of a row and reports whether the values are compatible with
// those that it already has.
func (x *extend) bindRow(row []ID) bool {
	x.r.terms.nextSolution()
	for _, binding := range x.bindings {
		if !bind(row, binding.slot, binding.id(row)) {
			return false
		}
	}
	return true
}

// bind binds a variable of a row to a term, unless id is 0. It reports false if the
// variable is bound to another term.
func bind(row []ID, slot algebra.Slot, id ID) bool {
	if row[slot] == 0 {
		row[slot] = id
	}
	return id == 0 || row[slot] == id
}

func (x *extend) end() error { return x.next.end() }
