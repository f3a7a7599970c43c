package sparql

import (
	"context"

	"github.com/segraph/segraph/store/sparql/algebra"
	"github.com/segraph/segraph/store/sparql/budget"
)

// Plan returns the plan of the query over ds. The errors are those of Run.
func (q *Query) Plan(ctx context.Context, ds Dataset, l budget.Limits) (planned *algebra.Query, err error) {
	err = q.within(ctx, l, func(_ context.Context, b *budget.Budget) error {
		planned, err = q.plan(ds, b)
		return err
	})
	return planned, err
}
