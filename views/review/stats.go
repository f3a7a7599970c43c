package review

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/segraph/segraph/resolver"
)

// Limits of the statistics about reviewers.
const (
	maxReviews = 10_000 // of the newest decisions
	// A time between two decisions of a reviewer counts only if it is within these bounds.
	// A shorter one means that both were made at once; a longer one, a break.
	shortestReview = 500 * time.Millisecond
	longestReview  = 5 * time.Minute
)

// reviewers returns how reviewers decided: how many cases, how fast, for which reasons,
// and how often two of them agreed.
func (u *handlers) reviewers(ctx context.Context) (ReviewReviewers, error) {
	all, cut, err := u.Service.ReviewQueue().Reviews(ctx, maxReviews)
	if err != nil {
		return ReviewReviewers{}, fmt.Errorf("read the decisions: %w", err)
	}
	out := ReviewReviewers{Decisions: len(all), Cut: cut, Reasons: byReason(all), Pairs: agreements(all)}
	byReviewer := map[string][]resolver.Review{}
	for _, x := range all {
		byReviewer[x.By] = append(byReviewer[x.By], x)
	}
	for name, list := range byReviewer {
		r := Reviewer{Name: cmp.Or(name, "somebody"), Cases: len(list), Median: usualTime(list)}
		for _, x := range list {
			if x.Accepted {
				r.Accepted++
			}
			if x.Undone {
				r.Undone++
			}
		}
		out.Reviewers = append(out.Reviewers, r)
	}
	slices.SortFunc(out.Reviewers, func(a, b Reviewer) int {
		return cmp.Or(cmp.Compare(b.Cases, a.Cases), cmp.Compare(a.Name, b.Name))
	})
	return out, nil
}

// usualTime returns the median time between consecutive decisions of one reviewer, which are newest first; 0 if no time
// is within the bounds.
func usualTime(list []resolver.Review) time.Duration {
	var times []time.Duration
	for i := range len(list) - 1 {
		if d := list[i].At.Sub(list[i+1].At); d >= shortestReview && d <= longestReview {
			times = append(times, d)
		}
	}
	if len(times) == 0 {
		return 0
	}
	slices.Sort(times)
	return times[len(times)/2]
}

// byReason counts the valid verdicts for each reason of a case.
func byReason(all []resolver.Review) []ReviewReason {
	counts := map[string]*ReviewReason{}
	for _, x := range all {
		if x.Undone {
			continue
		}
		reason := string(x.Reason)
		if counts[reason] == nil {
			counts[reason] = &ReviewReason{Name: ReasonName(reason)}
		}
		if x.Accepted {
			counts[reason].Accepted++
		} else {
			counts[reason].Rejected++
		}
	}
	var list []ReviewReason
	for _, r := range counts {
		list = append(list, *r)
	}
	slices.SortFunc(list, func(a, b ReviewReason) int {
		return cmp.Or(cmp.Compare(b.Accepted+b.Rejected, a.Accepted+a.Rejected), cmp.Compare(a.Name, b.Name))
	})
	return list
}

// agreements compares the last verdicts of each two reviewers on the cases that both
// judged: a verdict after an undo replaces the one before.
func agreements(all []resolver.Review) []ReviewPair {
	type by struct{ caseID, name string }
	last := map[by]bool{}
	names := map[string][]string{} // by case
	for _, x := range all {        // newest first
		key := by{x.CaseID, x.By}
		if _, ok := last[key]; !ok {
			last[key] = x.Accepted
			names[x.CaseID] = append(names[x.CaseID], x.By)
		}
	}
	pairs := map[[2]string]*ReviewPair{}
	for id, list := range names {
		slices.Sort(list)
		for i, a := range list {
			for _, b := range list[i+1:] {
				p := pairs[[2]string{a, b}]
				if p == nil {
					p = &ReviewPair{A: a, B: b}
					pairs[[2]string{a, b}] = p
				}
				p.Add(last[by{id, a}], last[by{id, b}])
			}
		}
	}
	var out []ReviewPair
	for _, p := range pairs {
		out = append(out, *p)
	}
	slices.SortFunc(out, func(x, y ReviewPair) int {
		return cmp.Or(cmp.Compare(y.Cases, x.Cases), cmp.Compare(x.A, y.A), cmp.Compare(x.B, y.B))
	})
	return out
}
