package resolver_test

import (
	"errors"
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/segraph/segraph/resolver"
	"github.com/segraph/segraph/resolver/memory"
)

// TestAFailedCommitLeavesNothingBehind lets commits fail beneath eight clients at once, when they are submitted or, with
// decisions built on them, on their way to the disk: whatever was
// answered is stored, whatever failed is not, and what comes next is decided as if it had never been.
func TestAFailedCommitLeavesNothingBehind(t *testing.T) {
	var applied atomic.Int64
	full := errors.New("no room")
	fails := func() error {
		if applied.Add(1)%3 == 0 {
			return full
		}
		return nil
	}
	t.Run("submitted", func(t *testing.T) {
		leavesNothing(t, &memory.Store{Failing: func([]resolver.Change) error { return fails() }}, full)
	})
	t.Run("on its way", func(t *testing.T) { leavesNothing(t, &memory.Store{Losing: fails}, full) })
}

func leavesNothing(t *testing.T, store *memory.Store, full error) {
	r := open(t, store)
	type answer struct {
		o   resolver.Observation
		uri string
	}
	answers := make(chan []answer)
	for client := range 8 {
		go func() {
			var out []answer
			for i := range 40 {
				o := said(fmt.Sprintf("2026-02-11T09:12:%02d.%d50001Z", i, client), maria, fmt.Sprintf("https://ex/robot/%d", client), fmt.Sprintf("sentence number %d of forty", i))
				x, err := r.Resolve(t.Context(), o, "tester")
				if err == nil {
					out = append(out, answer{o, x.SharedContextURI})
				} else if !errors.Is(err, full) {
					t.Error(err)
				}
			}
			answers <- out
		}()
	}
	var all []answer
	for range 8 {
		all = append(all, <-answers...)
	}
	if len(all) == 0 || len(all) == 320 {
		t.Fatalf("%d of 320 were answered", len(all))
	}
	store.Failing, store.Losing = nil, nil
	stats, err := r.Stats(t.Context())
	if err != nil || int(stats.Observations) != len(all) {
		t.Errorf("%d observations are known of %d that were answered, %v", stats.Observations, len(all), err)
	}
	for _, r := range []*resolver.Resolver{r, open(t, store)} { // in memory, and as stored
		for _, a := range all {
			if x := resolve(t, r, a.o); !x.Duplicate || x.SharedContextURI != a.uri {
				t.Fatalf("%s was answered, and now %+v", a.uri, x)
			}
		}
	}
}
