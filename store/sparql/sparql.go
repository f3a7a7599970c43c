// Package sparql is the one door to the SPARQL engine: it prepares a query from its text, and runs
// it over a Dataset, which a store gives.
//
// What is behind the door: syntax reads the text, algebra says what it means, plan chooses how to
// go about it, eval does it over the dataset's ids, value knows what terms mean, and results writes
// and reads answers.
//
// Only reading is possible: an update is refused by name, and SERVICE too. A prepared query is
// never changed, and may be run by any number of goroutines, each with a dataset of its own.
package sparql

import (
	"context"
	"fmt"

	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql/algebra"
	"github.com/segraph/segraph/store/sparql/budget"
	"github.com/segraph/segraph/store/sparql/eval"
	"github.com/segraph/segraph/store/sparql/plan"
	"github.com/segraph/segraph/store/sparql/syntax"
)

// Options say how a text is read, and over which graphs it is run.
type Options struct {
	// Base is the absolute IRI that relative ones are resolved against; "" for none.
	Base string
	// MaxDepth is how deep a query may nest; 0 is syntax.DefaultMaxDepth.
	MaxDepth int
	// DefaultGraphs and NamedGraphs take the place of the query's FROM and FROM NAMED where one
	// of them is there (SPARQL 1.1 Protocol, section 2.1.4).
	DefaultGraphs, NamedGraphs []string
	// Limits are for reading the text; 0 for none. Those of running a query are given then.
	Limits eval.Limits
	// Strategy is how the query is gone about: Planned, but for tests.
	Strategy Strategy
}

// Strategy is a way to go about a query. The answers are the same.
type Strategy uint8

const (
	Planned  Strategy = iota // as package plan has it
	InOrder                  // patterns in the order of the text
	BottomUp                 // each pattern by itself, joined then: as the standard defines it, and slow
	InMemory                 // as planned, but each pattern that can be is read as a whole
)

// Query is a prepared query.
type Query struct {
	syntax   *syntax.Query
	warnings []Warning
	algebra  *algebra.Query
	size     int64 // about how many bytes it takes
	strategy Strategy
	// fromOptions: the graphs are not those of the text.
	fromOptions bool
}

// Prepare reads a query. The error is a *syntax.Error, with line and column, or a *CheckError, which wraps one; a
// *syntax.UpdateError or *syntax.ServiceError for what is refused by name; an *eval.LimitError past
// a limit; context.Cause(ctx) when ctx ends; or of another type where it is o that is wrong.
func Prepare(ctx context.Context, text string, o Options) (*Query, error) {
	ctx, cancel := o.Limits.Deadline(ctx)
	defer cancel()
	b := budget.New(ctx, o.Limits)
	defer b.Close()
	parsed, err := syntax.ParseQuery(text, syntax.Options{Base: o.Base, MaxDepth: o.MaxDepth, Budget: b})
	if err != nil {
		return nil, err
	}
	warnings, err := check(parsed, b)
	if err != nil {
		return nil, err
	}
	translated, err := algebra.Translate(parsed, b)
	if err != nil {
		return nil, err
	}
	fromOptions := len(o.DefaultGraphs)+len(o.NamedGraphs) > 0
	if fromOptions {
		translated.From, translated.FromNamed = iris(o.DefaultGraphs), iris(o.NamedGraphs)
	}
	if o.Strategy == BottomUp {
		translated.Root = algebra.Rewrite(translated.Root, bottomUp)
	}
	return &Query{syntax: parsed, warnings: warnings, algebra: translated, size: b.Memory(), strategy: o.Strategy, fromOptions: fromOptions}, nil
}

// bottomUp has no operand see what comes before it.
func bottomUp(op algebra.Op) algebra.Op {
	switch x := op.(type) {
	case *algebra.Join:
		out := &algebra.Join{}
		for _, operand := range x.Ops {
			out.Ops = append(out.Ops, &algebra.Materialize{Op: operand})
		}
		return out
	case *algebra.LeftJoin:
		return &algebra.LeftJoin{Left: x.Left, Right: &algebra.Materialize{Op: x.Right}, Conditions: x.Conditions, Slot: x.Slot}
	}
	return op
}

// inMemory has every pattern read as a whole.
func inMemory(op algebra.Op) algebra.Op {
	if t, ok := op.(*algebra.Triple); ok {
		whole := *t
		whole.Whole = true
		return &whole
	}
	return op
}

func iris(list []string) (out []rdf.Term) {
	for _, iri := range list {
		out = append(out, rdf.NewIRI(iri))
	}
	return out
}

