package service

import (
	"context"
	"testing"
	"time"

	"github.com/segraph/segraph/auth"
	"github.com/segraph/segraph/resolver"
	"github.com/segraph/segraph/store/log/journal"
)

// merging are contexts with one pending case, whose target a was merged with its source after the case was listed. Its target b
// is left.
type merging struct {
	Contexts
	accepted string
}

func (m *merging) Accept(_ context.Context, _, target string, _ bool, _ journal.Entry) (*resolver.Verdict, error) {
	if m.accepted = target; target == "a" {
		return &resolver.Verdict{Status: "pending", AlreadyDecided: true}, nil
	}
	return &resolver.Verdict{Status: "accepted"}, nil
}

// TestABatchAcceptsTheTargetThatMatched decides a case whose best target is another one by then. A person has to look at it.
func TestABatchAcceptsTheTargetThatMatched(t *testing.T) {
	contexts := &merging{}
	run := batchRun{service: &Service{config: Config{Contexts: contexts, Now: time.Now}}, by: auth.Actor{Username: "ari"},
		batch: &Batch{ID: "b", Accept: true}, closed: map[string]bool{}, until: time.Now().Add(time.Hour)}
	done, err := run.decide(t.Context(), []resolver.Waiting{{CaseID: "k", Target: "a"}})
	if !done || err != nil || contexts.accepted != "a" || len(run.batch.Refused) != 1 {
		t.Errorf("it accepted %q and left %v, %v, %v", contexts.accepted, run.batch.Refused, done, err)
	}
}
