package resolver

import (
	"context"
	"math"
	"slices"
	"strings"

	"github.com/segraph/segraph/resolver/record"
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
			Clock:        ClockStatistics{ScaleMS: int64(math.Round(1000 * r.spread)), Robots: []RobotClock{}},
			Calibration:  CalibrationState{Mode: r.settings.Calibration, Reviews: len(r.reviews.Verdicts), ReviewProbability: r.rules.Review},
			Placeholders: r.placeholderStatistics(),
		}
		var err error
		if out.ReusedIDs, err = r.reusedIDs(); err != nil {
			return err
		}
		err = r.everyClock(func(c record.Clock) {
			if c.Robot == "" { // that of robots without a name
				return
			}
			out.Clock.Robots = append(out.Clock.Robots, RobotClock{RobotURI: c.Robot, OffsetMS: int64(math.Round(1000 * r.offset(c, true))), Anchors: c.Anchors})
		})
		slices.SortFunc(out.Clock.Robots, func(a, b RobotClock) int { return strings.Compare(a.RobotURI, b.RobotURI) })
		return err
	})
	return out, err
}
