package resolver

import (
	"math"
	"slices"

	"github.com/segraph/segraph/resolver/clocks"
	"github.com/segraph/segraph/resolver/record"
	"github.com/segraph/segraph/resolver/text"
	"github.com/segraph/segraph/resolver/weigh"
)

// side is one side of a comparison: a new observation or a context.
type side struct {
	members []record.Member
	texts   []*text.Text
	kind    uint64 // hash of the kind
	counted int64  // 1 if it is counted among the contexts of its kind
	window  int64  // largest gap of a candidate, in microseconds
}

func (s *shared) side(window int64) side { return side{s.Members, s.texts, s.kindHash, 1, window} }

const second = 1_000_000 // in microseconds

// stamp returns the time of a member, in microseconds, by its robot's corrected clock. A
// timestamp of whole seconds counts as half a second later. kind is the hash of the
// member's kind.
func (u *unit) stamp(m record.Member, kind uint64, trust clocks.Trust) (int64, error) {
	at := m.At + m.Half()
	if !u.policy.ClockCorrection {
		return at, nil
	}
	c, err := u.clock(m.Robot)
	if err != nil {
		return at, err
	}
	return at - int64(math.Round(u.book().Ahead(c, m, kind, trust)*second)), nil
}

// sideTime is the time of a side.
type sideTime struct {
	median, first, last int64 // corrected, whole seconds moved to their middle
	stamped             int64 // the median with corrected clocks only
	raw                 int64 // the median of the timestamps
	coarse              bool
}

// sideTime returns when a side happened by its members' timestamps: the medians with corrected clocks (median), in
// the middle of a whole second (stamped) and as sent (raw). Late reports of relays count only if there are no others.
func (u *unit) sideTime(s side) (sideTime, error) {
	stamps, stamped, raw := make([]int64, len(s.members)), make([]int64, len(s.members)), make([]int64, len(s.members))
	out := sideTime{coarse: true}
	onlyLate := allLate(s.members)
	n := 0
	for _, m := range s.members {
		if m.Late && !onlyLate {
			continue
		}
		at, err := u.stamp(m, s.kind, clocks.EnoughAnchors)
		if err != nil {
			return out, err
		}
		stamps[n], stamped[n], raw[n] = at, at-m.Half(), m.At
		n++
		out.coarse = out.coarse && m.Coarse
	}
	stamps, stamped, raw = stamps[:n], stamped[:n], raw[:n]
	slices.Sort(stamps)
	slices.Sort(stamped)
	slices.Sort(raw)
	out.median, out.stamped, out.raw = clocks.Median(stamps), clocks.Median(stamped), clocks.Median(raw)
	out.first, out.last = stamps[0], stamps[len(stamps)-1]
	return out, nil
}

// allLate reports whether all members are late reports of relays.
func allLate(members []record.Member) bool {
	return !slices.ContainsFunc(members, func(m record.Member) bool { return !m.Late })
}

// comparison is a candidate with the values for its explanation.
type comparison struct {
	weigh.Candidate
	gap   int64 // microseconds between the timestamps
	known int64 // the same with clocks corrected by their offsets, ignoring claims
}

// shownGap returns the gap to show to people, in seconds.
func (c comparison) shownGap() float64 {
	if c.Unconfirmed {
		return seconds(c.known)
	}
	return c.Gap
}

// compare gathers and weighs the evidence that a and b, of one kind, are the same event.
func (u *unit) compare(a, b side) (comparison, error) {
	ta, err := u.sideTime(a)
	if err != nil {
		return comparison{}, err
	}
	tb, err := u.sideTime(b)
	if err != nil {
		return comparison{}, err
	}
	e := weigh.Evidence{
		Gap:     seconds(abs(ta.median - tb.median)),
		Stamped: seconds(abs(ta.stamped - tb.stamped)),
		Coarse:  ta.coarse || tb.coarse,
		Span:    seconds(max(ta.last, tb.last) - min(ta.first, tb.first)),
		Window:  seconds(a.window),
		Robots:  robots(a.members, b.members, u.known.oneIsNameless()),
	}
	e.Subject, e.Generic = u.known.subjectsOf(a.members, b.members)
	e.Modality = agree(a.members, b.members, func(m record.Member) string { return m.Modality })
	e.Place = agree(a.members, b.members, place)
	kind, err := u.kind(a.kind)
	if err != nil {
		return comparison{}, err
	}
	if err := u.compareTexts(a, b, kind, &e); err != nil {
		return comparison{}, err
	}
	u.compareRobots(a, b, ta.median-tb.median, &e)
	if e.Robots.Shared() && e.Text == weigh.Same {
		u.compareWithItself(a, b, &e)
	}
	if e.Subject == weigh.Same {
		if e.SubjectChance, err = u.sharedChance(a, b, u.known.subject, ofSubject, kind.Subjects); err != nil {
			return comparison{}, err
		}
	}
	if e.Place == weigh.Same {
		if e.PlaceChance, err = u.sharedChance(a, b, place, ofPlace, kind.Places); err != nil {
			return comparison{}, err
		}
	}
	doubt, err := u.doubt(a, b)
	if err != nil {
		return comparison{}, err
	}
	placed := e.Place == weigh.Same || e.Place == weigh.Different // robots that say where they are need no guess
	e.Rooms = doubt.rooms && !placed && math.Abs(e.Gap-math.Abs(doubt.by)) <= clocks.Same
	e.Unconfirmed = doubt.claimed && e.Place != weigh.Different && !e.Rooms
	if e.Unconfirmed {
		e.Claimed = doubt.by
		if doubt.repeated { // a single anchor may be chance: it prevents a match but explains no gap
			e.Gap = math.Abs(seconds(ta.median-tb.median) - doubt.by)
		}
	}
	return comparison{weigh.Candidate{Evidence: e, Weights: weigh.Weigh(e, u.known.spread)}, abs(ta.raw - tb.raw), abs(ta.median - tb.median)}, nil
}

