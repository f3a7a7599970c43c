package retention

import (
	"context"

	"github.com/segraph/segraph/store"
)

// Withdraw withdraws up to limit logs, as the beginning of a day does.
func (r *Retention) Withdraw(ctx context.Context, x store.Expiry, limit int) error {
	found, _, err := r.options.Provenance.Expired(ctx, x, 0, limit)
	if err != nil {
		return err
	}
	return r.withdraw(ctx, found, new(int))
}
