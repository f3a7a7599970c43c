package resolver

import "slices"

// doubt summarizes the claims on the clocks of two sides.
type doubt struct {
	by       float64 // claimed seconds that a's clocks are ahead of b's, beyond their offsets; negative if b's are ahead
	claimed  bool    // there is such a claim
	repeated bool    // more than one anchor supports it
	rooms    bool    // its robots are in two rooms
}

// doubt returns the claims that the clocks of a's robots and b's robots differ. The field by is the median
// of the claims, in seconds.
func (u *unit) doubt(a, b side) (out doubt, err error) {
	if !u.policy.ClockCorrection {
		return out, nil
	}
	var all []float64
	book := u.book()
	for _, ours := range a.members {
		own, err := u.clock(ours.Robot)
		if err != nil {
			return out, err
		}
		for _, theirs := range b.members {
			other, err := u.clock(theirs.Robot)
			if err != nil {
				return out, err
			}
			// Clocks are in no doubt if they agree, or if nobody claims anything of them. A relay's delay is not its clock's.
			if len(own.Claims)+len(other.Claims) == 0 || ours.Robot == theirs.Robot || book.Agreed(own, other) || u.known.isRelay(ours.Robot) || u.known.isRelay(theirs.Robot) {
				continue
			}
			received := max(ours.Received, theirs.Received)
			ahead, anchors, err := book.Claimed(own, other, received)
			if err != nil {
				return out, err
			}
			if ahead == 0 { // there may be a claim the other way round
				if ahead, anchors, err = book.Claimed(other, own, received); err != nil {
					return out, err
				}
				ahead = -ahead
			}
			if ahead != 0 {
				all = append(all, ahead)
				apart, err := book.InTwoRooms(own, other)
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
