package headroom

import (
	"math"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync/atomic"
	"testing"
	"time"
)

// heapPeak runs f and returns the highest heap size seen by its calls of look.
func heapPeak(f func(look func())) (peak uint64) {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}, {Name: "/memory/classes/heap/unused:bytes"}}
	f(func() {
		metrics.Read(sample)
		peak = max(peak, sample[0].Value.Uint64()+sample[1].Value.Uint64())
	})
	return peak
}

// A heap that grows to 256 MiB of live data and as much garbage must stay close to its
// live size.
func TestTheHeapStaysCloseToWhatIsLive(t *testing.T) {
	const room, live = 32 << 20, 256 << 20
	grow := func() uint64 {
		runtime.GC()
		return heapPeak(func(look func()) {
			var kept [][]byte
			for range live >> 16 {
				kept = append(kept, make([]byte, 1<<16))
				garbage = make([]byte, 1<<16)
				look()
			}
			runtime.KeepAlive(kept)
		})
	}
	var peak uint64
	for range 8 { // on a busy machine the collector may run late
		stop := Keep(of(room))
		peak = grow()
		stop()
		if peak <= live+2*room {
			return
		}
	}
	t.Errorf("the heap came to %d MiB with %d live", peak>>20, live>>20)
}

var garbage []byte

func of(room int64) func() int64 { return func() int64 { return room } }

// Every collection calls room again.
func TestTheRoomMayChange(t *testing.T) {
	var room atomic.Int64
	room.Store(1 << 20)
	defer Keep(room.Load)()
	for _, n := range []int64{256 << 20, 1 << 20} {
		room.Store(n)
		for deadline := time.Now().Add(10 * time.Second); (debug.SetMemoryLimit(-1) > 200<<20) != (n > 200<<20) || debug.SetMemoryLimit(-1) == math.MaxInt64; runtime.GC() {
			if time.Now().After(deadline) {
				t.Fatalf("the limit is %d with room for %d", debug.SetMemoryLimit(-1), n)
			}
		}
	}
}

func TestStopPutsTheLimitBack(t *testing.T) {
	before := debug.SetMemoryLimit(-1)
	stop := Keep(of(1 << 20))
	for deadline := time.Now().Add(10 * time.Second); debug.SetMemoryLimit(-1) == before; runtime.GC() {
		if time.Now().After(deadline) {
			t.Fatal("no collection has set a limit")
		}
	}
	stop()
	runtime.GC()
	runtime.GC()
	if after := debug.SetMemoryLimit(-1); after != before {
		t.Errorf("the limit is %d, and was %d", after, before)
	}
}

// The limit set in the environment applies whatever the live size.
func TestALimitOfTheEnvironmentHolds(t *testing.T) {
	before := debug.SetMemoryLimit(64 << 20)
	defer debug.SetMemoryLimit(before)
	stop := Keep(of(1 << 40))
	defer stop()
	for range 5 {
		runtime.GC()
		if limit := debug.SetMemoryLimit(-1); limit > 64<<20 {
			t.Fatalf("the limit is %d", limit)
		}
	}
}
