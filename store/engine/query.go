package engine

import (
	"context"

	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql"
	"github.com/segraph/segraph/store/sparql/budget"
	"github.com/segraph/segraph/store/sparql/syntax"
)

// Query runs q on a snapshot of the store. It sends the rows of a SELECT and the boolean of
// an ASK to out, which may be a sparql.Sourced, and the triples of a CONSTRUCT or DESCRIBE
// to triple. Neither should block, because the snapshot stays open meanwhile. A FROM graph
// that is not stored is empty. The errors are those of sparql.Query.Run.
func (s *Store) Query(ctx context.Context, q *sparql.Query, l budget.Limits, out sparql.Answer, triple func(rdf.Triple) error) error {
	return s.View(func(snapshot *Snapshot) error {
		if a, ok := out.(sparql.Sourced); ok {
			a.Source(func() bool { return snapshot.MayHaveRDF12() })
		}
		if f := q.Form(); f == syntax.Select || f == syntax.Ask {
			return q.Run(ctx, snapshot.Dataset(), l, out)
		}
		for t, err := range q.Graph(ctx, snapshot.Dataset(), l) {
			if err == nil {
				err = triple(t)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// Explain runs q on a snapshot of the store, discards the answer, and returns the
// explanation (see sparql.Query.Explain).
func (s *Store) Explain(ctx context.Context, q *sparql.Query, l budget.Limits) (x *sparql.Explanation, err error) {
	err = s.View(func(snapshot *Snapshot) error {
		if x, err = q.Explain(ctx, snapshot.Dataset(), l); err != nil {
			return err
		}
		unstored, err := q.Unstored(snapshot.Dataset(), store.ContextsGraph) // the resolver's graph exists even if it is empty
		x.Warnings = append(x.Warnings, unstored...)
		return err
	})
	return x, err
}
