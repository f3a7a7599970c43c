package persist

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/segraph/segraph/resolver"
	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/engine"
	"github.com/segraph/segraph/store/log/journal"
)

// The URIs of all boxes that answered an observation lead to its context, and go with it.
func TestEachBoxsURILeadsToTheContext(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	g, r := resolved(t, s)
	text, err := json.Marshal(resolver.Observation{EventKind: "heard", ObservedAt: "2026-02-11T09:00:00.000Z", Text: "hello", RobotURI: "http://ex/ari", ObservationURI: "http://ex/msg/1"})
	if err != nil {
		t.Fatal(err)
	}
	boxes := []string{"http://box-a/c1", "http://box-b/c9", "http://box-b/c9", "http://box-c/c2"}
	for _, box := range boxes {
		e := entryOf(journal.Resolve)
		e.Context = box
		wait, err := g.Observe(t.Context(), text, e, func(*engine.Tx, bool) error { return nil })
		if err == nil {
			err = wait()
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, box := range boxes {
		if x, err := r.Context(t.Context(), box, 1, 0); err != nil || x == nil {
			t.Errorf("%s leads to %v, %v", box, x, err)
		}
	}
	mustCheck(t, s)
	old := store.Expiry{Rules: []store.ExpiryRule{{Before: time.Date(2026, 2, 12, 0, 0, 0, 0, time.UTC), ByEvent: true}}}
	var gone []string
	err = g.ExpireContexts(t.Context(), old, nil, func(*engine.Tx, []int, []uint64) error { return nil })
	for _, box := range boxes {
		if _, err := r.Context(t.Context(), box, 1, 0); err == nil {
			gone = append(gone, box)
		}
	}
	if err != nil || len(gone) > 0 {
		t.Errorf("after all is too old, there is %v, %v", gone, err)
	}
	mustCheck(t, s)
}
