package resolver

import (
	"cmp"
	"slices"

	"github.com/segraph/segraph/resolver/record"
)

// With fewer than minReviews a fit does harm. Above maxReviews the oldest are dropped.
const (
	minReviews = 200
	maxReviews = 2000
)

// reviewProbability returns the review threshold. This is the setting, unless
// calibration is on and has enough reviews. Then it is the probability at which
// people accepted the fraction of cases that the setting names, limited to between
// half and twice the setting.
func (p *policy) reviewProbability(reviews *record.Reviews) float64 {
	setting := p.ReviewProbability
	if p.Calibration != CalibrationIsotonic || len(reviews.Verdicts) < minReviews {
		return setting
	}
	steps := isotonic(reviews.Verdicts)
	for _, s := range steps {
		if s.share >= setting {
			return min(2*setting, max(setting/2, s.from))
		}
	}
	return min(1, 2*setting)
}

// step is an interval of probabilities and the fraction of accepted cases in it.
type step struct {
	from          float64
	share, weight float64
}

// isotonic fits verdicts with a nondecreasing step function of the probability, by
// pooling adjacent violators.
func isotonic(verdicts []record.Verdict) []step {
	sorted := slices.SortedFunc(slices.Values(verdicts), func(a, b record.Verdict) int { return cmp.Compare(a.Any, b.Any) })
	var steps []step
	for _, v := range sorted {
		s := step{from: v.Any, weight: 1}
		if v.Accepted {
			s.share = 1
		}
		for len(steps) > 0 && steps[len(steps)-1].share >= s.share {
			last := steps[len(steps)-1]
			steps = steps[:len(steps)-1]
			weight := last.weight + s.weight
			s = step{last.from, (last.share*last.weight + s.share*s.weight) / weight, weight}
		}
		steps = append(steps, s)
	}
	return steps
}

// learnReview records whether people accepted a case, for calibration, if necessary in place of the oldest such record.
func (u *unit) learnReview(k *record.Case, accepted bool) {
	reviews := u.reviews()
	v := record.Verdict{Any: k.Any, Accepted: accepted}
	if reviews.Verdicts = slices.Clone(reviews.Verdicts); len(reviews.Verdicts) < maxReviews {
		reviews.Verdicts = append(reviews.Verdicts, v)
	} else {
		reviews.Verdicts[reviews.Next] = v
	}
	reviews.Next = (reviews.Next + 1) % maxReviews
	reviews.Total++
	u.newReviews = &reviews
}

// unlearnReview removes the newest of the verdicts that learnReview may have recorded for a case, if one is still there.
func (u *unit) unlearnReview(k *record.Case, accepted bool) {
	reviews := u.reviews()
	list := slices.Concat(reviews.Verdicts[reviews.Next:], reviews.Verdicts[:reviews.Next]) // oldest first
	for i, v := range slices.Backward(list) {
		if v == (record.Verdict{Any: k.Any, Accepted: accepted}) {
			reviews.Verdicts, reviews.Next = slices.Delete(list, i, i+1), len(list)-1 // the next one goes to the end
			u.newReviews = &reviews
			return
		}
	}
}
