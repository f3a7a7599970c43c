package resolver

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/segraph/segraph/resolver/record"
)

// repeatKey returns the key that identifies a repeat: the hash of the observation's id.
// Without an id it is the hash of its whole content, if that includes the robot or a
// known subject. It is zero if two robots that observed the same event could send the
// same content.
func (u *unit) repeatKey(s *sighting) record.Hash {
	switch {
	case s.URI != "":
		return u.hashes().Of("uri", s.URI)
	case s.Robot != "" || s.member.Subject != "" && !s.member.Generic:
		return u.hashes().Of(append([]string{"all"}, contentOf(&s.Observation)...)...)
	}
	return record.Hash{}
}

// contentOf returns the content of an observation. Times that differ only in their zone are
// equal.
func contentOf(o *record.Observation) []string {
	return []string{o.Kind, fmt.Sprint(o.At), o.Subject, strings.ToLower(o.Modality), o.Text, o.Robot}
}

// content returns a hash of the content of an observation with an id. Without an id it is
// zero, because the key of its repeats already covers the content.
func (u *unit) content(o *record.Observation) record.Hash {
	if o.URI == "" {
		return record.Hash{}
	}
	return u.hashes().Of(append([]string{"content"}, contentOf(o)...)...)
}

// received returns the answer to a repeated observation, or the zero Repeat for a new one. An observation that has the
// id of another one, but different content, is new, as from a robot that numbers its messages from 1 after each start.
// It is marked Reused, and its key covers id and content.
func (u *unit) received(s *sighting) (record.Repeat, error) {
	if s.Key = u.repeatKey(s); s.Key == (record.Hash{}) {
		return record.Repeat{}, nil
	}
	known, err := u.repeat(s.Key)
	if err != nil || s.URI == "" {
		return known, err
	}
	same := u.content(&s.Observation)
	if known.Content == same && known != (record.Repeat{}) {
		return known, nil
	}
	reused := u.hashes().Of("reused", s.URI, string(same[:]))
	again, err := u.repeat(reused) // even if known is zero: the first observation with the id may have been removed as too old
	if known != (record.Repeat{}) || again != (record.Repeat{}) {
		s.Key, s.Reused = reused, true
	}
	return again, err
}

// answerRepeat answers an observation that was received before as it would be answered now: its context may have been
// merged since, and its case decided.
func (u *unit) answerRepeat(s *sighting, repeat record.Repeat) (*Resolution, error) {
	if s.Alias != "" { // another service answered it too
		if err := u.addAlias(repeat.Context, s.Key, s.Alias); err != nil {
			return nil, err
		}
	}
	root, err := u.root(repeat.Context)
	if err != nil {
		return nil, err
	}
	answer := &Resolution{
		SharedContextURI: root.URI, Outcome: Matched, Status: Matched, Confidence: 1, ResolverVersion: Version,
		CloseCandidates: []string{}, Duplicate: true, IDReused: s.Reused,
		Explanation: Explanation{Contributions: []Contribution{}, Reason: "this observation was received before"},
	}
	answer.MatchedCandidate = &answer.SharedContextURI
	if repeat.Case != 0 {
		asked, err := u.caseOf(repeat.Case)
		if err != nil {
			return nil, err
		}
		if asked.Status == record.Pending {
			answer.Outcome, answer.Status, answer.Confidence, answer.MatchedCandidate = Ambiguous, Ambiguous, asked.Any, nil
			answer.Reason = Reason(asked.Reason)
			answer.Explanation.Reason += "; needs review: " + answer.Reason.Sentence()
			id := u.names().Case(asked.Number)
			answer.CaseID = &id
			if answer.CloseCandidates, err = u.offered(asked); err != nil {
				return nil, err
			}
		}
	}
	u.totals.Duplicates++
	return answer, nil
}

// offered returns the URIs of the targets of a case, as they are now.
func (u *unit) offered(k *record.Case) ([]string, error) {
	out := []string{}
	for _, t := range k.Targets {
		root, err := u.root(t.Context)
		if err != nil {
			return nil, err
		}
		out = append(out, root.URI)
	}
	return out, nil
}

// Limits on how many robots that reuse ids are counted individually, and listed. Clients
// could name any number.
const (
	maxReusers    = 1000
	listedReusers = 100
)

// countReuse counts an observation of a robot whose id named a different one before.
func (u *unit) countReuse(robot string) error {
	u.totals.Reused++
	key := u.hashes().ReuseKey(robot)
	count, err := recordOf[record.Reuse](u, key)
	if err != nil {
		return err
	}
	if count == nil {
		if u.totals.Reusers >= maxReusers {
			return nil
		}
		u.totals.Reusers++
		count = &record.Reuse{Robot: robot}
	}
	count.Count++
	u.put(key, record.Encode(count))
	return nil
}

// reusedIDs returns the counts of countReuse, highest first.
func (u *unit) reusedIDs() (ReusedIDs, error) {
	out := ReusedIDs{Total: u.totals.Reused, Robots: []RobotReuse{}}
	from, to := record.ReuseRange()
	err := readAll(u, from, to, func(x *record.Reuse) {
		out.Robots = append(out.Robots, RobotReuse{RobotURI: orNull(x.Robot), Count: x.Count})
	})
	slices.SortStableFunc(out.Robots, func(a, b RobotReuse) int { return cmp.Compare(b.Count, a.Count) })
	out.Robots = out.Robots[:min(len(out.Robots), listedReusers)]
	return out, err
}
