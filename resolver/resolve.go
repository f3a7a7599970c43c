package resolver

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/segraph/segraph/resolver/clocks"
	"github.com/segraph/segraph/resolver/record"
	"github.com/segraph/segraph/resolver/weigh"
	"github.com/segraph/segraph/store/log/journal"
)

// Resolve decides which context an observation belongs to. A repeated observation gets
// the same answer again. by is the caller's name in the journal. The error is an *Error
// with code Invalid, or the store's.
func (r *Resolver) Resolve(ctx context.Context, o Observation, by string) (*Resolution, error) {
	return r.Record(ctx, o, journal.Entry{Actor: by})
}

// Record is like Resolve, with e as the journal's entry. A repeated observation changes
// nothing and gets no entry.
func (r *Resolver) Record(ctx context.Context, o Observation, e journal.Entry) (*Resolution, error) {
	s, err := r.policy.intake(o, r.now)
	if err != nil {
		return nil, err
	}
	return write(ctx, r, func(u *unit) (*Resolution, error) { return u.record(s, e) })
}

// Submit resolves an observation, with e as the journal's entry. It returns before the observation is stored; wait
// returns once it is. also gets the answer, and its result is stored with the observation (Change.Also). It is called
// under the resolver's lock, and its error refuses the observation.
func (r *Resolver) Submit(ctx context.Context, o Observation, e journal.Entry, also func(*Resolution) (any, error)) (wait func() error, err error) {
	s, err := r.policy.intake(o, r.now)
	if err != nil {
		return nil, err
	}
	_, w, err := submit(ctx, r, func(u *unit) (*Resolution, error) {
		answer, err := u.record(s, e)
		if err == nil {
			u.also, err = also(answer)
		}
		return answer, err
	})
	if err != nil {
		return nil, err
	}
	return func() error { return r.await(w) }, nil
}

// record resolves an observation and sets the entry of the journal.
func (u *unit) record(s *sighting, e journal.Entry) (*Resolution, error) {
	if _, err := io.ReadFull(u.random, s.Salt[:]); err != nil {
		return nil, fmt.Errorf("drawing the salt of an observation: %w", err)
	}
	answer, err := u.resolve(s, e.Actor)
	if err == nil && answer.DecisionID != nil {
		u.entry = entered(e, s, answer)
		u.entry.Commitment = journal.Salt(s.Salt).Commit(sent(&s.Observation))
		err = keepAnswer(e.Signature, answer)
	}
	return answer, err
}

// keepAnswer keeps the answer to a signed request, to give it again to a repeated one.
func keepAnswer(s *journal.Signature, answer *Resolution) (err error) {
	if s == nil {
		return nil
	}
	if s.Answer, err = json.Marshal(answer); err != nil {
		return fmt.Errorf("keeping an answer: %w", err)
	}
	return nil
}

// entered returns the journal's entry of an answer. It holds nothing that the observation
// says of people.
func entered(e journal.Entry, s *sighting, answer *Resolution) *journal.Entry {
	e.Action, e.Kind, e.Observed, e.Robot = journal.Resolve, s.Kind, s.ObservedAt, s.Robot
	e.Context, e.Outcome, e.Decision = answer.SharedContextURI, string(answer.Outcome), *answer.DecisionID
	if answer.CaseID != nil {
		e.Case = *answer.CaseID
	}
	return &e
}

// resolve decides on an observation: a repeat gets its first answer, a relay's late report joins what it repeats, and
// any other is matched, or founds a context.
func (u *unit) resolve(s *sighting, by string) (*Resolution, error) {
	known, err := u.received(s)
	if err != nil {
		return nil, err
	}
	if known != (record.Repeat{}) {
		return u.answerRepeat(s, known)
	}
	if late, err := u.resolveRelay(s, by); late != nil || err != nil {
		return late, err
	}
	candidates, err := u.candidates(s.side, 0)
	if err != nil {
		return nil, err
	}
	decision, err := u.weigh(s.side, candidates, u.known.rules, weigh.Decide)
	if err != nil {
		return nil, err
	}
	answer := u.answer(s, candidates, decision)
	if decision.Outcome == weigh.Matched {
		err = u.match(s, candidates[decision.Best], decision, answer, by)
	} else {
		err = u.createContext(s, candidates, decision, answer, by)
	}
	if err != nil {
		return nil, err
	}
	return answer, u.learnClocks(s, candidates)
}

