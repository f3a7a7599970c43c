package resolver

import (
	"fmt"
	"math"

	"github.com/segraph/segraph/resolver/record"
	"github.com/segraph/segraph/resolver/weigh"
)

// explain explains why the best candidate was matched or not.
func (k *knowledge) explain(candidates []candidate, d weigh.Decision) Explanation {
	out := Explanation{Contributions: []Contribution{}}
	if d.Best < 0 {
		out.Reason = "no context of this kind is near in time with the same or no subject"
		return out
	}
	c := candidates[d.Best]
	out.Candidate = &c.URI
	out.LogOdds = c.Sum()
	out.GapMS = ms(seconds(c.gap))
	out.CorrectedGapMS = ms(c.shownGap())
	for _, p := range k.parts(c.comparison) {
		out.Contributions = append(out.Contributions, Contribution(p))
	}
	out.Gates = d.Gates
	why := d.Reason.Sentence()
	if c.Unconfirmed && d.Reason == weigh.TooFar {
		why = fmt.Sprintf("if it is one event, the robots' clocks differ by %.1f s more than their offsets", math.Abs(c.Claimed))
	}
	switch d.Outcome {
	case weigh.Matched:
		out.Reason = "all conditions hold"
	case weigh.Ambiguous:
		out.Reason = fmt.Sprintf("needs review: %s", why)
	default:
		p, limit := weigh.Apart(d.Any, k.rules.Review, 2)
		if d.Any < 0.01 && k.rules.Review >= 0.01 {
			p = "less than 0.01"
		}
		out.Reason = fmt.Sprintf("the probability of a known event, %s, is below %s: %s", p, limit, c.Against(why))
	}
	return out
}

// parts returns the weight of each kind of evidence, with what it rests on.
func (k *knowledge) parts(c comparison) (parts []record.Part) {
	for _, p := range c.Parts(k.spread) {
		parts = append(parts, record.Part{Feature: p.Signal.String(), Weight: p.Weight, Value: p.Value})
	}
	return parts
}

// shares returns the evidence as fractions from 0 to 1.
func (k *knowledge) shares(c comparison) record.Shares {
	e := c.Evidence
	s := record.Shares{Time: math.Exp(-e.Distance() / k.spread), Text: e.Likeness, Subject: share(e.Subject), Modality: share(e.Modality)}
	if e.Text == weigh.Neither {
		s.Text = 1
	}
	if e.Modality == weigh.Neither { // counts as the same
		s.Modality = 1
	}
	return s
}

// share returns the similarity that the API gives for an agreement: 0.5 if it is unknown.
func share(a weigh.Agreement) float64 {
	switch a {
	case weigh.Same:
		return 1
	case weigh.Different:
		return 0
	}
	return 0.5
}
