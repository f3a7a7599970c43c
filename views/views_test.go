package views

import (
	"strings"
	"testing"
)

func TestNumbersHaveCommas(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]string{0: "0", 999: "999", 1000: "1,000", -1234567: "-1,234,567", 100000: "100,000"} {
		if got := Count(n); got != want {
			t.Errorf("%d: %q, want %q", n, got, want)
		}
	}
}

func TestALongQueryHasNoAddressToProveIt(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]string{"": "", "a&b": "/evidence?iri=a%26b", strings.Repeat("a", maxProveAddress): ""} {
		if got := provePath("iri", value); got != want {
			t.Errorf("%.10q: %s, want %s", value, got, want)
		}
	}
}

func TestNounsFollowNumbers(t *testing.T) {
	t.Parallel()
	for noun, want := range map[string]string{"copy": "copies", "activity": "activities", "entry": "entries", "key": "keys", "day": "days", "box": "boxes", "person": "people", "case": "cases"} {
		if got := Noun(2, noun); got != want {
			t.Errorf("2 of %s are %s, want %s", noun, got, want)
		}
	}
}