// answer returns the part of an answer that all decisions share.
func (u *unit) answer(s *sighting, candidates []candidate, decision weigh.Decision) *Resolution {
	answer := &Resolution{
		ResolverVersion: Version, CandidateCount: len(candidates), CloseCandidates: []string{},
		IDReused: s.Reused, Explanation: u.known.explain(candidates, decision),
	}
	if decision.Best >= 0 {
		answer.ScoreBreakdown = breakdown(u.known.shares(candidates[decision.Best].comparison))
	}
	return answer
}

// weigh lets the candidates of a side compete under the given rules. decide is
// weigh.Decide or weigh.Review.
func (u *unit) weigh(s side, candidates []candidate, rules weigh.Rules,
	decide func([]weigh.Candidate, weigh.Rules, weigh.Between) weigh.Decision) (weigh.Decision, error) {
	list := u.spare.weighed[:0]
	for i := range candidates {
		list = append(list, candidates[i].Candidate)
	}
	u.spare.weighed = list
	var failed error
	decision := decide(list, rules, func(i, j int) weigh.Candidate {
		c, err := u.between(candidates[i].shared, candidates[j].shared, s)
		if err != nil {
			failed = err
		}
		return c
	})
	return decision, failed
}

// between compares two contexts that s may belong to. If one robot reported a piece of a text in a and another piece in b,
// and s has the whole text, a is compared with b and s together, which shows the pieces.
func (u *unit) between(a, b *shared, s side) (weigh.Candidate, error) {
	one, other := a.side(s.window), b.side(s.window)
	c, err := u.compare(one, other)
	if err == nil && c.Robots.Shared() && !c.Piece && c.OtherWords() {
		other.members, other.texts = slices.Concat(other.members, s.members), slices.Concat(other.texts, s.texts)
		if _, ok := arePieces(one, other); ok {
			c, err = u.compare(one, other)
		}
	}
	if err != nil {
		return c.Candidate, err
	}
	apart, err := u.separations(a, b)
	c.KeptSeparate = len(apart) > 0
	return c.Candidate, err
}

// match adds the observation to the context of a candidate.
func (u *unit) match(s *sighting, c candidate, decision weigh.Decision, answer *Resolution, by string) error {
	s.member.Origin = c.Number
	x := c.Context
	x.Count++
	if len(x.Members) < record.MaxMembers {
		x.Members = append(slices.Clip(x.Members), s.member)
	}
	if err := u.countVariant(c.shared, s.member); err != nil {
		return err
	}
	if _, err := u.setContext(x); err != nil {
		return err
	}
	if err := u.keep(s, c.Number, 0); err != nil {
		return err
	}
	if err := u.confirmLeads(x.Members, s.side.kind); err != nil {
		return err
	}
	u.totals.Matched++
	id := u.names().Decision(u.decide(record.Decision{Kind: record.Match, By: by, Robot: s.Robot, Observation: s.Number,
		Target: c.Number, LogOdds: c.Sum(), Probability: decision.Match}))
	answer.DecisionID = &id
	answer.SharedContextURI, answer.Outcome, answer.Status, answer.Confidence = c.URI, Matched, Matched, decision.Match
	answer.MatchedCandidate = &answer.SharedContextURI
	return nil
}

