package weigh_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/segraph/segraph/resolver/weigh"
)

// unnamed returns the evidence of a report without a subject, which always opens a case.
func unnamed(gap float64) weigh.Candidate {
	return candidate(func(e *weigh.Evidence) { e.Subject, e.Gap = weigh.OneSide, gap })
}

// TestCandidatesThatAreOneEventAllScoreHigh offers two likely contexts. It checks their
// scores if they are one event, if they are not, and if a person has kept them apart.
func TestCandidatesThatAreOneEventAllScoreHigh(t *testing.T) {
	one := func(int, int) weigh.Candidate { return candidate(nil) }
	denied := func(int, int) weigh.Candidate {
		c := candidate(nil)
		c.KeptSeparate = true
		return c
	}
	for _, tt := range []struct {
		name       string
		between    weigh.Between
		least, top float64 // limits of both scores
	}{
		{"one event", one, 0.99, 1},
		{"two events", apart, 0.3, 0.7},
		{"a person has kept them apart", denied, 0.3, 0.7},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := weigh.Review([]weigh.Candidate{unnamed(0.3), unnamed(0.2)}, rules, tt.between)
			if len(d.Targets) != 2 {
				t.Fatalf("offered %+v", d.Targets)
			}
			sum := 0.0
			for _, x := range d.Targets {
				if sum += x.Probability; x.Probability < tt.least || x.Probability > tt.top {
					t.Errorf("candidate %d scores %.3f; want %.2f to %.2f", x.Index, x.Probability, tt.least, tt.top)
				}
			}
			if tt.top < 1 && sum > d.Any+1e-9 {
				t.Errorf("different events add up to %.3f, and any is %.3f", sum, d.Any)
			}
		})
	}
}

// TestAScoreIsAtMostTheConfidence checks random candidates with random relations.
func TestAScoreIsAtMostTheConfidence(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		gap := rapid.Float64Range(0, 3)
		list := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) weigh.Candidate { return unnamed(gap.Draw(t, "gap")) }), 1, 12).Draw(t, "candidates")
		between := map[[2]int]weigh.Candidate{}
		d := weigh.Review(list, rules, func(i, j int) weigh.Candidate {
			pair := [2]int{min(i, j), max(i, j)}
			if _, ok := between[pair]; !ok {
				between[pair] = unnamed(gap.Draw(t, "between"))
			}
			return between[pair]
		})
		last := math.Inf(1)
		for _, x := range d.Targets {
			if x.Probability > last || x.Probability > d.Any+1e-9 || x.Probability <= 0 {
				t.Fatalf("%+v, any is %g", d.Targets, d.Any)
			}
			last = x.Probability
		}
	})
}
