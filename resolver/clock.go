package resolver

import (
	"cmp"
	"math"
	"slices"

	"github.com/segraph/segraph/resolver/record"
	"github.com/segraph/segraph/resolver/text"
	"github.com/segraph/segraph/resolver/weigh"
)

// An anchor is a pair of observations by two robots that, by what was said alone, are the
// same event beyond doubt. Their stamps tell how far the robots' clocks are apart. Robots
// without a name share one clock.
const (
	minAnchors       = 5     // from which a clock is set right
	anchorLetters    = 12.0  // a text has at least
	anchorChance     = 0.002 // another event has that text with at most
	ownAnchorLetters = 7.0   // the same, of a text that one known person said,
	ownAnchorChance  = 0.02  // who says a tenth of what all say in the time that is looked at
	anchorLike       = 0.85  // the texts are at least
	steadyAnchors    = 8     // from which a clock moves more slowly
	maxResiduals     = 128   // that the scale is learnt from
	scaleAnchors     = 16    // from which it is
	minScale         = 0.20  // seconds
	maxScale         = 0.60  // seconds
	firstScale       = 0.35  // seconds, until it is learnt
	slowest          = 0.04  // the least share of a residual that is learnt
)

// learnClocks learns from when an observation arrived, and from its anchor among the
// candidates if it has one.
func (u *unit) learnClocks(s *sighting, candidates []candidate) error {
	if !u.policy.ClockCorrection {
		return nil
	}
	mine, err := u.clock(s.member.Robot)
	if err != nil {
		return err
	}
	if s.member.Robot != "" { // else the posts of several robots are mixed
		before := mine.Segment
		mine = arrive(mine, s.member)
		u.setClock(mine)
		if mine.Segment != before { // its stamp was weighed without the step
			return nil
		}
	}
	c := anchor(candidates)
	if c == nil {
		return nil
	}
	partner, at, err := u.partner(c.shared)
	if err != nil || partner.Robot == s.member.Robot {
		return err
	}
	other, err := u.clock(partner.Robot)
	if err != nil {
		return err
	}
	own, err := u.stamp(s.member, s.side.kind, true)
	if err != nil {
		return err
	}
	p := pairing{mine: mine, other: other, member: s.member, partner: partner, residual: seconds(own - at)}
	if about := u.known.subject(s.member); about == u.known.subject(partner) {
		p.subject = about
	}
	teaches, err := u.decideClaims(&p)
	if err != nil {
		return err
	}
	switch {
	case teaches:
		u.learnFrom(&p, s.side.kind, c)
	case c.Letters >= anchorLetters:
		learnLeads(&p, s.side.kind, c.Letters)
	}
	u.setClock(p.mine)
	u.setClock(p.other)
	return nil
}

// learnFrom learns from an anchor that is beyond doubt.
func (u *unit) learnFrom(p *pairing, kind uint64, c *candidate) {
	for _, l := range []struct {
		of       *record.Clock
		residual float64
	}{{&p.mine, p.residual}, {&p.other, -p.residual}} {
		*l.of = u.learn(*l.of, l.residual)
		if c.Letters >= anchorLetters && l.of.Anchors > steadyAnchors {
			*l.of = learnLead(*l.of, l.residual, kind, c.Letters)
		}
	}
	if c.Coarse { // whose residuals tell more of the rounding
		return
	}
	scale := u.scale()
	scale.Anchors++
	if scale.Residuals = slices.Clone(scale.Residuals); len(scale.Residuals) < maxResiduals {
		scale.Residuals = append(scale.Residuals, p.residual)
	} else {
		scale.Residuals[scale.Next] = p.residual
	}
	scale.Next = (scale.Next + 1) % maxResiduals
	u.newScale = &scale
}

