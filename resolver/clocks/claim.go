package clocks

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
//   - Support: what several subjects said in several texts. A robot in another room hears
//     and reports all of it later. A robot whose clock is ahead does not. So if the order
//     of arrival is informative, it must sometimes have reported first.
//   - A person.
const (
	knownOffset     = 1.0  // seconds; a smaller residual does not contradict the clocks
	minClaim        = 3    // anchors from which a claim prevents a match
	minAgainst      = 2    // the same, if arrivals contradict the anchors
	claimShare      = 0.75 // fraction of the last anchors that must agree
	endOfClaim      = 3    // consecutive anchors that agree with the clocks and so end a claim
	enoughSubjects  = 3
	enoughTexts     = 5
	enoughArrivals  = 3    // anchors confirmed by arrivals, to move a clock that many anchors agreed on
	enoughOrders    = 2    // times that a robot reported first and times that it reported second, from which the order is informative
	enoughUnordered = 12   // anchors, if no order is informative
	enoughReversed  = 3    // anchors in which the robot that is ahead reported first: at least this many,
	minReversed     = 0.12 // and at least this fraction of all
	enoughAgainst   = 8    // anchors that arrivals contradict, from which two robots are in two rooms
	enoughOrdered   = 20   // anchors in one order, from which they are, if the order is informative
	maxAgainst      = 0.25 // largest fraction of anchors that arrivals may contradict
)

// Same is the distance in seconds up to which two claims, or a claim and arrivals, are equal.
const Same = 0.75

// decide reports whether an anchor agrees with two clocks, so that they may learn from it. An anchor that does not agree, and
// every anchor while the clocks have claims against each other, is added to the claims. While their median contradicts the
// clocks, nothing agrees, and a claim that is proven moves one of the clocks. Three anchors in a row that agree end the claims.
func (b Book) decide(p *Pairing) (agrees bool, err error) {
	near := math.Abs(p.Residual) <= knownOffset
	if near && claimOn(p.Own, p.Other) == nil {
		p.Own.Later++
		p.Other.Earlier++
		p.Own.Disputes <<= 1 // a bit for each of the last anchors, 0 if it agreed
		p.Other.Disputes <<= 1
		b.recordAgreement(&p.Own, p.Other.Robot)
		b.recordAgreement(&p.Other, p.Own.Robot)
		return true, nil
	}
	apart := b.Offset(p.Own, AnyAnchors) - b.Offset(p.Other, AnyAnchors) // seconds that Own is ahead of Other, as far as known
	ahead := p.Residual + apart                                          // the same, by this anchor
	arrivals := p.arrivals(ahead)
	b.note(&p.Own, p.Other, p, ahead, arrivals)
	b.note(&p.Other, p.Own, p, -ahead, arrivals)
	claim := claimOn(p.Own, p.Other)
	contradicts := func(ms int64) bool { return math.Abs(float64(ms)/1000-apart) > knownOffset }
	last := claim.Recent[max(0, len(claim.Recent)-endOfClaim):]
	if len(last) == endOfClaim && !slices.ContainsFunc(last, contradicts) {
		Drop(&p.Own, p.Other.Robot)
		Drop(&p.Other, p.Own.Robot)
		return near, nil
	}
	if !contradicts(medianOf(claim.Recent)) {
		return near, nil
	}
	if firm(*claim) {
		b.unfriend(&p.Own, p.Other.Robot)
		b.unfriend(&p.Other, p.Own.Robot)
	}
	p.Own.Disputes = p.Own.Disputes<<1 | 1
	p.Other.Disputes = p.Other.Disputes<<1 | 1
	return false, b.moveIfProven(p, medianOf(claim.Recent))
}

// moveIfProven moves the less steady of two clocks if it is proven that the first is ahead of the other by claimed
// milliseconds.
func (b Book) moveIfProven(p *Pairing, claimed int64) error {
	moving, resting := &p.Own, &p.Other
	if steadier(p.Own, p.Other) {
		moving, resting = resting, moving
	}
	e, err := b.Support(*moving, *resting)
	if err != nil {
		return err
	}
	fresh := min(p.Own.Anchors, p.Other.Anchors) < steadyAnchors
	switch arrivals := p.arrivals(float64(claimed) / 1000); {
	case arrivals == arrivalsAgree && (fresh || e.Arrived >= enoughArrivals): // arrivals prove it
	case arrivals == arrivalsSilent && judged(p.Own) && judged(p.Other) && e.proven(orderly(*moving) || orderly(*resting)): // order proves it
	default:
		return nil
	}
	b.Establish(resting)
	b.Shift(moving, e.By, e.Since)
	Drop(resting, moving.Robot)
	return nil
}

