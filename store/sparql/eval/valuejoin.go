package eval

import (
	"errors"
	"slices"

	"github.com/segraph/segraph/store/sparql/algebra"
	"github.com/segraph/segraph/store/sparql/eval/expr"
	"github.com/segraph/segraph/store/sparql/eval/table"
	"github.com/segraph/segraph/store/sparql/source"
	"github.com/segraph/segraph/store/sparql/syntax"
	"github.com/segraph/segraph/store/sparql/value"
)

// valueJoin joins rows with a pattern that is evaluated on its own, on conditions that
// compare expressions. It finds the pattern's solutions by the keys of values that must
// be equal (value.KeyOf) and, among those, by their places in an order (value.PlaceOf).
// Where keys and places do not decide, it tests the conditions.
type valueJoin struct {
	output
	r      *Run
	in     *inner
	equal  []syntax.Op
	bounds []syntax.Op // all with the same right side
	// left and right are the operands of equal, then those of bounds. left is evaluated
	// on the rows that arrive, and right on the solutions.
	left, right *expr.Operands
	both        bool             // there are lower and upper bounds
	tests       *expr.Conditions // all
	others      *expr.Conditions // those neither in equal nor in bounds
	work        int              // of all expressions
	once        bool             // pass on a row at most once, for its first match
	joined      int64            // rows passed on
	tables      map[source.ID]*valueTable
	key         []source.ID
	places      []value.Place
	some        table.Batch // of solutions
}

func (r *Run) buildValueJoin(x *algebra.ValueJoin, e env, next sink) (sink, error) {
	j, err := r.newValueJoin(x.Right, x.Conditions, r.after(e, x.Left), next)
	if err != nil {
		return nil, err
	}
	return r.build(x.Left, e, j)
}

// newValueJoin returns a join of rows in the environment left with right. No condition
// may contain an EXISTS.
func (r *Run) newValueJoin(right algebra.Op, conditions []algebra.Expr, left env, next sink) (*valueJoin, error) {
	j := &valueJoin{output: newOutput(r, next), r: r, some: r.batchOf(), work: expr.Work(conditions...), tables: map[source.ID]*valueTable{}}
	var err error
	if j.in, err = r.newInner(right, left); err != nil {
		return nil, err
	}
	if err := j.compile(conditions, left, right); err != nil {
		return nil, err
	}
	j.key, j.places = make([]source.ID, len(j.in.keys)+len(j.equal)), make([]value.Place, len(j.bounds))
	return j, nil
}

// finds reports whether some condition can be used to find the solutions of right for a
// row. It reports false if a condition contains an EXISTS.
func (r *Run) finds(conditions []algebra.Expr, left env, right algebra.Op) bool {
	return len(algebra.ExistsIn(conditions...)) == 0 && slices.ContainsFunc(conditions, func(e algebra.Expr) bool {
		_, ok := r.oriented(e, left, right)
		return ok
	})
}

// oriented returns a condition as a comparison whose first operand is an expression of
// the row and whose second is one of a solution of right. It returns false if the
// condition is not such a comparison. The join must not change the first operand.
func (r *Run) oriented(e algebra.Expr, left env, right algebra.Op) (comparison *algebra.Call, ok bool) {
	c, ok := algebra.Comparison(e)
	if !ok {
		return nil, false
	}
	for _, c := range []*algebra.Call{c, algebra.Mirrored(c)} {
		ofRow, ofSolution := r.vars.MentionedBy(c.Args[0]), r.vars.MentionedBy(c.Args[1])
		// A variable of the first operand that right may bind too must have its value already.
		if !ofSolution.Empty() && ofSolution.In(r.vars.Certain(right)) && ofRow.And(r.vars.May(right)).In(left.certain) {
			return c, true
		}
	}
	return nil, false
}

// compile sorts conditions by their use.
func (j *valueJoin) compile(conditions []algebra.Expr, left env, right algebra.Op) error {
	comparisons := make([]algebra.Expr, len(conditions)) // nil for other conditions
	for i, e := range conditions {
		if c, ok := j.r.oriented(e, left, right); ok {
			comparisons[i] = c
		}
	}
	band, both := algebra.Band(comparisons)
	j.both = both
	var equal, bounds []*algebra.Call
	var others []algebra.Expr
	for i, e := range conditions {
		c, _ := comparisons[i].(*algebra.Call)
		isBound := slices.Contains(band, c)
		if c == nil || !algebra.IsEquality(c) && !isBound {
			others = append(others, e)
			continue
		}
		if isBound {
			j.bounds, bounds = append(j.bounds, c.Op), append(bounds, c)
		} else {
			j.equal, equal = append(j.equal, c.Op), append(equal, c)
		}
	}
	var ofRow, ofSolution []algebra.Expr
	for _, c := range append(equal, bounds...) {
		ofRow, ofSolution = append(ofRow, c.Args[0]), append(ofSolution, c.Args[1])
	}
	var errs [4]error
	j.left, errs[0] = j.r.exprs.NewOperands(ofRow)
	j.right, errs[1] = j.r.exprs.NewOperands(ofSolution)
	j.tests, errs[2] = j.r.exprs.NewConditions(conditions)
	j.others, errs[3] = j.r.exprs.NewConditions(others)
	return errors.Join(errs[:]...)
}

