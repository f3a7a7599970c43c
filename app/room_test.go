package app

import (
	"testing"

	"github.com/segraph/segraph/internal/memory"
)

// Only while small writes make much of the garbage is there more room.
func TestSmallWritesHaveRoomForGarbage(t *testing.T) {
	const usual, writing = 40 << 20, 160 << 20
	r := newRoom(memory.Divide(24<<30, "a test"))
	if got := r.bytes(); got != usual {
		t.Errorf("before the store is open, the room is %d", got)
	}
	var n uint64
	units := func() uint64 { return n }
	r.units.Store(&units)
	for i, step := range []struct {
		units uint64
		want  int64
	}{{0, usual}, {300, usual}, {400, writing}, {4000, writing}, {10, usual}, {0, usual}, {1000, writing}} {
		n += step.units
		if got := r.bytes(); got != step.want {
			t.Errorf("step %d, after %d writes: %d, want %d", i, step.units, got, step.want)
		}
	}
	small := newRoom(memory.Divide(1<<30, "a test"))
	small.units.Store(&units)
	if n += 4000; small.bytes() != usual {
		t.Error("a small machine has more room for writes")
	}
}
