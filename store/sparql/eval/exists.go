package eval

import (
	"slices"

	"github.com/segraph/segraph/store/sparql/algebra"
	"github.com/segraph/segraph/store/sparql/eval/expr"
	"github.com/segraph/segraph/store/sparql/eval/table"
	"github.com/segraph/segraph/store/sparql/source"
)

// exists evaluates EXISTS for a batch of rows at a time: whether a pattern has a
// solution with the values of a row substituted. It stores the result in a slot of the
// row, where the expression reads it.
//
// Values are not substituted where solutions are grouped. That part is evaluated without
// them, and then joined with the row on the variables that it projects. The standard's
// substitute (section 18.6) would replace variables there too, and everywhere those that
// only share a name, and does not define what SELECT and GROUP BY of a term mean. A
// pattern with a LIMIT or OFFSET is evaluated for one row at a time.
type exists struct {
	r    *Run
	next sink
	not  bool
	// around holds the rows. They are pushed through body, the pattern. matched records
	// the numbers of those that have a solution.
	around  *correlation
	body    sink
	matched *matched
}

// buildExists builds the EXISTS in some expressions in front of next, which evaluates
// the expressions.
func (r *Run) buildExists(exprs []algebra.Expr, e env, next sink) (sink, error) {
	for _, x := range algebra.ExistsIn(exprs...) {
		out := &exists{r: r, next: next, not: x.Not, matched: r.newMatched(x.Slot, nil),
			around: &correlation{slot: x.Slot, certain: e.certain, limited: limits(x.Op), rows: r.batchOf()}}
		var err error
		if out.body, err = r.build(x.Op, env{certain: e.certain, around: out.around}, out.matched); err != nil {
			return nil, err
		}
		next = out
	}
	return next, nil
}

// limits reports whether op has a LIMIT or OFFSET that applies to the solutions with the
// values of a row.
func limits(op algebra.Op) bool {
	switch op.(type) {
	case *algebra.Slice:
		return true
	case *algebra.Group:
		return false
	}
	return slices.ContainsFunc(algebra.Children(op), limits)
}

// push tests the rows before it passes them on: one by one if EXISTS has a LIMIT, because that is for the solutions of one row.
func (x *exists) push(b *table.Batch) error {
	if err := x.r.budget.Tick(b.N); err != nil {
		return err
	}
	size := b.N
	if x.around.limited {
		size = 1
	}
	for first := 0; first < b.N; first += size {
		if err := x.test(&table.Batch{Width: b.Width, N: size, IDs: b.IDs[first*b.Width : (first+size)*b.Width]}); err != nil {
			return err
		}
	}
	return x.next.push(b)
}

// test stores the results for some rows.
func (x *exists) test(b *table.Batch) error {
	s, isScan := x.body.(*scan)
	onlyPattern := isScan && s.next == x.matched
	if onlyPattern && s.fullScan != nil && s.fullScan.matchesOnce() {
		for i := range b.N {
			_, found := s.find(b.Row(i))
			x.store(b.Row(i), found)
		}
		return nil
	}
	rows := x.matched.begin(b)
	x.around.rows.CopyOf(b)
	if err := feed(x.body, rows); err != nil {
		return err
	}
	for i := range b.N {
		x.store(b.Row(i), x.matched.seen[i])
	}
	return nil
}

// store stores whether a row has a solution.
func (x *exists) store(row []source.ID, found bool) {
	if row[x.matched.slot] = expr.False; found != x.not {
		row[x.matched.slot] = expr.True
	}
}

func (x *exists) end() error { return x.next.end() }
