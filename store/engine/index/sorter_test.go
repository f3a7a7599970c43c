package index

import (
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/segraph/segraph/internal/suite"
)

func TestASorterGivesEachTupleOnceInOrder(t *testing.T) {
	suite.NotShort(t)
	random := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{0, 1, MaxRun, sortedAtOnce, 5*sortedAtOnce + 17} {
		var s Sorter
		var want []Tuple
		for range n {
			tuple := Tuple{1 + random.Uint64N(50), random.Uint64N(1 << 12), random.Uint64() >> random.UintN(64)}
			s.Add(tuple)
			want = append(want, tuple)
			if random.UintN(8) == 0 {
				s.Add(tuple)
			}
		}
		slices.SortFunc(want, Compare)
		want = slices.Compact(want)
		var got []Tuple
		for batch := s.Next(); batch != nil; batch = s.Next() {
			got = append(got, batch...)
		}
		if s.Err() != nil || !slices.Equal(got, want) {
			t.Errorf("%d tuples give %d, want %d: %v", n, len(got), len(want), s.Err())
		}
	}
}

// The test sorts two million tuples, which take 48 MB unpacked.
func TestASorterTakesSomeBytesATuple(t *testing.T) {
	suite.NotShort(t)
	const n = 2 << 20
	random := rand.New(rand.NewPCG(1, 2))
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	var s Sorter
	for range n {
		s.Add(Tuple{3, 5, 7<<60 | random.Uint64N(1<<24)})
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	if took := int64(after.HeapAlloc) - int64(before.HeapAlloc); took > 8*n {
		t.Errorf("%d tuples take %d bytes", n, took)
	}
	if s.Next() == nil {
		t.Error(s.Err())
	}
}
