package eval

import (
	"time"

	"github.com/segraph/segraph/store/sparql/algebra"
)

// Operator is what one operator of a profiled run did, with those that were built for it.
//
// A pattern that is evaluated by itself and then joined with what comes in has two: one
// that joins, and in its Operands one of the same Op that evaluates.
type Operator struct {
	Op   algebra.Op // nil for the answer, which is what gives out the query's solutions
	In   int64      // rows that came to it
	Rows int64      // rows that it handed on
	// Own is the time in the operator itself, without that of its Operands.
	Own      time.Duration
	Operands []*Operator // in the order in which they were built
}

// Profile has the run count the rows of its operators and take their time, which costs
// two looks at the clock a batch. It is called before Select, Ask or Graph, and what it
// gives is filled in by them: the answer, whose operand is the root of the query.
func (r *Run) Profile() *Operator {
	answer := &Operator{}
	r.profile = &profile{building: answer, running: answer, since: time.Now()}
	return answer
}

// profile watches over a run. There is one clock, which always runs for one operator.
type profile struct {
	building *Operator // whose operands are being built
	running  *Operator // whose time it is
	since    time.Time
}

// pass returns the clock to an operator, and tells whose it was.
func (p *profile) pass(to *Operator) (from *Operator) {
	now := time.Now()
	from = p.running
	from.Own += now.Sub(p.since)
	p.running, p.since = to, now
	return from
}

// build is Run.build with a gate on either side of what that builds.
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

// gate counts the rows that pass it, and the time behind it as that of an operator. Behind
// what an operator hands on is the one that it was built for, until the next gate.
type gate struct {
	next   sink
	p      *profile
	behind *Operator
	rows   *int64
}

func (g *gate) push(b *batch) error {
	*g.rows += int64(b.n)
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
