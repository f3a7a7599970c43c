package file

import (
	"errors"
	"fmt"
	"io/fs"

	bolt "go.etcd.io/bbolt"

	"github.com/segraph/segraph/internal/errno"
)

// CommitError says that a transaction could not be written out.
type CommitError struct {
	Err error
	// InDoubt says that nobody knows whether the transaction is on the disk, all of it or
	// nothing: the page that makes it take effect may have been written before the error.
	// Whoever opens the file next finds out. Otherwise nothing of the transaction is
	// stored.
	InDoubt bool
}

func (e *CommitError) Error() string {
	if e.InDoubt {
		return fmt.Sprintf("the disk failed, and it is not known whether the transaction is stored: %v", e.Err)
	}
	return fmt.Sprintf("the transaction is not stored: %v", e.Err)
}

func (e *CommitError) Unwrap() error { return e.Err }

// Update runs do in a transaction of its own and commits it, unless do returns an error.
func (f *File) Update(do func(*bolt.Tx) error) error {
	tx, err := f.Begin(true)
	if err != nil {
		return err
	}
	if err := do(tx); err != nil {
		_ = tx.Rollback() // the one error is that it was closed before
		return err
	}
	return f.Commit(tx)
}

// inDoubt reports whether the transaction of that number may be on the disk, although its
// commit failed. bbolt writes its pages to free ones, waits until they are on the disk,
// writes one of the two first pages, and waits for that one. So before the first page was
// written, nothing is stored. An error of waiting does not say which of the two failed.
func (f *File) inDoubt(id uint64, err error) bool {
	metas := readMetas(f.pages)
	if len(metas) == 0 || metas[0].txid >= id {
		return true
	}
	var path *fs.PathError
	notWritten := errors.As(err, &path) && path.Op == "write"
	return !notWritten && !errno.DiskFull(err) && !IsAtLimit(err)
}
