package app

import (
	"context"
	"log/slog"
	"time"

	"github.com/segraph/segraph/resolver/persist"
	"github.com/segraph/segraph/store/log/journal"
)

// maxClockDifference is the largest difference between two clocks that causes no warning.
const maxClockDifference = time.Minute

// doubtClock logs a warning if the journal's last entry is in the future: the clock is
// wrong now, as on a machine that starts without knowing the time, or was wrong then.
func doubtClock(ctx context.Context, s *persist.Store, now time.Time, log *slog.Logger) error {
	page, err := s.Logs(ctx, journal.Filter{Limit: 1, Look: 1}, nil)
	if err != nil || len(page.Entries) == 0 {
		return err
	}
	if last := page.Entries[0]; last.Time.After(now.Add(maxClockDifference)) {
		log.WarnContext(ctx, "the clock is or was wrong: the journal's last entry is in the future. Tokens depend on the clock: compare it with another",
			"clock", now.UTC().Format(time.RFC3339), "last_entry", last.Time.UTC().Format(time.RFC3339), "number", last.Seq)
	}
	return nil
}
