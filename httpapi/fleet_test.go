package httpapi

import (
	"context"
	"errors"
	"testing"

	"github.com/segraph/segraph/store/fleet/centre"
	"github.com/segraph/segraph/store/fleet/pack"
)

// scriptedCentre answers as the request says.
type scriptedCentre struct{}

func (scriptedCentre) Receive(_ context.Context, read func() ([]byte, error)) (string, error) {
	sent, err := read()
	if err != nil {
		return "", err
	}
	switch reason := pack.Reason(sent); reason {
	case pack.Garbled, pack.Malformed, pack.Gap, pack.Key, pack.Fork, pack.Altered, pack.Held, pack.Shared:
		return "", &pack.Refusal{Reason: reason, Detail: "x"}
	case "unknown":
		return "", centre.ErrUnknown
	case "broken":
		return "", errors.New("x")
	}
	return "note\n", nil
}

func (scriptedCentre) Newest(log string) (string, error) {
	switch log {
	case "new":
		return "", nil
	case "unknown":
		return "", centre.ErrUnknown
	}
	return "note\n", nil
}

func (scriptedCentre) Boxes() ([]centre.Status, error) { return nil, nil }

// TestACentreRefusesByStatus checks the status of each refusal.
func TestACentreRefusesByStatus(t *testing.T) {
	t.Parallel()
	s := newOpenService(t)
	for body, want := range map[string]int{"pack": 200, "garbled": 400, "malformed": 422, "gap": 409, "key": 403, "fork": 422, "altered": 422, "held": 422, "shared": 422, "unknown": 404, "broken": 500} {
		w := s.do(t, call{method: "POST", path: "/forward", body: body, contentType: pack.MediaType})
		if w.Code != want {
			t.Errorf("%s: %d, want %d: %s", body, w.Code, want, w.Body)
		}
	}
	for log, want := range map[string]int{"box": 200, "new": 204, "unknown": 404} {
		if w := s.do(t, call{method: "GET", path: "/forward?log=" + log}); w.Code != want {
			t.Errorf("%s: %d, want %d: %s", log, w.Code, want, w.Body)
		}
	}
}
