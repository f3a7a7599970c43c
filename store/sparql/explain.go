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
	"github.com/segraph/segraph/store/sparql/syntax"
)

// Explanation says how a query was gone about. Its String is for people, its JSON for
// programs.
type Explanation struct {
	Kind string `json:"query_kind"` // select, ask, construct or describe
	// Rows is how many rows or triples the answer has; of an ASK, 1 for true and 0 for
	// false.
	Rows int64 `json:"rows"`
	// PlanningMS and RunningMS are milliseconds. Running makes the terms of the answer,
	// and writes them nowhere.
	PlanningMS float64 `json:"planning_ms"`
	RunningMS  float64 `json:"running_ms"`
	// Memory is the most bytes that the query kept at a time, by its own accounting.
	Memory int64 `json:"memory_bytes"`
	// Stopped is the limit that ended the query, as a sentence, "" for none. Then all
	// counts and times are of what was done until then.
	Stopped string `json:"stopped,omitempty"`
	Plan    *Step  `json:"plan"`

	// Patterns are the first 200 triple patterns and paths of the query, in the order of
	// its text, and Reason a sentence on why nothing was found; both only where nothing
	// was.
	Patterns []Pattern `json:"patterns,omitempty"`
	Reason   string    `json:"reason,omitempty"`

	// Warnings are about what in the query may not do what its author expects.
	Warnings []Warning `json:"warnings,omitempty"`

	// Server is the graph store that queries are answered by in the place of this engine,
	// nil for none. All else is of this engine, which does not know how the server goes
	// about a query.
	Server *Server `json:"server,omitempty"`
}

// Server says what a graph store is asked for the sake of a query.
type Server struct {
	Product string `json:"product"`
	Query   string `json:"query,omitempty"`   // as it is asked; "" where it is not
	Because string `json:"because,omitempty"` // why it is not asked
}

// Step is an operator of the plan.
type Step struct {
	Operator string `json:"operator"`         // a word: triple, join, filter, …; the query's kind for the answer itself
	Detail   string `json:"detail,omitempty"` // its pattern, expressions or variables
	// Estimated is how many rows the planner reckoned with, RowsIn how many came to the
	// operator and Rows how many it handed on. They are nil for what was not estimated or
	// not run by itself, as a pattern whose triples the store has counted.
	Estimated *float64 `json:"estimated_rows"`
	RowsIn    *int64   `json:"rows_in"`
	Rows      *int64   `json:"rows"`
	// MS is the milliseconds that the operator took with its operands, OwnMS without.
	MS       float64 `json:"ms"`
	OwnMS    float64 `json:"own_ms"`
	Operands []*Step `json:"operands,omitempty"` // in the order of evaluation
}

// Explain evaluates the query over ds, whatever its form, keeps none of the answer, and
// says how that went. A limit that ends the query is told in the Explanation; other
// errors are as those of Run.
func (q *Query) Explain(ctx context.Context, ds Dataset, l Limits) (x *Explanation, err error) {
	begun := time.Now()
	err = q.within(ctx, ds, l, func(ctx context.Context, ds eval.Dataset, b *budget.Budget) error {
		x, err = q.explain(ctx, ds, b, begun)
		return err
	})
	return x, err
}

func (q *Query) explain(ctx context.Context, ds eval.Dataset, b *budget.Budget, begun time.Time) (*Explanation, error) {
	planned, err := q.plan(ds, b)
	if err != nil {
		return nil, err
	}
	statistics, err := eval.Statistics(ds, q.algebra.From, q.algebra.FromNamed)
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
		var limit *eval.LimitError
		if !errors.As(err, &limit) {
			return nil, err
		}
		x.Stopped = limit.Error()
	}
	x.RunningMS, x.Memory = milliseconds(time.Since(running)), r.MemoryPeak()
	steps := &steps{query: planned, estimates: estimates}
	x.Plan = steps.answer(x, answer)
	statistics = statistics.Exact()
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

// foundNothing reports whether the answer is empty, or is what aggregates without GROUP
// BY make of nothing.
func foundNothing(x *Explanation, answer *eval.Operator, statistics *eval.Counts) (bool, error) {
	o := answer
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

// rounded leaves microseconds.
func rounded(ms float64) float64 { return math.Round(ms*1000) / 1000 }

// steps makes the Steps of operators.
type steps struct {
	query     *algebra.Query
	estimates map[algebra.Op]plan.Estimate
}

// answer makes the step that stands for the answer itself.
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

func (s *steps) step(o, around *eval.Operator) *Step {
	step := s.named(o.Op)
	step.RowsIn, step.Rows, step.OwnMS, step.MS = &o.In, &o.Rows, milliseconds(o.Own), milliseconds(o.Own)
	if len(o.Operands) == 1 && evaluates(o.Operands[0], o) {
		step.Operator, step.Detail = "hash join", ""
	}
	if e, ok := s.estimates[o.Op]; ok {
		rows := e.Rows
		if evaluates(o, around) {
			rows = e.Alone
		}
		step.Estimated = &rows
	}
	if len(o.Operands) == 0 {
		for _, child := range algebra.Children(o.Op) {
			step.add(s.named(child))
		}
	}
	for _, operand := range inOrder(o) {
		step.add(s.step(operand, o))
	}
	return step
}

// evaluates reports whether o evaluates by itself what around joins.
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

// inOrder returns the operands as the operator has them: patterns of EXISTS first, and
// then those of the algebra, which are built from the last to the first where one hands
// on to the next.
func inOrder(o *eval.Operator) []*eval.Operator {
	out := append([]*eval.Operator(nil), o.Operands...)
	switch o.Op.(type) {
	case *algebra.Join, *algebra.ValueJoin, *algebra.Minus, *algebra.SemiJoin, *algebra.LeftJoin:
		for i, j := 0, len(out)-1; i < j; i, j = i+1, j-1 {
			out[i], out[j] = out[j], out[i]
		}
	}
	return out
}
