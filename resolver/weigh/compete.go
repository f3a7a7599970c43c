package weigh

import "math"

// Between returns what joins the candidates i and j to each other. KeptApart says that a
// person has kept these two apart.
type Between func(i, j int) Candidate

// notLate is the probability that neither the best candidate nor what is to join it is a
// late report of another event, from which they are matched.
const notLate = 0.93

// missed is how often a robot reports one of two events that follow each other and misses
// the other.
const missed = 0.15

// probability is that of best against none and against the others, as far as these are
// other events. late is the probability that no late stamp has brought the two together.
//
// All of it is the same whichever of the two came first: what is weighed may belong to
// another candidate, and best may.
func (r Rules) probability(candidates []Candidate, sums []float64, best int, between Between) (p, late float64) {
	b := candidates[best]
	own := math.Exp(sums[best])
	rivals := 0.0
	late = 1
	for i, c := range candidates {
		passes := !c.KeptApart && r.Gates(c).pass()
		if i == best || !passes && c.Evidence.Text != Neither && !c.likeText() && !c.Evidence.Robots.Shared() {
			continue
		}
		q := between(best, i)
		switch {
		case passes:
			if q.KeptApart || !r.Gates(q).pass() {
				rivals += math.Exp(sums[i]) * (1 - q.one())
			}
		case c.KeptApart:
		case sums[i] > 0 && q.Sum() < 0:
			rivals += math.Exp(sums[i])
		}
		if sums[i] < 0 && q.Sum() > 0 && !q.KeptApart {
			rivals += math.Exp(q.Sum())
		}
		late *= onTime(b, c, q)
	}
	return own / (1 + own + rivals), late
}

// onTime returns the probability that the best candidate b and what is weighed are one
// event, and not one of them a late report of another event c, from which a robot that
// reported both c and the other one of the two tells them apart. q is what joins b to c.
func onTime(b, c, q Candidate) float64 {
	odds := math.Inf(1)
	if q.likeText() && !q.Evidence.Robots.Shared() {
		switch {
		case b.Evidence.Robots.Shared(): // it reports twice, or two events
			odds = missed * math.Exp(b.agreement()-q.agreement()-q.Weights.Source+reReport-otherRobot)
		case c.Evidence.Robots.Shared(): // best is late
			odds = missed * math.Exp(b.agreement()-q.agreement()-q.Weights.Source)
		}
	}
	if c.likeText() && !c.KeptApart && !c.Evidence.Robots.Shared() && q.Evidence.Robots.Shared() { // what is weighed is late
		odds = min(odds, missed*math.Exp(b.agreement()-c.agreement()-c.Weights.Source))
	}
	if math.IsInf(odds, 1) {
		return 1
	}
	return odds / (1 + odds)
}

// agreement returns what two sides weigh by what, when, where, who and how: all but what
// tells of two events of one person, which both explanations have.
func (w Weights) agreement() float64 { return w.Time + w.Text + w.Subject + w.Modality + w.Place }
