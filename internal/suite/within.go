package suite

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// usualWork is how long work takes on a free processor of the machine on which the bounds
// of this project were set.
const usualWork = 25 * time.Millisecond

// work does always the same, and tells how long it took.
func work() time.Duration {
	random := rand.New(rand.NewPCG(1, 2))
	numbers := make([]uint64, 300_000)
	for i := range numbers {
		numbers[i] = random.Uint64()
	}
	begun := time.Now()
	slices.Sort(numbers)
	return time.Since(begun)
}

// Slowness returns how many times longer a piece of work takes here and now than on a
// free machine of the usual kind, where it is 1: because the machine is slower, because
// others want its processors, or because of the race detector. It is never less than 1,
// and 20 at most, so that what has become much slower is found on any machine.
func Slowness() float64 {
	return min(20, max(1, float64(work())/float64(usualWork)))
}

// Within fails the test unless measure, which tells how long something took, gives at
// most the bound in one of five tries. The bound is one for a free machine; it grows with
// Slowness where it was missed.
func Within(t testing.TB, what string, bound time.Duration, measure func() time.Duration) {
	t.Helper()
	var took time.Duration
	slow := 1.0
	for range 5 {
		if took = measure(); t.Failed() {
			return
		}
		if took <= bound {
			t.Logf("%s: %v", what, took)
			return
		}
		if slow = Slowness(); float64(took) <= slow*float64(bound) {
			t.Logf("%s: %v, where work takes %.1f times as long as usual", what, took, slow)
			return
		}
	}
	t.Errorf("%s: %v, may be %v, where work takes %.1f times as long as usual", what, took, bound, slow)
}
