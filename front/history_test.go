package front

import (
	"testing"
	"time"
)

// TestAnHourOfMinutesIsKept counts requests over more than an hour, with an idle minute.
func TestAnHourOfMinutesIsKept(t *testing.T) {
	t.Parallel()
	var f Front
	now := time.Date(2026, 6, 4, 11, 0, 30, 0, time.UTC)
	if got := f.History(now); len(got) != 1 || got[0].Requests != 0 || got[0].Memory <= 0 {
		t.Errorf("at first: %+v", got)
	}
	f.history.add(now, 200, time.Second)
	f.history.add(now.Add(2*time.Minute), 503, 3*time.Second)
	f.history.add(now.Add(2*time.Minute), 404, time.Second)
	got := f.History(now.Add(2 * time.Minute))
	if len(got) != 3 || got[0].Requests != 1 || got[1].Requests != 0 || got[1].Memory != 0 || got[2].Requests != 2 || got[2].Failed != 1 || got[2].Took != 4*time.Second {
		t.Errorf("after two minutes: %+v", got)
	}
	if got = f.History(now.Add(61 * time.Minute)); len(got) != 60 || got[0].Requests != 2 || got[59].Requests != 0 || !got[59].Start.Equal(now.Add(61*time.Minute).Truncate(time.Minute)) {
		t.Errorf("after an hour: %d minutes, %+v", len(got), got[0])
	}
	if got = f.History(now.Add(-time.Minute)); len(got) != 1 {
		t.Errorf("after the clock was set back: %+v", got)
	}
}
