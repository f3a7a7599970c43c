package budget

import (
	"context"
	"errors"
	"testing"
)

// shared is shared memory with left free bytes.
type shared struct{ left int64 }

func (s *shared) Take(_, n int64) error {
	if n > s.left {
		return errors.New("nothing is free")
	}
	s.left -= n
	return nil
}
func (s *shared) Room(_, n int64) bool { return 2*n <= s.left }
func (s *shared) Give(n int64)         { s.left += n }

func TestABudgetTakesWhatItKeepsFromTheSharedMemoryAndGivesItBack(t *testing.T) {
	const size = 10 * shareStep
	s := &shared{size}
	b := New(context.Background(), Limits{Memory: size, Shared: s})
	for _, kept := range []int64{1, shareStep, shareStep + 1, 5 * shareStep, 2 * shareStep, 0, 9 * shareStep} {
		if err := b.Grow(kept - b.Memory()); err != nil {
			t.Fatal(err)
		}
		if held := size - s.left; held < kept || held > kept+2*shareStep {
			t.Errorf("%d bytes are held for %d", held, kept)
		}
	}
	if b.Room(shareStep) {
		t.Error("there is room for what can be done without")
	}
	err := b.Grow(shareStep + 1)
	var limit *LimitError
	if !errors.As(err, &limit) || limit.Limit != "memory" {
		t.Errorf("past its own limit: %v", err)
	}
	b.Close()
	b.Close() // has no effect
	if s.left != size {
		t.Errorf("%d bytes are not given back", size-s.left)
	}
	other := New(context.Background(), Limits{Shared: &shared{shareStep}})
	err = other.Grow(shareStep + 1)
	if !errors.As(err, &limit) || limit.Limit != "shared memory" || err.Error() != "the query needs more memory than is free now: nothing is free" {
		t.Errorf("past what is shared: %v", err)
	}
	other.Close()
}
