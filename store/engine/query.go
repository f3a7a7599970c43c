package engine

import (
	"context"

	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql"
	"github.com/segraph/segraph/store/sparql/eval"
	"github.com/segraph/segraph/store/sparql/syntax"
)

// Query answers q over one moment of the store. The rows of a SELECT and the boolean of
// an ASK go to out, the triples of a CONSTRUCT or DESCRIBE to triple. The moment is held
// until Query returns, so neither should wait for anybody. Errors are as those of
// sparql.Query's Run. A graph of FROM that is not stored is empty.
func (s *Store) Query(ctx context.Context, q *sparql.Query, l eval.Limits, out sparql.Answer, triple func(rdf.Triple) error) error {
	return s.View(func(snapshot *Snapshot) error {
		if f := q.Form(); f == syntax.Select || f == syntax.Ask {
			return q.Run(ctx, snapshot.Dataset(), l, out)
		}
		return q.Graph(ctx, snapshot.Dataset(), l, triple)
	})
}

// Explain evaluates q over one moment of the store, keeps none of the answer, and says
// how that went, as sparql.Query's Explain.
func (s *Store) Explain(ctx context.Context, q *sparql.Query, l eval.Limits) (x *sparql.Explanation, err error) {
	err = s.View(func(snapshot *Snapshot) error {
		if x, err = q.Explain(ctx, snapshot.Dataset(), l); err != nil {
			return err
		}
		unstored, err := q.Unstored(ctx, snapshot.Dataset(), store.ContextsGraph) // the resolver's is there while it is empty
		x.Warnings = append(x.Warnings, unstored...)
		return err
	})
	return x, err
}
