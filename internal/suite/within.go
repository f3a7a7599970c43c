package suite

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// usualWork is the duration of work on a free processor of the machine on which the
// project's time limits were set.
const usualWork = 25 * time.Millisecond

// work does a fixed amount of work and returns how long it took.
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

// Slowness returns how many times longer work takes now than on a free machine of the usual
// kind, as on a slow or busy machine or with the race detector. It is from 1 to 20, so that
// a large slowdown is found on any machine.
func Slowness() float64 {
	return min(20, max(1, float64(work())/float64(usualWork)))
}

// Within fails the test unless measure returns at most bound in one of ten attempts. The
// bound is for a free machine: where an attempt misses it, Within multiplies it by Slowness,
// of before or after the attempt. Before the next attempt it waits, longer each time, because
// other work often comes in bursts.
func Within(t testing.TB, what string, bound time.Duration, measure func() time.Duration) {
	t.Helper()
	var took time.Duration
	slow, before := 1.0, 1.0
	for try := range 10 {
		if try > 0 {
			time.Sleep(time.Duration(try) * 100 * time.Millisecond)
			before = Slowness()
		}
		if took = measure(); t.Failed() {
			return
		}
		if took <= bound {
			t.Logf("%s: %v", what, took)
			return
		}
		after := Slowness()
		if slow = max(before, after); float64(took) <= slow*float64(bound) {
			t.Logf("%s: %v, where work takes %.1f times as long as usual", what, took, slow)
			return
		}
	}
	t.Errorf("%s took %v, and may take %v; now work takes %.1f times as long as usual", what, took, bound, slow)
}
