package cli

import (
	"context"
	"log/slog"
	"time"

	"github.com/segraph/segraph/resolver/persist"
	"github.com/segraph/segraph/store/journal"
)

// apart is how far two clocks may be apart without a word.
const apart = time.Minute

// doubtClock warns where the journal's last entry is of a time that the clock says is to
// come: it is wrong now, as on a machine that starts without knowing the time, or was
// wrong then.
func doubtClock(ctx context.Context, s *persist.Store, now time.Time, log *slog.Logger) error {
	page, err := s.Logs(ctx, journal.Filter{Limit: 1, Look: 1}, nil)
	if err != nil || len(page.Entries) == 0 {
		return err
	}
	if last := page.Entries[0]; last.Time.After(now.Add(apart)) {
		log.WarnContext(ctx, "the clock is wrong, or was: the journal's last entry is of a later time. Tokens are checked against the clock: compare it with another",
			"clock", now.UTC().Format(time.RFC3339), "last_entry", last.Time.UTC().Format(time.RFC3339), "number", last.Seq)
	}
	return nil
}
