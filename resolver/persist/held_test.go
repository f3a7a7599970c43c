package persist

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/segraph/segraph/resolver"
	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/holds"
	"github.com/segraph/segraph/store/log/journal"
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
