package clocks

import (
	"math"
	"slices"

	"github.com/segraph/segraph/resolver/record"
)

// Support is the sum of the claims of a clock that agree with each other.
type Support struct {
	By        float64 // seconds that it is ahead of its current offset
	Since     int64   // arrival of the first anchor, in microseconds since 1970
	Sentences int64   // anchors
	Reversed  int64   // anchors whose observation by the robot that is ahead arrived first
	Against   int64   // anchors that arrivals contradict
	Arrived   int64   // anchors that arrivals confirm
	Subjects  []uint32
	Texts     []uint32
}

// Support returns the sum of the claims that agree with the claim of clock c against
// another one.
func (b Book) Support(c, about record.Clock) (Support, error) {
	var e Support
	first := claimOn(c, about)
	if first == nil {
		return e, nil
	}
	e.By = b.beyond(*first, c, about, AnyAnchors)
	for _, k := range c.Claims {
		other := about
		if k.Partner != about.Robot {
			var err error
			if other, err = b.From.Clock(k.Partner); err != nil {
				return e, err
			}
		}
		if k.Own != c.Segment || k.Theirs != other.Segment || math.Abs(b.beyond(k, c, other, AnyAnchors)-e.By) > Same {
			continue
		}
		if e.Since == 0 || k.Since < e.Since {
			e.Since = k.Since
		}
		e.Sentences += k.Sentences
		e.Reversed += k.Reversed
		e.Against += k.Against
		e.Arrived += k.Arrived
		e.Subjects, e.Texts = append(e.Subjects, k.Subjects...), append(e.Texts, k.Texts...)
	}
	slices.Sort(e.Subjects)
	slices.Sort(e.Texts)
	e.Subjects, e.Texts = slices.Compact(e.Subjects), slices.Compact(e.Texts)
	return e, nil
}

// proven reports whether enough subjects and texts support a claim. orderly says that the
// order of arrival is informative.
func (e Support) proven(orderly bool) bool {
	n := float64(e.Sentences)
	if len(e.Subjects) < enoughSubjects || len(e.Texts) < enoughTexts || e.TwoPlaces() {
		return false
	}
	return e.Reversed >= enoughReversed && float64(e.Reversed) >= minReversed*n || !orderly && e.Sentences >= enoughUnordered
}

// TwoPlaces reports whether too many arrivals contradict a claim: the robots hear the same at
// different times, with clocks that agree.
func (e Support) TwoPlaces() bool { return float64(e.Against) > maxAgainst*float64(e.Sentences) }

// beyond returns how many seconds the claim of a clock exceeds its current lead over
// another one.
func (b Book) beyond(k record.Claim, c, other record.Clock, trust Trust) float64 {
	return float64(medianOf(k.Recent))/1000 - (b.Offset(c, trust) - b.Offset(other, trust))
}

// InTwoRooms reports whether two robots that report the same are in two rooms, where it is
// said at two times. Then the lead of clock c is no error. They are if arrivals contradict
// the lead, or if the order of arrival is informative and always the same.
func (b Book) InTwoRooms(c, other record.Clock) (bool, error) {
	e, err := b.Support(c, other)
	if err != nil {
		return false, err
	}
	n := float64(e.Sentences)
	contradicted := e.Against >= enoughAgainst && e.Against >= 3*e.Arrived
	oneOrder := e.Sentences >= enoughOrdered && e.Arrived == 0 && float64(e.Reversed) < minReversed/2*n
	return contradicted || oneOrder && (orderly(c) || orderly(other)), nil
}

// Claimed returns how many seconds, beyond their offsets, clock c was claimed to be ahead of
// another one at the time of an arrival, 0 without a claim, and how many anchors claimed it.
// A firm claim against a third clock that agrees with the other counts too. The first that
// exceeds knownOffset is returned. Claimed is for clocks that
// have not agreed since a firm claim, or never, so that any claim counts.
func (b Book) Claimed(c, other record.Clock, received int64) (by float64, anchors int, err error) {
	for _, k := range c.Claims {
		partner, direct := other, k.Partner == other.Robot
		if !direct {
			if partner, err = b.From.Clock(k.Partner); err != nil {
				return 0, 0, err
			}
			if !b.Agreed(other, partner) {
				continue
			}
		}
		current := k.Own == c.Segment && k.Theirs == partner.Segment && received >= k.Since
		if !current || !direct && !firm(k) {
			continue
		}
		if x := b.beyond(k, c, partner, EnoughAnchors); math.Abs(x) > knownOffset {
			return x, len(k.Recent), nil
		}
	}
	return 0, 0, nil
}

// Leading returns the best supported claim on a clock. It returns the zero value if at least
// as many robots agree with the clock, or if it would be behind, and one of the robots that
// contradict it has as good a balance of friends and claims.
func (b Book) Leading(c record.Clock) (Support, error) {
	var best Support
	doubted, doubtedBy := 0, 0
	for _, k := range c.Claims {
		partner, err := b.From.Clock(k.Partner)
		if err != nil {
			return best, err
		}
		current := k.Own == c.Segment && k.Theirs == partner.Segment
		if !current || !firm(k) || math.Abs(b.beyond(k, c, partner, AnyAnchors)) <= knownOffset {
			continue
		}
		doubted++
		if standing := len(partner.Claims) - len(partner.Friends); standing >= len(c.Claims)-len(c.Friends) {
			doubtedBy++
		}
		e, err := b.Support(c, partner)
		if err != nil {
			return best, err
		}
		if e.Sentences > best.Sentences {
			best = e
		}
	}
	outvoted := doubted > 0 && doubted <= len(c.Friends)
	slow := doubtedBy > 0 && best.By < 0
	if outvoted || slow {
		return Support{}, nil
	}
	return best, nil
}
