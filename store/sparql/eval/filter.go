package eval

import (
	"slices"

	"github.com/segraph/segraph/store/sparql/algebra"
	"github.com/segraph/segraph/store/sparql/eval/expr"
	"github.com/segraph/segraph/store/sparql/eval/table"
	"github.com/segraph/segraph/store/sparql/source"
)

// filter keeps the rows for which all conditions are true.
type filter struct {
	*expr.Conditions
	next sink
}

// buildFilter builds a filter in front of next. e is the environment of the rows that
// it receives.
func (r *Run) buildFilter(exprs []algebra.Expr, e env, next sink) (sink, error) {
	if len(exprs) == 0 {
		return next, nil
	}
	x, err := r.exprs.NewConditions(exprs)
	if err != nil {
		return nil, err
	}
	if r.isFork && !r.inUnion && e.around == nil && expr.Movable(algebra.Set{}, exprs...) && expr.Costly(exprs...) {
		own, err := r.pipe.r.exprs.NewConditions(exprs)
		return &shared{p: r.pipe, do: [2]func(*table.Batch) error{own.Keep, x.Keep}, next: next}, err
	}
	return r.buildExists(exprs, e, &filter{x, next})
}

func (f *filter) push(b *table.Batch) error {
	if err := f.Keep(b); err != nil || b.N == 0 {
		return err
	}
	return f.next.push(b)
}

func (f *filter) end() error { return f.next.end() }

// extend binds variables to the values of expressions.
type extend struct {
	*expr.Columns
	terms    *expr.Terms
	next     sink
	bindings []algebra.Binding
	ids      []expr.IDs  // by binding, what computes its values
	found    []source.ID // by row, the values of one binding
	rows     []int32     // those whose values are compatible so far
	work     int         // per row
	passing  bool        // neither this operator nor those after it keep rows
}

// buildExtend builds BIND. e is what holds after the operand of x.
func (r *Run) buildExtend(x *algebra.Extend, e env, next sink) (sink, error) {
	out, err := r.newExtend(x, next)
	if err != nil {
		return nil, err
	}
	if r.isFork {
		own, err := r.pipe.r.newExtend(x, nil)
		return &shared{p: r.pipe, do: [2]func(*table.Batch) error{own.bind, out.bind}, next: next}, err
	}
	return r.buildExists(algebra.Expressions(x), e, out)
}

func (r *Run) newExtend(x *algebra.Extend, next sink) (*extend, error) {
	exprs := algebra.Expressions(x)
	out := &extend{Columns: r.exprs.NewColumns(exprs...), terms: r.terms, next: next, bindings: x.Bindings, work: expr.Work(exprs...), passing: passesOn(next)}
	for _, b := range x.Bindings {
		ids, err := out.Identity(b.Expr)
		if err != nil {
			return nil, err
		}
		out.ids = append(out.ids, ids)
	}
	return out, nil
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

func (x *extend) push(b *table.Batch) error {
	pass := func() error {
		if err := x.bind(b); err != nil || b.N == 0 {
			return err
		}
		return x.next.push(b)
	}
	if x.passing {
		return x.terms.Pass(pass)
	}
	return pass()
}

// bind binds the variables in the rows of b, and drops rows that disagree with a variable that is bound
// already.
func (x *extend) bind(b *table.Batch) error {
	kept := 0
	err := x.Chunks(b, x.work, func(first int, rows []int32) error {
		if rows = x.bindRows(rows); !x.Valid() {
			return nil
		}
		for _, i := range rows {
			b.Keep(kept, first+int(i))
			kept++
		}
		return nil
	})
	b.Cut(kept)
	return err
}

// bindRows binds the variables of rows. It returns those with compatible values.
func (x *extend) bindRows(rows []int32) []int32 {
	x.rows, x.found = append(x.rows[:0], rows...), expr.Sized(x.Columns, x.found)
	for k, compute := range x.ids {
		if compute(x.rows, x.found); !x.Valid() {
			break
		}
		slot := x.bindings[k].Var
		x.rows = slices.DeleteFunc(x.rows, func(i int32) bool { return !bind(x.Row(i), slot, x.found[i]) })
		x.Forget() // later expressions may use the variable
	}
	return x.rows
}

// bind binds a variable of a row to a term, unless id is 0. It reports false if the
// variable is bound to another term.
func bind(row []source.ID, slot algebra.Slot, id source.ID) bool {
	if row[slot] == 0 {
		row[slot] = id
	}
	return id == 0 || row[slot] == id
}

func (x *extend) end() error { return x.next.end() }
