package weigh

import "math"

// Rules are the thresholds of a decision.
type Rules struct {
	Match      float64 // probability that a match must reach
	ClearMatch float64 // the same, where texts are identical and nothing else is like it
	Review     float64 // probability from which a person is asked
	MaxGap     float64 // seconds up to which a match is allowed
	MinText    float64 // likeness that a match's texts must reach
	MaxTargets int     // that a person is offered
}

// Candidate is a context that an observation, or another context, may belong to.
type Candidate struct {
	Evidence
	Weights
	// KeptApart says that a person has kept the two apart: never a match, never offered
	// again.
	KeptApart bool
}

// Outcome is what a decision comes to.
type Outcome uint8

const (
	Created   Outcome = iota // it is an event of its own
	Matched                  // it belongs to Decision.Best
	Ambiguous                // a person must say
)

// Decision says what the evidence comes to.
type Decision struct {
	Outcome Outcome
	// Best is the index of the candidate that is matched, or the most likely one; -1
	// without candidates.
	Best int
	// Match is the probability that the best candidate within the gates is the same
	// event, 0 if none is.
	Match float64
	// Any is the probability that one of all candidates is.
	Any     float64
	Targets []Target // for a person, best first
	Gates   Gates    // of the best candidate
	Reason  Reason   // why Best is not matched
}

// Gates are the conditions of an automatic match. Rival says that nothing competes.
type Gates struct{ Subject, Modality, Text, Time, Place, Robot, Rival bool }

// pass reports whether all hold but that of rivals.
func (g Gates) pass() bool { return g.Subject && g.Modality && g.Text && g.Time && g.Place && g.Robot }

const (
	maxSilentGap = 0.8 // seconds, where no text tells events apart
	maxSpan      = 3.0 // seconds that a whole context may last
)

// Gates returns the gates of a candidate, Rival open.
func (r Rules) Gates(c Candidate) Gates {
	g := Gates{
		Subject:  c.Evidence.Subject == Same,
		Modality: c.Evidence.Modality == Same || c.Evidence.Modality == Neither,
		Text:     c.Evidence.Text == Neither || c.Evidence.Text == Same && c.Likeness >= r.MinText,
		Place:    c.Evidence.Place != Different,
		Robot:    c.Weights.Robot > sameRobot && !c.Piece,
		Rival:    true,
	}
	g.Time = !c.Unconfirmed && c.Stamped <= r.MaxGap && c.Span <= maxSpan && (c.Evidence.Text != Neither || c.Distance() <= maxSilentGap)
	return g
}

// Decide weighs candidates, which stand in the order of their creation, against each
// other and against none of them.
func Decide(candidates []Candidate, r Rules, between Between) Decision {
	sums := logOdds(candidates)
	best := -1
	for i, c := range candidates {
		if !c.KeptApart && r.Gates(c).pass() && (best < 0 || sums[i] > sums[best]) {
			best = i
		}
	}
	if best < 0 {
		return r.review(candidates, sums, 1, between)
	}
	p, late := r.probability(candidates, sums, best, between)
	d := r.review(candidates, sums, late, between)
	d.Match = p * late
	sure := p >= r.Match && late >= notLate || d.Match >= r.ClearMatch && clear(candidates, best)
	if sure && sums[best] >= sums[d.Best]-1 {
		return Decision{Outcome: Matched, Best: best, Match: d.Match, Any: d.Any, Gates: r.Gates(candidates[best])}
	}
	return d
}

// Review is Decide where nothing is matched without a person.
func Review(candidates []Candidate, r Rules, between Between) Decision {
	return r.review(candidates, logOdds(candidates), 1, between)
}

func logOdds(candidates []Candidate) []float64 {
	sums := make([]float64, len(candidates))
	for i, c := range candidates {
		sums[i] = c.Sum()
	}
	return sums
}

// review decides whether a person should look, and at what.
func (r Rules) review(candidates []Candidate, sums []float64, late float64, between Between) Decision {
	d := Decision{Best: -1}
	total := 1.0
	for i, c := range candidates {
		if c.KeptApart {
			continue
		}
		total += math.Exp(sums[i])
		if d.Best < 0 || sums[i] > sums[d.Best] {
			d.Best = i
		}
	}
	d.Any = 1 - 1/total
	if d.Best < 0 {
		return d
	}
	c := candidates[d.Best]
	d.Gates = r.Gates(c)
	d.Gates.Rival = !d.Gates.pass() || sums[d.Best] < math.Log(r.Match/(1-r.Match))
	d.Reason = r.reason(c, d.Gates, late)
	if d.Any >= r.Review {
		d.Outcome = Ambiguous
		d.Targets = r.offer(candidates, sums, total, between)
	}
	return d
}

// clear reports whether the best candidate has the very same text at nearly the same
// time, and no other one may have it.
func clear(candidates []Candidate, best int) bool {
	b := candidates[best]
	if !b.Identical && b.Evidence.Text != Neither || b.Gap > 1 {
		return false
	}
	for i, c := range candidates {
		if i != best && (c.Evidence.Text != Same || c.Likeness >= 0.5) {
			return false
		}
	}
	return true
}
