package file

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// Transactions do not write to a file that was moved, removed or replaced since it was
// opened. Reading continues. Once the file is back, so does writing.
func TestNothingIsWrittenToAFileThatIsNotInItsPlace(t *testing.T) {
	dir := t.TempDir()
	path, away := filepath.Join(dir, "x.db"), filepath.Join(dir, "away.db")
	f := mustOpen(t, path)
	defer f.Close()
	begin := func(writable bool) error {
		t.Helper()
		tx, err := f.Begin(writable)
		if err == nil {
			err = tx.Rollback()
		}
		return err
	}
	for _, gone := range []struct {
		name     string
		do, undo func() error
	}{
		{"moved", func() error { return os.Rename(path, away) }, func() error { return os.Rename(away, path) }},
		{"replaced", func() error {
			mustOpen(t, away+"2").Close()
			return errors.Join(os.Rename(path, away), os.Rename(away+"2", path))
		}, func() error { return os.Rename(away, path) }},
		{"a link elsewhere", func() error {
			return errors.Join(os.Rename(path, away), os.WriteFile(away+"2", nil, 0o600), os.Symlink(away+"2", path))
		}, func() error { return os.Rename(away, path) }},
		{"removed", func() error { return os.Remove(path) }, nil},
	} {
		if err := gone.do(); err != nil {
			t.Fatalf("%s: %v", gone.name, err)
		}
		var moved *MovedError
		if err := f.InPlace(); !errors.As(err, &moved) || moved.Path != path {
			t.Errorf("%s: InPlace gave %v", gone.name, err)
		}
		if err := begin(true); !errors.As(err, &moved) {
			t.Errorf("%s: a write began: %v", gone.name, err)
		}
		if err := begin(false); err != nil {
			t.Errorf("%s: reading: %v", gone.name, err)
		}
		if gone.undo == nil {
			continue
		}
		if err := gone.undo(); err != nil {
			t.Fatalf("%s: %v", gone.name, err)
		}
		if err := errors.Join(f.InPlace(), begin(true)); err != nil {
			t.Errorf("%s and moved back: %v", gone.name, err)
		}
	}
}

// BenchmarkInPlace measures the cost of InPlace, which every commit calls.
func BenchmarkInPlace(b *testing.B) {
	f, err := Open(filepath.Join(b.TempDir(), "x.db"), Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	for b.Loop() {
		if err := f.InPlace(); err != nil {
			b.Fatal(err)
		}
	}
}

// Opening a file for writing syncs its newer meta page, because the previous process may
// have failed to, and writes nothing to a file that was closed.
func TestOpeningAFileSyncsItAndWritesNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.db")
	f := mustOpen(t, path)
	fillBucket(t, f.DB, 10)
	f.Close()
	mustOpen(t, path).Close() // copies the meta page, which Close did not
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, readOnly := range []bool{true, false} {
		long := time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)
		if err := os.Chtimes(path, long, long); err != nil {
			t.Fatal(err)
		}
		f, err := Open(path, Options{ReadOnly: readOnly})
		if err != nil {
			t.Fatal(err)
		}
		written := f.Written()
		f.Close()
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if !info.ModTime().Equal(long) || written.Bytes != 0 || (written.Syncs == 0) != readOnly {
			t.Errorf("read only %v: changed at %v, written %v", readOnly, info.ModTime(), written)
		}
		if after, err := os.ReadFile(path); err != nil || !bytes.Equal(after, before) {
			t.Errorf("read only %v: the file has changed, %v", readOnly, err)
		}
	}
}
