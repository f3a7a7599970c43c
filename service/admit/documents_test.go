package admit

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/segraph/segraph/internal/memory"
)

func TestOnlySoManyDocumentsAreReadAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := NewDocuments(nil, 2, 1<<20, time.Minute)
		reading, most := 0, 0
		var mu sync.Mutex
		count := func(n int) {
			mu.Lock()
			defer mu.Unlock()
			reading += n
			most = max(most, reading)
		}
		for range 20 {
			go func() {
				turn, err := l.Begin(t.Context(), smallDocument+1)
				if err != nil {
					t.Error(err)
					return
				}
				defer turn.End()
				count(1)
				time.Sleep(time.Second) // reading, on the fake clock
				count(-1)
				turn.Checked()
				time.Sleep(time.Hour) // writing to the disk, which needs no processor
			}()
		}
		time.Sleep(10*time.Second + time.Millisecond)
		synctest.Wait()
		if most != 2 || reading != 0 || l.processors.Inside() != 0 || l.memory.Inside() != 20*(smallDocument+1) {
			t.Errorf("%d at most, %d still; %d processors and %d bytes are held", most, reading, l.processors.Inside(), l.memory.Inside())
		}
		time.Sleep(2 * time.Hour)
		if l.memory.Inside() != 0 {
			t.Errorf("%d bytes are held", l.memory.Inside())
		}
	})
}

func TestADocumentThatWaitsEndsWithItsClient(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, busy := range []string{"memory", "processors"} {
			l := NewDocuments(nil, 1, 1<<20, time.Minute)
			if busy == "memory" {
				l.memory = NewGate(10_000)
			}
			turn, err := l.Begin(t.Context(), 10_000)
			if err != nil {
				t.Fatal(err)
			}
			ctx, hangUp := context.WithCancel(t.Context())
			ended := make(chan error)
			go func() {
				_, err := l.Begin(ctx, 10_000)
				ended <- err
			}()
			synctest.Wait()
			hangUp()
			if err := <-ended; !errors.Is(err, context.Canceled) {
				t.Errorf("%s: got %v", busy, err)
			}
			turn.End()
			turn.End() // no effect
			if l.memory.Inside() != 0 || l.processors.Inside() != 0 {
				t.Errorf("%s: %d bytes and %d processors are held", busy, l.memory.Inside(), l.processors.Inside())
			}
		}
	})
}

// Otherwise the last lines of a batch would be stored while those before them are refused.
func TestATurnThatWasLostStaysLost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := NewDocuments(nil, 1, 1<<20, time.Minute)
		first, err := l.Begin(t.Context(), 10_000)
		if err != nil {
			t.Fatal(err)
		}
		defer first.End()
		got := make(chan *Turn)
		go func() {
			other, err := l.Begin(t.Context(), 10_000)
			if err != nil {
				t.Error(err)
			}
			got <- other
		}()
		synctest.Wait()
		lost := first.Yield(t.Context()) // the other one has the processor now, and keeps it
		other := <-got
		for range 2 {
			if again := first.Yield(t.Context()); lost == nil || !errors.Is(again, lost) {
				t.Errorf("the turn was lost with %v, and then %v", lost, again)
			}
		}
		other.End()
	})
}

// Bodies to decompress do not wait one after the other, each as long as one may.
func TestDecompressingWaitsNoLongerThanADocument(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := NewDocuments(memory.NewPool(decompressorSize), 1, 1<<20, 10*time.Second)
		give, err := l.shared.Wait(t.Context(), decompressorSize)
		if err != nil {
			t.Fatal(err)
		}
		var waiting sync.WaitGroup
		began := time.Now()
		for range 5 {
			waiting.Go(func() {
				_, err := l.BeginDecompressing(t.Context())
				if busy, ok := errors.AsType[*BusyError](err); !ok || busy.Patience != l.patience || time.Since(began) != l.patience {
					t.Errorf("after %v: %v", time.Since(began), err)
				}
			})
		}
		waiting.Wait()
		give()
		end, err := l.BeginDecompressing(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		ctx, hangUp := context.WithCancel(t.Context())
		hangUp()
		if _, err := l.BeginDecompressing(ctx); !errors.Is(err, context.Canceled) {
			t.Errorf("its client is gone: %v", err)
		}
		if end(); l.decoders.Inside() != 0 || l.shared.Used() != 0 {
			t.Errorf("%d slots and %d bytes are held", l.decoders.Inside(), l.shared.Used())
		}
	})
}
