package resolver

import (
	"math"
	"slices"

	"github.com/segraph/segraph/resolver/record"
)

// doubt summarizes the claims on the clocks of two sides.
type doubt struct {
	by       float64 // claimed seconds that one side's clocks are ahead, beyond their offsets
	claimed  bool    // there is such a claim
	repeated bool    // more than one anchor supports it
	rooms    bool    // its robots are in two rooms
}

// doubt returns the claims on the clocks of a's robots against those of b's.
func (u *unit) doubt(a, b side) (out doubt, err error) {
	if !u.policy.ClockCorrection {
		return out, nil
	}
	var all []float64
	for _, m := range a.members {
		c, err := u.clock(m.Robot)
		if err != nil {
			return out, err
		}
		for _, n := range b.members {
			other, err := u.clock(n.Robot)
			if err != nil {
				return out, err
			}
			if len(c.Claims)+len(other.Claims) == 0 || m.Robot == n.Robot || u.clocksAgreed(c, other) || u.known.isRelay(m.Robot) || u.known.isRelay(n.Robot) {
				continue
			}
			received := max(m.Received, n.Received)
			x, anchors, err := u.claimed(c, other, received)
			if err != nil {
				return out, err
			}
			if x == 0 {
				if x, anchors, err = u.claimed(other, c, received); err != nil {
					return out, err
				}
				x = -x
			}
			if x != 0 {
				all = append(all, x)
				apart, err := u.inTwoRooms(c, other)
				if err != nil {
					return out, err
				}
				out.rooms = out.rooms || apart
				out.repeated = out.repeated || anchors > 1
			}
		}
	}
	if len(all) > 0 {
		slices.Sort(all)
		out.by, out.claimed = all[len(all)/2], true
	}
	return out, nil
}

// inTwoRooms reports whether two robots report the same, one later than the other, because
// they are in two rooms: their arrivals contradict the claim on their clocks or, if the
// order of arrival is informative, it is always the same.
func (u *unit) inTwoRooms(c, other record.Clock) (bool, error) {
	e, err := u.evidence(c, other)
	if err != nil {
		return false, err
	}
	n := float64(e.sentences)
	return e.against >= enoughAgainst && e.against >= 3*e.arrived ||
		e.sentences >= enoughOrdered && e.arrived == 0 && float64(e.reversed) < minReversed/2*n && (orderly(c) || orderly(other)), nil
}

// claimed returns how many seconds, beyond their offsets, clock c was claimed to be ahead
// of another one at the time of an arrival. anchors is the number of anchors that claimed
// it. It also considers claims against a third clock that agrees with the other. Without
// a claim it returns 0. It is for clocks that have not agreed since a firm claim, or
// never, so that any claim counts.
func (u *unit) claimed(c, other record.Clock, received int64) (by float64, anchors int, err error) {
	for _, k := range c.Claims {
		partner := other
		if k.Partner != other.Robot {
			if partner, err = u.clock(k.Partner); err != nil {
				return 0, 0, err
			}
			if !u.clocksAgreed(other, partner) {
				continue
			}
		}
		if k.Own != c.Segment || k.Theirs != partner.Segment || k.Partner != other.Robot && !firm(k) || received < k.Since {
			continue
		}
		if x := u.beyond(k, c, partner, false); math.Abs(x) > knownOffset {
			return x, len(k.Recent), nil
		}
	}
	return 0, 0, nil
}
