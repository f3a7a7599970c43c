package orders

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestSortsOfAnyLengthOrderRows compares long and short sorts with those of slices.
func TestSortsOfAnyLengthOrderRows(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, length := range []int{0, 1, 2, 14, 24, 25, 100, fewRows - 1, fewRows, fewRows + 1, 5000} {
		for _, masks := range [][3]uint64{{7, 7, 7}, {0xf<<60 | 0x3fff, 3, ^uint64(0)}, {0, 0, 1 << 63}, {0, 0, 0}, {^uint64(0), 0x80ff01, 0x1_0000_0001}} {
			rows, pairs := make([][3]uint64, length), make([][2]uint64, length)
			for i := range rows {
				rows[i] = [3]uint64{random.Uint64() & masks[0], random.Uint64() & masks[1], random.Uint64() & masks[2]}
				pairs[i] = [2]uint64{rows[i][0], rows[i][2]}
			}
			want, wantPairs := slices.Clone(rows), slices.Clone(pairs)
			slices.SortFunc(want, func(a, b [3]uint64) int { return slices.Compare(a[:], b[:]) })
			slices.SortFunc(wantPairs, func(a, b [2]uint64) int { return slices.Compare(a[:], b[:]) })
			if Sort(rows, 3); !slices.Equal(rows, want) {
				t.Errorf("%d rows of %x are not in order", length, masks)
			}
			if Sort(pairs, 2); !slices.Equal(pairs, wantPairs) {
				t.Errorf("%d pairs of %x are not in order", length, masks)
			}
			for _, o := range All {
				got := make([][3]uint64, length)
				for i, spo := range rows {
					got[i] = o.Sorted(spo)
				}
				again := slices.Clone(got)
				slices.SortFunc(again, func(a, b [3]uint64) int { return slices.Compare(a[:], b[:]) })
				if Sort(got, o.Unsorted()); !slices.Equal(got, again) {
					t.Errorf("%d rows of %x are not in the order %s", length, masks, o)
				}
			}
		}
	}
}
