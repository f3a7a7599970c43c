package app

import (
	"bytes"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/segraph/segraph/resolver/persist"
	"github.com/segraph/segraph/store/log/journal"
)

// A service warns at its start if its clock is behind its own journal.
func TestAStartWarnsOfAClockBehindTheJournal(t *testing.T) {
	s, err := persist.Open(filepath.Join(t.TempDir(), "segraph.db"), persist.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	written := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	said := func(now time.Time) string {
		t.Helper()
		var out bytes.Buffer
		if err := doubtClock(t.Context(), s, now, slog.New(slog.NewTextHandler(&out, nil))); err != nil {
			t.Error(err)
		}
		return out.String()
	}
	if got := said(time.Unix(0, 0)); got != "" {
		t.Errorf("of an empty journal it says %s", got)
	}
	if err := s.Note(t.Context(), journal.Entry{LogID: journal.NewLogID(), Action: journal.Restore, Time: written}); err != nil {
		t.Fatal(err)
	}
	for _, now := range []time.Time{written.Add(time.Hour), written, written.Add(-30 * time.Second)} {
		if got := said(now); got != "" {
			t.Errorf("at %v it says %s", now, got)
		}
	}
	if got := said(time.Unix(0, 0)); !strings.Contains(got, "clock=1970-01-01T00:00:00Z last_entry=2026-03-01T12:00:00Z number=1") {
		t.Errorf("in 1970 it says %s", got)
	}
}
