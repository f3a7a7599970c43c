package holds_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/engine"
	"github.com/segraph/segraph/store/holds"
	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/store/notes"
)

var noon = time.Date(2026, 11, 26, 12, 0, 0, 0, time.UTC)

// TestAHoldEndsOnItsDayOrWhenItIsLifted checks also that the journal says so.
func TestAHoldEndsOnItsDayOrWhenItIsLifted(t *testing.T) {
	t.Parallel()
	file, err := engine.Open(filepath.Join(t.TempDir(), "segraph.db"), engine.Options{Extensions: []engine.Extension{(&notes.Notes{}).Extension()}})
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	s := holds.Of(file)
	entry := func(a journal.Action, at time.Time) journal.Entry {
		return journal.Entry{LogID: journal.NewLogID(), Action: a, Actor: "eve", Time: at}
	}
	add := func(h holds.Hold, at time.Time) holds.Hold {
		t.Helper()
		if h, err = s.Add(t.Context(), h, entry(journal.Hold, at)); err != nil {
			t.Fatal(err)
		}
		return h
	}
	count := func(at time.Time, want int) {
		t.Helper()
		if all, err := s.All(at); err != nil || len(all) != want {
			t.Errorf("at %v: %v %v, want %d", at, all, err, want)
		}
	}
	first := add(holds.Hold{Log: "l", Reason: "case 7"}, noon)
	add(holds.Hold{People: []string{"urn:p"}, Reason: "case 8", Until: noon.Add(time.Hour)}, noon)
	count(noon, 2)
	count(noon.Add(time.Hour), 1)
	if h, ok, err := s.Lift(t.Context(), first.ID, entry(journal.Lift, noon)); err != nil || !ok || h.Reason != "case 7" || h.By != "eve" {
		t.Errorf("%v %v %v", h, ok, err)
	}
	if _, ok, err := s.Lift(t.Context(), first.ID, entry(journal.Lift, noon)); err != nil || ok {
		t.Errorf("lifted twice: %v %v", ok, err)
	}
	count(noon, 1)
	var got []string
	err = file.View(func(snap *engine.Snapshot) error {
		for seq := uint64(1); seq <= journal.Count(snap.KV()); seq++ {
			e, err := journal.Get(snap.KV(), seq)
			if err != nil {
				return err
			}
			got = append(got, fmt.Sprint(e.Action, ": ", e.Subject, ": ", e.Detail))
		}
		return nil
	})
	want := []string{"hold: the log l: case 7", "hold: urn:p: case 8; until 2026-11-26T13:00:00Z", "lift hold: the log l: case 7"}
	if fmt.Sprint(got) != fmt.Sprint(want) || err != nil {
		t.Errorf("%q %v, want %q", got, err, want)
	}
	for range notes.MaxOwned { // those that have ended count no more
		add(holds.Hold{Log: "l", Reason: "r"}, noon.Add(2*time.Hour))
	}
	var unfit *store.UnfitError
	if _, err := s.Add(t.Context(), holds.Hold{Log: "l", Reason: "r"}, entry(journal.Hold, noon.Add(2*time.Hour))); !errors.As(err, &unfit) {
		t.Errorf("one too many: %v", err)
	}
}

// TestWhatAHoldIsOn is a table of persons and logs.
func TestWhatAHoldIsOn(t *testing.T) {
	t.Parallel()
	person := holds.Hold{People: []string{"urn:a/maria", "urn:b/mary"}}
	for iri, want := range map[string]bool{"urn:a/maria": true, "urn:b/mary#face": true, "urn:a": true, "urn:a/marianne": false, "urn:b/mar": false, "urn:c": false} {
		if person.OfPerson(iri) != want {
			t.Errorf("%s: %v", iri, !want)
		}
	}
	day := holds.Hold{From: noon, To: noon.Add(time.Hour)}
	for _, x := range []struct {
		h           holds.Hold
		first, last time.Duration
		want        bool
	}{
		{day, 0, 0, true}, {day, time.Hour, 2 * time.Hour, false}, {day, -time.Hour, -1, false}, {day, -time.Hour, 0, true}, {day, -time.Hour, 3 * time.Hour, true},
		{holds.Hold{Log: "l"}, 0, 0, true}, {holds.Hold{Log: "m"}, 0, 0, false}, {person, 0, 0, false},
	} {
		if got := x.h.OfLog("l", noon.Add(x.first), noon.Add(x.last)); got != x.want {
			t.Errorf("%v, %v to %v: %v", x.h, x.first, x.last, got)
		}
	}
}

// While a clock is ahead, no hold is lost: it is in force again once the clock is set.
func TestAClockThatIsAheadEndsNoHold(t *testing.T) {
	t.Parallel()
	file, err := engine.Open(filepath.Join(t.TempDir(), "segraph.db"), engine.Options{Extensions: []engine.Extension{(&notes.Notes{}).Extension()}})
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	s := holds.Of(file)
	for _, x := range []struct {
		at   time.Time
		hold holds.Hold
	}{{noon, holds.Hold{People: []string{"urn:p", "urn:q"}, Reason: "r", Until: noon.Add(time.Hour)}}, {noon.AddDate(2, 0, 0), holds.Hold{Log: "l", Reason: "r"}}} {
		if _, err := s.Add(t.Context(), x.hold, journal.Entry{LogID: journal.NewLogID(), Action: journal.Hold, Time: x.at}); err != nil {
			t.Fatal(err)
		}
	}
	for _, erased := range []string{"urn:none", "urn:q"} {
		err := file.Update(t.Context(), func(tx *engine.Tx) error {
			return holds.Forget(tx, func(name string) (string, bool) { return "", name == erased }, func(text string) string { return text })
		})
		if all, listed := s.All(noon); err != nil || listed != nil || len(all) != 2 {
			t.Errorf("in force are %v, %v, %v", all, err, listed)
		}
	}
	if all, err := s.All(noon); err != nil || len(all) != 2 || len(all[0].People) != 1 {
		t.Errorf("%+v has the erased name, %v", all, err)
	}
}
