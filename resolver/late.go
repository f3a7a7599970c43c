package resolver

import (
	"slices"

	"github.com/segraph/segraph/resolver/clocks"
	"github.com/segraph/segraph/resolver/record"
	"github.com/segraph/segraph/resolver/text"
	"github.com/segraph/segraph/resolver/weigh"
)

// resolveRelay resolves a relay's report that repeats one of its source. If a person has
// accepted the relay, the report joins the context that it repeats. Otherwise it creates
// a context linked to that one. For other reports resolveRelay returns nil.
func (u *unit) resolveRelay(s *sighting, by string) (*Resolution, error) {
	if s.member.Text == "" || !u.known.isRelay(s.Robot) {
		return nil, nil
	}
	known := u.known.relays[s.Robot]
	repeats, err := u.repeatedBy(s.side, s.At, known)
	if err != nil || repeats == nil {
		return nil, err
	}
	s.member.Late = true
	s.side.members[0].Late = true
	relay := u.changeRelay(s.Robot)
	relay.Late++
	share := 0.0
	for _, x := range relay.Sources {
		if x.Robot == relay.Of {
			share = min(1, repeated(relay, x))
		}
	}
	decision := weigh.Decision{Any: share, Gates: u.known.rules.Gates(repeats.Candidate)}
	if relay.State == record.AcceptedRelay {
		decision.Outcome, decision.Match = weigh.Matched, share
	}
	candidates := []candidate{*repeats}
	answer := u.answer(s, candidates, decision)
	if relay.State == record.AcceptedRelay {
		answer.Explanation.Reason = "a person decided that this robot repeats the reports of " + relay.Of
		err = u.match(s, *repeats, decision, answer, by)
	} else {
		answer.Explanation.Reason = "this robot seems to repeat the reports of " + relay.Of + ", and the robot awaits review"
		s.lateOf = repeats.Number
		err = u.createContext(s, candidates, decision, answer, by)
	}
	if err != nil {
		return nil, err
	}
	return answer, nil
}

// steadyDelay is the largest variation of a relay's delays, in microseconds, that still
// identifies what it repeats.
const steadyDelay = second / 2

// repeatedBy returns the context that a relay's report with the timestamp at repeats, or
// nil: of the contexts with a similar text by the relay's source, it prefers those that
// were not repeated yet, then the most similar text, and then the usual delay or, if the
// delay varies, the oldest.
func (u *unit) repeatedBy(s side, at int64, k record.Relay) (*candidate, error) {
	s.window = max(s.window, relayReach)
	candidates, err := u.candidates(s, 0)
	if err != nil {
		return nil, err
	}
	repeated := map[uint64]bool{}
	for _, c := range candidates {
		if slices.ContainsFunc(c.Members, func(m record.Member) bool { return m.Robot == k.Robot }) {
			repeated[c.Number], repeated[c.LateOf] = true, true
		}
	}
	usual, steady := usualDelay(k)
	var best *candidate
	var least [3]float64 // penalties of the best: already repeated, different text, time
	for i := range candidates {
		c := &candidates[i]
		for _, m := range c.Members {
			if m.Robot != k.Of || m.At > at || m.At < at-relayReach || m.Text == "" || text.Similarity(s.texts[0], c.text(m.Text)) < relayLike {
				continue
			}
			against := [3]float64{0, 1 - c.Likeness, float64(m.At)}
			if repeated[c.Number] {
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

// usualDelay returns the median of the last delays of a relay, and whether most of them
// are near it.
func usualDelay(k record.Relay) (usual int64, steady bool) {
	if len(k.Delays) == 0 {
		return 0, false
	}
	sorted := slices.Sorted(slices.Values(k.Delays))
	n := len(sorted)
	return clocks.Median(sorted), sorted[3*n/4]-sorted[n/4] < steadyDelay
}
