package text

import (
	"testing"

	"pgregory.net/rapid"
)

func TestDistancesAreTheSameInBitsAndInRows(t *testing.T) {
	for most, fast := range map[int]func(a, b []rune) int{64: distanceInBits, MaxRunes: distanceInWords} {
		letters := rapid.SliceOfN(rapid.SampledFrom([]rune("aabc dé天")), 1, most)
		rapid.Check(t, func(t *rapid.T) {
			a, b := letters.Draw(t, "a"), letters.Draw(t, "b")
			if rapid.Bool().Draw(t, "long") { // most slices are short
				a, b = repeated(a, most), repeated(b, most)
			}
			if bits, rows := fast(a, b), distanceInRows(a, b); bits != rows {
				t.Fatalf("%q, %q: %d in bits, %d in rows", string(a), string(b), bits, rows)
			}
		})
	}
}

// repeated returns letters again and again, and each time one more of them, up to a length.
func repeated(letters []rune, most int) (out []rune) {
	for i := 0; len(out) < most; i++ {
		out = append(append(out, letters...), letters[i%len(letters)])
	}
	return out[:most]
}

// distanceInRows computes the table row by row.
func distanceInRows(a, b []rune) int {
	var rows [3][MaxRunes + 1]uint16
	before, last, row := rows[0][:len(b)+1], rows[1][:len(b)+1], rows[2][:len(b)+1]
	for j := range last {
		last[j] = uint16(j)
	}
	for i := range a {
		row[0] = uint16(i + 1)
		for j := range b {
			cost := uint16(1)
			if a[i] == b[j] {
				cost = 0
			}
			d := min(last[j]+cost, last[j+1]+1, row[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				d = min(d, before[j-1]+1)
			}
			row[j+1] = d
		}
		before, last, row = last, row, before
	}
	return int(last[len(b)])
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
