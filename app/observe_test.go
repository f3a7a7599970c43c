package app

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/segraph/segraph/internal/backup"
)

// A backup that an admin sent may be old, so it does not hide that no snapshots are made.
func TestASentBackupIsNoSnapshot(t *testing.T) {
	folder := t.TempDir()
	snapshots, err := backup.NewFolder(backup.Options{Path: folder})
	if err == nil {
		_, err = snapshots.Add(t.Context(), strings.NewReader("sent"), 4)
	}
	if list, _ := snapshots.List(); err != nil || len(list) != 1 {
		t.Fatal(list, err)
	}
	if got := snapshotTime(snapshots); got != 0 {
		t.Errorf("the newest snapshot is of %v", got)
	}
	made := filepath.Join(folder, "segraph-1.db")
	for path, text := range map[string]string{made: "made", made + ".json": `{"name": "segraph-1.db", "time": "2026-01-01T00:00:00Z", "reason": "schedule"}`} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if got := snapshotTime(snapshots); got != 1767225600 {
		t.Errorf("the newest snapshot is of %v", got)
	}
}
