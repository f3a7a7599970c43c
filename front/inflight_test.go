package front

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
)

func TestInFlightCountsThoseWhoComeWhileOneWaits(t *testing.T) {
	var f inFlight
	if err := f.wait(t.Context()); err != nil {
		t.Errorf("nobody is there: %v", err)
	}
	f.enter()
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := f.wait(ended); !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "1 requests") {
		t.Errorf("a wait that ends first: %v", err)
	}
	var waiting sync.WaitGroup
	for range 3 {
		waiting.Go(func() {
			if err := f.wait(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
	f.enter()
	f.leave()
	f.leave()
	waiting.Wait()
}
