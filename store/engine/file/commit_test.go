package file

import (
	"errors"
	"io/fs"
	"path/filepath"
	"syscall"
	"testing"

	bolt "go.etcd.io/bbolt"

	"github.com/segraph/segraph/internal/errno"
)

// A transaction whose commit failed is in doubt if its meta page may have been written,
// and not stored otherwise.
func TestACommitThatFailedSaysWhetherItMayBeStored(t *testing.T) {
	written := func(err error) func(*bolt.Tx) error {
		return func(tx *bolt.Tx) error { return errors.Join(tx.Commit(), err) }
	}
	unwritten := func(err error) func(*bolt.Tx) error {
		return func(tx *bolt.Tx) error { return errors.Join(tx.Rollback(), err) }
	}
	full := &fs.PathError{Op: "write", Err: syscall.ENOSPC}
	for _, c := range []struct {
		name    string
		commit  func(*bolt.Tx) error
		inDoubt bool
	}{
		{"the sync of the first page failed", written(syscall.EIO), true},
		{"there was no room for the first page", written(full), true},
		{"a sync failed", unwritten(syscall.EIO), true}, // either of the two
		{"there was no room", unwritten(full), false},
		{"a sync found no room", unwritten(syscall.ENOSPC), false},
		{"a page could not be written", unwritten(&fs.PathError{Op: "write", Err: syscall.EIO}), false},
	} {
		path := filepath.Join(t.TempDir(), "x.db")
		f := mustOpen(t, path)
		f.commit = c.commit
		tx, err := f.Begin(true)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := tx.CreateBucket([]byte("there")); err != nil {
			t.Fatal(err)
		}
		id := tx.ID()
		var failed *CommitError
		if err := f.Commit(tx); !errors.As(err, &failed) || failed.InDoubt != c.inDoubt {
			t.Errorf("%s: Commit gave %v", c.name, err)
		}
		f.Close()
		f = mustOpen(t, path)
		stored := false
		err = f.DB.View(func(tx *bolt.Tx) error {
			stored = tx.Bucket([]byte("there")) != nil
			return nil
		})
		if err != nil || stored && !c.inDoubt {
			t.Errorf("%s: transaction %d is stored: %v, %v", c.name, id, stored, err)
		}
		f.Close()
	}
}

// bbolt names the cause of a file that can't grow only in the text of its error.
func TestAFullDiskIsKnownWhenTheFileGrows(t *testing.T) {
	for _, by := range []string{"file resize error: truncate x.db: ", "file sync error: sync x.db: "} {
		if err := withCause(errors.New(by + syscall.ENOSPC.Error())); !errno.DiskFull(err) {
			t.Error(err)
		}
	}
}
