package resolver_test

import (
	"testing"

	"github.com/segraph/segraph/resolver"
	"github.com/segraph/segraph/resolver/memory"
	"github.com/segraph/segraph/resolver/weigh"
	"github.com/segraph/segraph/store/log/journal"
)

const (
	kitchen = "https://ex/place/kitchen"
	hall    = "https://ex/place/hall"
)

// saidAt is said with a location.
func saidAt(place, at, robot, text string) resolver.Observation {
	o := said(at, maria, robot, text)
	o.LocationURI = place
	return o
}

func TestTwoPlacesAreNeverJoinedWithoutAPerson(t *testing.T) {
	r := open(t, &memory.Store{})
	first := resolve(t, r, saidAt(kitchen, "2026-02-11T09:12:13.150Z", ari, news))
	second := resolve(t, r, saidAt(hall, "2026-02-11T09:12:13.350Z", tiago, news))
	if second.Outcome != resolver.Ambiguous || second.Reason != weigh.PlaceDiffers || second.Explanation.Gates.Place {
		t.Fatalf("two places: %s for %q, gates %+v", second.Outcome, second.Reason, second.Explanation.Gates)
	}
	if got := weightOf(second, "place"); got >= 0 {
		t.Errorf("two places weigh %g", got)
	}
	if _, err := r.Reconcile(t.Context(), judge); err != nil {
		t.Fatal(err)
	}
	if x := resolve(t, r, saidAt(kitchen, "2026-02-11T09:12:13.400Z", "https://ex/robot/pepper", news)); x.SharedContextURI != first.SharedContextURI {
		t.Errorf("a third robot in the kitchen: %s, %s", x.Outcome, x.Explanation.Reason)
	}

	// A person merges the two: the event then has both locations.
	if _, err := r.Accept(t.Context(), *second.CaseID, "", false, journal.Entry{Actor: "judge"}); err != nil {
		t.Fatal(err)
	}
	if x := resolve(t, r, saidAt(hall, "2026-02-11T09:12:13.450Z", "https://ex/robot/nao", news)); x.SharedContextURI != first.SharedContextURI {
		t.Errorf("a fourth robot in the hall: %s, %s", x.Outcome, x.Explanation.Reason)
	}
}

func TestReconcilingNeverJoinsTwoPlaces(t *testing.T) {
	r := open(t, &memory.Store{})
	for i, s := range sentences(30) {
		at := stampOf(i)
		resolve(t, r, saidAt(kitchen, at, ari, s))
		if x := resolve(t, r, saidAt(hall, at, tiago, s)); x.Outcome == resolver.Matched {
			t.Fatalf("sentence %d was matched", i)
		}
	}
	if out, err := r.Reconcile(t.Context(), judge); err != nil || out.MergedCount != 0 {
		t.Errorf("reconciling merged %+v, %v", out, err)
	}
}

// TestTheSamePlaceIsEvidence compares the weight of a shared location that all events
// have with that of a rare one.
func TestTheSamePlaceIsEvidence(t *testing.T) {
	r := open(t, &memory.Store{})
	for i, s := range sentences(60) {
		resolve(t, r, saidAt(hall, stampOf(i), ari, s))
	}
	weight := func(place, at string) float64 {
		resolve(t, r, saidAt(place, at, ari, news))
		x := resolve(t, r, saidAt(place, at, tiago, news))
		if x.Outcome != resolver.Matched {
			t.Fatalf("in %s: %s, %s", place, x.Outcome, x.Explanation.Reason)
		}
		return weightOf(x, "place")
	}
	common, rare := weight(hall, "2026-02-11T12:00:00.100Z"), weight(kitchen, "2026-02-11T13:00:00.100Z")
	if common < 0 || rare <= common {
		t.Errorf("a place of most events weighs %g, one of few %g", common, rare)
	}
	if x := resolve(t, r, said("2026-02-11T13:00:00.200Z", maria, "https://ex/robot/pepper", news)); x.Outcome != resolver.Matched || weightOf(x, "place") != 0 {
		t.Errorf("a robot without a place: %s, place weighs %g", x.Outcome, weightOf(x, "place"))
	}
}

func weightOf(x *resolver.Resolution, feature string) float64 {
	for _, c := range x.Explanation.Contributions {
		if c.Feature == feature {
			return c.Weight
		}
	}
	return 0
}

// TestTheGreatestGapIsAsStamped has two robots, one of which stamps whole seconds.
func TestTheGreatestGapIsAsStamped(t *testing.T) {
	for _, tt := range []struct {
		first, second string
		matched       bool
	}{
		{"12:00:00Z", "12:00:01.400Z", true},
		{"12:00:00Z", "12:00:01.900Z", false},
		{"12:00:02Z", "12:00:00.100Z", false},
		{"12:00:00Z", "12:00:01Z", true},
		{"12:00:00Z", "12:00:02Z", false},
		{"12:00:00.000Z", "12:00:01.400Z", true},
		{"12:00:00.000Z", "12:00:01.900Z", false},
	} {
		r := open(t, &memory.Store{})
		resolve(t, r, said("2026-02-11T"+tt.first, maria, ari, news))
		x := resolve(t, r, said("2026-02-11T"+tt.second, maria, tiago, news))
		if matched := x.Outcome == resolver.Matched; matched != tt.matched {
			t.Errorf("%s and %s: %s, %s", tt.first, tt.second, x.Outcome, x.Explanation.Reason)
		}
		if !tt.matched && (x.Outcome != resolver.Ambiguous || x.Reason != weigh.TooFar) {
			t.Errorf("%s and %s: %s for %q, want a case for the gap", tt.first, tt.second, x.Outcome, x.Reason)
		}
	}
}

// TestAZeroFractionIsExact has timestamps a third of a second apart. They weigh as much
// as two with other fractions.
func TestAZeroFractionIsExact(t *testing.T) {
	weight := func(first, second string) float64 {
		r := open(t, &memory.Store{})
		resolve(t, r, said(first, maria, ari, news))
		return weightOf(resolve(t, r, said(second, maria, tiago, news)), "time")
	}
	exact := weight("2026-02-11T12:00:00.100Z", "2026-02-11T12:00:00.400Z")
	if zero := weight("2026-02-11T12:00:00.000Z", "2026-02-11T12:00:00.300Z"); zero != exact {
		t.Errorf("a fraction of zeros weighs %g, other fractions %g", zero, exact)
	}
	if whole := weight("2026-02-11T12:00:00Z", "2026-02-11T12:00:00.300Z"); whole == exact {
		t.Errorf("whole seconds weigh %g too", whole)
	}
}