// steadier reports whether the last anchors of clock a agreed more often than those of
// clock b.
func steadier(a, b record.Clock) bool {
	return cmp.Or(cmp.Compare(bits.OnesCount8(a.Disputes), bits.OnesCount8(b.Disputes)), cmp.Compare(len(a.Claims), len(b.Claims)),
		cmp.Compare(b.Anchors, a.Anchors)) < 0
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

// arrivals compares how many seconds Own is ahead by an anchor with the difference of the clocks that arrivals show.
func (p *Pairing) arrivals(ahead float64) arrivals {
	if !Live(p.Own) || !Live(p.Other) || !arrivedOnTime(p.Own, p.Member) || !arrivedOnTime(p.Other, p.Partner) {
		return arrivalsSilent
	}
	switch apart := math.Abs(ahead - float64(p.Other.Lag-p.Own.Lag)/1000); {
	case apart <= Same:
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

// Drop removes the claim of a clock against a partner.
func Drop(c *record.Clock, partner string) {
	c.Claims = slices.DeleteFunc(slices.Clone(c.Claims), func(k record.Claim) bool { return k.Partner == partner })
}

// note adds an anchor to the claim that clock c is ahead of another one by some seconds. The counts of the claim begin again
// if its median has moved too far, and an anchor that is too far from the median is not counted.
func (b Book) note(c *record.Clock, other record.Clock, p *Pairing, ahead float64, arrived arrivals) {
	k := record.Claim{Partner: other.Robot, Own: c.Segment, Theirs: other.Segment, Since: p.Member.Received}
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
		if p.Residual < 0 {
			k.Reversed++
		}
		switch arrived {
		case arrivalsAgree:
			k.Arrived++
		case arrivalsContradict:
			k.Against++
		}
		k.Subjects, k.Texts = b.name(k.Subjects, p.Subject), b.name(k.Texts, p.Member.Text)
	}
	Drop(c, other.Robot)
	c.Claims = append(c.Claims[max(0, len(c.Claims)-record.MaxClaims+1):], k)
}

// name adds the fingerprint of s to list, unless s is empty or the list is full.
func (b Book) name(list []uint32, s string) []uint32 {
	if s == "" || len(list) >= record.MaxNames {
		return list
	}
	f := b.From.Fingerprint(s)
	if slices.Contains(list, f) {
		return list
	}
	return append(slices.Clone(list), f)
}

// recordAgreement records that an anchor of two clocks agreed with their offsets.
func (b Book) recordAgreement(c *record.Clock, other string) {
	f := b.From.Fingerprint(other)
	if n := len(c.Friends); n > 0 && c.Friends[n-1] == f {
		return
	}
	c.Friends = append(slices.DeleteFunc(slices.Clone(c.Friends), func(g uint32) bool { return f == g }), f)
	c.Friends = c.Friends[max(0, len(c.Friends)-record.MaxFriends):]
}

func (b Book) unfriend(c *record.Clock, other string) {
	f := b.From.Fingerprint(other)
	c.Friends = slices.DeleteFunc(slices.Clone(c.Friends), func(g uint32) bool { return f == g })
}

// Agreed reports whether the last anchors of two clocks agreed with their offsets.
func (b Book) Agreed(c, other record.Clock) bool {
	return slices.Contains(c.Friends, b.From.Fingerprint(other.Robot)) && slices.Contains(other.Friends, b.From.Fingerprint(c.Robot))
}

// firm reports whether the last anchors of a claim are enough to prevent a match, and agree with each other.
func firm(k record.Claim) bool {
	agree := 0
	for _, ms := range k.Recent {
		if abs(ms-medianOf(k.Recent)) <= 1000*Same {
			agree++
		}
	}
	return (len(k.Recent) >= minClaim || k.Against >= minAgainst) && float64(agree) >= claimShare*float64(len(k.Recent))
}

// medianOf returns the median of a non-empty list.
func medianOf(list []int64) int64 { return Median(slices.Sorted(slices.Values(list))) }