// createContext creates a context for the observation, and a case if it needs review.
func (u *unit) createContext(s *sighting, candidates []candidate, decision weigh.Decision, answer *Resolution, by string) error {
	founded, err := u.newContext(s.Kind, s.side)
	if err != nil {
		return err
	}
	number := founded.Number
	s.member, founded.LateOf = founded.Members[0], s.lateOf
	decided := record.Decision{Kind: record.Creation, By: by, Robot: s.Robot, Source: number, Probability: decision.Any}
	answer.SharedContextURI, answer.Outcome, answer.Confidence = founded.URI, Created, decision.Any
	if decision.Best >= 0 {
		decided.LogOdds = candidates[decision.Best].Sum()
	}
	if decision.Outcome == weigh.Ambiguous {
		decided.Kind, answer.Outcome, answer.Reason = record.Doubtful, Ambiguous, decision.Reason
		k := u.open(number, candidates, decision)
		decided.Case = k.Number
		founded.Doubts = []record.Doubt{{Own: number, Case: k.Number}}
		if err := u.setCase(k); err != nil {
			return err
		}
		id := u.names().Case(k.Number)
		answer.CaseID = &id
		if answer.CloseCandidates, err = u.offered(&k); err != nil {
			return err
		}
		u.totals.Doubted++
	} else {
		u.totals.Created++
	}
	answer.Status = answer.Outcome
	shared, err := u.setContext(founded)
	if err != nil {
		return err
	}
	if err := u.countContext(shared, s.member, true); err != nil {
		return err
	}
	if err := u.openInterval(shared); err != nil {
		return err
	}
	if err := u.keep(s, number, decided.Case); err != nil {
		return err
	}
	decided.Observation = s.Number
	id := u.names().Decision(u.decide(decided))
	answer.DecisionID = &id
	return nil
}

// newContext returns a context of the first observation of s. It is not stored yet.
func (u *unit) newContext(kind string, s side) (record.Context, error) {
	when, err := u.sideTime(s)
	if err != nil {
		return record.Context{}, err
	}
	u.totals.Contexts++
	number := u.totals.Contexts
	member := s.members[0]
	member.Origin = number
	return record.Context{Number: number, URI: u.uri(kind, number), Kind: kind, Created: u.now(), At: when.median, Count: 1,
		Origins: []uint64{number}, Members: []record.Member{member}}, nil
}

// open makes the next case, for a source that may be the same event as some candidates.
func (u *unit) open(source uint64, candidates []candidate, decision weigh.Decision) record.Case {
	u.totals.Cases++
	return record.Case{Number: u.totals.Cases, Source: source, Reason: string(decision.Reason), Any: decision.Any,
		Opened: u.now(), Weighed: u.weighed(), Targets: u.targets(candidates, decision)}
}

// weighed returns the time of weighing a case, and the thresholds of a match.
func (u *unit) weighed() record.Weighed {
	return record.Weighed{At: u.now(), MaxGap: u.known.rules.MaxGap, MinText: u.known.rules.MinText, Probability: u.known.rules.Match}
}

// targets returns the targets of a decision for a person, with the current evidence.
func (u *unit) targets(candidates []candidate, decision weigh.Decision) []record.Target {
	var out []record.Target
	for _, t := range decision.Targets {
		c := candidates[t.Index]
		g := u.known.rules.Gates(c.Candidate)
		target := record.Target{Context: c.Number, Probability: math.Round(t.Probability*1e4) / 1e4, LogOdds: c.Sum(),
			Shares: u.known.shares(c.comparison), Parts: u.known.parts(c.comparison), Gap: math.Round(c.Stamped*1e3) / 1e3, Likeness: -1,
			Gates: g}
		if c.Evidence.Text == weigh.Same {
			target.Likeness = c.Likeness
		}
		if c.Unconfirmed {
			target.Claimed = c.Claimed
		}
		out = append(out, target)
	}
	return out
}

// keep stores the observation under a context, origin, with opened, the case that it opened, or 0. The caller records
// the decision right after it, with the number that keep assumes.
func (u *unit) keep(s *sighting, origin, opened uint64) error {
	u.totals.Observations++
	u.totals.Stored++
	s.Number, s.Context, s.Decision = u.totals.Observations, origin, u.totals.Decisions+1 // of the decision that follows
	var err error
	if s.Corrected, err = u.stamp(s.member, s.side.kind, clocks.EnoughAnchors); err != nil {
		return err
	}
	u.put(record.ObservationKey(origin, s.Number), record.Encode(&s.Observation))
	if s.Key != (record.Hash{}) {
		u.setRepeat(s.Key, record.Repeat{Context: origin, Case: opened, Content: u.content(&s.Observation)})
	}
	if s.Reused {
		if err := u.countReuse(s.Robot); err != nil {
			return err
		}
	}
	u.add = u.names().AppendObservation(u.add, &s.Observation)
	return u.setAliases(&s.Observation)
}
