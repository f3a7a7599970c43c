package resolver_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/segraph/segraph/internal/suite"
	"github.com/segraph/segraph/resolver"
	"github.com/segraph/segraph/resolver/memory"
	"github.com/segraph/segraph/resolver/record"
)

// TestAFailedCommitLeavesNothingBehind lets commits fail while eight clients use the
// resolver. They fail when they are submitted, or on their way to the disk, together
// with decisions based on them. Every answered decision is stored. No failed one is,
// and later decisions do not depend on it.
func TestAFailedCommitLeavesNothingBehind(t *testing.T) {
	suite.NotShort(t)
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
	t.Run("on its way", func(t *testing.T) { leavesNothing(t, &memory.Store{OnWait: fails}, full) })
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
	store.Failing, store.OnWait = nil, nil
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

// vanishing is a store whose first change is lost while a certain record is being read.
type vanishing struct {
	memory.Store
	key       []byte
	submitted chan struct{} // receives after the first change was submitted
	lose      func()        // loses it
}

func (v *vanishing) Submit(ctx context.Context, c resolver.Change) (func() error, error) {
	wait, err := v.Store.Submit(ctx, c)
	if err != nil || v.lose != nil {
		return wait, err
	}
	gone := make(chan struct{})
	v.lose = sync.OnceFunc(func() { _ = wait(); close(gone) })
	v.submitted <- struct{}{}
	return func() error { <-gone; return wait() }, nil
}

func (v *vanishing) Get(key []byte) ([]byte, error) {
	if bytes.Equal(key, v.key) {
		v.lose()
	}
	return v.Store.Get(key)
}

// TestADecisionOnALostChangeFailsForItsReason loses a change while another decision reads
// its records. The caller learns why the change was lost, not that a record is missing.
func TestADecisionOnALostChangeFailsForItsReason(t *testing.T) {
	full := errors.New("no room")
	store := &vanishing{key: record.ContextKey(1), submitted: make(chan struct{}, 1)}
	store.OnWait = func() error { return full }
	r := open(t, store)
	decide := func(at, robot, text string) error {
		_, err := r.Resolve(t.Context(), said(at, maria, "https://ex/robot/"+robot, text), "tester")
		return err
	}
	first := make(chan error, 1)
	go func() { first <- decide("2026-02-11T09:12:00.150001Z", "1", "the same sentence twice") }()
	<-store.submitted
	r.Evict()
	if err := decide("2026-02-11T09:12:00.250001Z", "3", "the same sentence twice"); !errors.Is(err, full) {
		t.Errorf("a decision on what was lost: %v, want %v", err, full)
	}
	if err := <-first; !errors.Is(err, full) {
		t.Errorf("the decision that was lost: %v, want %v", err, full)
	}
}

// TestARefusalAfterALossIsAnsweredAsItIs refuses a change after another one was lost, whose error no longer counts.
func TestARefusalAfterALossIsAnsweredAsItIs(t *testing.T) {
	lost, refused := errors.New("the disk is full"), errors.New("too many requests")
	store := &memory.Store{OnWait: func() error { return lost }}
	r := open(t, store)
	if _, err := r.Resolve(t.Context(), said("2026-02-11T09:12:00.150001Z", maria, ari, news), "tester"); !errors.Is(err, lost) {
		t.Fatal(err)
	}
	store.OnWait, store.Failing = nil, func([]resolver.Change) error { return refused }
	if _, err := r.Resolve(t.Context(), said("2026-02-11T09:13:00.150001Z", maria, ari, news), "tester"); !errors.Is(err, refused) {
		t.Error(err)
	}
}

// TestARefusedChangeCostsOthersNothing refuses a change, as for a robot that signs too fast. The caches stay, but do not
// have what was refused.
func TestARefusedChangeCostsOthersNothing(t *testing.T) {
	refused := errors.New("too many requests")
	store := &memory.Store{}
	r := open(t, store)
	resolve(t, r, said("2026-02-11T09:12:00.150001Z", maria, ari, news))
	for range 2 {
		store.Failing = func([]resolver.Change) error { return refused }
		if _, err := r.Resolve(t.Context(), said("2026-02-11T09:13:00.150001Z", maria, ari, news), "tester"); !errors.Is(err, refused) {
			t.Fatal(err)
		}
		store.Failing = nil
	}
	if x := resolve(t, r, said("2026-02-11T09:13:00.350001Z", maria, tiago, news)); x.Outcome != resolver.Created {
		t.Errorf("after a refused report there is %+v", x)
	}
	series := 0
	from, to := record.SeriesRange()
	if err := store.Scan(from, to, func(_, _ []byte) bool { series++; return true }); err != nil || series != 1 {
		t.Errorf("%d series of names, %v: the memory was emptied", series, err)
	}
}
