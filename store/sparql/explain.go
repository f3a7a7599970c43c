package sparql

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql/algebra"
	"github.com/segraph/segraph/store/sparql/budget"
	"github.com/segraph/segraph/store/sparql/eval"
	"github.com/segraph/segraph/store/sparql/plan"
	"github.com/segraph/segraph/store/sparql/statistics"
	"github.com/segraph/segraph/store/sparql/syntax"
)

// Explanation describes how a query was executed. Its String is for people, its JSON for
// programs.
type Explanation struct {
	Kind string `json:"query_kind"` // select, ask, construct or describe
	// Rows is the number of rows or triples of the answer; for an ASK, 1 for true and 0
	// for false.
	Rows int64 `json:"rows"`
	// PlanningMS and RunningMS are times in milliseconds. The running time includes
	// making the terms of the answer, but not writing them.
	PlanningMS float64 `json:"planning_ms"`
	RunningMS  float64 `json:"running_ms"`
	// Memory is the query's peak memory in bytes, by its own accounting.
	Memory int64 `json:"memory_bytes"`
	// Stopped is the limit that ended the query, as a sentence, or "". If it is set, all
	// counts and times cover the work until then.
	Stopped string `json:"stopped,omitempty"`
	Plan    *Step  `json:"plan"`

	// Patterns are the first 200 triple patterns and paths of the query, in text order.
	// Reason explains in a sentence why nothing was found. Both are set only if nothing
	// was found.
	Patterns []Pattern `json:"patterns,omitempty"`
	Reason   string    `json:"reason,omitempty"`

	// Warnings lists constructs that may not do what the author of the query expects.
	Warnings []Warning `json:"warnings,omitempty"`

	// Server is the graph store that answers queries in place of this engine, or nil. The
	// rest describes this engine, which does not know how the server executes a query.
	Server *Server `json:"server,omitempty"`
}

// Server describes the query that a graph store receives.
type Server struct {
	Product string `json:"product"`
	Query   string `json:"query,omitempty"`   // the query as sent, or ""
	Because string `json:"because,omitempty"` // why none is sent
}

// Step is an operator of the plan.
type Step struct {
	Operator string `json:"operator"`         // a word: triple, join, filter, …; the query's kind for the answer itself
	Detail   string `json:"detail,omitempty"` // its pattern, expressions or variables
	// Estimated is the planner's estimate of rows, RowsIn the number of input rows and
	// Rows that of output rows. They are nil for an operator that was not estimated or
	// did not run by itself, such as a pattern whose triples the store has counted.
	Estimated *float64 `json:"estimated_rows"`
	RowsIn    *int64   `json:"rows_in"`
	Rows      *int64   `json:"rows"`
	// MS is the operator's time in milliseconds including operands, OwnMS excluding them.
	MS       float64 `json:"ms"`
	OwnMS    float64 `json:"own_ms"`
	Operands []*Step `json:"operands,omitempty"` // in the order of evaluation
}

// Explain runs a query of any form over ds, discards the answer, and describes the
// execution. If a limit ends the query, Stopped holds it and the error is nil. Other
// errors are those of Run.
func (q *Query) Explain(ctx context.Context, ds Dataset, l budget.Limits) (x *Explanation, err error) {
	begun := time.Now()
	err = q.within(ctx, l, func(ctx context.Context, b *budget.Budget) error {
		x, err = q.explain(ctx, ds, b, begun)
		return err
	})
	return x, err
}

// explain plans the query and runs it to its end or to a limit. If it has no answer, explain looks
// for the reason. begun is when planning began.
func (q *Query) explain(ctx context.Context, ds Dataset, b *budget.Budget, begun time.Time) (*Explanation, error) {
	planned, err := q.plan(ds, b)
	if err != nil {
		return nil, err
	}
	statistics, err := statistics.Of(ds, q.algebra.From, q.algebra.FromNamed)
	if err != nil {
		return nil, err
	}
	estimates, err := plan.Estimates(planned, statistics, b)
	if err != nil {
		return nil, err
	}
	r, err := eval.New(b, planned, ds)
	if err != nil {
		return nil, err
	}
	running := time.Now()
	x := &Explanation{Kind: q.Form().String(), PlanningMS: milliseconds(running.Sub(begun)), Warnings: slices.Clone(q.warnings)}
	answer := r.Profile()
	if err := x.run(q.Form(), r); err != nil {
		var limit *budget.LimitError
		if !errors.As(err, &limit) {
			return nil, err
		}
		x.Stopped = limit.Error()
	}
	x.RunningMS, x.Memory = milliseconds(time.Since(running)), b.Peak()
	steps := &steps{query: planned, estimates: estimates}
	x.Plan = steps.answer(x, answer)
	statistics = statistics.Exact() // a reason must be true of the data as they are now
	nothing, err := foundNothing(x, answer, statistics)
	if err != nil {
		return nil, err
	}
	if x.Stopped == "" && nothing {
		d := &diagnosis{query: q.algebra, ds: ds, statistics: statistics, limits: b.Limits()}
		if err := d.explain(ctx, x); err != nil {
			return nil, err
		}
	}
	return x, nil
}

