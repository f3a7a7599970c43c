package resolver

import (
	"context"
	"math"

	"github.com/segraph/segraph/resolver/record"
	"github.com/segraph/segraph/resolver/weigh"
)

// Resolve decides what an observation belongs to. A repeat of one is answered as it was. by is who
// asks, as the journal names him. The error is an *Error that is Invalid, or the store's.
func (r *Resolver) Resolve(ctx context.Context, o Observation, by string) (*Resolution, error) {
	s, err := r.intake(o)
	if err != nil {
		return nil, err
	}
	r.mu.Lock()
	answer, w, err := r.resolve(s, by)
	r.mu.Unlock()
	if err != nil {
		return nil, err
	}
	return answer, r.await(ctx, w)
}

// resolve decides. The caller holds the lock.
func (r *Resolver) resolve(s *sighting, by string) (*Resolution, *commit, error) {
	if err := r.recall(); err != nil {
		return nil, nil, err
	}
	d := r.draft()
	known, err := d.received(s)
	if err != nil {
		return nil, nil, err
	}
	if known != (record.Repeat{}) {
		return d.again(s, known)
	}
	if late, w, err := d.resolveRelay(s, by); late != nil || err != nil {
		return late, w, err
	}
	candidates, err := r.candidates(s.side, 0)
	if err != nil {
		return nil, nil, err
	}
	decision, err := r.weigh(candidates, r.rules, s.side.window, weigh.Decide)
	if err != nil {
		return nil, nil, err
	}
	answer := d.answer(s, candidates, decision)
	if decision.Outcome == weigh.Matched {
		err = d.match(s, candidates[decision.Best], decision, answer, by)
	} else {
		err = d.found(s, candidates, decision, answer, by)
	}
	if err != nil {
		return nil, nil, err
	}
	if err := d.learnClocks(s, candidates); err != nil {
		return nil, nil, err
	}
	w, err := d.enter()
	return answer, w, err
}

// answer returns what is answered of any decision about an observation.
func (r *Resolver) answer(s *sighting, candidates []candidate, decision weigh.Decision) *Resolution {
	answer := &Resolution{
		ResolverVersion: Version, CandidateCount: len(candidates), CloseCandidates: []string{},
		IDReused: s.Reused, Explanation: r.explain(candidates, decision),
	}
	if decision.Best >= 0 {
		answer.ScoreBreakdown = breakdown(r.shares(candidates[decision.Best].comparison))
	}
	return answer
}

// weigh lets candidates compete by the given rules: decide is weigh.Decide or weigh.Review.
func (r *Resolver) weigh(candidates []candidate, rules weigh.Rules, window int64,
	decide func([]weigh.Candidate, weigh.Rules, weigh.Between) weigh.Decision) (weigh.Decision, error) {
	list := make([]weigh.Candidate, len(candidates))
	for i, c := range candidates {
		list[i] = c.Candidate
	}
	var failed error
	decision := decide(list, rules, func(i, j int) weigh.Candidate {
		c, err := r.between(candidates[i].shared, candidates[j].shared, window)
		if err != nil {
			failed = err
		}
		return c
	})
	return decision, failed
}

// between compares two contexts.
func (r *Resolver) between(a, b *shared, window int64) (weigh.Candidate, error) {
	c, err := r.compare(a.side(window), b.side(window))
	if err != nil {
		return c.Candidate, err
	}
	apart, err := apartOf(r.context, a, b)
	c.KeptApart = len(apart) > 0
	return c.Candidate, err
}

// match adds the observation to the context of a candidate.
func (d *draft) match(s *sighting, c candidate, decision weigh.Decision, answer *Resolution, by string) error {
	s.member.Origin = c.Number
	x := c.Context
	x.Count++
	if len(x.Members) < record.MaxMembers {
		x.Members = append(x.Members[:len(x.Members):len(x.Members)], s.member)
	}
	if err := d.countVariant(c.shared, s.member); err != nil {
		return err
	}
	if _, err := d.setContext(x); err != nil {
		return err
	}
	if err := d.keep(s, c.Number, 0); err != nil {
		return err
	}
	d.totals.Matched++
	id := d.names().Decision(d.decide(record.Decision{Kind: record.Match, By: by, Robot: s.Robot, Observation: s.Number,
		Target: c.Number, LogOdds: c.Sum(), Probability: decision.Match}))
	answer.DecisionID = &id
	answer.SharedContextURI, answer.Outcome, answer.Status, answer.Confidence = c.URI, Matched, Matched, decision.Match
	answer.MatchedCandidate = &answer.SharedContextURI
	return nil
}

