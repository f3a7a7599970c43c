package file

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	bolt "go.etcd.io/bbolt"

	"github.com/segraph/segraph/internal/errno"
)

// CommitError means that a transaction could not be committed.
type CommitError struct {
	Err error
	// InDoubt reports whether the transaction may be on the disk, completely or not at
	// all: its meta page may have been written before the error. Opening the file again
	// shows which. Otherwise nothing of the transaction is stored.
	InDoubt bool
}

func (e *CommitError) Error() string {
	if e.InDoubt {
		return fmt.Sprintf("the disk failed, and it is not known whether the transaction is stored: %v", e.Err)
	}
	return fmt.Sprintf("the transaction is not stored: %v", e.Err)
}

// Unwrap returns the cause.
func (e *CommitError) Unwrap() error { return e.Err }

// Update runs do in a transaction, and commits it unless do returns an error.
func (f *File) Update(do func(*bolt.Tx) error) error {
	tx, err := f.Begin(true)
	if err != nil {
		return err
	}
	if err := do(tx); err != nil {
		_ = tx.Rollback() // fails only if already closed
		return err
	}
	return f.Commit(tx)
}

// withCause returns the error of a commit with its cause, which bbolt names only in the text, if the file can't grow:
// nothing is written yet then.
func withCause(err error) error {
	if err == nil || !strings.HasPrefix(err.Error(), "file resize error: ") && !strings.HasPrefix(err.Error(), "file sync error: ") {
		return err
	}
	if full := errno.FullIn(err.Error()); full != nil {
		return fmt.Errorf("%w (%w)", err, full)
	}
	return err
}

// inDoubt reports whether a transaction may be on the disk, although its commit failed.
// bbolt writes to free pages, syncs, writes a meta page, and syncs again. So nothing is
// stored before it writes the meta page. An error does not tell which of the two syncs
// failed.
func (f *File) inDoubt(id uint64, err error) bool {
	metas := readMetas(f.pages)
	if len(metas) == 0 || metas[0].txid >= id {
		return true
	}
	var path *fs.PathError
	notWritten := errors.As(err, &path) && path.Op == "write"
	return !notWritten && !errno.DiskFull(err) && !IsAtLimit(err)
}
