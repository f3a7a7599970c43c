package persist

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/segraph/segraph/resolver"
	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/holds"
	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/store/turtle"
)

// A hold on an observation, on its time, which may have no zone, or on somebody whom it names refuses an erasure, also after
// another erasure in its context. So does a hold on somebody whom a log names that would lose something.
func TestAHoldOutlastsAnotherErasure(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	g, _ := resolved(t, s)
	const juan, maria, paul = "http://ex/id/juan", "http://ex/id/maria", "http://ex/id/paul"
	var observation journal.Entry
	for _, o := range []resolver.Observation{{SubjectURI: juan}, {SubjectURI: maria, LocationURI: juan + "/room", RobotURI: paul + "#robot"}} {
		o.EventKind, o.ObservedAt, o.Text, observation = "heard", "2026-01-01T12:00:00", "hello there dear robot of mine", entryOf(journal.Resolve)
		if _, err := g.Resolver.Record(t.Context(), o, observation); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := g.Erase(t.Context(), juan, "", entryOf(journal.Erasure)); err != nil {
		t.Fatal(err)
	}
	publish(t, s, "<urn:m> <http://schema.org/sender> <"+maria+"> ; <http://schema.org/text> \"I hit John\" ; <http://schema.org/about> <http://ex/id/john> .")
	noon := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	all := holds.Of(s.Store)
	if _, err := all.Add(t.Context(), holds.Hold{People: []string{"http://ex/id/jane"}, Reason: "of nobody"}, entryOf(journal.Hold).Complete()); err != nil {
		t.Fatal(err)
	}
	for _, h := range []holds.Hold{{Log: observation.LogID}, {From: noon, To: noon.Add(time.Second)}, {People: []string{paul}}, {People: []string{"http://ex/id/john"}}} {
		h.Reason = "a case"
		h, err := all.Add(t.Context(), h, entryOf(journal.Hold).Complete())
		if err != nil {
			t.Fatal(err)
		}
		_, err = g.PreviewErasure(t.Context(), maria, "", entryOf(journal.Erasure))
		if unfit, ok := errors.AsType[*store.UnfitError](err); !ok || !strings.Contains(unfit.Detail, "a case") {
			t.Errorf("under a hold on %v: %v", &h, err)
		}
		if _, _, err := all.Lift(t.Context(), h.ID, entryOf(journal.Lift).Complete()); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := g.PreviewErasure(t.Context(), maria, "", entryOf(journal.Erasure)); err != nil {
		t.Errorf("under another hold: %v", err)
	}
}

// A hold on a log, or on its time, keeps also who sent it, so nothing that the log says need go. A hold on somebody whom a log names as an
// xsd:anyURI keeps the log.
func TestAHoldKeepsWhoSentALog(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	g, _ := resolved(t, s)
	sent := entryOf(journal.Insert).Complete()
	sent.Triples, sent.Actor = 1, personA
	if _, err := s.Add(t.Context(), document(t, turtle.Turtle, "<urn:robot> <urn:hit> <urn:wall> ."), sent); err != nil {
		t.Fatal(err)
	}
	const named = "http://ex/id/named"
	publish(t, s, "<urn:m> <http://schema.org/sender> <"+other+"> ; <http://ex/about> \""+named+"#me\"^^<http://www.w3.org/2001/XMLSchema#anyURI> .")
	all := holds.Of(s.Store)
	for _, c := range []struct {
		holds.Hold
		erased string
	}{
		{holds.Hold{Log: sent.LogID}, personA},
		{holds.Hold{From: sent.Time.Add(-time.Hour), To: sent.Time.Add(time.Hour)}, personA},
		{holds.Hold{People: []string{named}}, other},
	} {
		c.Reason = "a case"
		h, err := all.Add(t.Context(), c.Hold, entryOf(journal.Hold).Complete())
		if err != nil {
			t.Fatal(err)
		}
		_, err = g.PreviewErasure(t.Context(), c.erased, "", entryOf(journal.Erasure))
		if _, unfit := errors.AsType[*store.UnfitError](err); !unfit {
			t.Errorf("under a hold on %v: %v", &h, err)
		}
		if _, _, err := all.Lift(t.Context(), h.ID, entryOf(journal.Lift).Complete()); err != nil {
			t.Fatal(err)
		}
	}
}

// A hold keeps a log that a box withdraws: one on the log, on its time, here or at the box, or on somebody whom it names.
func TestHoldsKeepLogs(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	g, _ := resolved(t, s)
	sent := entryOf(journal.Insert).Complete()
	sent.Triples, sent.Box, sent.BoxTime = 1, "hall-1", sent.Time.Add(-100*time.Hour)
	if _, err := s.Add(t.Context(), document(t, turtle.Turtle, "<urn:robot> <urn:hit> <"+personA+"#arm> ."), sent); err != nil {
		t.Fatal(err)
	}
	publish(t, s, "<urn:robot> <urn:saw> <urn:wall> .")
	other := entries(t, s)[1].LogID
	all := holds.Of(s.Store)
	for _, h := range []holds.Hold{{Log: sent.LogID}, {From: sent.BoxTime, To: sent.BoxTime.Add(time.Hour)}, {People: []string{personA}}} {
		h, err := all.Add(t.Context(), h, entryOf(journal.Hold).Complete())
		if err != nil {
			t.Fatal(err)
		}
		held, err := g.HeldLogs(t.Context(), []string{other, sent.LogID, journal.NewLogID()}, time.Now())
		if err != nil || !slices.Equal(held, []string{sent.LogID}) {
			t.Errorf("under a hold on %v: %q, %v", &h, held, err)
		}
		if _, _, err := all.Lift(t.Context(), h.ID, entryOf(journal.Lift).Complete()); err != nil {
			t.Fatal(err)
		}
	}
	if held, err := g.HeldLogs(t.Context(), []string{sent.LogID}, time.Now()); err != nil || len(held) > 0 {
		t.Errorf("without a hold: %q, %v", held, err)
	}
}
