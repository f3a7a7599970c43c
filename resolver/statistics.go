package resolver

import (
	"context"
)

// Stats counts. It changes nothing.
func (r *Resolver) Stats(_ context.Context) (*Statistics, error) {
	var out *Statistics
	err := r.reading(func() error {
		t := r.totals
		out = &Statistics{
			ResolverVersion: Version, ActiveContexts: t.Active, AmbiguousContexts: t.Ambiguous, MergedContexts: t.Merged, Aliases: t.Merged,
			Observations: t.Stored, Duplicates: t.Duplicates, PendingReviews: t.Pending, AcceptedReviews: t.Accepted,
			RejectedReviews: t.Rejected, SupersededReviews: t.Superseded, AutomaticMatches: t.Matched, UndoneMatches: t.Unmatched, AutomaticMerges: t.AutoMerges,
			ManualMerges: t.ManualMerges, Outcomes: OutcomeCounts{Created: t.Created, Matched: t.Matched, Ambiguous: t.Doubted},
			Calibration:  CalibrationState{Mode: r.settings.Calibration, Reviews: len(r.reviews.Verdicts), ReviewProbability: r.rules.Review},
			Placeholders: r.placeholderStatistics(), Relays: r.relayStatistics(),
		}
		var err error
		if out.ReusedIDs, err = r.reusedIDs(); err != nil {
			return err
		}
		out.Clock, err = r.clockStatistics()
		return err
	})
	return out, err
}
