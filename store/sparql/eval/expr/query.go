// Package expr compiles expressions and aggregates to functions that compute a column of
// values for many rows, and gives ids to the terms that a query computes.
package expr

import (
	"fmt"
	"time"

	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql/budget"
	"github.com/segraph/segraph/store/sparql/source"
	"github.com/segraph/segraph/store/sparql/value"
)

// Query is what the expressions of a query share.
type Query struct {
	Terms     *Terms
	budget    *budget.Budget
	functions *value.Context
	operators int // of the query
	parts     int // of expressions, times the rows that they are evaluated for at a time
}

// NewQuery returns what the expressions of a query with a number of operators share. base
// is the query's base IRI, or "".
func NewQuery(b *budget.Budget, ds source.Reader, base string, operators int) (*Query, error) {
	now := time.Now().UTC()
	f := &value.Context{Now: value.DateTime(now.Unix(), now.Nanosecond()/1e6*1e6, 0, true), MaxLength: MaxStringLength}
	if base != "" {
		var err error
		if f.Base, err = rdf.ParseBaseIRI(base); err != nil {
			return nil, fmt.Errorf("the base IRI: %w", err)
		}
	}
	return (&Query{functions: f, operators: operators}).Fork(b, ds), nil
}

// Fork returns q for another goroutine, which has its own budget and reads the same data
// as ds.
func (q *Query) Fork(b *budget.Budget, ds source.Reader) *Query {
	terms := newTerms(ds, b)
	if q.Terms != nil {
		terms.first = ForkFirst
	}
	f := &Query{Terms: terms, budget: b, operators: q.operators}
	f.functions = &value.Context{Now: q.functions.Now, Base: q.functions.Base, MaxLength: q.functions.MaxLength, Blanks: terms, Stop: b.Check, Grow: f.grow}
	return f
}

// grow accounts for bytes. If that is more than the budget has, the query ends.
func (q *Query) grow(bytes int64) {
	if err := q.budget.Grow(bytes); err != nil {
		q.budget.Fail(err)
	}
}

// Size returns the number of bytes accounted for columns, which stay until the query ends.
func (q *Query) Size() int64 { return int64(q.parts) * partSize }

// orFail returns id. An error ends the query.
func (q *Query) orFail(id source.ID, err error) source.ID {
	if err != nil {
		q.budget.Fail(err)
	}
	return id
}
