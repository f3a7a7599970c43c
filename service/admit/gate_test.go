package admit

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
)

// A gate lets in what fits, in order of arrival, and refuses those for whom its queue has no
// place.
func TestAGateBoundsWhatIsInsideAndWhatWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := NewGate(10)
		g.QueueSize = 2
		enter := func(ctx context.Context, weight int64) chan error {
			done := make(chan error, 1)
			go func() { done <- g.Enter(ctx, weight) }()
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
		if g.Waiting() != 2 || g.Inside() != 10 {
			t.Fatalf("%d wait and %d are inside", g.Waiting(), g.Inside())
		}
		if err := <-enter(t.Context(), 1); !errors.Is(err, ErrFull) {
			t.Errorf("the third that waits: %v", err)
		}
		g.Leave(6)
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
		if g.Leave(4); g.Waiting() != 0 || g.Inside() != 1 {
			t.Errorf("%d wait and %d are inside", g.Waiting(), g.Inside())
		}
		g.Leave(1)
		in("one that is larger than the gate", enter(t.Context(), 1000))
		if g.Inside() != 10 {
			t.Errorf("it counts as %d", g.Inside())
		}
		g.Leave(1000)
		if g.Inside() != 0 {
			t.Errorf("%d are inside at the end", g.Inside())
		}
	})
}
