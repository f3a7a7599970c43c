package service

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
)

func TestTextsBecomeSentences(t *testing.T) {
	for text, want := range map[string]string{
		"the disk is full":              "The disk is full.",
		"The disk is full.":             "The disk is full.",
		"is it?":                        "Is it?",
		"wait…":                         "Wait…",
		"über":                          "Über.",
		"event_kind is missing":         "event_kind is missing.", // a member keeps its name
		"schema:name is missing":        "schema:name is missing.",
		"note: it is old":               "Note: it is old.",
		`"x" is not a time`:             `"x" is not a time.`,
		"x":                             "X.",
		"see (the docs)":                "See (the docs).",
		"observed_at: it is in 2300 AD": "observed_at: it is in 2300 AD.",
	} {
		if got := Sentence(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	for n, want := range map[int64]string{0: "0 bytes", 1000: "1000 bytes", 1 << 20: "1 MiB (1048576 bytes)", 16 << 20: "16 MiB (16777216 bytes)", 1<<20 + 1: "1048577 bytes"} {
		if got := BytesText(n); got != want {
			t.Errorf("%d: %q, want %q", n, got, want)
		}
	}
	for want, list := range map[string]string{"a or b": "a b", "a, b or c": "a b c", "a, b, c or d": "a b c d"} {
		if got := Alternatives(strings.Fields(list)); got != want {
			t.Errorf("%s: %q", list, got)
		}
	}
}

// A gate lets in what fits, in order of arrival, and refuses those for whom its queue has no
// place.
func TestAGateBoundsWhatIsInsideAndWhatWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGate(10)
		g.queueSize = 2
		enter := func(ctx context.Context, weight int64) chan error {
			done := make(chan error, 1)
			go func() { done <- g.enter(ctx, weight) }()
			synctest.Wait()
			return done
		}
		in := func(what string, done chan error) {
			t.Helper()
			select {
			case err := <-done:
				if err != nil {
					t.Fatalf("%s: %v", what, err)
				}
			default:
				t.Fatalf("%s waits", what)
			}
		}
		in("the first", enter(t.Context(), 6))
		in("what still fits", enter(t.Context(), 4))
		gone, cancel := context.WithCancel(t.Context())
		large, small := enter(gone, 1000), enter(t.Context(), 1) // 1000 counts as all of it
		if g.waiting() != 2 || g.inside() != 10 {
			t.Fatalf("%d wait and %d are inside", g.waiting(), g.inside())
		}
		if err := <-enter(t.Context(), 1); !errors.Is(err, errFull) {
			t.Errorf("the third that waits: %v", err)
		}
		g.leave(6)
		synctest.Wait()
		select {
		case err := <-small:
			t.Errorf("the small one overtakes the large one: %v", err)
		default:
		}
		cancel()
		if err := <-large; !errors.Is(err, context.Canceled) {
			t.Errorf("the one whose client is gone: %v", err)
		}
		synctest.Wait()
		in("the small one", small)
		if g.leave(4); g.waiting() != 0 || g.inside() != 1 {
			t.Errorf("%d wait and %d are inside", g.waiting(), g.inside())
		}
		g.leave(1)
		in("one that is larger than the gate", enter(t.Context(), 1000))
		if g.inside() != 10 {
			t.Errorf("it counts as %d", g.inside())
		}
		g.leave(1000)
		if g.inside() != 0 {
			t.Errorf("%d are inside at the end", g.inside())
		}
	})
}
