package service

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/segraph/segraph/auth"
	"github.com/segraph/segraph/store/holds"
)

// Who waits for an erasure that runs need not wait after the client has left.
func TestNobodyWaitsForAnErasureAfterTheClientHasLeft(t *testing.T) {
	s := &Service{config: Config{Now: time.Now}, erasures: erasures{running: make(chan struct{}, 1)}}
	end, err := s.erasures.alone(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer end()
	gone, leave := context.WithCancel(t.Context())
	leave()
	_, cancel := s.CancelErasure(gone, "x")
	_, confirm := s.ConfirmErasure(gone, auth.Actor{}, "x")
	_, receipt := s.TakeErasureReceipt(gone, "x")
	_, hold := s.Hold(gone, auth.Actor{}, holds.Hold{Log: "l", Reason: "r"})
	for name, err := range map[string]error{"cancel": cancel, "confirm": confirm, "receipt": receipt, "hold": hold, "forwarded": s.EraseForwarded(gone, nil, nil)} {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
