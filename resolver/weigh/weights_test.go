package weigh_test

import (
	"math"
	"testing"

	"github.com/segraph/segraph/resolver/weigh"
)

func weights(change func(*weigh.Evidence)) weigh.Weights { return candidate(change).Weights }

func TestWeightsAddUp(t *testing.T) {
	w := weights(nil)
	if sum := w[weigh.Prior] + w[weigh.Time] + w[weigh.Text] + w[weigh.Repeat] + w[weigh.Source] + w[weigh.Subject] + w[weigh.Modality] + w[weigh.Robot]; math.Abs(sum-w.Sum()) > 1e-9 {
		t.Errorf("the weights sum to %g, not %g", sum, w.Sum())
	}
}

func TestEvidenceWeighsTheRightWay(t *testing.T) {
	gap := func(g float64) func(*weigh.Evidence) { return func(e *weigh.Evidence) { e.Gap = g } }
	like := func(x float64) func(*weigh.Evidence) {
		return func(e *weigh.Evidence) { e.Likeness, e.Identical = x, x == 1 }
	}
	for _, tt := range []struct {
		name          string
		lighter, more func(*weigh.Evidence)
	}{
		{"nearer in time", gap(1.2), gap(0.1)},
		{"more alike", like(0.7), like(0.9)},
		{"rarer words", func(e *weigh.Evidence) { e.TextChance = 0.1 }, func(e *weigh.Evidence) { e.TextChance = 0.01 }},
		{"a rarer person", func(e *weigh.Evidence) { e.SubjectChance = 0.4 }, func(e *weigh.Evidence) { e.SubjectChance = 0.1 }},
		{"another robot", func(e *weigh.Evidence) { e.Robots = weigh.SameRobot }, nil},
		{"a longer text that is not the same speaks more against", like(0.1), func(e *weigh.Evidence) { like(0.1)(e); e.Letters, e.Longer = 3, 3 }},
		{"said again rather than heard late", gap(2.5), func(e *weigh.Evidence) { gap(2.5)(e); e.TextChance = 0.2; e.Letters = 60 }},
	} {
		if a, b := weights(tt.lighter).Sum(), weights(tt.more).Sum(); a >= b {
			t.Errorf("%s: %g against %g", tt.name, b, a)
		}
	}
}

func TestTimestampsOfWholeSecondsMayBeOff(t *testing.T) {
	e := same()
	e.Gap, e.Coarse = 1.9, true
	if d := e.Distance(); math.Abs(d-1.4) > 1e-9 {
		t.Errorf("the distance is %g", d)
	}
	e.Gap = 0.2
	if d := e.Distance(); d != 0 {
		t.Errorf("the distance is %g", d)
	}
}

func TestChancesFollowWhatWasSeen(t *testing.T) {
	if short, long := weigh.TextChance(2, 0, 0), weigh.TextChance(20, 0, 0); short != 0.08 || long >= short/10 {
		t.Errorf("at first: %g and %g", short, long)
	}
	if often, once := weigh.TextChance(20, 300, 1000), weigh.TextChance(20, 0, 1000); often <= 50*once || often > 0.2 {
		t.Errorf("later: %g and %g", often, once)
	}
	if few, many := weigh.ValueChance(1, 100), weigh.ValueChance(90, 100); few >= many || many >= 1 {
		t.Errorf("subjects: %g and %g", few, many)
	}
}

// TestARobotThatRepeatsAWord has a robot that reports the same twice within a moment.
// Nobody says a sentence twice so soon, but the timestamp of a word may be late.
func TestARobotThatRepeatsAWord(t *testing.T) {
	e := weigh.Evidence{Gap: 0.15, Window: 6, Text: weigh.Same, Likeness: 1, Identical: true, TextChance: 0.01,
		Subject: weigh.Same, SubjectChance: 0.1, Modality: weigh.Same, Robots: weigh.OnlyRobot}
	rules := weigh.Rules{MaxGap: 1.5, MinText: 0.65}
	for letters, may := range map[float64]bool{3: false, 20: true} {
		e.Letters, e.Longer = letters, letters
		c := weigh.Candidate{Evidence: e, Weights: weigh.Weigh(e, 0.2)}
		if got := rules.Gates(c).Robot; got != may {
			t.Errorf("%g letters may match: %v", letters, got)
		}
	}
}
