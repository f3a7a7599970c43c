package persist

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/segraph/segraph/internal/storetest"
	"github.com/segraph/segraph/store/engine"
	"github.com/segraph/segraph/store/log/journal"
)

// Helpers of storetest.
var (
	document  = storetest.Document
	add       = storetest.Add
	publish   = storetest.Publish
	exported  = storetest.Exported
	mustCheck = storetest.Check
	large     = storetest.Large
)

const sample = storetest.Sample

// openStore returns a new store that is closed at the end of the test.
func openStore(t testing.TB) *Store {
	t.Helper()
	return reopen(t, filepath.Join(t.TempDir(), "test.db"))
}

func reopen(t testing.TB, path string) *Store {
	t.Helper()
	s, err := Open(path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// entries returns the journal's entries, oldest first.
func entries(t testing.TB, s *Store) (out []journal.Entry) {
	t.Helper()
	err := s.View(func(snap *engine.Snapshot) (err error) { out, err = storetest.Entries(snap.KV()); return err })
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// applied flushes deferred writes.
func applied(t *testing.T, s *Store) {
	t.Helper()
	snap, err := s.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	snap.Close()
}

// leftBy returns a copy of a store's file as a kill would leave it now.
func leftBy(t testing.TB, s *Store) string {
	t.Helper()
	var left []byte
	for again := true; again; { // a flush may write meanwhile
		s.AwaitUpkeep()
		was := left
		var err error
		if left, err = os.ReadFile(s.Path()); err != nil {
			t.Fatal(err)
		}
		again = !bytes.Equal(left, was)
	}
	path := filepath.Join(t.TempDir(), "left.db")
	if err := os.WriteFile(path, left, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// backedUp writes a backup to a new file and returns its path.
func backedUp(t testing.TB, s *Store) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "backup.db")
	out, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	_, err = s.Backup(t.Context(), out)
	if err = errors.Join(err, out.Close()); err != nil {
		t.Fatal(err)
	}
	return path
}
