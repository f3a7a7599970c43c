package resolver

import (
	"cmp"
	"slices"
	"strings"

	"github.com/segraph/segraph/resolver/clocks"
	"github.com/segraph/segraph/resolver/record"
	"github.com/segraph/segraph/resolver/weigh"
)

// An anchor, from which clocks are learnt, needs a text that is the same beyond doubt.
const (
	anchorLetters    = 12.0  // least length of a text
	anchorChance     = 0.002 // largest chance that another event has that text
	ownAnchorLetters = 7.0   // the same length, for a text that one known person said
	ownAnchorChance  = 0.02  // the same chance, for such a text, if the person says a tenth of everything in the examined time
	anchorLike       = 0.85  // least similarity of the texts
	// maxUnanchored is how many clocks without an anchor are remembered, and maxLearnt how many are corrected, besides those that
	// people confirmed. Clients could name any number of robots.
	maxUnanchored = 4096
	maxLearnt     = 4096
)

// clockSource is a unit's clocks, for package clocks.
type clockSource struct{ u *unit }

func (s clockSource) Clock(robot string) (record.Clock, error) { return s.u.clock(robot) }
func (s clockSource) Fingerprint(name string) uint32           { return s.u.fingerprint(name) }

// book returns what the unit knows of all clocks.
func (u *unit) book() clocks.Book {
	return clocks.Book{Median: u.known.median.Median(), From: clockSource{u}}
}

// learnClocks learns how far robots' clocks are ahead: from the delay with which an observation arrived, and from the
// candidate that surely reports the same (its anchor), if there is one.
func (u *unit) learnClocks(s *sighting, candidates []candidate) error {
	if !u.policy.ClockCorrection {
		return nil
	}
	own, err := u.clock(s.member.Robot)
	if err != nil {
		return err
	}
	remembered := len(own.Lags) > 0 || own.Anchors > 0
	// Reports without a robot's name may be of several robots.
	if s.member.Robot != "" && (remembered || u.known.unanchored < maxUnanchored) {
		before := own.Segment
		own = clocks.Arrive(own, s.member)
		own.Heard = u.now()
		u.setClock(own)
		if own.Segment != before { // its timestamp was interpreted before the step
			return nil
		}
	}
	same := anchor(candidates)
	if same == nil {
		return nil
	}
	partner, at, err := u.partner(same.shared)
	if err != nil || partner.Robot == s.member.Robot {
		return err
	}
	other, err := u.clock(partner.Robot)
	if err != nil {
		return err
	}
	stamp, err := u.stamp(s.member, s.side.kind, clocks.AnyAnchors)
	if err != nil {
		return err
	}
	p := clocks.Pairing{Own: own, Other: other, Member: s.member, Partner: partner, Residual: seconds(stamp - at), Kind: s.side.kind, Letters: same.Letters}
	if about := u.known.subject(s.member); about == u.known.subject(partner) {
		p.Subject = about
	}
	agrees, err := u.book().Learn(&p)
	if err != nil {
		return err
	}
	if agrees && !same.Coarse { // residuals of whole seconds mostly show rounding
		scale := clocks.AddResidual(u.scale(), p.Residual)
		u.newScale = &scale
	}
	u.setClock(p.Own)
	u.setClock(p.Other)
	return nil
}

// anchor returns the only candidate that has the text beyond doubt, so that the two timestamps show how the clocks
// differ, or nil. Another robot must have reported the text, and it must be long and rare enough. A candidate whose
// robots' clocks are in doubt counts only if no other one has the text.
func anchor(candidates []candidate) *candidate {
	var known, claimed []*candidate
	for i, c := range candidates {
		switch {
		case c.Evidence.Text != weigh.Same || c.Likeness < anchorLike || c.Evidence.Place == weigh.Different: // not beyond doubt
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
	best := known[0]
	if best.Evidence.Robots != weigh.OtherRobot && best.Evidence.Robots != weigh.UnknownRobot {
		return nil
	}
	letters, chance := anchorLetters, anchorChance
	if best.Evidence.Subject == weigh.Same {
		letters, chance = ownAnchorLetters, ownAnchorChance
	}
	if best.Letters < letters || best.TextChance > chance {
		return nil
	}
	return best
}

// partner returns the member of a context with the median timestamp, and that timestamp.
func (u *unit) partner(x *shared) (member record.Member, at int64, err error) {
	type seen struct {
		member record.Member
		at     int64
	}
	all := make([]seen, len(x.Members))
	for i, m := range x.Members {
		at, err := u.stamp(m, x.kindHash, clocks.AnyAnchors)
		if err != nil {
			return member, 0, err
		}
		all[i] = seen{m, at}
	}
	slices.SortFunc(all, func(a, b seen) int { return cmp.Compare(a.at, b.at) })
	median := all[(len(all)-1)/2]
	return median.member, median.at, nil
}

// confirmLeads notes that a text of members was matched with their robots' leads, so that
// these apply to texts of that length.
func (u *unit) confirmLeads(members []record.Member, kind uint64) error {
	for _, m := range members {
		c, err := u.clock(m.Robot)
		if err != nil {
			return err
		}
		if clocks.Confirm(&c, kind, m.Text) {
			u.setClock(c)
		}
	}
	return nil
}

// evictClocks removes learnt clocks if there are too many: those of the robots that were heard longest ago. Only clocks that
// people decided on have quads, and these stay.
func (u *unit) evictClocks() {
	if len(u.known.offsets)+len(u.clocks.values) <= maxLearnt {
		return
	}
	changed := map[string]*learntClock{}
	for i := range u.clocks.values {
		if c := &u.clocks.values[i]; clocks.Learnt(*c) {
			changed[c.Robot] = &learntClock{}
		}
	}
	for _, robot := range least(u.known.offsets, changed, maxLearnt, strings.Compare, func(c learntClock) int64 { return c.heard }) {
		u.put(u.hashes().ClockKey(robot), nil)
		u.gone.clocks = append(u.gone.clocks, robot)
	}
}
