package resolver

import (
	"cmp"
	"math"
	"slices"

	"github.com/segraph/segraph/resolver/record"
	"github.com/segraph/segraph/resolver/text"
	"github.com/segraph/segraph/resolver/weigh"
)

// An anchor is a pair of observations by two robots that are the same event beyond doubt, by what was
// said alone. Their stamps tell how far the robots' clocks are apart.
const (
	minAnchors    = 5     // from which a clock is set right
	anchorLetters = 12    // a text has at least
	anchorChance  = 0.002 // another event has that text with at most
	anchorLike    = 0.85  // the texts are at least
	steadyAnchors = 8     // from which a robot's residuals must be near
	maxResiduals  = 128   // that the scale is learnt from
	scaleAnchors  = 16    // from which it is
	minScale      = 0.20  // seconds
	maxScale      = 0.60  // seconds
	firstScale    = 0.35  // seconds, until it is learnt
	farResidual   = 1.5   // seconds, which are always near enough
	slowest       = 0.04  // the least share of a residual that is learnt
)

// learnClocks learns from an observation that has an anchor among its candidates.
func (d *draft) learnClocks(s *sighting, candidates []candidate) error {
	c := anchor(candidates)
	if c == nil || s.member.Robot == "" || !d.settings.ClockCorrection {
		return nil
	}
	own, err := d.stamp(s.member, s.side.kind, 0)
	if err != nil {
		return err
	}
	partner, at, err := d.partner(c.shared)
	if err != nil || partner == "" {
		return err
	}
	mine, err := d.clock(s.member.Robot)
	if err != nil {
		return err
	}
	other, err := d.clock(partner)
	if err != nil {
		return err
	}
	residual := seconds(own - at)
	if min(mine.Anchors, other.Anchors) >= steadyAnchors && math.Abs(residual) > max(farResidual, 6*d.spread) {
		return nil
	}
	d.clocks = append(d.clocks, learn(mine, residual, s.side.kind, c.Letters), learn(other, -residual, s.side.kind, c.Letters))
	if c.Coarse { // whose residuals tell more of the rounding
		return nil
	}
	scale := d.Resolver.scale
	scale.Anchors++
	if scale.Residuals = slices.Clone(scale.Residuals); len(scale.Residuals) < maxResiduals {
		scale.Residuals = append(scale.Residuals, residual)
	} else {
		scale.Residuals[scale.Next] = residual
	}
	scale.Next = (scale.Next + 1) % maxResiduals
	d.scale = &scale
	return nil
}

// anchor gives the one candidate that has the text beyond doubt, if there is one.
func anchor(candidates []candidate) *candidate {
	var out *candidate
	for i, c := range candidates {
		if c.Evidence.Text != weigh.Same || c.Likeness < anchorLike {
			continue
		}
		if out != nil {
			return nil
		}
		out = &candidates[i]
	}
	if out == nil || out.Letters < anchorLetters || out.TextChance > anchorChance || out.Evidence.Robots != weigh.OtherRobot {
		return nil
	}
	return out
}

// partner gives the robot whose stamp is in the middle of a context's, and that stamp.
func (d *draft) partner(x *shared) (robot string, at int64, err error) {
	type seen struct {
		robot string
		at    int64
	}
	all := make([]seen, len(x.Members))
	for i, m := range x.Members {
		at, err := d.stamp(m, x.hash, 0)
		if err != nil {
			return "", 0, err
		}
		all[i] = seen{m.Robot, at}
	}
	slices.SortFunc(all, func(a, b seen) int { return cmp.Compare(a.at, b.at) })
	middle := all[(len(all)-1)/2]
	return middle.robot, middle.at, nil
}

// Some robots stamp the beginning of what is said and others the end, so the one is the more behind the
// longer the text. Nobody stamps later than the end, which is why a lead is never above 0.
const (
	clockLetters  = 25.0  // of a text for which a clock's offset is meant
	spreadLetters = 15.0  // by which texts differ
	minLead       = -0.15 // seconds a letter, of somebody who speaks very slowly
	sureLead      = -0.04 // seconds a letter, from which it is no chance
	leadShare     = 0.3   // of a residual that is learnt of a lead, once the offset is known
)

// ahead gives how many seconds a clock is ahead when its robot reports a text of a kind.
func ahead(c record.Clock, kind uint64, normal string) float64 {
	if c.Lead > sureLead {
		return c.Offset
	}
	letters := 0.0
	if kind == c.Kind {
		letters = text.Letters(normal)
	}
	return c.Offset + c.Lead*(letters-clockLetters)
}

// learn moves a clock by half of what it seems ahead with a text, the less the more is known of it.
func learn(c record.Clock, residual float64, kind uint64, letters float64) record.Clock {
	step := max(slowest, 1/float64(1+c.Anchors))
	if c.Anchors < steadyAnchors {
		step = min(1, 2*step)
	}
	c.Offset += 0.5 * residual * step
	if c.Lead == 0 {
		c.Kind = kind
	}
	if c.Kind == kind && c.Anchors >= steadyAnchors {
		z := (letters - clockLetters) / spreadLetters
		c.Lead += 0.5 * residual * leadShare * z / (1 + z*z) / spreadLetters
		c.Lead = min(0, max(minLead, c.Lead))
	}
	c.Anchors++
	return c
}

// learnt works out what follows from what is remembered: the scale of time and the threshold of review.
func (r *Resolver) learnt() {
	r.spread = spread(r.scale)
	r.rules.Review = r.reviewProbability()
}

// spread gives the scale of the time between two stamps of one event, in seconds.
func spread(s record.Scale) float64 {
	if s.Anchors < scaleAnchors {
		return firstScale
	}
	sizes := make([]float64, len(s.Residuals))
	for i, x := range s.Residuals {
		sizes[i] = math.Abs(x)
	}
	slices.Sort(sizes)
	return min(maxScale, max(minScale, sizes[len(sizes)/2]/math.Ln2))
}
