package resolver

import (
	"cmp"
	"math"
	"strings"

	"github.com/segraph/segraph/resolver/record"
)

const (
	maxPairs = 2048 // remembered pairs of robots
	// maxPairGaps is how many different texts of a pair are counted before all its counts
	// are halved, to forget old ones.
	maxPairGaps = 256
	// sayingTime is the fraction of the time to say a text within which nobody finishes
	// another one.
	sayingTime = 0.75
)

// pairName names two robots, in lexical order.
type pairName struct{ first, second string }

func pairOf(a, b string) pairName { return pairName{min(a, b), max(a, b)} }

func comparePairs(a, b pairName) int {
	return cmp.Or(strings.Compare(a.first, b.first), strings.Compare(a.second, b.second))
}

// learnPairs learns from the reports of an interval what pairs of robots, and subjects,
// have in common.
func (u *unit) learnPairs(reports []report) {
	for i := range reports {
		a := &reports[i]
		if !a.within {
			continue
		}
		for j := range reports {
			b := &reports[j]
			if a.Late || b.Late || a.Robot >= b.Robot || abs(b.at-a.at) > counterpart {
				continue
			}
			u.learnPair(a, b)
		}
	}
}

// learnPair counts, for two robots and their subjects, that two reports have similar texts or else, if both may be of
// one sentence, how far they are apart and whether they conflict. The first is by the robot whose name sorts first.
func (u *unit) learnPair(a, b *report) {
	sameSubject := a.person != "" && !a.Generic && a.person == b.person
	switch {
	case u.likeness(a.text, b.text) >= likeText:
		u.changePair(pairOf(a.Robot, b.Robot)).Similar++
		if sameSubject {
			u.agreed(a, b)
		}
		u.countTogether(a, b)
	case !sameSubject || a.Modality != b.Modality || a.heardBy(b.Robot) || b.heardBy(a.Robot): // not two texts of one sentence
	default:
		if gap := b.at - a.at + record.PairReach; gap >= 0 && gap < 2*record.PairReach {
			u.changePair(pairOf(a.Robot, b.Robot)).Gaps[gap/record.PairBin]++
		}
		u.conflict(a, b)
	}
}

// changePair returns a pair to be changed by the caller.
func (u *unit) changePair(name pairName) *record.Pair {
	if p := u.pairs.changed[name]; p != nil {
		return p
	}
	p := u.known.pairs[name]
	p.First, p.Second = name.first, name.second
	return u.pairs.set(name, p)
}

// halve keeps the counts of a pair small, to forget old ones.
func halve(p *record.Pair) {
	sum := p.Similar
	for _, n := range p.Gaps {
		sum += n
	}
	if sum < maxPairGaps {
		return
	}
	p.Similar /= 2
	p.Conflicts /= 2
	p.Accepted /= 2
	p.Rejected /= 2
	for i := range p.Gaps {
		p.Gaps[i] /= 2
	}
}

// peakBins is the spread, in bins, of the differences of two robots' timestamps of one
// event.
const peakBins = 3

// Fractions of the gaps that are in the highest peak. togetherShare is for two robots
// that report the same events. separateShare is for robots in two places, where it
// depends only on the width of the peak.
const (
	togetherShare = 0.45
	separateShare = float64(peakBins) / record.PairBins
)

// rewordingOdds returns the log odds, in nats, that two robots report the same events in
// different words, and not events of two places. inside is the number of gaps in the
// highest peak, and gap the middle of the peak in seconds.
func rewordingOdds(p record.Pair) (odds float64, inside int64, gap float64) {
	sum, all := int64(0), int64(0)
	for i, n := range p.Gaps {
		all += n
		if sum += n; i >= peakBins {
			sum -= p.Gaps[i-peakBins]
		}
		if i >= peakBins-1 && sum > inside {
			inside = sum
			gap = seconds(int64(2*i+2-peakBins)*record.PairBin/2 - record.PairReach)
		}
	}
	odds = float64(inside)*math.Log(togetherShare/separateShare) + float64(all-inside)*math.Log((1-togetherShare)/(1-separateShare))
	return odds, inside, gap
}
