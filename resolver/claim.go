package resolver

import (
	"cmp"
	"math"
	"math/bits"
	"slices"

	"github.com/segraph/segraph/resolver/record"
)

// An anchor that contradicts two clocks by more than a second proves nothing by itself.
// The same happens when one person says the same thing in two rooms, one after the other.
// The anchor is a claim until it is decided by one of these:
//
//   - Arrival. The arrivals of two robots that post live show the difference of their
//     clocks. A claim that agrees with it is accepted at once, and one that contradicts it
//     is never accepted.
//   - Evidence: what several subjects said in several texts. A robot in another room hears
//     and reports all of it later. A robot whose clock is ahead does not. So if the order
//     of arrival is informative, it must sometimes have reported first.
//   - A person (ConfirmClock).
const (
	knownOffset     = 1.0  // seconds; a smaller residual does not contradict the clocks
	minClaim        = 3    // anchors from which a claim prevents a match
	minAgainst      = 2    // the same, if arrivals contradict the anchors
	claimShare      = 0.75 // fraction of the last anchors that must agree
	endOfClaim      = 3    // consecutive anchors that agree with the clocks and so end a claim
	sameClaim       = 0.75 // seconds; closer claims, or a claim and arrivals, count as equal
	enoughSubjects  = 3
	enoughTexts     = 5
	enoughArrivals  = 3    // anchors confirmed by arrivals, to move a clock that many anchors agreed on
	enoughOrders    = 2    // times that a robot reported first and times that it reported second, from which the order is informative
	enoughUnordered = 12   // anchors, if no order is informative
	enoughReversed  = 3    // anchors in which the robot that is ahead reported first, and
	minReversed     = 0.12 // fraction of anchors in which the robot that is ahead must have reported first
	enoughAgainst   = 8    // anchors that arrivals contradict, from which two robots are in two rooms
	enoughOrdered   = 20   // anchors in one order, from which they are, if the order is informative
	maxAgainst      = 0.25 // largest fraction of anchors that arrivals may contradict
)

// pairing is an anchor: an observation, and an earlier one of another robot.
type pairing struct {
	own, other      record.Clock
	member, partner record.Member
	subject         string  // the subject of both, "" if unknown
	residual        float64 // seconds that own seems ahead
}

// decideClaims reports whether an anchor agrees with the two clocks, so that they may
// learn from it. If not, it records the claims of both, and moves one of the clocks if
// its claim is proven.
func (u *unit) decideClaims(p *pairing) (informative bool, err error) {
	near := math.Abs(p.residual) <= knownOffset
	if near && claimOn(p.own, p.other) == nil {
		p.own.Later++
		p.other.Earlier++
		p.own.Disputes <<= 1
		p.other.Disputes <<= 1
		u.recordAgreement(&p.own, p.other.Robot)
		u.recordAgreement(&p.other, p.own.Robot)
		return true, nil
	}
	ahead := p.residual + u.offset(p.own, true) - u.offset(p.other, true)
	arrivals := p.arrivals(ahead)
	u.note(&p.own, p.other, p, ahead, arrivals)
	u.note(&p.other, p.own, p, -ahead, arrivals)
	claim := claimOn(p.own, p.other)
	rest := func(ms int64) float64 { return math.Abs(p.residual + float64(ms)/1000 - ahead) }
	if n := len(claim.Recent); n >= endOfClaim && !slices.ContainsFunc(claim.Recent[n-endOfClaim:], func(ms int64) bool { return rest(ms) > knownOffset }) {
		drop(&p.own, p.other.Robot)
		drop(&p.other, p.own.Robot)
		return near, nil
	}
	if rest(medianOf(claim.Recent)) <= knownOffset {
		return near, nil
	}
	if firm(*claim) {
		u.unfriend(&p.own, p.other.Robot)
		u.unfriend(&p.other, p.own.Robot)
	}
	p.own.Disputes = p.own.Disputes<<1 | 1
	p.other.Disputes = p.other.Disputes<<1 | 1
	moving, resting := &p.own, &p.other
	if u.steadier(p.own, p.other) {
		moving, resting = resting, moving
	}
	e, err := u.evidence(*moving, *resting)
	if err != nil {
		return false, err
	}
	fresh := min(p.own.Anchors, p.other.Anchors) < steadyAnchors
	arrivals = p.arrivals(float64(medianOf(claim.Recent)) / 1000) // judge the claim rather than this anchor
	switch {
	case arrivals == arrivalsAgree && (fresh || e.arrived >= enoughArrivals):
	case arrivals == arrivalsSilent && judged(p.own) && judged(p.other) && e.proven(orderly(*moving) || orderly(*resting)):
	default:
		return false, nil
	}
	u.establish(resting)
	u.shift(moving, e.by, e.since)
	drop(resting, moving.Robot)
	return false, nil
}

