package resolver

import "slices"

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
	book := u.book()
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
			if len(c.Claims)+len(other.Claims) == 0 || m.Robot == n.Robot || book.Agreed(c, other) || u.known.isRelay(m.Robot) || u.known.isRelay(n.Robot) {
				continue
			}
			received := max(m.Received, n.Received)
			x, anchors, err := book.Claimed(c, other, received)
			if err != nil {
				return out, err
			}
			if x == 0 {
				if x, anchors, err = book.Claimed(other, c, received); err != nil {
					return out, err
				}
				x = -x
			}
			if x != 0 {
				all = append(all, x)
				apart, err := book.InTwoRooms(c, other)
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
