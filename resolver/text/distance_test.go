package text

import (
	"testing"

	"pgregory.net/rapid"
)

func TestDistancesAreTheSameInBitsAndInRows(t *testing.T) {
	letters := rapid.SliceOfN(rapid.SampledFrom([]rune("aabc dé天")), 1, 64)
	rapid.Check(t, func(t *rapid.T) {
		a, b := letters.Draw(t, "a"), letters.Draw(t, "b")
		if bits, rows := distanceInBits(a, b), distanceInRows(a, b); bits != rows {
			t.Fatalf("%q, %q: %d in bits, %d in rows", string(a), string(b), bits, rows)
		}
	})
}

func TestDistanceCountsSlips(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want int
	}{
		{"", "", 0}, {"abc", "abc", 0}, {"", "abc", 3}, {"abc", "abxc", 1}, {"abc", "ac", 1}, {"abc", "axc", 1}, {"abcd", "acbd", 1},
		{"ca", "abc", 3}, // swapped letters may not be edited again
		{"kitten", "sitting", 3},
	} {
		if got := distance([]rune(tt.a), []rune(tt.b)); got != tt.want {
			t.Errorf("distance(%q, %q) = %d, want %d", tt.a, tt.b, got, tt.want)
		}
	}
}
