package review

import (
	"math"
	"testing"
	"time"
)

// The values of kappa are those of the worked examples in textbooks, computed by hand.
func TestKappaIsTheAgreementBeyondChance(t *testing.T) {
	t.Parallel()
	for _, x := range []struct {
		yes, onlyA, onlyB, no int // cases that both accepted, and so on
		want                  float64
		text                  string
	}{
		{20, 5, 10, 15, 0.4, "0.40"},
		{45, 15, 25, 15, 0.1304, "0.13"},
		{25, 35, 5, 35, 0.2593, "0.26"},
		{1, 0, 0, 1, 1, "1.00"},
		{0, 1, 1, 0, -1, "-1.00"},
		{1, 1, 1, 1, 0, "0.00"},
		{7, 0, 0, 0, math.NaN(), "–"}, // chance alone would agree
		{0, 0, 0, 7, math.NaN(), "–"},
		{0, 0, 0, 0, math.NaN(), "–"},
		{0, 7, 0, 0, 0, "0.00"},
	} {
		var p ReviewPair
		for _, y := range []struct {
			n    int
			a, b bool
		}{{x.yes, true, true}, {x.onlyA, true, false}, {x.onlyB, false, true}, {x.no, false, false}} {
			for range y.n {
				p.Add(y.a, y.b)
			}
		}
		kappa, ok := p.Kappa()
		if ok != !math.IsNaN(x.want) || ok && math.Abs(kappa-x.want) > 0.0001 || kappaText(p) != x.text {
			t.Errorf("%+v: %g, %t, shown as %s", x, kappa, ok, kappaText(p))
		}
	}
}

func TestTimesAndSharesOfReviewersAreShown(t *testing.T) {
	t.Parallel()
	for d, want := range map[time.Duration]string{0: "–", 1500 * time.Millisecond: "1.5 s", 49 * time.Millisecond: "0.0 s", 2 * time.Minute: "120.0 s"} {
		if got := reviewTime(d); got != want {
			t.Errorf("%s: %s, want %s", d, got, want)
		}
	}
	for _, x := range []struct {
		part, whole int
		want        string
	}{{0, 0, "–"}, {0, 3, "0\u00a0%"}, {3, 3, "100\u00a0%"}, {1, 2, "50\u00a0%"}} {
		if got := share(x.part, x.whole); got != x.want {
			t.Errorf("%d of %d: %s, want %s", x.part, x.whole, got, x.want)
		}
	}
	steps := []ReviewEvidence{{Weight: 0.05}, {Weight: -0.05}, {Weight: 0.049}, {Weight: -0.049}, {Weight: 3}}
	if got := weighty(steps); len(got) != 3 || got[2].Weight != 3 {
		t.Errorf("%d steps are drawn", len(got))
	}
}