// steadier reports whether the last anchors of clock a agreed more often than those of
// clock b.
func (u *unit) steadier(a, b record.Clock) bool {
	return cmp.Or(cmp.Compare(bits.OnesCount8(a.Disputes), bits.OnesCount8(b.Disputes)), cmp.Compare(len(a.Claims), len(b.Claims)),
		cmp.Compare(b.Anchors, a.Anchors)) < 0
}

// shift moves a clock by a proven offset. If many anchors agreed on the clock, this is a
// step from the time since on. Otherwise the offset applies to its whole past.
func (u *unit) shift(c *record.Clock, by float64, since int64) {
	if c.Anchors >= steadyAnchors {
		*c = jump(*c, record.Step{From: since, By: by})
		c.Friends = nil
		return
	}
	u.establish(c)
	c.Offset += by
	c.Claims, c.Friends, c.Disputes = nil, nil, 0
}

// establish marks a clock's offset as applied.
func (u *unit) establish(c *record.Clock) {
	if c.Anchors == 0 {
		c.Offset = u.known.median.value()
	}
	c.Anchors = max(c.Anchors, minAnchors)
}

// offset returns how many seconds a clock is ahead now. For learning see stamp.
func (u *unit) offset(c record.Clock, learning bool) float64 {
	off := stepped(c, math.MaxInt64)
	if c.Anchors >= minAnchors || learning && c.Anchors > 0 {
		off += c.Offset - u.known.median.value()
	}
	return off
}

// orderly reports whether a robot's observations come both before and after those of
// others, so that their order is informative.
func orderly(c record.Clock) bool { return min(c.Earlier, c.Later) >= enoughOrders }

// judged reports whether enough observations arrived from a robot to see whether it posts
// live.
func judged(c record.Clock) bool { return c.Robot == "" || len(c.Lags) >= minLags }

// arrivals is whether the arrivals of an anchor support its claim.
type arrivals uint8

const (
	arrivalsSilent arrivals = iota
	arrivalsAgree
	arrivalsContradict
)

// arrivals compares the clocks' difference by timestamps with that by arrivals.
func (p *pairing) arrivals(ahead float64) arrivals {
	switch {
	case !live(p.own) || !live(p.other) || !arrivedOnTime(p.own, p.member) || !arrivedOnTime(p.other, p.partner):
		return arrivalsSilent
	}
	switch apart := math.Abs(ahead - float64(p.other.Lag-p.own.Lag)/1000); {
	case apart <= sameClaim:
		return arrivalsAgree
	case apart > knownOffset:
		return arrivalsContradict
	}
	return arrivalsSilent
}

// claimOn returns the claim of a clock against another since the last step of either, or
// nil.
func claimOn(c, other record.Clock) *record.Claim {
	for i, k := range c.Claims {
		if k.Partner == other.Robot && k.Own == c.Segment && k.Theirs == other.Segment {
			return &c.Claims[i]
		}
	}
	return nil
}

// drop removes the claim of a clock against a partner.
func drop(c *record.Clock, partner string) {
	c.Claims = slices.DeleteFunc(slices.Clone(c.Claims), func(k record.Claim) bool { return k.Partner == partner })
}

// note adds an anchor to the claim that clock c is ahead of another one by some seconds.
func (u *unit) note(c *record.Clock, other record.Clock, p *pairing, ahead float64, arrived arrivals) {
	k := record.Claim{Partner: other.Robot, Own: c.Segment, Theirs: other.Segment, Since: p.member.Received}
	if before := claimOn(*c, other); before != nil {
		k = *before
	}
	ms := int64(math.Round(ahead * 1000))
	k.Recent = lastOf(k.Recent, ms, record.MaxRecent)
	if m := medianOf(k.Recent); k.Sentences == 0 || math.Abs(float64(m-k.About)) > 1000*knownOffset {
		k.About, k.Sentences, k.Reversed, k.Against, k.Arrived, k.Subjects, k.Texts = m, 0, 0, 0, 0, nil, nil
	}
	if math.Abs(float64(ms-k.About)) <= 1000*knownOffset {
		k.Sentences++
		if p.residual < 0 {
			k.Reversed++
		}
		switch arrived {
		case arrivalsAgree:
			k.Arrived++
		case arrivalsContradict:
			k.Against++
		}
		k.Subjects, k.Texts = u.name(k.Subjects, p.subject), u.name(k.Texts, p.member.Text)
	}
	drop(c, other.Robot)
	c.Claims = append(c.Claims[max(0, len(c.Claims)-record.MaxClaims+1):], k)
}

