package retention

import (
	"context"
	"time"

	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/provenance"
)

// Withdraw withdraws up to limit logs, as the beginning of a day does.
func (r *Retention) Withdraw(ctx context.Context, x store.Expiry, limit int) error {
	found, err := r.options.Provenance.Expired(x).Next(ctx, limit)
	if err != nil {
		return err
	}
	return r.withdraw(ctx, found, &provenance.Patience{End: time.Now().Add(dayLogs), Left: len(found)}, new(int))
}
