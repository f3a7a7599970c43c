package views

import (
	"slices"
	"testing"
	"time"
)

func TestAnAxisOfTimeHasFewRoundTimesWithinItsSpan(t *testing.T) {
	t.Parallel()
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
		for _, k := range s.Ticks(MaxTicks) {
			if got = append(got, k.Text); k.At < 0 || k.At > 1 {
				t.Errorf("%v: %s is at %v", long, k.Text, k.At)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%v: %q, want %q", long, got, want)
		}
	}
	for long := time.Millisecond; long < 40*365*24*time.Hour; long = long*3/2 + 1 {
		if n := len((Period{from, from.Add(long)}).Ticks(MaxTicks)); n > MaxTicks+1 || n == 0 && long > time.Second {
			t.Errorf("%v has %d times", long, n)
		}
	}
	// A Duration can't hold these, and robots may send them.
	for _, years := range []int{300, 5_000, 99_999_999_999} {
		if n := len((Period{from.AddDate(-years, 0, 0), from.AddDate(years, 0, 0)}).Ticks(MaxTicks)); n > MaxTicks+1 || n == 0 {
			t.Errorf("%d years have %d times", 2*years, n)
		}
	}
}

func TestAnAxisOfCountsIsRoundAndHighEnough(t *testing.T) {
	t.Parallel()
	for most, want := range map[int][]int{1: {0, 1}, 4: {0, 1, 2, 3, 4}, 5: {0, 2, 4, 6}, 17: {0, 5, 10, 15, 20}, 79: {0, 20, 40, 60, 80}, 4177: {0, 2000, 4000, 6000}} {
		if got := Counts(most); !slices.Equal(got, want) {
			t.Errorf("%d: %v, want %v", most, got, want)
		}
	}
}

func TestASpanIsSaidInFewWords(t *testing.T) {
	t.Parallel()
	day := time.Date(2026, 2, 24, 0, 0, 0, 0, time.UTC)
	for want, s := range map[string]Period{
		"24 Feb 2026, 11:00:00 to 13:00:00 UTC":        {day.Add(11 * time.Hour), day.Add(13 * time.Hour)},
		"24 Feb 2026 to 26 Feb 2026, UTC":              {day, day.AddDate(0, 0, 3)},
		"24 Feb 2026, 01:00 to 27 Feb 2026, 00:00 UTC": {day.Add(time.Hour), day.AddDate(0, 0, 3)},
	} {
		if got := s.Words(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
