package resolver

import (
	"math"
	"slices"

	"github.com/segraph/segraph/resolver/clocks"
	"github.com/segraph/segraph/resolver/record"
	"github.com/segraph/segraph/resolver/weigh"
)

// knowledge is what observations are weighed with: the settings, and what was learnt of
// subjects, robots and clocks. A unit of work uses the knowledge from when it began. What
// it learns takes effect in the next unit, so the order of the steps within a unit does
// not matter.
type knowledge struct {
	policy       *policy
	watched      map[string]record.Subject
	pairs        map[pairName]record.Pair
	relays       map[string]record.Relay
	persons      map[pairName]record.Person
	paired       map[string]bool        // subjects of persons
	names        map[string][]string    // the subjects of a person, in order, by each of them; only of persons with several
	placeholders []string               // watched subjects that are treated as placeholders, in order
	offsets      map[string]learntClock // by robot
	median       clocks.Offsets         // of those that are not relays'
	unanchored   int                    // the number of clocks without an anchor
	spread       float64                // scale of the difference between two timestamps of one event, in seconds
	rules        weigh.Rules
}

// learntClock is what knowledge has of a learnt clock.
type learntClock struct {
	offset float64
	heard  int64 // see record.Clock; the largest number if people decided on the clock, so that it stays
}

func newKnowledge(p *policy) knowledge {
	return knowledge{policy: p, watched: map[string]record.Subject{}, pairs: map[pairName]record.Pair{}, relays: map[string]record.Relay{},
		persons: map[pairName]record.Person{}, offsets: map[string]learntClock{}, rules: p.rules()}
}

// recall reads what was learnt.
func (k *knowledge) recall(in scanner) error {
	from, to := record.WatchedRange()
	if err := readAll(in, from, to, func(s *record.Subject) { k.watched[s.Subject] = *s }); err != nil {
		return err
	}
	from, to = record.PairRange()
	if err := readAll(in, from, to, func(p *record.Pair) { k.pairs[pairName{p.First, p.Second}] = *p }); err != nil {
		return err
	}
	from, to = record.RelayRange()
	if err := readAll(in, from, to, func(x *record.Relay) { k.relays[x.Robot] = *x }); err != nil {
		return err
	}
	from, to = record.PeopleRange()
	if err := readAll(in, from, to, func(x *record.Person) { k.persons[pairName{x.First, x.Second}] = *x }); err != nil {
		return err
	}
	k.listNames()
	k.listPlaceholders()
	from, to = record.ClockRange()
	return readAll(in, from, to, func(c *record.Clock) {
		k.unanchored += unanchored(c)
		k.noteClock(c)
	})
}

// derive computes what follows from the residuals of anchors and from people's decisions.
func (k *knowledge) derive(scale *record.Scale, reviews *record.Reviews) {
	k.spread = clocks.Spread(*scale)
	k.rules.Review = k.policy.reviewProbability(reviews)
}

// listPlaceholders lists the subjects that are treated as placeholders.
func (k *knowledge) listPlaceholders() {
	k.placeholders = nil
	for name, s := range k.watched {
		if s.State == record.Detected || s.State == record.Confirmed {
			k.placeholders = append(k.placeholders, name)
		}
	}
	slices.Sort(k.placeholders)
}

// unanchored returns 1 if only arrivals say something of a clock, and otherwise 0.
func unanchored(c *record.Clock) int {
	if len(c.Lags) > 0 && c.Anchors == 0 {
		return 1
	}
	return 0
}

// noteClock notes what is known of a clock.
func (k *knowledge) noteClock(c *record.Clock) {
	if clocks.Learnt(*c) {
		heard := c.Heard
		if c.DecidedAt > 0 {
			heard = math.MaxInt64
		}
		k.offsets[c.Robot] = learntClock{c.Offset, heard}
		k.countClock(c.Robot)
	}
}

// countClock adds the clock of a robot to the median or, if the robot is a relay, removes it.
func (k *knowledge) countClock(robot string) {
	if c, learnt := k.offsets[robot]; learnt && !k.isRelay(robot) {
		k.median.Put(robot, c.offset)
	} else {
		k.median.Drop(robot)
	}
}

// isNobody reports whether a member does not identify a person: it has no subject, a
// generic one, or a placeholder.
func (k *knowledge) isNobody(m record.Member) bool {
	if m.Subject == "" {
		return true
	}
	switch k.watched[m.Subject].State {
	case record.Detected, record.Confirmed:
		return true
	case record.Overruled:
		return false
	}
	return m.Generic
}

// standsForMany reports whether a subject is treated as a placeholder.
func (k *knowledge) standsForMany(subject string) bool {
	return k.isNobody(record.Member{Subject: subject})
}

// subject returns the person that a member names, by the first of the person's subjects, or "" if the member does not identify a
// person.
func (k *knowledge) subject(m record.Member) string {
	if k.isNobody(m) {
		return ""
	}
	return k.person(m.Subject)
}

// subjectsOf compares the subjects of two sides. generic reports that the sides share no
// known subject, and one of them has a subject that identifies nobody.
func (k *knowledge) subjectsOf(a, b []record.Member) (agreement weigh.Agreement, generic bool) {
	agreement = agree(a, b, k.subject)
	isGeneric := func(m record.Member) bool { return m.Subject != "" && k.isNobody(m) }
	return agreement, agreement != weigh.Same && (slices.ContainsFunc(a, isGeneric) || slices.ContainsFunc(b, isGeneric))
}

// isRelay reports whether a robot is treated as a relay.
func (k *knowledge) isRelay(robot string) bool {
	if len(k.relays) == 0 {
		return false
	}
	state := k.relays[robot].State
	return state == record.Repeating || state == record.AcceptedRelay
}

// ofRelays reports whether only relays reported a context. Such a context needs no
// review.
func (k *knowledge) ofRelays(x *shared) bool {
	return !slices.ContainsFunc(x.Members, func(m record.Member) bool { return !k.isRelay(m.Robot) })
}

// isLate reports whether a context consists of late reports of a relay.
func (k *knowledge) isLate(x *shared) bool {
	return x.LateOf != 0 && allLate(x.Members) && k.ofRelays(x)
}
