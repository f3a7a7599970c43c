package service

import (
	"errors"
	"strings"
	"testing"

	"github.com/segraph/segraph/internal/memory"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql/budget"
)

func TestAPageKeepsManyShortTextsAndFewLongOnes(t *testing.T) {
	t.Parallel()
	var kept Kept
	for range 100_000 {
		if err := kept.Add(rdf.NewString(strings.Repeat("x", 1000))); err != nil {
			t.Fatal(err)
		}
	}
	long, n := rdf.NewString(strings.Repeat("x", 15<<20)), 0
	var err error
	for ; err == nil && n < 10; n++ {
		err = kept.Add(long)
	}
	if e, ok := errors.AsType[*Error](err); n != 5 || !ok || e.Kind != TooLarge {
		t.Errorf("%v after %d", err, n)
	}
}

// A page takes what it has waited for, and then what is free.
func TestAPageTakesMemoryBeyondWhatItWaitedFor(t *testing.T) {
	t.Parallel()
	pool := memory.NewPool(1 << 20)
	kept := Kept{free: 1000, memory: budget.New(t.Context(), budget.Limits{Shared: pool})}
	defer kept.memory.Close()
	if err := kept.Take(1000); err != nil || pool.Used() != 0 {
		t.Errorf("%d bytes, %v", pool.Used(), err)
	}
	if err := kept.Take(100_000); err != nil || pool.Used() < 100_000 {
		t.Errorf("%d bytes, %v", pool.Used(), err)
	}
	if e := ErrorOf(kept.Take(2 << 20)); e == nil || e.Kind != Unavailable {
		t.Errorf("more than there is: %v", e)
	}
}
