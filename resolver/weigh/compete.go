package weigh

import "math"

// Between compares the candidates i and j. KeptSeparate means that a person decided to
// keep these two separate.
type Between func(i, j int) Candidate

// notLate returns the least probability for a match that neither the best candidate nor the
// observation is a late report of another event.
func notLate(best Candidate) float64 {
	if best.Evidence.Text == Same && best.Letters < CertainLetters { // people repeat short words more
		return 0.95
	}
	return 0.93
}

// missed is the probability that a robot misses one of two consecutive events and
// reports the other.
const missed = 0.15

// probability returns the probability p that the observation is the event of best, rather
// than a new event, or the event of another candidate. late is the probability that no
// late timestamp has brought the two together. The result is the same whichever of the two
// came first: the observation may belong to another candidate, and so may best.
func (r Rules) probability(candidates []Candidate, sums []float64, best int, between Between) (p, late float64) {
	b := candidates[best]
	own := math.Exp(sums[best])
	rivals := 0.0
	late = 1
	for i, c := range candidates {
		passes := !c.KeptSeparate && r.Gates(c).pass()
		otherWords := c.Evidence.Text != Neither && !c.likeText()
		if i == best || !passes && otherWords && !c.Evidence.Robots.Shared() { // such a one is no rival
			continue
		}
		q := between(best, i)
		if q.ofOneText() { // both are pieces of one text
			continue
		}
		switch {
		case passes:
			if q.KeptSeparate || !r.Gates(q).pass() {
				rivals += math.Exp(sums[i]) * (1 - q.one())
			}
		case c.KeptSeparate: // a person decided that it is another event
		case c.Unconfirmed && q.Rooms: // the observation is from the room of best
		case sums[i] > 0 && q.Sum() < 0:
			rivals += math.Exp(sums[i])
		}
		if sums[i] < 0 && q.Sum() > 0 && !q.KeptSeparate {
			rivals += math.Exp(q.Sum())
		}
		late *= onTime(b, c, q)
	}
	return own / (1 + own + rivals), late
}

// ofOneText reports whether the sides are pieces of one text, as its whole shows.
func (c Candidate) ofOneText() bool { return c.Piece && c.Reworded == 0 && !c.KeptSeparate }

// onTime returns the probability that the observation and the best candidate b are one
// event, rather than one of them a late report of the event c. A robot that reported c,
// and also b or the observation, shows that those are two events. q compares b with c.
func onTime(b, c, q Candidate) float64 {
	odds := math.Inf(1)
	if q.likeText() && !q.Evidence.Robots.Shared() {
		switch {
		case b.Weights[Robot] == reportsAgain: // it is one event for this robot
		case b.Evidence.Robots.Shared(): // the robot reports twice, or there are two events
			odds = missed * math.Exp(b.agreement()-q.agreement()-q.Weights[Source]+reReport-otherRobot)
		case c.Evidence.Robots.Shared(): // best is late
			odds = missed * math.Exp(b.agreement()-q.agreement()-q.Weights[Source])
		}
	}
	if c.likeText() && !c.KeptSeparate && !c.Evidence.Robots.Shared() && q.Evidence.Robots.Shared() { // the observation is late
		odds = min(odds, missed*math.Exp(b.agreement()-c.agreement()-c.Weights[Source]))
	}
	if math.IsInf(odds, 1) {
		return 1
	}
	return odds / (1 + odds)
}

// agreement returns the weight of what, when, where, who and how. It excludes what
// distinguishes two events of one person, which both explanations share.
func (w Weights) agreement() float64 { return w[Time] + w[Text] + w[Subject] + w[Modality] + w[Place] }
