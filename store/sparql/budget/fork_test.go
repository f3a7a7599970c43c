package budget

import (
	"context"
	"errors"
	"runtime"
	"testing"
	"time"
)

func TestMemoryOfForksCounts(t *testing.T) {
	const size = 10 * forkStep
	b := New(context.Background(), Limits{Memory: size})
	one, two := b.Fork(), b.Fork()
	if err := errors.Join(one.Grow(5*forkStep), two.Grow(4*forkStep)); err != nil || b.Peak() != 9*forkStep || b.Memory() != 0 || one.Memory() != 5*forkStep {
		t.Fatalf("%d bytes without forks, at most %d with them, %v", b.Memory(), b.Peak(), err)
	}
	var limit *LimitError
	if err := one.Grow(2 * forkStep); !errors.As(err, &limit) || limit.Limit != "memory" {
		t.Errorf("above the limit: %v", err)
	}
	one.Release()
	if err := b.Grow(5 * forkStep); err != nil {
		t.Errorf("after a fork was released: %v", err)
	}
	if two.Halt(); two.Check() == nil || b.Check() != nil {
		t.Errorf("the halted fork: %v; its query: %v", two.Check(), b.Check())
	}
}

// After other work arrives, queries leave one processor free for a while.
func TestQueriesLeaveAProcessorFreeWhileOtherWorkComes(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(3))
	p := NewProcessors(3)
	p.Quiet = time.Hour
	b := New(context.Background(), Limits{Processors: p})
	defer b.Close()
	borrowAll := func() (n int) {
		for n < 3 && b.Borrow() {
			n++
		}
		return n
	}
	if n := borrowAll(); n != 2 || b.Wanted() {
		t.Fatalf("%d of 3 processors were borrowed, want 2, or they are wanted: %v", n, b.Wanted())
	}
	if p.Arrived(); !b.Wanted() {
		t.Error("other work arrived, and all processors stay borrowed")
	}
	if b.GiveBack(); b.Wanted() || b.Borrow() {
		t.Error("one is free, but another is wanted or was borrowed")
	}
	b.GiveBack()
	p.Quiet = time.Nanosecond
	if n := borrowAll(); n != 2 {
		t.Errorf("%d of 3 processors were borrowed after a while, want 2", n)
	}
	b.GiveBack()
	b.GiveBack()
}
