package eval

import "github.com/segraph/segraph/store/sparql/algebra"

// exists finds out, for a batch of rows at a time, whether a pattern has a solution with
// each row's values put in, and leaves the outcome in a place of the row for the
// expression to read.
//
// Where the pattern groups solutions, sorts them or cuts them off, as a subquery does,
// what is inside of that sees no values: it is evaluated as it stands, and then joined
// with the row on the variables that it shows. The standard's substitute (section 18.6)
// would put values in there too, also for variables that only share a name, for which it
// leaves undefined what comes of a SELECT or a grouping by them.
type exists struct {
	r    *Run
	next sink
	slot algebra.Slot
	not  bool
	// around has the rows, body the pattern that they go through, and matched their
	// numbers that come out.
	around  *correlation
	body    sink
	matched *matched
	copy    batch
}

// Outcomes of EXISTS as they stand in a row.
const (
	isFalse ID = iota + 1
	isTrue
)

// buildExists puts the EXISTS of some expressions in front of the operator that evaluates
// these.
func (r *Run) buildExists(exprs []algebra.Expr, e env, next sink) (sink, error) {
	for _, x := range algebra.ExistsIn(exprs...) {
		out := &exists{r: r, copy: r.batchOf(), next: next, slot: x.Slot, not: x.Not, around: &correlation{slot: x.Slot, certain: e.certain, rows: r.batchOf()}, matched: &matched{slot: x.Slot}}
		var err error
		if out.body, err = r.build(x.Op, env{certain: e.certain, around: out.around}, out.matched); err != nil {
			return nil, err
		}
		next = out
	}
	return next, nil
}

func (x *exists) push(b *batch) error {
	if err := x.r.budget.Tick(b.n); err != nil {
		return err
	}
	for i := range b.n {
		b.row(i)[x.slot] = ID(i + 1)
	}
	x.around.rows.copyOf(b)
	x.copy.copyOf(b)
	x.matched.begin(b.n)
	if err := feed(x.body, &x.copy); err != nil {
		return err
	}
	for i := range b.n {
		outcome := isFalse
		if x.matched.seen[i] != x.not {
			outcome = isTrue
		}
		b.row(i)[x.slot] = outcome
	}
	return x.next.push(b)
}

func (x *exists) end() error { return x.next.end() }
