package resolver

import (
	"context"

	"github.com/segraph/segraph/resolver/record"
)

// Cases returns how many cases a store has, and how many of them are undecided.
func Cases(store Store) (all, pending int64, err error) {
	t, err := fetch[record.Totals](readOnly(store), record.TotalsKey())
	if err != nil || t == nil {
		return 0, 0, err
	}
	return t.Pending + t.Accepted + t.Rejected + t.Superseded, t.Pending, nil
}

// Counts is like Stats, but without lists, so that its time does not depend on how many robots and subjects are known.
func (r *Resolver) Counts(context.Context) (out *Statistics, err error) {
	err = r.reading(func(u *unit) error { out = u.counted(); return nil })
	return out, err
}

// counted returns counts, without lists.
func (u *unit) counted() *Statistics {
	t := u.totals
	return &Statistics{
		ResolverVersion: Version, ActiveContexts: t.Active, AmbiguousContexts: t.Ambiguous, MergedContexts: t.Merged, Aliases: t.Merged,
		Observations: t.Stored, Duplicates: t.Duplicates, PendingReviews: t.Pending, AcceptedReviews: t.Accepted,
		RejectedReviews: t.Rejected, SupersededReviews: t.Superseded, AutomaticMatches: t.Matched, UndoneMatches: t.Unmatched, AutomaticMerges: t.AutoMerges,
		ManualMerges: t.ManualMerges, Outcomes: OutcomeCounts{Created: t.Created, Matched: t.Matched, Ambiguous: t.Doubted},
		Calibration: CalibrationState{Mode: u.policy.Calibration, Reviews: len(u.reviews().Verdicts), ReviewProbability: u.known.rules.Review},
	}
}

// Stats returns counts, and what was learnt of robots and subjects. It changes nothing.
func (r *Resolver) Stats(context.Context) (out *Statistics, err error) {
	err = r.reading(func(u *unit) error {
		out = u.counted()
		out.Placeholders, out.Relays, out.People = u.placeholderStatistics(), u.relayStatistics(), u.personStatistics()
		var err error
		if out.ReusedIDs, err = u.reusedIDs(); err != nil {
			return err
		}
		out.Clock, err = u.clockStatistics()
		return err
	})
	return out, err
}
