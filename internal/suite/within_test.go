package suite

import (
	"slices"
	"testing"
	"time"
)

// loose is a test that is allowed to fail.
type loose struct {
	testing.TB
	failed bool
}

func (l *loose) Helper()               {}
func (l *loose) Logf(string, ...any)   {}
func (l *loose) Errorf(string, ...any) { l.failed = true }
func (l *loose) Failed() bool          { return l.failed }

func TestALargeSlowdownFailsOnAnyMachine(t *testing.T) {
	NotShort(t)
	for _, c := range []struct {
		took  []time.Duration
		fails bool
	}{
		{[]time.Duration{time.Second}, false},
		{[]time.Duration{time.Hour, time.Hour, time.Hour, time.Hour, time.Second}, false},
		{slices.Repeat([]time.Duration{21 * time.Second}, 10), true},
	} {
		var l loose
		tries := 0
		Within(&l, "it", time.Second, func() time.Duration {
			tries++
			return c.took[tries-1]
		})
		if l.failed != c.fails || tries != len(c.took) {
			t.Errorf("%v: failed %v after %d tries", c.took, l.failed, tries)
		}
	}
	if s := Slowness(); s < 1 || s > 20 {
		t.Errorf("work takes %v times as long", s)
	}
}
