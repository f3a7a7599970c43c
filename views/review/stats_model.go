package review

import (
	"math"
	"strconv"
	"time"

	"github.com/segraph/segraph/views"
)

// ReviewReviewers describes how reviewers decided.
type ReviewReviewers struct {
	Decisions int
	Cut       bool // older decisions are not counted
	Reviewers []Reviewer
	Reasons   []ReviewReason
	Pairs     []ReviewPair
}

// Reviewer is what one reviewer decided.
type Reviewer struct {
	Name                    string
	Cases, Accepted, Undone int
	Median                  time.Duration // time for a case; 0 if unknown
}

// ReviewReason counts the verdicts for a reason.
type ReviewReason struct {
	Name               string
	Accepted, Rejected int
}

// ReviewPair compares two reviewers on the cases that both decided.
type ReviewPair struct {
	A, B             string
	Cases, Same      int
	AcceptA, AcceptB int
}

// Add counts the verdicts of both on a case; true accepts it.
func (p *ReviewPair) Add(a, b bool) {
	p.Cases++
	if a == b {
		p.Same++
	}
	if a {
		p.AcceptA++
	}
	if b {
		p.AcceptB++
	}
}

// Kappa returns Cohen's kappa, the agreement beyond chance: 1 is complete, 0 is none. It
// is not defined if there is no case, or if both gave only one verdict.
func (p ReviewPair) Kappa() (kappa float64, ok bool) {
	n := float64(p.Cases)
	a, b := float64(p.AcceptA)/n, float64(p.AcceptB)/n
	chance := a*b + (1-a)*(1-b)
	if p.Cases == 0 || chance >= 1 {
		return 0, false
	}
	return (float64(p.Same)/n - chance) / (1 - chance), true
}

func kappaText(p ReviewPair) string {
	if k, ok := p.Kappa(); ok {
		return strconv.FormatFloat(k, 'f', 2, 64)
	}
	return "–"
}

// reviewTime formats the time for a case.
func reviewTime(d time.Duration) string {
	if d == 0 {
		return "–"
	}
	return strconv.FormatFloat(d.Seconds(), 'f', 1, 64) + " s"
}

// share formats a part of a whole as a percentage.
func share(part, whole int) string {
	if whole == 0 {
		return "–"
	}
	return views.Likelihood(float64(part) / float64(whole))
}

// weighty returns the evidence that counts visibly.
func weighty(steps []ReviewEvidence) (out []ReviewEvidence) {
	for _, s := range steps {
		if math.Abs(s.Weight) >= 0.05 {
			out = append(out, s)
		}
	}
	return out
}
