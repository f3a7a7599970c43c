package app

import (
	"cmp"
	"encoding/json"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/segraph/segraph/config"
	"github.com/segraph/segraph/resolver"
	"github.com/segraph/segraph/resolver/persist"
	"github.com/segraph/segraph/service"
	"github.com/segraph/segraph/store/fleet/centre"
	"github.com/segraph/segraph/store/fleet/relay"
	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/store/retries"
)

// decider returns the parts of a centre with an empty file that carry out decisions.
func decider(t *testing.T) *app {
	t.Helper()
	file, err := persist.Open(filepath.Join(t.TempDir(), "segraph.db"), persist.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = file.Close() })
	contexts, err := resolver.Open(file.Contexts(), resolver.Options{Settings: resolver.Defaults(), Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	return &app{file: file, contexts: contexts}
}

// TestADecisionNamesNobodyWhoWasErased carries out decisions that another centre made before it knew of an erasure.
func TestADecisionNamesNobodyWhoWasErased(t *testing.T) {
	t.Parallel()
	const maria, robot = "http://ex/mariamarker", "http://ex/r1"
	a := decider(t)
	g := persist.ResolvedGraph{Graph: a.file, Store: a.file, Resolver: a.contexts}
	if _, err := g.Erase(t.Context(), maria, "", journal.Entry{LogID: journal.NewLogID(), Action: journal.Erasure, Time: time.Now()}); err != nil {
		t.Fatal(err)
	}
	for _, d := range []decision{
		{Do: "relay", ID: maria, Of: robot, Yes: true},
		{Do: "relay", ID: robot, Of: maria, Yes: true},
		{Do: "clock", ID: maria, Offset: new(int64)},
		{Do: "person", Person: &resolver.PersonDecision{Subjects: []string{"http://ex/a", "http://ex/b"}, One: true, Reason: "as <" + maria + "> says"}},
		{Do: "subject", ID: "http://ex/c", Yes: true, Actor: maria}, // is carried out, without her
	} {
		d.LogID, d.Actor = journal.NewLogID(), cmp.Or(d.Actor, "eva")
		text, err := json.Marshal(d)
		if err != nil {
			t.Fatal(err)
		}
		_, refused, err := a.carryOut(t.Context(), text, centre.Place{Stream: "s", Seq: 1, Time: time.Unix(1, 0), Decided: map[string]uint64{"b": 1}})
		if known, ok := errors.AsType[*service.Error](refused); ok != (d.Do != "subject") || ok && known.Kind != service.Conflict || err != nil {
			t.Errorf("%s: refused with %v, %v", text, refused, err)
		}
	}
	if places, err := a.file.Find(t.Context(), "mariamarker", retries.Unpacked); len(places) > 0 || err != nil {
		t.Errorf("she is in %v, %v", places, err)
	}
}

// TestACentreDecidesOnWhatWasSeen carries out decisions, also of another centre, on robots and names that have changed since.
func TestACentreDecidesOnWhatWasSeen(t *testing.T) {
	t.Parallel()
	a := decider(t)
	for i, d := range []decision{{Do: "subject", ID: "http://ex/maria"}, {Do: "relay", ID: "http://ex/r1", Of: "http://ex/r2"}} {
		for seen, want := range map[string]resolver.Code{"another": resolver.Changed, "": ""} {
			text, err := d.written(resolver.AsSeen(t.Context(), seen), journal.Entry{LogID: journal.NewLogID(), Actor: "eva"})
			if err != nil {
				t.Fatal(err)
			}
			d.Yes = !d.Yes // no decision is made again
			_, refused, err := a.carryOut(t.Context(), text, centre.Place{Stream: "s", Seq: uint64(i + 1), Time: time.Unix(1, 0), Decided: map[string]uint64{"b": 1}})
			var known *resolver.Error
			if errors.As(refused, &known); err != nil || (known == nil) != (want == "") || known != nil && known.Code != want {
				t.Errorf("%s: refused with %v, %v, want %q", text, refused, err, want)
			}
		}
	}
}

// TestADecisionIsStoredWithItsPlace carries out decisions of a stream: what a crash leaves has both the decision and
// its place, or neither.
func TestADecisionIsStoredWithItsPlace(t *testing.T) {
	t.Parallel()
	a := decider(t)
	file, contexts := a.file, a.contexts
	hub, err := centre.Open(file.Store, centre.Options{KeyFile: file.Path() + ".centre"})
	if err != nil {
		t.Fatal(err)
	}
	do := func(seq uint64, d decision) (refused, err error) {
		t.Helper()
		d.LogID, d.Actor = journal.NewLogID(), "eva"
		text, err := json.Marshal(d)
		if err != nil {
			t.Fatal(err)
		}
		_, refused, err = a.carryOut(t.Context(), text, centre.Place{Stream: "s", Seq: seq, Time: time.Unix(int64(seq), 0), Decided: map[string]uint64{"b": seq}})
		return refused, err
	}
	place := func(want uint64) {
		t.Helper()
		if at, err := hub.Place(); err != nil || at.Seq != want || at.Decided["b"] != want {
			t.Errorf("the place is %+v, %v, want message %d", at, err, want)
		}
	}
	if refused, err := do(1, decision{Do: "subject", ID: "http://ex/maria"}); refused != nil || err != nil {
		t.Fatal(refused, err)
	}
	place(1)
	for _, d := range []decision{{Do: "accept", ID: "case_7"}, {Do: "undo", ID: "decision_7"}} {
		refused, err := do(2, d)
		if _, ok := errors.AsType[*resolver.Error](refused); !ok || err != nil {
			t.Errorf("%s: %v, %v, want a refusal for good", d.Do, refused, err)
		}
	}
	if _, err := do(3, decision{Do: "divide"}); !errors.Is(err, relay.ErrStopped) {
		t.Errorf("an unknown decision: %v", err)
	}
	if _, _, err := a.carryOut(t.Context(), []byte("{"), centre.Place{}); !errors.Is(err, relay.ErrStopped) {
		t.Errorf("an unreadable decision: %v", err)
	}
	if err := file.Forgotten.Add([]string{"http://ex/ines"}, ""); err != nil {
		t.Fatal(err)
	}
	for _, d := range []decision{{Do: "subject", ID: "http://ex/ines"}, {Do: "person", Person: &resolver.PersonDecision{Subjects: []string{"http://ex/maria", "http://ex/ines"}, One: true}}} {
		refused, err := do(4, d)
		if known, ok := errors.AsType[*service.Error](refused); !ok || known.Kind != service.Conflict || err != nil {
			t.Errorf("a decision on somebody who was erased: %v, %v", refused, err)
		}
	}
	dry := resolver.PersonDecision{Subjects: []string{"http://ex/maria", "http://ex/mary"}, One: true, Dry: true}
	if got, err := (replicated{Resolver: contexts}).DecidePerson(t.Context(), dry, journal.Entry{Actor: "eva"}); err != nil || !got.DryRun {
		t.Errorf("a dry run, which needs no stream: %+v, %v", got, err)
	}
	place(1)
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	if refused, err := do(5, decision{Do: "subject", ID: "http://ex/maria", Yes: true}); refused != nil || err == nil {
		t.Errorf("a decision while nothing can be stored: %v, %v, want an error that is tried again", refused, err)
	}
}

func TestACentreNeedsBoxesAndASecretForAStream(t *testing.T) {
	t.Parallel()
	for want, c := range map[string]*config.Config{
		"":              {ForwardFrom: "nats://a", Boxes: []string{"b"}, SecretKey: "k"},
		"SEGRAPH_BOXES": {ForwardFrom: "nats://a", SecretKey: "k"},
		"SECRET_KEY":    {ForwardFrom: "nats://a", Boxes: []string{"b"}},
	} {
		if err := checkStream(c); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), "needs "+want) {
			t.Errorf("%q: %v", want, err)
		}
	}
}
