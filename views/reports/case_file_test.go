package reports

import (
	"testing"
	"time"
)

// Lines without a time come first, and say nothing of when a session was.
func TestNotesOfOtherSessionsAreInNoCaseFile(t *testing.T) {
	t.Parallel()
	at := func(minute int) time.Time { return time.Date(2026, 2, 24, 12, minute, 0, 0, time.UTC) }
	f := caseFacts{rows: []CaseFileRow{{}, {At: at(20)}, {At: at(25)}}}
	for minute, want := range map[int]bool{0: false, 18: false, 20: true, 24: true, 25: false, 40: false} {
		if got := f.during(at(minute)); got != want {
			t.Errorf("minute %d: %t, want %t", minute, got, want)
		}
	}
	if f = (caseFacts{rows: []CaseFileRow{{}}}); f.during(at(20)) {
		t.Error("no line has a time")
	}
}
