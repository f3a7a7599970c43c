package persist

import (
	"fmt"
	"strings"
	"testing"

	"github.com/segraph/segraph/resolver"
	"github.com/segraph/segraph/store/engine"
	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/store/log/tree"
	"github.com/segraph/segraph/store/turtle"
)

// TestEveryResolvedObservationHasAnEntry also checks that a repeat, which writes nothing,
// has none, and that an observation is no log.
func TestEveryResolvedObservationHasAnEntry(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	_, r := resolved(t, s)
	var answers []*resolver.Resolution
	for i := range 3 {
		o := resolver.Observation{EventKind: "wave", ObservedAt: fmt.Sprintf("2026-02-11T09:1%d:13Z", i), RobotURI: "http://e/ari",
			SubjectURI: "http://e/maria", Modality: "vision", ObservationURI: fmt.Sprint("http://e/o", i)}
		for range 2 {
			a, err := r.Record(t.Context(), o, journal.Entry{Actor: "ari", Address: "192.0.2.1", RequestID: fmt.Sprint("r", i)})
			if err != nil {
				t.Fatal(err)
			}
			if !a.Duplicate {
				answers = append(answers, a)
			}
		}
	}
	es := entries(t, s)
	if len(es) != 3 || len(answers) != 3 {
		t.Fatalf("%d entries of %d answers", len(es), len(answers))
	}
	for i, e := range es {
		a := answers[i]
		if e.Action != journal.Resolve || e.Actor != "ari" || e.Kind != "wave" || e.Observed != fmt.Sprintf("2026-02-11T09:1%d:13Z", i) || e.Robot != "http://e/ari" ||
			e.Context != a.SharedContextURI || e.Outcome != string(a.Outcome) || e.Decision != *a.DecisionID || e.RequestID != fmt.Sprint("r", i) || e.Time.IsZero() {
			t.Errorf("entry %d is %+v, and the answer %+v", i, e, a)
		}
		if log, err := s.Log(t.Context(), e.LogID, 10); err != nil || log.Total != 0 {
			t.Errorf("entry %d contributes %d triples, %v", i, log.Total, err)
		}
	}
	mustCheck(t, s)
}

// TestErasedContentLeavesItsCommitment withdraws a log and deletes everything. The tree's leaves never change.
func TestErasedContentLeavesItsCommitment(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	post := func(text string) journal.Entry {
		t.Helper()
		e := journal.Entry{LogID: journal.NewLogID(), Action: journal.Insert, Actor: "ari", Address: "192.0.2.1", Secret: journal.NewSecret(), Triples: 1}
		e.Commitment = e.Secret.Content().Commit([]byte(text))
		if _, err := s.Add(t.Context(), document(t, turtle.Turtle, text), e); err != nil {
			t.Fatal(err)
		}
		return e
	}
	one, two := post("<http://e/a> <http://e/b> 1 ."), post("<http://e/a> <http://e/b> 2 .")
	expect := func(when string, erased ...bool) {
		t.Helper()
		err := s.View(func(snap *engine.Snapshot) error {
			for i, e := range []journal.Entry{one, two} {
				got, err := journal.Get(snap.KV(), uint64(i+1))
				if err != nil {
					return err
				}
				if got.Commitment != e.Commitment || got.Erased.Has(journal.Content) != erased[i] || (got.Address == "") != erased[i] {
					t.Errorf("%s: log %d is %+v", when, i+1, got)
				}
			}
			h, err := tree.HeadOf(snap.KV())
			if h.Size != journal.Count(snap.KV()) {
				t.Errorf("%s: the tree has %d entries", when, h.Size)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		mustCheck(t, s)
	}
	expect("at first", false, false)
	if _, err := s.Withdraw(t.Context(), one.LogID, journal.Entry{Action: journal.Withdraw, Actor: "eva"}); err != nil {
		t.Fatal(err)
	}
	expect("after a withdrawal", true, false)
	if _, err := s.Clear(t.Context(), false, journal.Entry{Action: journal.Clear}); err != nil {
		t.Fatal(err)
	}
	expect("after everything was deleted", true, true)
}

// TestWhatStaysKeepsItsSalt deletes the published graph beside a named one.
func TestWhatStaysKeepsItsSalt(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	for _, text := range []string{
		"<http://e/a> <http://e/b> 1 .",                                              // published
		"<http://e/g> { <http://e/a> <http://e/b> 2 }",                               // in a named graph
		"<http://e/c> <http://e/b> 3 . <http://e/g> { <http://e/a> <http://e/b> 3 }", // a part of it is deleted
	} {
		if _, err := s.Load(t.Context(), strings.NewReader(text), turtle.TriG, turtle.Options{}, journal.Entry{Actor: "ari", Address: "192.0.2.1"}, nil); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := s.Clear(t.Context(), true, journal.Entry{Action: journal.Clear}); err != nil {
		t.Fatal(err)
	}
	for i, e := range entries(t, s)[:3] {
		if stays := i == 1; (e.Address != "") != stays || (e.SHA256 != "") != stays || e.Commitment == "" {
			t.Errorf("log %d is %+v", i+1, e)
		}
	}
	mustCheck(t, s)
}