// name adds the fingerprint of s to list, unless s is empty.
func (u *unit) name(list []uint32, s string) []uint32 {
	if s == "" || len(list) >= record.MaxNames {
		return list
	}
	f := fingerprintOf(u.hashes(), s)
	if slices.Contains(list, f) {
		return list
	}
	return append(slices.Clone(list), f)
}

// evidence is the sum of the claims of a clock that agree with each other.
type evidence struct {
	by                                    float64 // seconds that it is ahead of its current offset
	since                                 int64
	sentences, reversed, against, arrived int64
	subjects, texts                       []uint32
}

// evidence returns the sum of the claims that agree with the claim of clock c against
// another one.
func (u *unit) evidence(c, about record.Clock) (evidence, error) {
	var e evidence
	first := claimOn(c, about)
	if first == nil {
		return e, nil
	}
	e.by = u.beyond(*first, c, about, true)
	for _, k := range c.Claims {
		other := about
		if k.Partner != about.Robot {
			var err error
			if other, err = u.clock(k.Partner); err != nil {
				return e, err
			}
		}
		if k.Own != c.Segment || k.Theirs != other.Segment || math.Abs(u.beyond(k, c, other, true)-e.by) > sameClaim {
			continue
		}
		if e.since == 0 || k.Since < e.since {
			e.since = k.Since
		}
		e.sentences += k.Sentences
		e.reversed += k.Reversed
		e.against += k.Against
		e.arrived += k.Arrived
		e.subjects, e.texts = append(e.subjects, k.Subjects...), append(e.texts, k.Texts...)
	}
	slices.Sort(e.subjects)
	slices.Sort(e.texts)
	e.subjects, e.texts = slices.Compact(e.subjects), slices.Compact(e.texts)
	return e, nil
}

// proven reports whether enough subjects and texts support a claim. orderly says that the
// order of arrival is informative.
func (e evidence) proven(orderly bool) bool {
	n := float64(e.sentences)
	if len(e.subjects) < enoughSubjects || len(e.texts) < enoughTexts || float64(e.against) > maxAgainst*n {
		return false
	}
	return e.reversed >= enoughReversed && float64(e.reversed) >= minReversed*n || !orderly && e.sentences >= enoughUnordered
}

// beyond returns how many seconds the claim of a clock exceeds its current lead over
// another one.
func (u *unit) beyond(k record.Claim, c, other record.Clock, learning bool) float64 {
	return float64(medianOf(k.Recent))/1000 - (u.offset(c, learning) - u.offset(other, learning))
}

// recordAgreement records that an anchor of two clocks agreed with their offsets.
func (u *unit) recordAgreement(c *record.Clock, other string) {
	f := u.fingerprint(other)
	if n := len(c.Friends); n > 0 && c.Friends[n-1] == f {
		return
	}
	c.Friends = append(slices.DeleteFunc(slices.Clone(c.Friends), func(g uint32) bool { return f == g }), f)
	c.Friends = c.Friends[max(0, len(c.Friends)-record.MaxFriends):]
}

func (u *unit) unfriend(c *record.Clock, other string) {
	f := u.fingerprint(other)
	c.Friends = slices.DeleteFunc(slices.Clone(c.Friends), func(g uint32) bool { return f == g })
}

// clocksAgreed reports whether the last anchors of two clocks agreed with their offsets.
func (u *unit) clocksAgreed(c, other record.Clock) bool {
	return slices.Contains(c.Friends, u.fingerprint(other.Robot)) && slices.Contains(other.Friends, u.fingerprint(c.Robot))
}

// firm reports whether the last anchors of a claim agree with each other.
func firm(k record.Claim) bool {
	agree := 0
	for _, ms := range k.Recent {
		if abs(ms-medianOf(k.Recent)) <= 1000*sameClaim {
			agree++
		}
	}
	return (len(k.Recent) >= minClaim || k.Against >= minAgainst) && float64(agree) >= claimShare*float64(len(k.Recent))
}

// medianOf returns the median of a non-empty list.
func medianOf(list []int64) int64 { return median(slices.Sorted(slices.Values(list))) }