// run runs the query and counts its answers.
func (x *Explanation) run(f syntax.Form, r *eval.Run) error {
	switch f {
	case syntax.Select:
		return r.Select(func([]rdf.Term) error { x.Rows++; return nil })
	case syntax.Ask:
		found, err := r.Ask()
		if found {
			x.Rows = 1
		}
		return err
	}
	return r.Graph(func(rdf.Triple) error { x.Rows++; return nil })
}

// foundNothing reports whether the answer is empty, or is the result of aggregates
// without GROUP BY over no rows.
func foundNothing(x *Explanation, answer *eval.Operator, statistics *statistics.Counts) (bool, error) {
	o := answer // its Op is nil
	for o.Op == nil || len(o.Operands) == 1 {
		g, ok := o.Op.(*algebra.Group)
		if ok && len(g.Keys) == 0 {
			return o.Operands[0].Rows == 0, nil
		}
		if len(o.Operands) == 0 {
			break
		}
		o = o.Operands[0]
	}
	if g, ok := o.Op.(*algebra.Group); ok && len(o.Operands) == 0 { // the store has counted it
		if t, ok := g.Op.(*algebra.Triple); ok {
			n, err := statistics.Count(t.Graph, t.S.Term, t.P.Term, t.O.Term)
			return n == 0, err
		}
	}
	return x.Rows == 0, nil
}

func milliseconds(d time.Duration) float64 { return rounded(float64(d) / 1e6) }

// rounded rounds to microseconds.
func rounded(ms float64) float64 { return math.Round(ms*1000) / 1000 }

// steps converts operators to Steps.
type steps struct {
	query     *algebra.Query
	estimates map[algebra.Op]plan.Estimate
}

// answer returns the step for the answer itself.
func (s *steps) answer(x *Explanation, o *eval.Operator) *Step {
	rows := x.Rows
	step := &Step{Operator: x.Kind, Rows: &rows, MS: milliseconds(o.Own), OwnMS: milliseconds(o.Own)}
	for _, operand := range o.Operands {
		step.add(s.step(operand, o))
		step.RowsIn = &operand.Rows
	}
	return step
}

func (s *Step) add(operand *Step) {
	s.Operands = append(s.Operands, operand)
	s.MS = rounded(s.MS + operand.MS)
}

// step returns the step of an operator, with its operands. around is the operator around it, or
// nil.
func (s *steps) step(o, around *eval.Operator) *Step {
	step := s.named(o.Op)
	step.RowsIn, step.Rows, step.OwnMS, step.MS = &o.In, &o.Rows, milliseconds(o.Own), milliseconds(o.Own)
	if len(o.Operands) == 1 && evaluates(o.Operands[0], o) {
		step.Operator, step.Detail = "hash join", ""
	}
	if e, ok := s.estimates[o.Op]; ok {
		rows := e.Rows
		if evaluates(o, around) {
			rows = e.Isolated
		}
		step.Estimated = &rows
	}
	if len(o.Operands) == 0 { // its children did not run by themselves
		for _, child := range algebra.Children(o.Op) {
			step.add(s.named(child))
		}
	}
	for _, operand := range inOrder(o) {
		step.add(s.step(operand, o))
	}
	return step
}

// evaluates reports whether around is a hash join with what o evaluates by itself. Then both
// have the same operator, but o without each Materialize around it.
func evaluates(o, around *eval.Operator) bool {
	op := around.Op
	for m, ok := op.(*algebra.Materialize); ok; m, ok = op.(*algebra.Materialize) {
		if op = m.Op; op == o.Op {
			return true
		}
	}
	return op != nil && op == o.Op
}

func (s *steps) named(op algebra.Op) *Step {
	operator, detail, _ := strings.Cut(s.query.Label(op), " ")
	return &Step{Operator: operator, Detail: detail}
}

// inOrder returns the operands of o in order of evaluation: patterns of EXISTS first,
// then those of the algebra. Operands that feed one another are built from last to first,
// so their order is reversed.
func inOrder(o *eval.Operator) []*eval.Operator {
	out := slices.Clone(o.Operands)
	switch o.Op.(type) {
	case *algebra.Join, *algebra.ValueJoin, *algebra.Minus, *algebra.SemiJoin, *algebra.LeftJoin:
		slices.Reverse(out)
	}
	return out
}
