package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/segraph/segraph/internal/suite"
	"github.com/segraph/segraph/resolver"
	"github.com/segraph/segraph/resolver/persist"
	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/store/turtle"
)

// exampleNames is the source of names and exampleTime the clock while the store of the
// documentation's examples is made, so that both match its pages.
const exampleNames = "a museum at nine"

var exampleTime = time.Date(2026, 2, 11, 9, 30, 0, 0, time.UTC)

// fillExamples creates the store of the documentation's examples: what three robots
// observed and published in a museum, with two decided cases and one undecided.
func fillExamples(t *testing.T, file string) {
	t.Helper()
	if err := tryFillExamples(t.Context(), file, filepath.Join(suite.Root(t), "docs", "examples")); err != nil {
		t.Fatal(err)
	}
}

func tryFillExamples(ctx context.Context, file, examples string) (err error) {
	observations, err := os.ReadFile(filepath.Join(examples, "observations.jsonl"))
	if err != nil {
		return err
	}
	log, err := os.ReadFile(filepath.Join(examples, "museum.ttl"))
	if err != nil {
		return err
	}
	s, err := persist.Open(file, persist.Options{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	now := exampleTime
	contexts, err := resolver.Open(s.Contexts(), resolver.Options{
		Settings: resolver.Defaults(), Random: strings.NewReader(exampleNames + strings.Repeat("secret", 6000)),
		Now: func() time.Time { now = now.Add(time.Second); return now },
	})
	if err != nil {
		return err
	}
	for line := range bytes.Lines(observations) {
		var o resolver.Observation
		if err := json.Unmarshal(line, &o); err != nil {
			return err
		}
		if _, err := contexts.Resolve(ctx, o, path.Base(o.RobotURI)); err != nil {
			return err
		}
	}
	if err := decideExamples(ctx, contexts, now); err != nil {
		return err
	}
	e := journal.Entry{LogID: journal.NewLogID(), Action: journal.Insert, Time: now, Actor: "demo", Claimed: "ari"}
	_, err = s.Load(ctx, bytes.NewReader(log), turtle.Turtle, turtle.Options{}, e, nil)
	return err
}

// decideExamples accepts the first case of the examples and rejects the second.
func decideExamples(ctx context.Context, contexts *resolver.Resolver, now time.Time) error {
	queue, err := contexts.Pending(ctx, 3, 0, nil)
	if err != nil {
		return err
	}
	if len(queue.PendingCases) != 3 {
		return fmt.Errorf("the observations open %d cases, want 3", len(queue.PendingCases))
	}
	entry := func(action journal.Action) journal.Entry {
		return journal.Entry{LogID: journal.NewLogID(), Action: action, Actor: "eva", Time: now}
	}
	if _, err := contexts.Accept(ctx, queue.PendingCases[0].CaseID, "", false, entry(journal.Accept)); err != nil {
		return err
	}
	_, err = contexts.Reject(ctx, queue.PendingCases[1].CaseID, entry(journal.Reject))
	return err
}
