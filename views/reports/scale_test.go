package reports

import (
	"math"
	"testing"
	"time"

	"github.com/segraph/segraph/views"
)

func TestAScaleCutsLongPausesAndMarksThem(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 2, 24, 9, 0, 0, 0, time.UTC)
	hour := func(n float64) time.Time { return at.Add(time.Duration(n * float64(time.Hour))) }
	// Two hours, a short pause, an hour, a night, an hour.
	s := NewScale([]views.Period{{From: hour(24), To: hour(25)}, {From: hour(0), To: hour(2)}, {From: hour(2.3), To: hour(3)}, {From: hour(0.5), To: hour(1)}}, false)
	if len(s.Parts) != 2 || s.Parts[0] != (views.Period{From: hour(0), To: hour(3)}) || s.Parts[1] != (views.Period{From: hour(24), To: hour(25)}) {
		t.Fatalf("the parts are %v", s.Parts)
	}
	for after, want := range map[float64]float64{-1: 0, 0: 0, 1.5: 0.3675, 3: 0.735, 10: 0.735 + 0.02*7/21, 24: 0.755, 24.5: 0.8775, 25: 1, 30: 1} {
		if got := s.At(hour(after)); math.Abs(got-want) > 1e-9 {
			t.Errorf("%v hours after its beginning: %v, want %v", after, got, want)
		}
	}
	if got := s.cuts(); len(got) != 1 || got[0].x() != "73.5%" || got[0].w() != "2%" || got[0].middle() != "74.5%" || got[0].text != "Nothing for 21 hours, from 24 Feb 2026, 12:00:00 UTC to 25 Feb 2026, 09:00:00 UTC" {
		t.Errorf("cut is %v", got)
	}
	if got := s.words(); got != "24 Feb 2026, 09:00 to 25 Feb 2026, 10:00 UTC, 1 pause cut" {
		t.Error(got)
	}
	if got := s.Ticks(); len(got) != 2 || got[0].Text != "24 Feb 10:00" || got[1].Text != "25 Feb 09:00" {
		t.Errorf("ticks: %v", got)
	}

	points := NewScale([]views.Period{{From: at, To: at}, {From: hour(100), To: hour(100)}}, true)
	if x, y := points.At(at), points.At(hour(100)); x != 0 || y <= 0.5 || y >= 1 {
		t.Errorf("two points are at %v and %v", x, y)
	}
	if one := NewScale([]views.Period{{From: at, To: at}}, true); one.At(at) != 0 || one.words() != "24 Feb 2026, 09:00:00 to 09:00:00 UTC" || one.cuts() != nil {
		t.Errorf("one point: %v %s", one, one.words())
	}
	if none := NewScale(nil, true); none.words() != "" || none.Ticks() != nil || none.At(at) != 0 {
		t.Error("a scale of nothing has something")
	}
}

// TestAScaleOfManyPartsHasRoom has an hour on each of 100 days.
func TestAScaleOfManyPartsHasRoom(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 2, 24, 9, 0, 0, 0, time.UTC)
	var data []views.Period
	for i := range 100 {
		data = append(data, views.Period{From: at.AddDate(0, 0, i), To: at.AddDate(0, 0, i).Add(time.Hour)})
	}
	s, last := NewScale(data, false), -1.0
	for _, p := range data {
		from, to := s.At(p.From), s.At(p.To)
		if from <= last || to-from < 0.006 || to > 1 {
			t.Fatalf("%v is from %v to %v, after %v", p.From, from, to, last)
		}
		last = to
	}
	if n := len(s.Ticks()); n < 3 || n > views.MaxTicks+1 {
		t.Errorf("%d labels", n)
	}
}
