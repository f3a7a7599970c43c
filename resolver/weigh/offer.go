package weigh

import (
	"cmp"
	"math"
	"slices"
)

// Target is a candidate offered for review.
type Target struct {
	Index       int
	Probability float64 // the probability that it is the same event, whatever the others are
}

const (
	minTarget  = 0.02 // the least share of all odds of a target
	nearBest   = 0.5  // the least odds of a target, as a fraction of the best one's, if all have a smaller share
	maxGrouped = 16   // candidates that are compared with each event; the others are compared only with the likeliest one
)

// event is a group of candidates that are probably one event. Each member has the
// probability that it is the same event as the best of them.
type event struct {
	best    int // index of the best
	members []member
}

type member struct {
	index int
	one   float64
}

// offer returns the likeliest candidates, each with the probability that it is the
// same event. Candidates that are probably one event do not compete with each other:
// if the observation belongs to one of them, it belongs to all. best is the likeliest one
// that is not kept separate, and total the sum of the odds of all these and of a new event.
func (r Rules) offer(candidates []Candidate, sums []float64, best int, total float64, between Between) []Target {
	likely := likelyOf(candidates, sums, best, total)
	events, mass := r.events(likely, sums, between)
	for i, c := range candidates {
		if !c.KeptSeparate && !slices.Contains(likely, i) {
			mass += math.Exp(sums[i])
		}
	}
	var out []Target
	for _, e := range events {
		whole := math.Exp(sums[e.best]) / mass
		for _, m := range e.members {
			odds := math.Exp(sums[m.index])
			alone := odds / (mass + m.one*odds) // if it is not one event with the best
			out = append(out, Target{m.index, m.one*whole + (1-m.one)*alone})
		}
	}
	// Each is ranked by its own evidence, so that candidates of one event do not crowd
	// out others.
	slices.SortFunc(out, func(a, b Target) int { return slices.Index(likely, a.Index) - slices.Index(likely, b.Index) })
	out = out[:min(len(out), r.MaxTargets)]
	slices.SortStableFunc(out, func(a, b Target) int { return cmp.Compare(b.Probability, a.Probability) })
	return out
}

// likelyOf returns the candidates with at least minTarget of all odds or, if that is less, with nearBest of the odds of
// the best one, which is then among them. The best is first.
func likelyOf(candidates []Candidate, sums []float64, best int, total float64) []int {
	least := min(minTarget*total, nearBest*math.Exp(sums[best]))
	var out []int
	for i, c := range candidates {
		if !c.KeptSeparate && math.Exp(sums[i]) >= least {
			out = append(out, i)
		}
	}
	slices.SortStableFunc(out, func(a, b int) int { return cmp.Compare(sums[b], sums[a]) })
	return out
}

// events groups candidates, which are sorted best first, by comparing each with the best
// of each group. mass is the sum of the odds of all events, plus 1 for a new event.
func (r Rules) events(likely []int, sums []float64, between Between) (events []event, mass float64) {
	mass = 1
	for n, i := range likely {
		compared := r.MaxTargets
		if n >= maxGrouped {
			compared = 1
		}
		at, one := -1, 0.5
		for j, e := range events[:min(len(events), compared)] {
			if p := between(e.best, i).one(); p > one {
				at, one = j, p
			}
		}
		if at < 0 {
			events = append(events, event{i, []member{{i, 1}}})
			mass += math.Exp(sums[i])
		} else {
			events[at].members = append(events[at].members, member{i, one})
			mass += math.Exp(sums[i]) * (1 - one)
		}
	}
	return events, mass
}

// one returns the probability that both sides are one event, if nothing else is known.
func (c Candidate) one() float64 {
	if c.KeptSeparate {
		return 0
	}
	return 1 / (1 + math.Exp(-c.Sum()))
}