// Form tells which of the four forms the query has: Run is for Select and Ask, Graph for Construct
// and Describe.
func (q *Query) Form() syntax.Form { return q.syntax.Form }

// Syntax gives the query as it was read, which nobody may change.
func (q *Query) Syntax() *syntax.Query { return q.syntax }

// Dataset gives the graphs that the query is run over: its FROM and FROM NAMED, or what took their place.
// Where both are empty it is all graphs.
func (q *Query) Dataset() (from, named []rdf.Term) { return q.algebra.From, q.algebra.FromNamed }

// Warnings returns what in the text may not do what its author expects.
func (q *Query) Warnings() []Warning { return q.warnings }

// Variables gives the names of a SELECT's columns.
func (q *Query) Variables() []string {
	var out []string
	for _, c := range q.algebra.Columns {
		out = append(out, c.Name)
	}
	return out
}

// Answer takes the answer to a SELECT or ASK; a *results.Writer is one. Head comes once and then
// Row for every solution, with the zero Term for what is unbound, good until it returns; or
// Boolean alone. An error ends the query.
type Answer interface {
	Head(variables []string) error
	Row(terms []rdf.Term) error
	Boolean(value bool) error
}

// Run evaluates a SELECT or ASK over ds and gives out the answer as it is found. The error is
// a *eval.LimitError past a limit, what context.Cause gives when ctx ends, that of out, or
// wraps one of the dataset's.
func (q *Query) Run(ctx context.Context, ds eval.Dataset, l eval.Limits, out Answer) error {
	ctx, cancel := l.Deadline(ctx)
	defer cancel()
	b, err := q.budget(ctx, l)
	defer b.Close()
	if err != nil {
		return err
	}
	r, err := q.begin(ds, b)
	if err != nil {
		return err
	}
	switch q.Form() {
	case syntax.Select:
		if err := out.Head(q.Variables()); err != nil {
			return err
		}
		return r.Select(out.Row)
	case syntax.Ask:
		answer, err := r.Ask()
		if err != nil {
			return err
		}
		return out.Boolean(answer)
	}
	return fmt.Errorf("the answer to %s is a graph, not rows", q.Form())
}

// Graph evaluates a CONSTRUCT or DESCRIBE over ds and gives each triple of the answer once to
// emit. Errors are as those of Run.
func (q *Query) Graph(ctx context.Context, ds eval.Dataset, l eval.Limits, emit func(rdf.Triple) error) error {
	if f := q.Form(); f != syntax.Construct && f != syntax.Describe {
		return fmt.Errorf("the answer to %s is no graph", f)
	}
	ctx, cancel := l.Deadline(ctx)
	defer cancel()
	b, err := q.budget(ctx, l)
	defer b.Close()
	if err != nil {
		return err
	}
	r, err := q.begin(ds, b)
	if err != nil {
		return err
	}
	return r.Graph(emit)
}

// Plan returns what is evaluated over ds: the algebra of the query, as its strategy has it. Its
// String shows the operators. Errors are as those of Run.
func (q *Query) Plan(ctx context.Context, ds eval.Dataset, l eval.Limits) (*algebra.Query, error) {
	ctx, cancel := l.Deadline(ctx)
	defer cancel()
	b, err := q.budget(ctx, l)
	defer b.Close()
	if err != nil {
		return nil, err
	}
	return q.plan(ds, b)
}

// budget returns one for running the query, of which the query itself takes a part. It is to be closed, also with an error.
func (q *Query) budget(ctx context.Context, l eval.Limits) (*budget.Budget, error) {
	b := budget.New(ctx, l)
	if err := b.Check(); err != nil {
		return b, err
	}
	return b, b.Grow(q.size)
}

func (q *Query) plan(ds eval.Dataset, b *budget.Budget) (*algebra.Query, error) {
	if q.strategy == InOrder || q.strategy == BottomUp {
		return q.algebra, nil
	}
	statistics, err := eval.Statistics(ds, q.algebra.From, q.algebra.FromNamed)
	if err != nil {
		return nil, err
	}
	planned, err := plan.Query(q.algebra, statistics, b)
	if err != nil {
		return nil, fmt.Errorf("planning: %w", err)
	}
	if q.strategy == InMemory {
		planned.Root = algebra.Rewrite(planned.Root, inMemory)
	}
	return planned, nil
}

func (q *Query) begin(ds eval.Dataset, b *budget.Budget) (*eval.Run, error) {
	planned, err := q.plan(ds, b)
	if err != nil {
		return nil, err
	}
	return eval.New(b, planned, ds)
}
