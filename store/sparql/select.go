package sparql

import (
	"context"
	"errors"
	"iter"
	"slices"

	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql/budget"
	"github.com/segraph/segraph/store/sparql/eval"
	"github.com/segraph/segraph/store/sparql/syntax"
)

// Solution is a row of the answer to a SELECT. It stays valid after the query.
type Solution struct {
	variables []string
	terms     []rdf.Term
}

// Get returns the term of a variable, named without "?". It is the zero Term if the
// variable is unbound or not a column of the query.
func (s Solution) Get(variable string) rdf.Term {
	if i := slices.Index(s.variables, variable); i >= 0 {
		return s.terms[i]
	}
	return rdf.Term{}
}

// Variables returns the names of the columns, in the order of Terms.
func (s Solution) Variables() []string { return s.variables }

// Terms returns a term for each column, or the zero Term for an unbound variable.
func (s Solution) Terms() []rdf.Term { return s.terms }

// All yields the bound variables with their terms, in column order.
func (s Solution) All() iter.Seq2[string, rdf.Term] {
	return func(yield func(string, rdf.Term) bool) {
		for i, t := range s.terms {
			if !t.IsZero() && !yield(s.variables[i], t) {
				return
			}
		}
	}
}

// Select runs a SELECT over ds and yields its solutions as they are found. Each use of
// the iterator runs the query again. An error, as returned by Run, comes last and with
// the zero Solution.
func (q *Query) Select(ctx context.Context, ds Dataset, l budget.Limits) iter.Seq2[Solution, error] {
	return sequence(func(yield func(Solution) error) error {
		if err := q.is(syntax.Select); err != nil {
			return err
		}
		variables := q.Variables()
		return q.evaluate(ctx, ds, l, func(r *eval.Run) error {
			return r.Select(func(terms []rdf.Term) error { return yield(Solution{variables, slices.Clone(terms)}) })
		})
	})
}

// Ask runs an ASK over ds and reports whether it has a solution. The errors are those of
// Run.
func (q *Query) Ask(ctx context.Context, ds Dataset, l budget.Limits) (found bool, err error) {
	if err := q.is(syntax.Ask); err != nil {
		return false, err
	}
	err = q.evaluate(ctx, ds, l, func(r *eval.Run) error {
		found, err = r.Ask()
		return err
	})
	return found, err
}

// Graph runs a CONSTRUCT or DESCRIBE over ds and yields the distinct triples of the answer as
// they are made. Errors are as in Select. The description of a resource is all triples with
// it as subject, in all graphs, and the descriptions of the blank nodes among their objects.
func (q *Query) Graph(ctx context.Context, ds Dataset, l budget.Limits) iter.Seq2[rdf.Triple, error] {
	return sequence(func(yield func(rdf.Triple) error) error {
		if err := q.is(syntax.Construct, syntax.Describe); err != nil {
			return err
		}
		return q.evaluate(ctx, ds, l, func(r *eval.Run) error { return r.Graph(yield) })
	})
}

// errBreak ends a query when the caller breaks out of the iterator. It never leaves
// the package.
var errBreak = errors.New("the caller left the iterator")

// sequence returns an iterator over the arguments of run's calls of yield, followed by
// run's error.
func sequence[T any](run func(yield func(T) error) error) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		err := run(func(x T) error {
			if !yield(x, nil) {
				return errBreak
			}
			return nil
		})
		if err != nil && !errors.Is(err, errBreak) {
			var zero T
			yield(zero, err)
		}
	}
}
