package views

import "testing"

// TestPercentages has fractions that are nearly 1.
func TestPercentages(t *testing.T) {
	t.Parallel()
	for f, want := range map[float64][2]string{-1: {"", ""}, 0: {"0", "0"}, 0.304: {"30.4", "30"}, 0.996: {"99.6", "99.6"}, 0.9999: {"99.9", "99.9"}, 1: {"100", "100"}} {
		if got := Percentage(f); want[0] == "" && got != "" || want[0] != "" && got != want[0]+"\u00a0%" {
			t.Errorf("Percentage(%g) is %q", f, got)
		}
		if got := Likelihood(f); f >= 0 && got != want[1]+"\u00a0%" {
			t.Errorf("Likelihood(%g) is %q", f, got)
		}
	}
}
