// Package sparql answers queries in SPARQL 1.1 over a Dataset: a store's, or any data
// that has the three methods of one.
//
// Prepare reads a query from its text. The methods of Query run it: Select, Construct and
// Describe return iterators, Ask a boolean. Breaking out of an iterator ends the query
// and releases what it holds.
//
// Package syntax reads the text, algebra says what it means, plan chooses how to
// evaluate it, eval evaluates it over ids, value knows what terms mean, and results writes
// and reads answers.
//
// Queries only read: an update is refused by name, and so is SERVICE. A prepared query is
// never changed, and may be run by any number of goroutines, each with a dataset of its
// own.
package sparql

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql/algebra"
	"github.com/segraph/segraph/store/sparql/budget"
	"github.com/segraph/segraph/store/sparql/eval"
	"github.com/segraph/segraph/store/sparql/plan"
	"github.com/segraph/segraph/store/sparql/syntax"
)

// Limits bound the time and memory of a query, LimitError says that a query was ended
// because it needed more, and SyntaxError says with line and column what is wrong with a
// text.
type (
	Limits      = budget.Limits
	LimitError  = budget.LimitError
	SyntaxError = syntax.Error
)

// Options say how a text is read, and over which graphs it is run.
type Options struct {
	// Base is the absolute IRI that relative ones are resolved against; "" for none.
	Base string
	// MaxDepth is how deep a query may nest; 0 is syntax.DefaultMaxDepth.
	MaxDepth int
	// DefaultGraphs and NamedGraphs take the place of the query's FROM and FROM NAMED
	// where one of them is there (SPARQL 1.1 Protocol, section 2.1.4).
	DefaultGraphs, NamedGraphs []string
	// Limits are for reading the text; 0 for none. Running a query takes Limits of its own.
	Limits Limits
	// Strategy is how the query is gone about: Planned, but for tests.
	Strategy Strategy
}

// Strategy is a way to go about a query. The answers are the same.
type Strategy uint8

const (
	Planned  Strategy = iota // as package plan has it
	InOrder                  // patterns in the order of the text, expressions row by row
	BottomUp                 // each pattern by itself, joined then: as the standard defines it, and slow; expressions row by row
	InMemory                 // as planned, but each pattern that can be is read as a whole, and expressions in columns also for few rows
	RowByRow                 // as planned, but expressions row by row
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

// Prepare reads a query. The error is a *SyntaxError, with line and column, or a
// *CheckError, which wraps one; a
// *syntax.UpdateError or *syntax.ServiceError for what is refused by name; a *LimitError past
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

// Form returns which of the four forms the query has.
func (q *Query) Form() syntax.Form { return q.syntax.Form }

// Syntax returns the query as it was read, which nobody may change.
func (q *Query) Syntax() *syntax.Query { return q.syntax }

// Dataset returns the graphs that the query is run over: its FROM and FROM NAMED, or what
// took their place. Where both are empty it is all graphs.
func (q *Query) Dataset() (from, named []rdf.Term) { return q.algebra.From, q.algebra.FromNamed }

// Warnings returns what in the text may not do what its author expects.
func (q *Query) Warnings() []Warning { return q.warnings }

// Variables returns the names of a SELECT's columns.
func (q *Query) Variables() []string {
	var out []string
	for _, c := range q.algebra.Columns {
		out = append(out, c.Name)
	}
	return out
}

// Answer takes the answer to a SELECT or ASK; a *results.Writer is one. Head comes once
// and then Row for every solution, with the zero Term for what is unbound, good until it
// returns; or Boolean alone. An error ends the query.
type Answer interface {
	Head(variables []string) error
	Row(terms []rdf.Term) error
	Boolean(value bool) error
}

// Run evaluates a SELECT or ASK over ds and writes the answer to out as it is found. The
// error is a *LimitError past a limit, context.Cause(ctx) when ctx ends, that of out, or
// wraps one of the dataset's.
func (q *Query) Run(ctx context.Context, ds Dataset, l Limits, out Answer) error {
	if err := q.is(syntax.Select, syntax.Ask); err != nil {
		return err
	}
	return q.evaluate(ctx, ds, l, func(r *eval.Run) error {
		if q.Form() == syntax.Ask {
			answer, err := r.Ask()
			if err != nil {
				return err
			}
			return out.Boolean(answer)
		}
		if err := out.Head(q.Variables()); err != nil {
			return err
		}
		return r.Select(out.Row)
	})
}

// Graph evaluates a CONSTRUCT or DESCRIBE over ds and calls emit once with each triple of
// the answer. Errors are as those of Run.
func (q *Query) Graph(ctx context.Context, ds Dataset, l Limits, emit func(rdf.Triple) error) error {
	if err := q.is(syntax.Construct, syntax.Describe); err != nil {
		return err
	}
	return q.evaluate(ctx, ds, l, func(r *eval.Run) error { return r.Graph(emit) })
}

// is returns an error unless the query has one of some forms.
func (q *Query) is(forms ...syntax.Form) error {
	if slices.Contains(forms, q.Form()) {
		return nil
	}
	names := make([]string, len(forms))
	for i, f := range forms {
		names[i] = strings.ToUpper(f.String())
	}
	return fmt.Errorf("the query is of the form %s, not %s", strings.ToUpper(q.Form().String()), strings.Join(names, " or "))
}

// evaluate plans the query and calls do to run it.
func (q *Query) evaluate(ctx context.Context, ds Dataset, l Limits, do func(*eval.Run) error) error {
	return q.within(ctx, ds, l, func(_ context.Context, x eval.Dataset, b *budget.Budget) error {
		planned, err := q.plan(x, b)
		if err != nil {
			return err
		}
		r, err := eval.New(b, planned, x)
		if err != nil {
			return err
		}
		switch q.strategy {
		case InOrder, BottomUp, RowByRow:
			r.Evaluate(eval.RowByRow)
		case InMemory:
			r.Evaluate(eval.AllColumns)
		}
		return do(r)
	})
}

// Plan returns what is evaluated over ds: the algebra of the query, as its strategy has
// it. Its String shows the operators. Errors are as those of Run.
func (q *Query) Plan(ctx context.Context, ds Dataset, l Limits) (planned *algebra.Query, err error) {
	err = q.within(ctx, ds, l, func(_ context.Context, x eval.Dataset, b *budget.Budget) error {
		planned, err = q.plan(x, b)
		return err
	})
	return planned, err
}

// within calls do with a context that ends at the deadline, ds as the evaluator reads it,
// and a budget of which the query itself takes a part. They are good until do returns.
func (q *Query) within(ctx context.Context, ds Dataset, l Limits, do func(context.Context, eval.Dataset, *budget.Budget) error) error {
	ctx, cancel := l.Deadline(ctx)
	defer cancel()
	b := budget.New(ctx, l)
	defer b.Close()
	if err := b.Check(); err != nil {
		return err
	}
	if err := b.Grow(q.size); err != nil {
		return err
	}
	x, release, err := open(ctx, ds, b)
	defer release()
	if err != nil {
		return err
	}
	return do(ctx, x, b)
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
