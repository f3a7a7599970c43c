package running

import (
	"bytes"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

func open(t *testing.T, path string) (*Tracker, []Query) {
	t.Helper()
	tr, left, err := Open(path, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	return tr, left
}

func TestQueriesThatRanWhenTheProcessEndedAreReported(t *testing.T) {
	path := filepath.Join(t.TempDir(), "running")
	tr, left := open(t, path)
	if len(left) > 0 {
		t.Errorf("a new file holds %v", left)
	}
	tr.Begin("r1", "ari", "SELECT 1")()
	tr.Begin("r2", "eve", "SELECT \"\n\x00é\" { "+strings.Repeat("\x01", 5000))
	end := tr.Begin("r3", "ari", "ASK { 3 }")
	tr.Begin("r4", "tiago", strings.Repeat("é", 5000))
	end()
	// A killed process closes nothing.
	again, left := open(t, path)
	if len(left) != 2 || left[0].RequestID != "r2" || left[0].Actor != "eve" || !strings.HasPrefix(left[0].Text, "SELECT \"\n") || left[0].Began.IsZero() ||
		left[1].RequestID != "r4" || !strings.HasSuffix(left[1].Text, "é…") {
		t.Errorf("%+v", left)
	}
	if _, left := open(t, path); len(left) > 0 {
		t.Errorf("returned twice: %+v", left)
	}
	if err := again.Close(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(path); !os.IsNotExist(err) {
		t.Errorf("after a normal end the file exists: %v", err)
	}
}

func TestAnyFileIsRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "running")
	for _, text := range []string{"x", strings.Repeat("\xff", 3*slotSize), strings.Repeat("\x05\x00\x00\x00", 5000)} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, left := open(t, path); len(left) > 0 {
			t.Errorf("%.10q holds %v", text, left)
		}
	}
}

func TestMoreQueriesThanSlotsRun(t *testing.T) {
	tr, _ := open(t, filepath.Join(t.TempDir(), "running"))
	var all sync.WaitGroup
	for i := range 4 * slots {
		all.Go(func() {
			end := tr.Begin(fmt.Sprint(i), "ari", "ASK {}")
			end()
		})
	}
	all.Wait()
	if len(tr.free) != slots {
		t.Errorf("%d of %d slots are free in the end", len(tr.free), slots)
	}
}

func TestAnEndedQueryLeavesNoText(t *testing.T) {
	path := filepath.Join(t.TempDir(), "running")
	tracker, _, err := Open(path, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	defer tracker.Close()
	tracker.Begin("r", "eva", "ASK { <urn:maria> ?p ?o }")()
	if b, err := os.ReadFile(path); err != nil || bytes.Contains(b, []byte("maria")) {
		t.Errorf("%q, %v", bytes.Trim(b, "\x00"), err)
	}
}