// learnLeads learns leads from an anchor that contradicts what is known of the clocks, by
// how much it differs from the other anchors that do.
func learnLeads(p *pairing, kind uint64, letters float64) {
	k := claimOn(p.mine, p.other)
	if k == nil || len(k.Recent) < minClaim {
		return
	}
	rest := float64(k.Recent[len(k.Recent)-1]-middleOf(k.Recent)) / 1000
	p.mine = learnLead(p.mine, rest, kind, letters)
	p.other = learnLead(p.other, -rest, kind, letters)
}

// anchor returns the only candidate that has the text beyond doubt, nil for none. A
// candidate whose robots' clocks are in doubt counts only if no other one has the text.
func anchor(candidates []candidate) *candidate {
	var known, claimed []*candidate
	for i, c := range candidates {
		switch {
		case c.Evidence.Text != weigh.Same || c.Likeness < anchorLike || c.Evidence.Place == weigh.Different:
		case c.Unconfirmed:
			claimed = append(claimed, &candidates[i])
		default:
			known = append(known, &candidates[i])
		}
	}
	if len(known) == 0 {
		known = claimed
	}
	if len(known) != 1 {
		return nil
	}
	out := known[0]
	if out.Evidence.Robots != weigh.OtherRobot && out.Evidence.Robots != weigh.UnknownRobot {
		return nil
	}
	letters, chance := anchorLetters, anchorChance
	if out.Evidence.Subject == weigh.Same {
		letters, chance = ownAnchorLetters, ownAnchorChance
	}
	if out.Letters < letters || out.TextChance > chance {
		return nil
	}
	return out
}

// partner returns the member of a context with the median stamp, and that stamp.
func (u *unit) partner(x *shared) (member record.Member, at int64, err error) {
	type seen struct {
		member record.Member
		at     int64
	}
	all := make([]seen, len(x.Members))
	for i, m := range x.Members {
		at, err := u.stamp(m, x.hash, true)
		if err != nil {
			return member, 0, err
		}
		all[i] = seen{m, at}
	}
	slices.SortFunc(all, func(a, b seen) int { return cmp.Compare(a.at, b.at) })
	middle := all[(len(all)-1)/2]
	return middle.member, middle.at, nil
}

// Some robots stamp the beginning of what is said and others the end, so the former lag
// by more the longer the text is. Nobody stamps later than the end, so a lead is never
// above 0.
const (
	clockLetters  = 25.0  // of a text for which a clock's offset is meant
	spreadLetters = 15.0  // by which texts differ
	minLead       = -0.15 // seconds a letter, of somebody who speaks very slowly
	sureLead      = -0.04 // seconds a letter, from which it is no chance
	leadShare     = 0.3   // of a residual that is learnt of a lead, once the offset is known
)

// ahead returns how many seconds a clock was ahead, before its steps, when its robot
// reported a text of a kind.
func ahead(c record.Clock, kind uint64, normal string) float64 {
	letters := 0.0
	if kind == c.Kind {
		letters = text.Letters(normal)
	}
	return c.Offset + c.Lead*(letters-clockLetters)
}

// learn moves a clock by at most half of what it seems ahead, and by less the more is
// known of it. A clock of which nothing is known starts at the median.
func (u *unit) learn(c record.Clock, residual float64) record.Clock {
	if c.Anchors == 0 {
		c.Offset = u.known.median.value()
	}
	step := max(slowest, 1/float64(1+c.Anchors))
	if c.Anchors < steadyAnchors {
		step = min(1, 2*step)
	}
	c.Offset += 0.5 * residual * step
	c.Anchors++
	return c
}

// learnLead learns from an anchor by how much a clock lags for each letter of a text.
func learnLead(c record.Clock, residual float64, kind uint64, letters float64) record.Clock {
	if c.Lead == 0 {
		c.Kind = kind
	}
	if c.Kind == kind {
		z := (letters - clockLetters) / spreadLetters
		c.Lead += 0.5 * residual * leadShare * z / (1 + z*z) / spreadLetters
		c.Lead = min(0, max(minLead, c.Lead))
	}
	return c
}

// spread returns the scale of the gaps between two stamps of one event, in seconds.
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
