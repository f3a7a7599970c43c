package file

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	bolt "go.etcd.io/bbolt"
)

// TestAReplacementCutShortAnywhereLeavesTheOldFileOrTheNew simulates a kill between any
// two steps.
func TestAReplacementCutShortAnywhereLeavesTheOldFileOrTheNew(t *testing.T) {
	for _, there := range []bool{true, false} {
		for steps := 0; ; steps++ {
			dir := t.TempDir()
			path, from, keep := filepath.Join(dir, "x.db"), filepath.Join(dir, "x.db.new"), filepath.Join(dir, "x.db.old")
			var old *File
			if there {
				old = mustOpen(t, path)
				fillBucket(t, old.DB, 100)
				old.Close()
			}
			fresh := mustOpen(t, from)
			fillBucket(t, fresh.DB, 200)
			fresh.Close()
			held, err := Lock(path)
			if err != nil {
				t.Fatal(err)
			}
			all := replacing(path, from, keep, nil)
			if steps > len(all) {
				break
			}
			for _, step := range all[:steps] {
				if err := step(); err != nil {
					t.Fatalf("after %d steps: %v", steps, err)
				}
			}
			held.Close() // as the kill does
			now := mustOpen(t, path)
			if err := now.Check(t.Context()); err != nil {
				t.Errorf("after %d steps: %v", steps, err)
			}
			isOld, isNew := there && now.ID() == old.ID(), now.ID() == fresh.ID()
			if there && !isOld && !isNew || steps == len(all) && !isNew {
				t.Errorf("after %d of %d steps there is another file", steps, len(all))
			}
			now.Close()
			if there && isNew {
				kept := mustOpen(t, keep)
				if kept.ID() != old.ID() {
					t.Errorf("after %d steps the old file is not kept", steps)
				}
				kept.Close()
			}
		}
	}
}

func TestALockedFileIsNotOpenedAndAnOpenFileIsNotLocked(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "x.db")
	mustOpen(t, path).Close()
	held, err := Lock(path)
	if err != nil {
		t.Fatal(err)
	}
	var locked *LockedError
	if _, err := Open(path, Options{LockTimeout: time.Millisecond}); !errors.As(err, &locked) {
		t.Errorf("a held file is opened: %v", err)
	}
	held.Close()
	f := mustOpen(t, path)
	defer f.Close()
	if _, err := Lock(path); !errors.As(err, &locked) {
		t.Errorf("an open file is held: %v", err)
	}
}

func TestADamagedFileCanBeLockedAndReplaced(t *testing.T) {
	dir := t.TempDir()
	path, from, keep := filepath.Join(dir, "x.db"), filepath.Join(dir, "new"), filepath.Join(dir, "old")
	if err := os.WriteFile(path, bytes.Repeat([]byte("x"), 9000), 0o600); err != nil {
		t.Fatal(err)
	}
	mustOpen(t, from).Close()
	held, err := Lock(path)
	if err != nil {
		t.Fatal(err)
	}
	defer held.Close()
	if err := Replace(path, from, keep); err != nil {
		t.Fatal(err)
	}
	mustOpen(t, path).Close()
	if text, err := os.ReadFile(keep); len(text) != 9000 || err != nil {
		t.Errorf("%d bytes of the damaged file are kept, %v", len(text), err)
	}
	if err := Replace(path, path, keep); err == nil {
		t.Error("an earlier copy is overwritten")
	}
}

func TestACompactedFileHoldsTheSameInFewerPages(t *testing.T) {
	dir := t.TempDir()
	f := mustOpen(t, filepath.Join(dir, "x.db"))
	defer f.Close()
	fillBucket(t, f.DB, 20_000)
	if err := f.DB.Update(func(tx *bolt.Tx) error { return tx.DeleteBucket([]byte("things")) }); err != nil {
		t.Fatal(err)
	}
	fillBucket(t, f.DB, 1000)
	to := filepath.Join(dir, "small.db")
	if err := f.Compact(to); err != nil {
		t.Fatal(err)
	}
	small := mustOpen(t, to)
	defer small.Close()
	if err := small.Check(t.Context()); err != nil {
		t.Error(err)
	}
	if small.ID() != f.ID() {
		t.Error("the compacted file has another identity")
	}
	before, after := readMetas(f.pages)[0].highWater, readMetas(small.pages)[0].highWater
	if after > before/5 {
		t.Errorf("%d pages of %d are left", after, before)
	}
	if err := f.Compact(to); err == nil {
		t.Error("an existing file is overwritten")
	}
}
