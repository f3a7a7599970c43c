package weigh

import "math"

// Rules are the thresholds of a decision.
type Rules struct {
	Match      float64 // least probability of a match
	ClearMatch float64 // the same if the texts are identical and no other candidate is similar
	Review     float64 // least probability of a case for review
	MaxGap     float64 // largest gap of a match in seconds
	MinText    float64 // least similarity of the texts of a match
	MaxTargets int     // largest number of targets of a case
}

// Candidate is a context that an observation, or another context, may belong to.
type Candidate struct {
	Evidence
	Weights
	// KeptSeparate means that a person decided to keep the two separate: they never match
	// and are not offered again.
	KeptSeparate bool
}

// Outcome is the result of a decision.
type Outcome uint8

const (
	Created   Outcome = iota // it is an event of its own
	Matched                  // it belongs to Decision.Best
	Ambiguous                // it needs review
)

// Decision is the result of weighing the evidence.
type Decision struct {
	Outcome Outcome
	// Best is the index of the matched or most likely candidate, or -1 if there are none.
	Best int
	// Match is the probability that the best candidate that passes the gates is the same
	// event, or 0.
	Match float64
	// Any is the probability that at least one candidate is the same event.
	Any     float64
	Targets []Target // for review, best first
	Gates   Gates    // of the best candidate
	Reason  Reason   // why Best was not matched
}

// Gates are the conditions of an automatic match; true if met.
type Gates struct {
	EventKind bool `json:"event_kind"` // always true: others are no candidates
	Subject   bool `json:"subject"`
	Modality  bool `json:"modality"`
	Text      bool `json:"text"`
	Time      bool `json:"time"`
	Place     bool `json:"place"`
	Robot     bool `json:"robot"`
	Rival     bool `json:"rival"` // no other candidate competes
}

// pass reports whether all gates except Rival hold.
func (g Gates) pass() bool { return g.Subject && g.Modality && g.Text && g.Time && g.Place && g.Robot }

const (
	misheard        = 0.15 // how much less alike the texts of a match may be at the same moment
	longWords       = 1.2  // factor for the largest gap if the words take longer to say twice
	sameMoment      = 0.5  // seconds
	maxContinuedGap = 0.6  // seconds beyond the time to say the rest, if one text goes on where the other ends
)

// Limits of an automatic match, in seconds.
const (
	MaxSilentGap = 0.8 // largest gap if there is no text to distinguish events
	MaxSpan      = 3.0 // largest duration of a whole context
)

// Gates returns the gates of a candidate by itself: Rival holds, since it depends on the other
// candidates.
func (r Rules) Gates(c Candidate) Gates {
	return Gates{
		EventKind: true,
		Subject:   c.Evidence.Subject == Same,
		Modality:  c.Evidence.Modality == Same || c.Evidence.Modality == Neither,
		Text:      c.Evidence.Text == Neither || c.Evidence.Text == Same && c.Likeness >= r.leastText(c),
		Place:     c.Evidence.Place != Different && !c.Rooms,
		Robot:     c.Weights[Robot] > sameRobot && !c.Piece,
		Time:      r.inTime(c),
		Rival:     true,
	}
}

// inTime reports whether the times of a candidate allow a match.
func (r Rules) inTime(c Candidate) bool {
	switch {
	case c.Unconfirmed || c.Stamped > r.largestGap(c) || c.Span > MaxSpan:
		return false
	case c.Evidence.Text == Neither && c.Distance() > MaxSilentGap:
		return false
	case c.Continued && c.Distance() > maxContinuedGap+LetterTime*(c.Longer-c.Letters):
		return false
	}
	return true
}

// leastText returns the least similarity of the texts of a match: less at the same moment,
// when one person says only one thing.
func (r Rules) leastText(c Candidate) float64 {
	if c.Evidence.Subject == Same && c.Distance() <= sameMoment {
		return r.MinText - misheard
	}
	return r.MinText
}

// largestGap returns the largest gap of a match in seconds: more if it takes longer than
// that to say the words twice.
func (r Rules) largestGap(c Candidate) float64 {
	if c.Evidence.Text == Same && c.Weights[Source] > 0 {
		return r.MaxGap * longWords
	}
	return r.MaxGap
}

// Decide weighs candidates, in order of creation, against each other and against a new
// event.
func Decide(candidates []Candidate, r Rules, between Between) Decision {
	sums := logOdds(candidates)
	best := -1
	for i, c := range candidates {
		if !c.KeptSeparate && r.Gates(c).pass() && (best < 0 || sums[i] > sums[best]) {
			best = i
		}
	}
	if best < 0 {
		return r.review(candidates, sums, 1, between)
	}
	p, late := r.probability(candidates, sums, best, between)
	d := r.review(candidates, sums, late, between)
	d.Match = p * late
	sure := p >= r.Match && late >= notLate(candidates[best])
	clearMatch := d.Match >= r.ClearMatch && isClear(candidates, best)
	// One that fails a gate may be likelier, but by no more than 1 nat.
	if (sure || clearMatch) && sums[best] >= sums[d.Best]-1 {
		return Decision{Outcome: Matched, Best: best, Match: d.Match, Any: d.Any, Gates: r.Gates(candidates[best])}
	}
	return d
}

// Review is like Decide, but never matches automatically.
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

// review decides whether a person should review, and which targets. sums are the log odds of the candidates, and late is as
// probability returns it.
func (r Rules) review(candidates []Candidate, sums []float64, late float64, between Between) Decision {
	d := Decision{Best: -1}
	total := 1.0
	for i, c := range candidates {
		if c.KeptSeparate {
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
	// One that would match alone failed because of another candidate.
	d.Gates.Rival = !d.Gates.pass() || sums[d.Best] < math.Log(r.Match/(1-r.Match))
	d.Reason = r.reason(c, d.Gates, late)
	if d.Any >= r.Review {
		d.Outcome = Ambiguous
		d.Targets = r.offer(candidates, sums, d.Best, total, between)
	}
	return d
}

// isClear reports whether the best candidate is at most a second away, with an identical text or
// none on either side, and no other candidate may be the same event.
func isClear(candidates []Candidate, best int) bool {
	b := candidates[best]
	if !b.Identical && b.Evidence.Text != Neither || b.Gap > 1 {
		return false
	}
	for i, c := range candidates {
		if i != best && (c.Evidence.Text != Same || c.Likeness >= 0.5) { // it may be the same event
			return false
		}
	}
	return true
}
