package resolver

import (
	"slices"

	"github.com/segraph/segraph/resolver/record"
	"github.com/segraph/segraph/resolver/weigh"
)

// A relay is a robot whose reports all repeat those of another robot, some seconds later.
// Its timestamps do not say when something was said, so hardly any of its reports can be
// matched, and every sentence would need review. A robot whose clock is ahead looks the
// same until the clock is corrected. But it also reports what the other robot missed, and
// its reports arrive at the same time.
const (
	maxRelays        = 1024 // remembered robots
	maxRelaySources  = 8    // remembered sources per robot
	maxRelayReports  = 128  // above this, a robot's counts are halved
	relayReach       = 12 * second
	relayAfter       = 800_000 // least delay of a repeat, in microseconds
	relayLike        = 0.65    // least similarity of a repeat
	minRelayReports  = 20      // repeats from which a robot may be a relay
	relayShare       = 0.95    // least fraction of a relay's reports that are repeats
	relayShown       = 0.9     // least fraction of repeats that show it is not a clock, if the delay is steady
	relayOwnContexts = 0.5     // least fraction of repeats that have contexts of their own: others need no review
	togetherReports  = 0.3     // a robot with this fraction of reports at the same time as a third robot's hears for itself
	minOneself       = 6       // reports that repeat or continue one of the same robot, from which the robot may do so often
	againShare       = 0.1     // least fraction of reports that repeat one of the same robot, of a robot that does so often
	breathShare      = 0.06    // the same fraction of reports that go on in the same breath, which few people do
	soleShare        = 0.05    // the same fraction of reports without a robot, below which they are those of one robot
	ordinaryShare    = 0.8     // a relay with a lower fraction of repeats is no relay after all
	liveReport       = 30 * second
)

// learnRelays learns from the reports of an interval which robots repeat others.
func (u *unit) learnRelays(reports []report) {
	for i := range reports {
		own := &reports[i]
		if !own.within {
			continue
		}
		relay := u.changeRelay(own.Robot)
		if relay.State != record.Ordinary && relay.State != record.Repeating { // a person has decided
			continue
		}
		if relay.Reports++; relay.Reports >= maxRelayReports {
			relay.Reports /= 2
			for n := range relay.Sources {
				s := &relay.Sources[n]
				s.Repeats, s.Joined, s.Live, s.Exact = s.Repeats/2, s.Joined/2, s.Live/2, s.Exact/2
			}
		}
		if own.Robot != "" {
			u.countRepeats(relay, own, reports)
		}
		switch { // the counts of a robot as its own source
		case u.isAgain(own, reports[:i]):
			relaySource(relay, own.Robot).Repeats++
		case u.isPiece(own, reports[:i], reports):
			relaySource(relay, own.Robot).Joined++
		case u.goesOn(own, reports[:i]):
			relaySource(relay, own.Robot).Live++
		}
	}
	u.judgeRelays()
}

// countRepeats compares a report with the nearest similar report of each other robot: reported at once or in the same
// context (Joined), or repeated later (Repeats).
func (u *unit) countRepeats(relay *record.Relay, own *report, reports []report) {
	before := map[string]*report{}
	for i := range reports {
		other := &reports[i]
		elsewhere := own.Location != "" && other.Location != "" && own.Location != other.Location
		inReach := other.At <= own.At+relayAfter && other.At >= own.At-relayReach
		if other.Robot == "" || other.Robot == own.Robot || elsewhere || !inReach {
			continue
		}
		b := before[other.Robot]
		nearer := b == nil || abs(own.At-other.At) < abs(own.At-b.At)
		if nearer && u.likeness(own.text, other.text) >= relayLike {
			before[other.Robot] = other
		}
	}
	for _, robot := range sortedKeys(before) {
		other := before[robot]
		source := relaySource(relay, robot)
		live := reportedLive(own) && reportedLive(other)
		late := own.Received - other.Received
		arrivedAtOnce := live && late < relayAfter/2
		if other.context == own.context || own.At-other.At < relayAfter || arrivedAtOnce {
			source.Joined++
			continue
		}
		source.Repeats++
		if live && abs(late-(own.At-other.At)) < second {
			source.Live++
		}
		if own.text.Normal == other.text.Normal {
			source.Exact++
		}
		if robot == relay.Of || relay.Of == "" {
			relay.Delays = append(relay.Delays, own.At-other.At)
			relay.Delays = relay.Delays[max(0, len(relay.Delays)-record.MaxDelays):]
		}
	}
}

// isAgain reports whether a report repeats an earlier one of its own robot, too soon for
// a second event.
func (u *unit) isAgain(x *report, earlier []report) bool {
	return slices.ContainsFunc(earlier, func(y report) bool {
		return y.Robot == x.Robot && y.person != "" && y.person == x.person &&
			weigh.ReportedAgain(u.likeness(x.text, y.text), min(x.text.Letters, y.text.Letters), seconds(x.at-y.at))
	})
}

// isPiece reports whether a report and an earlier one of its own robot are the pieces of
// what another robot reported.
func (u *unit) isPiece(x *report, earlier, all []report) bool {
	return slices.ContainsFunc(earlier, func(y report) bool {
		return y.Robot == x.Robot && y.person == x.person && inOneBreath(x.Member, x.text, y.Member, y.text) &&
			slices.ContainsFunc(all, func(z report) bool {
				return z.Robot != x.Robot && abs(z.at-x.at) < second && complete(y.text, x.text, z.text, u.likeness)
			})
	})
}

