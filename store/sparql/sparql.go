// Package sparql answers SPARQL 1.1 queries over a Dataset: a store, or any data that package
// memory holds.
//
// Prepare parses a query. The methods of Query run it: Select and Graph return iterators,
// Ask a boolean. Breaking out of an iterator ends the query and
// releases its resources.
//
// Package syntax parses the text, algebra defines its meaning, plan chooses how to
// evaluate it, eval evaluates it over ids, value implements terms as values, and results
// writes and reads answers.
//
// Queries only read: updates and SERVICE are refused. A prepared query is immutable, and
// may be run concurrently, with a dataset for each run.
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
	"github.com/segraph/segraph/store/sparql/source"
	"github.com/segraph/segraph/store/sparql/statistics"
	"github.com/segraph/segraph/store/sparql/syntax"
)

// Dataset is the data that queries read: a default graph and any number of named graphs. A
// query uses it from one goroutine. The data must not change while a query runs.
type Dataset = source.Reader

// SyntaxError reports the line and column of a syntax error.
type SyntaxError = syntax.Error

// Options configure Prepare.
type Options struct {
	// Base is the absolute IRI against which relative ones are resolved, or "".
	Base string
	// DefaultGraphs and NamedGraphs, if either is set, replace the query's FROM and FROM
	// NAMED (SPARQL 1.1 Protocol, section 2.1.4).
	DefaultGraphs, NamedGraphs []string
	// Limits apply to parsing. The methods that run a query take their own Limits.
	Limits budget.Limits
	// Plan replaces the planner, in tests. nil means plan.Query.
	Plan func(q *algebra.Query, s plan.Statistics, b *budget.Budget) (*algebra.Query, error)
}

// Query is a prepared query.
type Query struct {
	syntax   *syntax.Query
	warnings []Warning
	algebra  *algebra.Query
	size     int64 // approximate size in bytes
	planner  func(*algebra.Query, plan.Statistics, *budget.Budget) (*algebra.Query, error)
	// fromOptions is set if Options replaced the graphs of the text.
	fromOptions bool
}

// Prepare parses a query. A syntax error is a *SyntaxError with line and column, or a
// *CheckError that wraps one. An update is a *syntax.UpdateError, SERVICE a
// *syntax.ServiceError. At a limit, the error is a *budget.LimitError. When ctx ends, it is
// context.Cause(ctx). If o is invalid, it has another type.
func Prepare(ctx context.Context, text string, o Options) (*Query, error) {
	ctx, cancel := o.Limits.Deadline(ctx)
	defer cancel()
	b := budget.New(ctx, o.Limits)
	defer b.Close()
	parsed, err := syntax.ParseQuery(text, syntax.Options{Base: o.Base, Budget: b})
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
	if o.Plan == nil {
		o.Plan = plan.Query
	}
	return &Query{syntax: parsed, warnings: warnings, algebra: translated, size: b.Memory(), planner: o.Plan, fromOptions: fromOptions}, nil
}

func iris(list []string) (out []rdf.Term) {
	for _, iri := range list {
		out = append(out, rdf.NewIRI(iri))
	}
	return out
}

// Form returns the form of the query: SELECT, ASK, CONSTRUCT or DESCRIBE.
func (q *Query) Form() syntax.Form { return q.syntax.Form }

// Syntax returns the parsed query. It must not be changed.
func (q *Query) Syntax() *syntax.Query { return q.syntax }

// Dataset returns the graphs that the query reads: its FROM and FROM NAMED, or their
// replacements. If both are empty, it reads all graphs.
func (q *Query) Dataset() (from, named []rdf.Term) { return q.algebra.From, q.algebra.FromNamed }

// Warnings lists constructs of the text that may not do what its author expects.
func (q *Query) Warnings() []Warning { return q.warnings }

// Variables returns the names of a SELECT's columns.
func (q *Query) Variables() []string {
	var out []string
	for _, c := range q.algebra.Columns {
		out = append(out, c.Name)
	}
	return out
}

// Answer receives the answer to a SELECT or ASK. *results.Writer implements it. A SELECT
// calls Head once and then Row for every solution, with the zero Term for unbound
// variables; the row is valid until Row returns. An ASK calls only Boolean. An error ends
// the query.
type Answer interface {
	Head(variables []string) error
	Row(terms []rdf.Term) error
	Boolean(value bool) error
}

// Sourced is an Answer that wants to know whether it may have terms of RDF 1.2. A store
// that knows its terms calls Source before it runs a query of any form. mayHaveRDF12
// reports whether the dataset may have a triple term or a string with a base direction. It
// may be called until the query ends.
type Sourced interface {
	Answer
	Source(mayHaveRDF12 func() bool)
}

// Run evaluates a SELECT or ASK over ds and writes the answer to out as it is found. It
// returns a *budget.LimitError at a limit, context.Cause(ctx) when ctx ends, errors of out
// unchanged, and errors of the dataset wrapped.
func (q *Query) Run(ctx context.Context, ds Dataset, l budget.Limits, out Answer) error {
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

// is returns an error unless the query has one of the given forms.
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
func (q *Query) evaluate(ctx context.Context, ds Dataset, l budget.Limits, do func(*eval.Run) error) error {
	return q.within(ctx, l, func(_ context.Context, b *budget.Budget) error {
		planned, err := q.plan(ds, b)
		if err != nil {
			return err
		}
		r, err := eval.New(b, planned, ds)
		if err != nil {
			return err
		}
		return do(r)
	})
}

// within calls do with a context that ends at the deadline, and a budget that includes the
// query's own size. They are valid until do returns.
func (q *Query) within(ctx context.Context, l budget.Limits, do func(context.Context, *budget.Budget) error) error {
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
	return do(ctx, b)
}

// plan plans the query for what ds holds now.
func (q *Query) plan(ds Dataset, b *budget.Budget) (*algebra.Query, error) {
	statistics, err := statistics.Of(ds, q.algebra.From, q.algebra.FromNamed)
	if err != nil {
		return nil, err
	}
	planned, err := q.planner(q.algebra, statistics, b)
	if err != nil {
		return nil, fmt.Errorf("planning: %w", err)
	}
	return planned, nil
}
