package admin

import (
	"testing"
	"time"

	"github.com/segraph/segraph/views/viewstest"
)

func TestTheNextBackupIsNeverInThePast(t *testing.T) {
	t.Parallel()
	now := viewstest.Now
	for _, c := range []struct {
		next           time.Time
		figure, notice string
	}{
		{time.Time{}, "0 KiB: in 0 copies", "Copies of the whole file. One is made before each “Delete all”. None is scheduled: the setting snapshot-every does that."},
		{now.Add(-3 * time.Minute), "now: a scheduled copy is being made", "Copies of the whole file. One is made before each “Delete all”, and at times that the settings say."},
		{now.Add(time.Hour), "in 1 hour: the next scheduled copy", "Copies of the whole file. One is made before each “Delete all”, and at times that the settings say."},
	} {
		m := Backups{Next: c.next}
		if f := m.figures(now)[0]; f[0]+": "+f[1] != c.figure {
			t.Errorf("the figure is %q, want %q", f, c.figure)
		}
		if got := m.sentence(); got != c.notice {
			t.Errorf("the page begins with %q, want %q", got, c.notice)
		}
	}
}
