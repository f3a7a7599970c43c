package resolver

import (
	"cmp"
	"math"
	"slices"

	"github.com/segraph/segraph/resolver/record"
	"github.com/segraph/segraph/resolver/text"
	"github.com/segraph/segraph/resolver/weigh"
)

// An anchor is a pair of observations by two robots that, judging by their texts alone,
// are the same event beyond doubt. Their timestamps show the difference of the robots'
// clocks. Robots without a name share one clock.
const (
	minAnchors       = 5     // anchors from which a clock is corrected
	anchorLetters    = 12.0  // least length of a text
	anchorChance     = 0.002 // largest chance that another event has that text
	ownAnchorLetters = 7.0   // the same length, for a text that one known person said
	ownAnchorChance  = 0.02  // the same chance, for such a text, if the person says a tenth of everything in the examined time
	anchorLike       = 0.85  // least similarity of the texts
	steadyAnchors    = 8     // anchors from which a clock moves more slowly
	maxResiduals     = 128   // residuals from which the scale is learnt
	scaleAnchors     = 16    // anchors from which the scale is learnt
	minScale         = 0.20  // seconds
	maxScale         = 0.60  // seconds
	firstScale       = 0.35  // seconds, until the scale is learnt
	slowest          = 0.04  // least fraction of a residual that is learnt
)

// learnClocks learns from the arrival of an observation, and from its anchor among the
// candidates, if any.
func (u *unit) learnClocks(s *sighting, candidates []candidate) error {
	if !u.policy.ClockCorrection {
		return nil
	}
	own, err := u.clock(s.member.Robot)
	if err != nil {
		return err
	}
	if s.member.Robot != "" { // without a name the posts of several robots are mixed
		before := own.Segment
		own = arrive(own, s.member)
		u.setClock(own)
		if own.Segment != before { // its timestamp was interpreted before the step
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
	stamp, err := u.stamp(s.member, s.side.kind, true)
	if err != nil {
		return err
	}
	p := pairing{own: own, other: other, member: s.member, partner: partner, residual: seconds(stamp - at)}
	if about := u.known.subject(s.member); about == u.known.subject(partner) {
		p.subject = about
	}
	informative, err := u.decideClaims(&p)
	if err != nil {
		return err
	}
	switch {
	case informative:
		u.learnFrom(&p, s.side.kind, c)
	case c.Letters >= anchorLetters:
		learnLeads(&p, s.side.kind, c.Letters)
	}
	u.setClock(p.own)
	u.setClock(p.other)
	return nil
}

// learnFrom learns from an anchor that is beyond doubt.
func (u *unit) learnFrom(p *pairing, kind uint64, c *candidate) {
	for _, l := range []struct {
		of       *record.Clock
		residual float64
	}{{&p.own, p.residual}, {&p.other, -p.residual}} {
		*l.of = u.learn(*l.of, l.residual)
		if c.Letters >= anchorLetters && l.of.Anchors > steadyAnchors {
			*l.of = learnLead(*l.of, l.residual, kind, c.Letters)
		}
	}
	if c.Coarse { // residuals of whole seconds mostly show rounding
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

// learnLeads learns leads from an anchor that contradicts the clocks, by its difference
// from the other such anchors.
func learnLeads(p *pairing, kind uint64, letters float64) {
	k := claimOn(p.own, p.other)
	if k == nil || len(k.Recent) < minClaim {
		return
	}
	rest := float64(k.Recent[len(k.Recent)-1]-medianOf(k.Recent)) / 1000
	p.own = learnLead(p.own, rest, kind, letters)
	p.other = learnLead(p.other, -rest, kind, letters)
}

// anchor returns the only candidate that has the text beyond doubt, or nil. A candidate
// whose robots' clocks are in doubt counts only if no other one has the text.
func anchor(candidates []candidate) *candidate {
	var known, claimed []*candidate
	for i, c := range candidates {
		switch {
		case c.Evidence.Text != weigh.Same || c.Likeness < anchorLike || c.Evidence.Place == weigh.Different:
		case c.Unconfirmed, c.Rooms:
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

// partner returns the member of a context with the median timestamp, and that timestamp.
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
	median := all[(len(all)-1)/2]
	return median.member, median.at, nil
}

// Some robots timestamp the beginning of speech and others its end, so the former are
// earlier by an amount that grows with the text. Nobody timestamps later than the end, so
// a lead is never positive.
const (
	spreadLetters   = 15.0  // spread of text lengths
	minLead         = -0.15 // seconds per letter, of a very slow speaker
	significantLead = -0.04 // seconds per letter, from which a lead is significant
	leadMemory      = 25    // anchors over which the lengths of texts and the gain of a lead are averaged
	minGain         = 0.05  // seconds, least gain of a lead that is applied
	nextShorter     = 3.0   // letters by which a text may be shorter than all that confirmed the lead, to confirm it as well
	leadShare       = 0.3   // fraction of a residual that is learnt as lead, once the offset is known
)

// ahead returns how many seconds a clock was ahead, before its steps, when its robot
// reported a text of a kind.
func ahead(c record.Clock, kind uint64, normal string) float64 {
	letters := 0.0 // other events take no time
	if kind == c.Kind {
		letters = max(c.Shortest, text.Letters(normal))
	}
	return c.Offset + c.Lead*(letters-c.Letters)
}

// leads reports whether a lead is significant, and makes the differences of timestamps
// smaller.
func leads(c record.Clock) bool { return c.Lead <= significantLead && c.Gain >= minGain }

// confirmLeads notes that a text of members was matched with their robots' leads, so that
// these apply to texts of that length.
func (u *unit) confirmLeads(members []record.Member, kind uint64) error {
	for _, m := range members {
		c, err := u.clock(m.Robot)
		if err != nil {
			return err
		}
		if letters := text.Letters(m.Text); m.Text != "" && leads(c) && kind == c.Kind && letters < c.Shortest {
			c.Shortest = max(letters, c.Shortest-nextShorter)
			u.setClock(c)
		}
	}
	return nil
}

// learn moves a clock by at most half of a residual, and by less the more anchors it has.
// A clock without anchors starts at the median.
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

// learnLead learns the lead of a clock per letter of text from an anchor.
func learnLead(c record.Clock, residual float64, kind uint64, letters float64) record.Clock {
	if c.Lead == 0 && c.Kind != kind {
		c.Kind, c.Letters, c.Shortest, c.Gain = kind, letters, letters, 0
	}
	if c.Kind != kind {
		return c
	}
	step := max(1.0/leadMemory, 1/float64(1+c.Anchors))
	without := residual + c.Lead*(letters-c.Letters)
	c.Gain += step * (min(1, math.Abs(without)) - min(1, math.Abs(residual)) - c.Gain)
	c.Shortest = min(c.Shortest, letters)
	z := (letters - c.Letters) / spreadLetters
	c.Lead += 0.5 * residual * leadShare * z / (1 + z*z) / spreadLetters
	c.Lead = min(0, max(minLead, c.Lead))
	moved := step * (letters - c.Letters)
	c.Letters += moved
	c.Offset += c.Lead * moved // the line stays where it is
	return c
}

// spread returns the scale of the differences between two timestamps of one event, in
// seconds.
func spread(s record.Scale) float64 {
	if s.Anchors < scaleAnchors {
		return firstScale
	}
	var buffer [maxResiduals]float64
	sizes := buffer[:0]
	for _, x := range s.Residuals {
		sizes = append(sizes, math.Abs(x))
	}
	slices.Sort(sizes)
	return min(maxScale, max(minScale, sizes[len(sizes)/2]/math.Ln2))
}