// found makes a context of the observation, and a case if a person should look.
func (d *draft) found(s *sighting, candidates []candidate, decision weigh.Decision, answer *Resolution, by string) error {
	x, err := d.newContext(s.Kind, s.side)
	if err != nil {
		return err
	}
	number := x.Number
	s.member, x.LateOf = x.Members[0], s.lateOf
	made := record.Decision{Kind: record.Creation, By: by, Robot: s.Robot, Source: number, Probability: decision.Any}
	answer.SharedContextURI, answer.Outcome, answer.Confidence = x.URI, Created, decision.Any
	if decision.Best >= 0 {
		made.LogOdds = candidates[decision.Best].Sum()
	}
	if decision.Outcome == weigh.Ambiguous {
		made.Kind, answer.Outcome, answer.Reason = record.Doubtful, Ambiguous, reasons[decision.Reason]
		k := d.open(number, candidates, decision)
		made.Case = k.Number
		x.Doubts = []record.Doubt{{Own: number, Case: k.Number}}
		if err := d.setCase(k); err != nil {
			return err
		}
		id := d.names().Case(k.Number)
		answer.CaseID = &id
		if answer.CloseCandidates, err = d.offered(&k); err != nil {
			return err
		}
		d.totals.Doubted++
	} else {
		d.totals.Created++
	}
	answer.Status = answer.Outcome
	shared, err := d.setContext(x)
	if err != nil {
		return err
	}
	if err := d.countContext(shared, s.member, true); err != nil {
		return err
	}
	if err := d.openStretch(shared); err != nil {
		return err
	}
	if err := d.keep(s, number, made.Case); err != nil {
		return err
	}
	made.Observation = s.Number
	id := d.names().Decision(d.decide(made))
	answer.DecisionID = &id
	return nil
}

// newContext returns a context that consists of one observation.
func (d *draft) newContext(kind string, s side) (record.Context, error) {
	when, err := d.moment(s)
	if err != nil {
		return record.Context{}, err
	}
	d.totals.Contexts++
	number := d.totals.Contexts
	member := s.members[0]
	member.Origin = number
	return record.Context{Number: number, URI: d.uri(kind, number), Kind: kind, Created: d.now, At: when.middle, Count: 1,
		Origins: []uint64{number}, Members: []record.Member{member}}, nil
}

// open makes the case of a source that may be the same event as some of the candidates.
func (d *draft) open(source uint64, candidates []candidate, decision weigh.Decision) record.Case {
	d.totals.Cases++
	return record.Case{Number: d.totals.Cases, Source: source, Reason: string(reasons[decision.Reason]), Any: decision.Any,
		Opened: d.now, Weighed: d.weighed(), Targets: d.targets(candidates, decision)}
}

// weighed notes when a case is weighed, and what a match takes.
func (d *draft) weighed() record.Weighed {
	return record.Weighed{At: d.now, MaxGap: d.rules.MaxGap, MinText: d.rules.MinText, Probability: d.rules.Match}
}

// targets returns what a decision offers a person, with the evidence of this moment.
func (r *Resolver) targets(candidates []candidate, decision weigh.Decision) []record.Target {
	var out []record.Target
	for _, t := range decision.Targets {
		c := candidates[t.Index]
		g := r.rules.Gates(c.Candidate)
		target := record.Target{Context: c.Number, Probability: math.Round(t.Probability*1e4) / 1e4, LogOdds: c.Sum(),
			Shares: r.shares(c.comparison), Parts: r.parts(c.comparison), Gap: math.Round(c.Stamped*1e3) / 1e3, Likeness: -1,
			Gates: record.Gates{Subject: g.Subject, Modality: g.Modality, Text: g.Text, Time: g.Time, Place: g.Place, Robot: g.Robot}}
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

// keep records the observation as one of a context.
func (d *draft) keep(s *sighting, origin, opened uint64) error {
	d.totals.Observations++
	d.totals.Stored++
	s.Number, s.Context, s.Decision = d.totals.Observations, origin, d.totals.Decisions+1 // which follows
	var err error
	if s.Corrected, err = d.stamp(s.member, s.side.kind, false); err != nil {
		return err
	}
	d.put(record.ObservationKey(origin, s.Number), record.Encode(&s.Observation))
	if s.Key != (record.Hash{}) {
		d.repeats = append(d.repeats, keyed{s.Key, record.Repeat{Context: origin, Case: opened, Content: content(&s.Observation)}})
	}
	if s.Reused {
		if err := d.countReuse(s.Robot); err != nil {
			return err
		}
	}
	d.quads = append(d.quads, d.names().OfObservation(&s.Observation)...)
	return nil
}