// push joins each row with the solutions of the right side.
func (j *valueJoin) push(b *table.Batch) error {
	for i := range b.N {
		if err := j.r.budget.Tick(j.work); err != nil {
			return err
		}
		if err := j.left.MoveTo(b, i); err != nil {
			return err
		}
		if err := j.join(b.Row(i)); err != nil {
			return err
		}
		if err := j.r.budget.Failed(); err != nil {
			return err
		}
	}
	return j.pause()
}

// join passes on a row, joined with each solution that matches.
func (j *valueJoin) join(row []source.ID) error {
	t, err := j.table(row)
	if err != nil || len(t.entries) == 0 {
		return err
	}
	bucket, known := t.bucket(j, row)
	if known == keyLoose && !t.coarse { // perhaps an xsd:float, which only has a coarse key
		t.coarse = true
		if err := t.index(j); err != nil {
			return err
		}
		bucket, known = t.bucket(j, row)
	}
	switch known {
	case keyNone:
		return nil
	case keyLoose:
		return j.try(t, row, t.entries, false)
	}
	before := j.joined
	if err := j.within(t, row, bucket, known == keyDecides); err != nil || j.once && j.joined > before {
		return err
	}
	return j.try(t, row, t.loose, false)
}

// within tries the entries of a bucket that are within the row's bounds. decided says that the
// equality of keys decides, so that only the bounds are left to test.
func (j *valueJoin) within(t *valueTable, row []source.ID, bucket []placed, decided bool) error {
	if len(j.bounds) == 0 || len(bucket) == 0 {
		return j.try(t, row, bucket, decided)
	}
	for i := range j.bounds {
		p, ok := value.PlaceOf(j.left.Value(len(j.equal)+i, row))
		if !ok || p.Scale != j.places[0].Scale && i > 0 { // no value is within the bounds
			return nil
		}
		j.places[i] = p
	}
	for lane := range value.Lanes {
		if t.lanes[j.places[0].Scale]&(1<<lane) == 0 {
			continue
		}
		entries, exact := j.cut(bucket, lane)
		before := j.joined
		if err := j.try(t, row, entries, decided && exact); err != nil || j.once && j.joined > before {
			return err
		}
	}
	return nil
}

// cut returns the entries of a bucket, which is sorted by their places in a lane, that may
// be within the bounds of a row. exact says that all of them are.
func (j *valueJoin) cut(bucket []placed, lane value.Lane) (entries []placed, exact bool) {
	from, to := 0, len(bucket)
	if !j.both { // one end of the lane is not bounded by a condition
		least, greatest := value.LaneEnds(j.places[0].Scale, lane)
		from, to = search(bucket, least, false), search(bucket, greatest, true)
	}
	exact = true
	for i, p := range j.places {
		least, greatest, decided := p, p, value.Exact(p.Lane, lane)
		if !decided {
			least, greatest = p.Bounds(lane)
			exact = false
		}
		switch j.bounds[i] {
		case syntax.OpLess, syntax.OpLessEqual: // the solution is greater than the row
			from = max(from, search(bucket, least, decided && j.bounds[i] == syntax.OpLess))
		default:
			to = min(to, search(bucket, greatest, !decided || j.bounds[i] == syntax.OpGreaterEqual))
		}
	}
	return bucket[from:max(from, to)], exact
}

// try joins a row with the solutions of some entries, if they are compatible and the
// conditions hold. If decided is set, the conditions of equal and bounds are known to
// hold for entries that decide.
func (j *valueJoin) try(t *valueTable, row []source.ID, entries []placed, decided bool) error {
	for size := j.first(); len(entries) > 0; size = min(4*size, expr.ChunkRows, j.r.largest) {
		// Take entries that need the same tests: all decide, or none does.
		decides, from, n := decided && entries[0].decides, j.buf.N, 0
		for ; n < min(size, len(entries)) && (decided && entries[n].decides) == decides; n++ {
			if err := j.r.budget.Tick(1); err != nil {
				return err
			}
			if !merge(j.add(row), j.in.keep, t.rows.Row(int(entries[n].row))) {
				j.drop()
			}
		}
		entries = entries[n:]
		tests := j.tests
		if decides {
			tests = j.others
		}
		found := table.Batch{Width: len(row), N: j.buf.N - from, IDs: j.buf.IDs[from*len(row):]}
		if err := tests.Keep(&found); err != nil {
			return err
		}
		if j.once {
			found.N = min(found.N, 1)
		}
		j.joined += int64(found.N)
		j.buf.Cut(from + found.N)
		if found.N == 0 {
			continue
		}
		if err := j.full(); err != nil || j.once {
			return err
		}
	}
	return nil
}

// first returns how many entries are tried at first: one, if one match is enough.
func (j *valueJoin) first() int {
	if j.once {
		return 1
	}
	return min(expr.ChunkRows, j.r.largest)
}

// end ends the output. Inside EXISTS it also forgets the solutions of the right side.
func (j *valueJoin) end() error {
	err := j.output.end()
	if j.in.around != nil { // solutions for rows of EXISTS are not valid for other rows
		for _, t := range j.tables {
			t.forget()
			if err := t.grow(j, -t.size); err != nil {
				return err
			}
		}
		clear(j.tables)
	}
	return err
}