// compareTexts adds the evidence of the best pair of texts.
func (u *unit) compareTexts(a, b side, kind record.Kind, e *weigh.Evidence) error {
	switch {
	case len(a.texts) == 0 && len(b.texts) == 0:
		e.Text = weigh.Neither
		return nil
	case len(a.texts) == 0 || len(b.texts) == 0:
		e.Text = weigh.OneSide
		return nil
	}
	e.Text = weigh.Same
	bestA, bestB := a.texts[0], b.texts[0]
	e.Likeness = -1
	for _, t := range a.texts {
		for _, v := range b.texts {
			if x := u.likeness(t, v); x > e.Likeness {
				e.Likeness, bestA, bestB = x, t, v
			}
		}
	}
	e.Identical = bestA.Normal == bestB.Normal
	e.Letters, e.Longer = min(bestA.Letters, bestB.Letters), max(bestA.Letters, bestB.Letters)
	e.Continued = e.Likeness >= likeText && (text.Continues(bestA, bestB) || text.Continues(bestB, bestA))
	na, err := u.count(ofText, frequencyName{a.kind, bestA.Fingerprint()})
	if err != nil {
		return err
	}
	nb, err := u.count(ofText, frequencyName{a.kind, bestB.Fingerprint()})
	if err != nil {
		return err
	}
	// Exclude the two sides from the counts.
	own := b.counted
	if e.Identical {
		own += a.counted
	}
	e.TextChance = weigh.TextChance(e.Letters, max(0, max(na, nb)-own), max(0, kind.Contexts-a.counted-b.counted))
	return nil
}

// sharedChance returns the probability that another event of the kind has the first value that
// both sides have, or 1 if they have none in common. all is the number of contexts with any value.
func (u *unit) sharedChance(a, b side, value func(record.Member) string, of frequencyKind, all int64) (float64, error) {
	for _, m := range a.members {
		v := value(m)
		if v != "" && slices.ContainsFunc(b.members, func(n record.Member) bool { return value(n) == v }) {
			total := int64(0)
			names := []string{v}
			if of == ofSubject {
				names = u.known.allNames(v)
			}
			for _, name := range names {
				n, err := u.count(of, frequencyName{a.kind, text.Fingerprint(name)})
				if err != nil {
					return 0, err
				}
				total += n
			}
			return weigh.ValueChance(total, all), nil
		}
	}
	return 1, nil
}

func place(m record.Member) string { return m.Location }

// count returns how many contexts of a kind have a value, as far as remembered.
func (u *unit) count(of frequencyKind, name frequencyName) (int64, error) {
	f, err := u.frequency(of, name)
	if err != nil {
		return 0, err
	}
	kind, err := u.kind(name.kind)
	return f.Now(epoch(kind)), err
}

// epoch returns how often a kind's counts were halved.
func epoch(k record.Kind) int64 { return k.Made / record.Epoch }

// agree compares one attribute of two sides: value returns that of a member, or "". Sides whose members have several values are
// the same if they have one in common.
func agree(a, b []record.Member, value func(record.Member) string) weigh.Agreement {
	hasA, hasB := false, false
	for _, m := range a {
		v := value(m)
		if v == "" {
			continue
		}
		hasA = true
		for _, n := range b {
			if w := value(n); w != "" {
				hasB = true
				if v == w {
					return weigh.Same
				}
			}
		}
	}
	if !hasA {
		hasB = slices.ContainsFunc(b, func(m record.Member) bool { return value(m) != "" })
	}
	switch {
	case hasA && hasB:
		return weigh.Different
	case hasA || hasB:
		return weigh.OneSide
	}
	return weigh.Neither
}

// robots compares the robots of two sides. oneIsNameless says that the same robot reported
// what has no robot.
func robots(a, b []record.Member, oneIsNameless bool) weigh.Robots {
	unknown, same, other := false, false, false
	for _, m := range a {
		for _, n := range b {
			switch {
			case m.Robot == n.Robot && (m.Robot != "" || oneIsNameless):
				same = true
			case !oneIsNameless && (m.Robot == "" || n.Robot == ""):
				unknown = true
			default:
				other = true
			}
		}
	}
	switch {
	case same && !unknown && !other:
		return weigh.OnlyRobot
	case same:
		return weigh.SameRobot
	case unknown:
		return weigh.UnknownRobot
	}
	return weigh.OtherRobot
}

func seconds(us int64) float64 { return float64(us) / second }

func abs(n int64) int64 { return max(n, -n) }
