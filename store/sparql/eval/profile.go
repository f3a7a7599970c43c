package eval

import (
	"time"

	"github.com/segraph/segraph/store/sparql/algebra"
	"github.com/segraph/segraph/store/sparql/eval/table"
)

// Operator holds the measurements of one operator of a profiled run, and of the operators
// that were built for it.
//
// A pattern that is evaluated on its own and then joined has two Operators: one that
// joins and, among its Operands, one with the same Op that evaluates.
type Operator struct {
	Op   algebra.Op // nil for the answer, which returns the query's solutions
	In   int64      // rows received
	Rows int64      // rows passed on
	// Own is the time spent in the operator itself, without its Operands.
	Own      time.Duration
	Operands []*Operator // in the order they were built
}

// Profile makes the run count the rows of its operators and measure their time. That
// costs two clock readings per batch. Call it before Select, Ask or Graph, which fill in
// the result: the Operator of the answer, whose operand is the root of the query.
func (r *Run) Profile() *Operator {
	answer := &Operator{}
	r.profile = &profile{building: answer, running: answer, since: time.Now()}
	return answer
}

// profile measures a run. It has one clock, which always runs for one operator.
type profile struct {
	building *Operator // the operator whose operands are being built
	running  *Operator // the operator that the clock runs for
	since    time.Time
}

// pass makes the clock run for an operator, and returns the one that it ran for until
// now.
func (p *profile) pass(to *Operator) (from *Operator) {
	now := time.Now()
	from = p.running
	from.Own += now.Sub(p.since)
	p.running, p.since = to, now
	return from
}

// build builds an operator with a gate before and after it.
func (p *profile) build(r *Run, op algebra.Op, e env, next sink) (sink, error) {
	o, around := &Operator{Op: op}, p.building
	around.Operands = append(around.Operands, o)
	p.building = o
	defer func() { p.building = around }()
	head, err := r.buildOperator(op, e, &gate{next, p, around, &o.Rows})
	if err != nil {
		return nil, err
	}
	return &gate{head, p, o, &o.In}, nil
}

// gate counts the rows that pass and charges the time after it to the operator behind.
// The gate at the output of an operator charges the operator it was built for.
type gate struct {
	next   sink
	p      *profile
	behind *Operator
	rows   *int64
}

func (g *gate) push(b *table.Batch) error {
	*g.rows += int64(b.N)
	from := g.p.pass(g.behind)
	err := g.next.push(b)
	g.p.pass(from)
	return err
}

func (g *gate) end() error {
	from := g.p.pass(g.behind)
	err := g.next.end()
	g.p.pass(from)
	return err
}
