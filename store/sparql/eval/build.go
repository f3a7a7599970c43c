package eval

import (
	"fmt"
	"math"

	"github.com/segraph/segraph/store/sparql/algebra"
	"github.com/segraph/segraph/store/sparql/eval/table"
	"github.com/segraph/segraph/store/sparql/source"
)

// env describes the rows that an operator will receive, as far as they are known when
// it is built.
type env struct {
	// may holds the variables that earlier patterns of the same join may bind, and
	// certain those that all rows bind. A variable with a value from EXISTS may be in
	// certain but not in may, because the operators inside see a term instead of it.
	may, certain algebra.Set
	// unit is the only row of a run, or nil if there may be more. It binds no variable
	// of the query, but may have an active graph.
	unit   *unit
	around *correlation    // the enclosing EXISTS, or nil
	alone  bool            // a run has one row, with values of around to substitute and no others
	ahead  *ahead          // the ahead that an Ordered is built for, or nil
	all    *algebra.Triple // the pattern whose solutions are the rows, if all are wanted; or nil
}

// unit is the row that a run of a chain begins with. It is set before the run.
type unit struct{ row []source.ID }

// correlation holds the rows of an EXISTS, whose values are substituted for variables
// in its pattern. Each row has its number, from 1, at slot.
type correlation struct {
	slot    algebra.Slot
	certain algebra.Set // variables that all rows bind
	limited bool        // the pattern limits solutions, so there is one row at a time
	rows    table.Batch
}

// after returns the environment of the operators after op.
func (r *Run) after(e env, op algebra.Op) env {
	behind := env{may: e.may.Or(r.vars.May(op)), certain: e.certain.Or(r.vars.Certain(op)), around: e.around}
	if t, ok := op.(*algebra.Triple); ok && e.unit != nil && !r.eager {
		behind.all = t
	}
	return behind
}

// build builds the operators of op in front of next and returns the first. Rows pushed
// into it arrive at next joined with the solutions of op.
func (r *Run) build(op algebra.Op, e env, next sink) (sink, error) {
	if r.profile != nil {
		return r.profile.build(r, op, e, next)
	}
	return r.buildOperator(op, e, next)
}

// buildOperator builds op by its kind. An operator that can't take the rows before it is evaluated
// once, by itself, and joined by hash.
func (r *Run) buildOperator(op algebra.Op, e env, next sink) (sink, error) {
	if err := r.budget.Tick(1); err != nil {
		return nil, err
	}
	if e.unit == nil && r.byItself(op, e) {
		return r.buildHashJoin(op, e, next)
	}
	switch x := op.(type) {
	case *algebra.Unit:
		return next, nil
	case *algebra.Triple:
		return r.buildScan(x, e, next)
	case *algebra.TripleTerm:
		return r.buildTripleTerm(x, e, next)
	case *algebra.Ordered:
		return r.buildOrdered(x, e, next)
	case *algebra.Path:
		return r.buildPath(x, e, next)
	case *algebra.Join:
		return r.buildJoin(x, e, next)
	case *algebra.ValueJoin:
		return r.buildValueJoin(x, e, next)
	case *algebra.LeftJoin:
		return r.buildLeftJoin(x, e, next)
	case *algebra.Union:
		return r.buildUnion(x, e, next)
	case *algebra.Minus:
		return r.buildMinus(x, e, next)
	case *algebra.SemiJoin:
		return r.buildSemiJoin(x, e, next)
	case *algebra.Filter:
		next, err := r.buildFilter(x.Conditions, r.after(e, x.Op), next)
		return r.buildBefore(x.Op, e, next, err)
	case *algebra.Extend:
		next, err := r.buildExtend(x, r.after(e, x.Op), next)
		return r.buildBefore(x.Op, e, next, err)
	case *algebra.Graph:
		return r.buildGraph(x, e, next)
	case *algebra.Values:
		return r.buildValues(x, e, next)
	case *algebra.Group:
		return r.buildGroup(x, e, next)
	case *algebra.Materialize:
		return r.build(x.Op, e, next)
	case *algebra.Reduce:
		return r.build(x.Op, e, newReduce(r, x, next))
	case *algebra.Project:
		return r.build(x.Op, e, next)
	case *algebra.Distinct:
		return r.buildWanting(r.eager, x.Op, e, newDistinct(r, x.Vars, next))
	case *algebra.OrderBy:
		return r.buildOrder(x, e, next)
	case *algebra.Slice:
		return r.buildWanting(x.Limit != algebra.NoLimit || r.eager, x.Op, e, &slice{next: next, offset: x.Offset, limit: min(x.Limit, math.MaxInt64-x.Offset)})
	}
	return nil, fmt.Errorf("unknown kind of operator: %T", op)
}

// byItself reports whether op can't take the rows before it.
func (r *Run) byItself(op algebra.Op, e env) bool {
	_, group := op.(*algebra.Group)
	return group || !e.alone && !r.vars.TakesBindings(op, e.may)
}

// buildBefore builds op in front of next, or returns err, with which building next failed.
func (r *Run) buildBefore(op algebra.Op, e env, next sink, err error) (sink, error) {
	if err != nil {
		return nil, err
	}
	return r.build(op, e, next)
}

const fewRows, allRows = true, false // arguments of buildWanting

// buildWanting builds an operator for a known demand. few is set if few rows of op may be wanted; otherwise all are.
func (r *Run) buildWanting(few bool, op algebra.Op, e env, next sink) (sink, error) {
	was := r.eager
	r.eager = few
	defer func() { r.eager = was }()
	if few {
		return r.build(op, e, next)
	}
	return r.buildAside(op, e, next)
}

// buildJoin chains the operands, one after another.
func (r *Run) buildJoin(x *algebra.Join, e env, next sink) (sink, error) {
	before := make([]env, len(x.Ops))
	for i, op := range x.Ops {
		before[i] = e
		e = r.after(e, op)
	}
	for i := len(x.Ops) - 1; i >= 0; i-- {
		var err error
		if next, err = r.build(x.Ops[i], before[i], next); err != nil {
			return nil, err
		}
	}
	return next, nil
}

// feed runs a chain of operators on some rows and ends it.
func feed(head sink, rows *table.Batch) error {
	if rows.N > 0 {
		if err := head.push(rows); err != nil && err != errDone {
			return err
		}
	}
	if err := head.end(); err != nil && err != errDone {
		return err
	}
	return nil
}
