package resolver

import (
	"slices"

	"github.com/segraph/segraph/resolver/record"
	"github.com/segraph/segraph/resolver/text"
	"github.com/segraph/segraph/resolver/weigh"
)

// isRelay reports whether a robot is taken for a relay.
func (r *Resolver) isRelay(robot string) bool {
	if len(r.relays) == 0 {
		return false
	}
	state := r.relays[robot].State
	return state == record.Repeating || state == record.AcceptedRelay
}

// ofRelays reports whether all that a context has was reported by relays: nobody is asked about it.
func (r *Resolver) ofRelays(x *shared) bool {
	return !slices.ContainsFunc(x.Members, func(m record.Member) bool { return !r.isRelay(m.Robot) })
}

// isLate reports whether a context is of late reports of a relay only, about which nobody is asked.
func (r *Resolver) isLate(x *shared) bool {
	return x.LateOf != 0 && allLate(x.Members) && r.ofRelays(x)
}

// resolveRelay decides about a report of a relay, if it repeats one of the robot that it is a relay of: where a person has
// said that it is a relay it joins that one's context, else it founds one that is linked to that. It returns nil for other reports.
func (d *draft) resolveRelay(s *sighting, by string) (*Resolution, *commit, error) {
	if s.member.Text == "" || !d.isRelay(s.Robot) {
		return nil, nil, nil
	}
	known := d.Resolver.relays[s.Robot]
	c, err := d.repeatedBy(s.side, s.At, known)
	if err != nil || c == nil {
		return nil, nil, err
	}
	s.member.Late = true
	s.side.members[0].Late = true
	k := d.relay(s.Robot)
	k.Late++
	share := 0.0
	for _, x := range k.Sources {
		if x.Robot == k.Of {
			share = min(1, repeated(k, x))
		}
	}
	decision := weigh.Decision{Any: share, Gates: d.rules.Gates(c.Candidate)}
	if k.State == record.AcceptedRelay {
		decision.Outcome, decision.Match = weigh.Matched, share
	}
	candidates := []candidate{*c}
	answer := d.answer(s, candidates, decision)
	if k.State == record.AcceptedRelay {
		answer.Explanation.Reason = "a person has said that this robot repeats the reports of " + k.Of
		err = d.match(s, *c, decision, answer, by)
	} else {
		answer.Explanation.Reason = "this robot seems to repeat the reports of " + k.Of + ", and a person is asked about the robot"
		s.lateOf = c.Number
		err = d.found(s, candidates, decision, answer, by)
	}
	if err != nil {
		return nil, nil, err
	}
	w, err := d.enter()
	return answer, w, err
}

// steadyDelay is how much the delays of a relay vary, in microseconds, whose delay tells what it repeats.
const steadyDelay = second / 2

// repeatedBy returns the context of which a side, a relay's report that is stamped at, is a late report; nil for none. Where
// several have a like text by the robot that it repeats, it is one that was not repeated yet, by the usual delay or the oldest.
func (d *draft) repeatedBy(s side, at int64, k record.Relay) (*candidate, error) {
	s.window = max(s.window, relayReach)
	candidates, err := d.candidates(s, 0)
	if err != nil {
		return nil, err
	}
	again := map[uint64]bool{}
	for _, c := range candidates {
		if slices.ContainsFunc(c.Members, func(m record.Member) bool { return m.Robot == k.Robot }) {
			again[c.Number], again[c.LateOf] = true, true
		}
	}
	usual, steady := usualDelay(k)
	var best *candidate
	var least [3]float64 // of what speaks against the best: that it was repeated, unlike texts, and the time
	for i := range candidates {
		c := &candidates[i]
		for _, m := range c.Members {
			if m.Robot != k.Of || m.At > at || m.At < at-relayReach || m.Text == "" || text.Similarity(s.texts[0], c.text(m.Text)) < relayLike {
				continue
			}
			against := [3]float64{0, 1 - c.Likeness, float64(m.At)}
			if again[c.Number] {
				against[0] = 1
			}
			if steady {
				against[2] = float64(abs(at - m.At - usual))
			}
			if best == nil || slices.Compare(against[:], least[:]) < 0 {
				best, least = c, against
			}
		}
	}
	return best, nil
}

// usualDelay returns the median of the last delays of a relay, and whether most of them are near it.
func usualDelay(k record.Relay) (usual int64, steady bool) {
	if len(k.Delays) == 0 {
		return 0, false
	}
	sorted := slices.Sorted(slices.Values(k.Delays))
	n := len(sorted)
	return median(sorted), sorted[3*n/4]-sorted[n/4] < steadyDelay
}
