package store_test

import (
	"testing"
	"time"

	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/log/journal"
)

// The age of a forwarded log counts by the clock of its box, unless that was not set, was behind, or is ahead.
func TestTheClockOfABoxIsNotBelievedWhateverItSays(t *testing.T) {
	t.Parallel()
	const day = 24 * time.Hour
	now := time.Date(2026, 8, 1, 0, 0, 0, 0, time.UTC)
	x := store.Expiry{Now: now, Rules: []store.ExpiryRule{{Before: now.Add(-200 * day)}}}
	for name, c := range map[string]struct {
		at, box time.Duration // before now
		want    bool
	}{
		"an old log":                        {201 * day, 0, true},
		"a young log":                       {199 * day, 0, false},
		"one that waited for the link":      {190 * day, 201 * day, true},
		"a box with another clock":          {199 * day, 199*day + time.Minute, false},
		"a box that was behind":             {day, 300 * day, false},
		"a box that was behind, later":      {171 * day, 400 * day, true},
		"a box without a clock":             {day, 56 * 365 * day, false},
		"a box without a clock, for longer": {300 * day, 56 * 365 * day, true},
		"a box that is ahead":               {201 * day, -1000 * day, true},
	} {
		e := &journal.Numbered{Entry: journal.Entry{Time: now.Add(-c.at)}}
		if c.box != 0 {
			e.Box, e.BoxTime = "hall-1", now.Add(-c.box)
		}
		if got := x.TooOld(0, e, time.Time{}); got != c.want {
			t.Errorf("%s is too old: %v", name, got)
		}
	}
}
