package budget

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// Tick checks the context after a bounded amount of work. A wide row counts as more
// work.
func TestAQueryEndsSoonAfterItsContext(t *testing.T) {
	for _, x := range []struct{ weight, units int }{{0, checkEvery}, {1, checkEvery}, {4, checkEvery / 4}, {checkEvery, 1}, {10 * checkEvery, 1}} {
		ctx, cancel := context.WithCancel(t.Context())
		b := New(ctx, Limits{})
		if x.weight > 0 {
			b.SetWeight(x.weight)
		}
		for range 3 * x.units {
			if err := b.Tick(1); err != nil {
				t.Fatalf("weight %d: before its end: %v", x.weight, err)
			}
		}
		cancel()
		n := 0
		for n <= x.units && b.Tick(1) == nil {
			n++
		}
		if n >= x.units {
			t.Errorf("weight %d: it went on for %d units, want fewer than %d", x.weight, n, x.units)
		}
		if err := b.Check(); !errors.Is(err, context.Canceled) {
			t.Errorf("weight %d: %v", x.weight, err)
		}
		b.Close()
	}
}

func TestADeadlineSaysThatTheLimitOfTimeWasReached(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := Limits{Time: 30 * time.Second}
		ctx, cancel := l.Deadline(t.Context())
		defer cancel()
		b := New(ctx, l)
		defer b.Close()
		time.Sleep(30*time.Second - 1)
		synctest.Wait()
		if err := b.Check(); err != nil {
			t.Errorf("before the deadline: %v", err)
		}
		time.Sleep(time.Nanosecond)
		synctest.Wait()
		var limit *LimitError
		if err := b.Check(); !errors.As(err, &limit) || limit.Limit != "time" || err.Error() != "the query needs more time than its limit, which is 30s" {
			t.Errorf("at the deadline: %v", err)
		}
		none, cancelNone := Limits{}.Deadline(t.Context())
		defer cancelNone()
		if _, has := none.Deadline(); has {
			t.Error("without a limit there is a deadline")
		}
		if b.Limits().Time != l.Time {
			t.Errorf("the limits are %+v", b.Limits())
		}
	})
}

// The first error of a query is the one that its client reads.
func TestTheFirstFailureEndsTheQuery(t *testing.T) {
	b := New(t.Context(), Limits{})
	defer b.Close()
	first, second := errors.New("first"), errors.New("second")
	if b.Failed() != nil {
		t.Errorf("it failed before: %v", b.Failed())
	}
	b.Fail(first)
	b.Fail(second)
	if err := b.Tick(1); !errors.Is(err, first) || !errors.Is(b.Failed(), first) || !errors.Is(b.Check(), first) {
		t.Errorf("the next unit of work: %v; failed: %v", err, b.Failed())
	}
}

func TestMemoryIsLimitedToTheByte(t *testing.T) {
	b := New(t.Context(), Limits{Memory: 64 << 20})
	defer b.Close()
	if err := b.Grow(64 << 20); err != nil {
		t.Errorf("all of it: %v", err)
	}
	if err := b.Grow(1); err == nil || err.Error() != "the query needs more memory than its limit, which is 64 MiB" {
		t.Errorf("a byte more: %v", err)
	}
	if err := b.Grow(-(33<<20 + 1)); err != nil || b.Memory() != 31<<20 || b.Peak() != 64<<20+1 {
		t.Errorf("after some was released: %d bytes, at most %d, %v", b.Memory(), b.Peak(), err)
	}
	// Optional work must leave half of the memory to the rest.
	if !b.Room(1<<20) || b.Room(1<<20+1) {
		t.Errorf("with 31 of 64 MiB in use there is room for 1 MiB: %t, and for a byte more: %t", b.Room(1<<20), b.Room(1<<20+1))
	}
	var none *Budget
	if none.Grow(1<<62) != nil || none.Tick(1<<30) != nil || none.Check() != nil {
		t.Error("no budget has a limit")
	}
}
