package views

import (
	"math"
	"slices"
	"testing"
	"time"
)

func TestAnAxisOfTimeHasFewRoundTimesWithinItsSpan(t *testing.T) {
	from := time.Date(2026, 2, 24, 11, 47, 13, 0, time.UTC)
	for long, want := range map[time.Duration][]string{
		0:                   {"11:47:13"},
		9 * time.Second:     {"11:47:15", "11:47:20"},
		2 * time.Hour:       {"12:00", "13:00"},
		20 * time.Hour:      {"12:00", "18:00", "25 Feb", "06:00"},
		4 * 24 * time.Hour:  {"26 Feb", "28 Feb"},
		56 * 24 * time.Hour: {"Mar 2026", "Apr 2026"},
	} {
		s := Period{from, from.Add(long)}
		var got []string
		for _, k := range s.ticks(maxTicks) {
			if got = append(got, k.text); k.at < 0 || k.at > 1 {
				t.Errorf("%v: %s is at %v", long, k.text, k.at)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%v: %q, want %q", long, got, want)
		}
	}
	for long := time.Millisecond; long < 40*365*24*time.Hour; long = long*3/2 + 1 {
		if n := len((Period{from, from.Add(long)}).ticks(maxTicks)); n > maxTicks+1 || n == 0 && long > time.Second {
			t.Errorf("%v has %d times", long, n)
		}
	}
}

func TestAnAxisOfCountsIsRoundAndHighEnough(t *testing.T) {
	for most, want := range map[int][]int{1: {0, 1}, 4: {0, 1, 2, 3, 4}, 5: {0, 2, 4, 6}, 17: {0, 5, 10, 15, 20}, 79: {0, 20, 40, 60, 80}, 4177: {0, 2000, 4000, 6000}} {
		if got := counts(most); !slices.Equal(got, want) {
			t.Errorf("%d: %v, want %v", most, got, want)
		}
	}
}

func TestASpanIsSaidInFewWords(t *testing.T) {
	day := time.Date(2026, 2, 24, 0, 0, 0, 0, time.UTC)
	for want, s := range map[string]Period{
		"2026-02-24, 11:00:00 to 13:00:00 UTC":     {day.Add(11 * time.Hour), day.Add(13 * time.Hour)},
		"2026-02-24 to 2026-02-26, UTC":            {day, day.AddDate(0, 0, 3)},
		"2026-02-24 01:00 to 2026-02-27 00:00 UTC": {day.Add(time.Hour), day.AddDate(0, 0, 3)},
	} {
		if got := s.words(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestAScaleCutsLongPausesAndMarksThem(t *testing.T) {
	at := time.Date(2026, 2, 24, 9, 0, 0, 0, time.UTC)
	hour := func(n float64) time.Time { return at.Add(time.Duration(n * float64(time.Hour))) }
	// Two hours, a short pause, an hour, a night, an hour.
	s := NewScale([]Period{{hour(24), hour(25)}, {hour(0), hour(2)}, {hour(2.3), hour(3)}, {hour(0.5), hour(1)}}, false)
	if len(s.Parts) != 2 || s.Parts[0] != (Period{hour(0), hour(3)}) || s.Parts[1] != (Period{hour(24), hour(25)}) {
		t.Fatalf("the parts are %v", s.Parts)
	}
	for after, want := range map[float64]float64{-1: 0, 0: 0, 1.5: 0.3675, 3: 0.735, 10: 0.735 + 0.02*7/21, 24: 0.755, 24.5: 0.8775, 25: 1, 30: 1} {
		if got := s.At(hour(after)); math.Abs(got-want) > 1e-9 {
			t.Errorf("%v hours after its beginning: %v, want %v", after, got, want)
		}
	}
	if got := s.cuts(); len(got) != 1 || got[0].x() != "73.5%" || got[0].w() != "2%" || got[0].middle() != "74.5%" || got[0].text != "Nothing for 21 hours, from 2026-02-24 12:00:00 UTC to 2026-02-25 09:00:00 UTC" {
		t.Errorf("cut is %v", got)
	}
	if got := s.words(); got != "2026-02-24 09:00 to 2026-02-25 10:00 UTC, 1 pause cut" {
		t.Error(got)
	}
	if got := s.ticks(); len(got) != 3 || got[0].text != "24 Feb 09:00" || got[2].text != "25 Feb 09:00" {
		t.Errorf("ticks: %v", got)
	}

	points := NewScale([]Period{{at, at}, {hour(100), hour(100)}}, true)
	if x, y := points.At(at), points.At(hour(100)); x != 0 || y <= 0.5 || y >= 1 {
		t.Errorf("two points are at %v and %v", x, y)
	}
	if one := NewScale([]Period{{at, at}}, true); one.At(at) != 0 || one.words() != "2026-02-24, 09:00:00 to 09:00:00 UTC" || one.cuts() != nil {
		t.Errorf("one point: %v %s", one, one.words())
	}
	if none := NewScale(nil, true); none.words() != "" || none.ticks() != nil || none.At(at) != 0 {
		t.Error("a scale of nothing has something")
	}
}

// TestAScaleOfManyPartsHasRoom has an hour on each of 100 days.
func TestAScaleOfManyPartsHasRoom(t *testing.T) {
	at := time.Date(2026, 2, 24, 9, 0, 0, 0, time.UTC)
	var data []Period
	for i := range 100 {
		data = append(data, Period{at.AddDate(0, 0, i), at.AddDate(0, 0, i).Add(time.Hour)})
	}
	s, last := NewScale(data, false), -1.0
	for _, p := range data {
		from, to := s.At(p.From), s.At(p.To)
		if from <= last || to-from < 0.006 || to > 1 {
			t.Fatalf("%v is from %v to %v, after %v", p.From, from, to, last)
		}
		last = to
	}
	if n := len(s.ticks()); n < 3 || n > maxTicks+1 {
		t.Errorf("%d labels", n)
	}
}