// goesOn reports whether a report and an earlier one of its own robot are different words
// of one person in one breath.
func (u *unit) goesOn(x *report, earlier []report) bool {
	return slices.ContainsFunc(earlier, func(y report) bool {
		return y.Robot == x.Robot && y.person != "" && y.person == x.person && inOneBreath(x.Member, x.text, y.Member, y.text) &&
			u.likeness(x.text, y.text) < likeText
	})
}

// oneselfShares returns the fraction of a robot's reports that repeat one of its own, as
// happens if it relays several robots, and the fraction that continue one. Each is 0 if
// there are few such reports. Both rest on the counts of the robot as its own source; see
// record.RelaySource.
func (k *knowledge) oneselfShares(robot string) (again, split float64) {
	x, ok := k.relays[robot]
	if !ok {
		return 0, 0
	}
	for _, s := range x.Sources {
		if s.Robot != robot {
			continue
		}
		if s.Repeats >= minOneself {
			again = float64(s.Repeats) / float64(x.Reports)
		}
		if s.Joined >= minOneself {
			split = float64(s.Joined) / float64(x.Reports)
		}
		if breaths := float64(s.Joined+s.Live) / float64(x.Reports); s.Joined+s.Live >= minOneself && breaths >= breathShare {
			split = breaths
		}
	}
	return again, split
}

// oneIsNameless reports whether the reports without a robot are those of one robot: there
// are enough of them, and hardly any repeats another one.
func (k *knowledge) oneIsNameless() bool {
	x := k.relays[""]
	return x.Reports >= minRelayReports && !slices.ContainsFunc(x.Sources, func(s record.RelaySource) bool {
		return float64(s.Repeats) >= soleShare*float64(x.Reports)
	})
}

// reportedLive reports whether a report arrived near the time of its timestamp.
func reportedLive(x *report) bool { return abs(x.Received-x.At) < liveReport }

// changeRelay returns a possible relay to be changed by the caller.
func (u *unit) changeRelay(robot string) *record.Relay {
	if k := u.relays.changed[robot]; k != nil {
		return k
	}
	k := u.known.relays[robot]
	k.Robot, k.Sources, k.Delays = robot, slices.Clone(k.Sources), slices.Clone(k.Delays)
	return u.relays.set(robot, k)
}

// relaySource returns the counts of a robot and a possible source. If there are too many,
// it replaces the source with the fewest repeats.
func relaySource(k *record.Relay, robot string) *record.RelaySource {
	least := 0
	for i := range k.Sources {
		if k.Sources[i].Robot == robot {
			return &k.Sources[i]
		}
		if k.Sources[i].Repeats < k.Sources[least].Repeats {
			least = i
		}
	}
	if len(k.Sources) < maxRelaySources {
		k.Sources = append(k.Sources, record.RelaySource{Robot: robot})
		return &k.Sources[len(k.Sources)-1]
	}
	k.Sources[least] = record.RelaySource{Robot: robot}
	return &k.Sources[least]
}

// repeated returns the fraction of a robot's reports that repeat one of another robot.
func repeated(k *record.Relay, s record.RelaySource) float64 {
	return float64(s.Repeats+s.Joined) / float64(max(1, k.Reports))
}

// maybeElse reports whether something else may explain that a robot repeats another one with a steady delay. Its
// clock may be ahead, unless the repeats also arrive later or have identical texts. Or it may be in a second room,
// where the same is said a little later, unless other robots hear what the source hears but not what this robot
// hears.
func (u *unit) maybeElse(k *record.Relay, of record.RelaySource) bool {
	usual, steady := usualDelay(*k)
	if !steady || usual > u.policy.window() {
		return false
	}
	shown := float64(max(of.Live, of.Exact)) >= relayShown*float64(of.Repeats)
	source := u.relay(of.Robot)
	return !shown || !hearsWithOthers(&source, k.Robot)
}

// hearsWithOthers reports whether a robot reports many events at the same time as a robot
// other than of.
func hearsWithOthers(k *record.Relay, of string) bool {
	return slices.ContainsFunc(k.Sources, func(s record.RelaySource) bool {
		return s.Robot != of && s.Robot != k.Robot && float64(s.Joined) >= togetherReports*float64(k.Reports)
	})
}

// judgeRelays decides which of the robots in an interval are relays.
func (u *unit) judgeRelays() {
	for _, robot := range sortedKeys(u.relays.changed) {
		k := u.relays.changed[robot]
		if robot == "" {
			continue
		}
		best := record.RelaySource{}
		for _, s := range k.Sources {
			if s.Robot != robot && repeated(k, s) > repeated(k, best) && u.known.relays[s.Robot].State != record.Repeating {
				best = s
			}
		}
		ownContexts := float64(best.Repeats) >= relayOwnContexts*float64(best.Repeats+best.Joined)
		switch {
		case k.State == record.Ordinary && (u.maybeElse(k, best) || hearsWithOthers(k, best.Robot)): // it stays ordinary
		case k.State == record.Ordinary && best.Repeats >= minRelayReports && repeated(k, best) >= relayShare && ownContexts:
			k.State, k.Of, k.Since = record.Repeating, best.Robot, u.now()
		case k.State == record.Repeating && repeated(k, best) < ordinaryShare:
			k.State, k.Of, k.Since = record.Ordinary, "", u.now()
		}
	}
}
