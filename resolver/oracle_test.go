package resolver_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/segraph/segraph/internal/suite"
	"github.com/segraph/segraph/resolver"
	"github.com/segraph/segraph/resolver/memory"
)

// TestAListThatWasReadBeforeCanBeWorkedThrough works through a queue like the kit's
// reviewer, who knows the truth and reads the whole queue first. Earlier decisions merge
// contexts of later cases. No decision may be refused.
func TestAListThatWasReadBeforeCanBeWorkedThrough(t *testing.T) {
	suite.NotShort(t)
	suite.OneGoroutine(t)
	s := generate(t, "drift", 0, suite.Times(0, 1200))
	random := rand.New(rand.NewPCG(1, 0))
	for i := range s.observations { // in the order of several concurrent clients
		j := min(len(s.observations)-1, i+random.IntN(4))
		s.observations[i], s.observations[j] = s.observations[j], s.observations[i]
		s.truths[i], s.truths[j] = s.truths[j], s.truths[i]
	}
	ctx := t.Context()
	r := open(t, lean{&memory.Store{}})
	founder := map[string]string{}
	for i, o := range s.observations {
		x := resolve(t, r, o)
		if _, known := founder[x.SharedContextURI]; !known {
			founder[x.SharedContextURI] = s.truths[i].Event
		}
	}
	if _, err := r.Reconcile(ctx, judge); err != nil {
		t.Fatal(err)
	}
	for round := 0; ; round++ {
		queue, err := r.Pending(ctx, len(s.observations), 0, nil)
		if err != nil {
			t.Fatal(err)
		}
		if len(queue.PendingCases) == 0 {
			break
		}
		if round == 10 {
			t.Fatalf("%d cases are left after ten rounds", len(queue.PendingCases))
		}
		for _, k := range queue.PendingCases {
			decide := func() (*resolver.Verdict, error) { return r.Reject(ctx, k.CaseID, judge) }
			for _, c := range k.Candidates {
				if founder[c.ContextURI] == founder[k.SourceContextURI] {
					decide = func() (*resolver.Verdict, error) { return r.Accept(ctx, k.CaseID, c.ContextURI, false, judge) }
					break
				}
			}
			v, err := decide()
			if err != nil {
				t.Fatal(fmt.Errorf("round %d, %s: %w", round, k.CaseID, err))
			}
			text, err := json.Marshal(v)
			if err != nil {
				t.Fatal(err)
			}
			if dated := bytes.Contains(text, []byte(`"decided_at":`)); dated != (v.Status != "pending") {
				t.Errorf("when it was decided: %s", text)
			}
		}
	}
}
